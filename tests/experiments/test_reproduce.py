"""The papers' experiments run, and show what their pages claim."""

import re
from itertools import pairwise

import numpy as np
import pytest

from semirank.experiments import EXPERIMENTS, feedback
from semirank.experiments.result import ExperimentPage


def column(page: str, method: str, place: int) -> float:
    """Return the number in a column of the first row about a method."""
    row, *_ = re.findall(rf"^\| {re.escape(method)} \|.*$", page, flags=re.MULTILINE)
    return float(row.split("|")[place + 1].split()[0])


def test_moons_are_ranked_along_the_manifold(tmp_path):
    written = EXPERIMENTS["moons"]().write(tmp_path)
    page = written[0].read_text()
    assert column(page, "closed form", 1) == 1.0
    assert column(page, "t = 5", 1) < column(page, "t = 50", 1) < column(page, "t = 100", 1)
    assert column(page, "distance", 1) < 0.9
    assert 0.85 < column(page, "shortest paths (rejected in the paper)", 1) < 0.95
    assert min(column(page, "closed form", 2), column(page, "closed form", 3)) > 0.95
    assert [path.name for path in written] == ["moons.md", "moons-1.svg"]
    assert (tmp_path / "moons-1.svg").read_bytes().startswith(b"<?xml")


def test_the_same_experiment_gives_the_same_files(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        EXPERIMENTS["moons"](seed=3).write(tmp_path / folder)
    for name in ("moons.md", "moons-1.svg"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.mark.slow
def test_usps_neighbour_graphs_beat_the_paper_and_the_paper_beats_the_distance(real_data):
    done = []
    page = EXPERIMENTS["usps"](trials=2, progress=lambda at, total: done.append(at / total)).page()
    distance, paper, ours = (
        column(page, method, 1)
        for method in ("distance", "full graph, sigma 1.25 (paper)", "10 neighbours, median sigma (default)")
    )
    assert distance < paper < ours
    assert done[-1] == 1


@pytest.mark.slow
def test_newsgroups_need_the_degree_correction(real_data):
    pytest.importorskip("RAKE")
    page = EXPERIMENTS["newsgroups"](trials=5).page()
    assert column(page, "all inner products (paper)", 1) < column(page, "cosine", 1)
    assert column(page, "all inner products, c = 1/2", 1) > column(page, "cosine", 1)
    assert column(page, "10 neighbours, c = 1/2 (default)", 1) > 85


def test_feedback_asks_about_the_best_of_the_items_that_may_be_shown():
    scores, truth = np.arange(200.0), np.where(np.arange(200) >= 100, 1.0, 0.0)
    asked = []

    def scorer(y):
        asked.append(np.flatnonzero(~np.isnan(y)))
        return scores

    found = {}
    feedback._search({"by number": scorer}, truth, np.random.default_rng(0), found)
    assert [len(each) for each in asked] == list(range(1, 46, 5))
    shown = set(asked[-1]) - set(asked[0])
    assert max(shown) == max(set(asked[1]) - set(asked[0]))
    assert all(set(before) < set(after) or set(before) == set(after) for before, after in pairwise(asked))
    assert sorted(found) == [("by number", number) for number in range(0, 41, 5)]
    assert all(values[0][0] == 1.0 for values in found.values())


def test_a_page_says_how_to_make_it_again():
    result = ExperimentPage("name", "Title", {"seed": 7})
    result.table("Caption", [{"a": 1, "b": None}])
    page = result.page()
    assert page.startswith("# Title\n\n`semirank reproduce name`. Made on ")
    assert "seed = 7" in page
    assert "## Caption\n\n| a | b |\n|---|---|\n| 1 | - |" in page
