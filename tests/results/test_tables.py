"""Comparisons as data frames, CSV, LaTeX, pictures, and what notebooks show."""

import csv
import io
import re
import sys
from html.parser import HTMLParser

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.comparisons import EMPTY, EVIL, comparison, result

import semirank
from semirank.rankers._base import CONSTANT, Contributions, FeatureContributions
from semirank.results import tables

matplotlib.use("Agg")


def without(monkeypatch, *names):
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    find = tables.find_spec
    monkeypatch.setattr(tables, "find_spec", lambda name: None if name in names else find(name))


def test_frames_of_both_libraries_hold_the_same():
    found = comparison()
    ours = found.to_frame("pandas")
    assert isinstance(ours, pd.DataFrame)
    assert isinstance(found.to_frame("polars"), pl.DataFrame)
    assert ours["name"].tolist() == ["semi-rankboost", "rankboost", "slow"]
    assert ours["mean"].tolist()[:2] == [0.7, 0.6]
    assert np.isnan(ours["mean"][2])
    assert found.to_frame("polars")["mean"].to_list() == [0.7, 0.6, None]
    assert ours.loc[0, ["difference", "difference_low", "p"]].tolist() == [0.1, 0.05, 0.02]


def test_whichever_library_is_there_is_taken(monkeypatch):
    without(monkeypatch, "pandas")
    assert isinstance(comparison().to_frame(), pl.DataFrame)
    with pytest.raises(ImportError, match="needs pandas: pip install pandas"):
        comparison().to_frame("pandas")
    without(monkeypatch, "pandas", "polars")
    with pytest.raises(ImportError, match="needs pandas or polars: pip install pandas"):
        comparison().to_frame()
    with pytest.raises(ImportError, match="needs dask"):
        comparison().to_frame("dask")


def test_csv_is_read_back():
    rows = list(csv.DictReader(io.StringIO(comparison().to_csv())))
    assert [row["name"] for row in rows] == ["semi-rankboost", "rankboost", "slow"]
    assert float(rows[0]["mean"]) == 0.7
    assert rows[2]["mean"] == ""
    assert comparison(**EMPTY).to_csv() == "\n"


def test_latex_is_whole_and_escaped():
    rows = (result("semi-rankboost", words="50% of R_1 & <x>", place=1), result("rankboost"))
    text = comparison(results=rows, metric="nDCG@10").to_latex("All_of it", "tab:all")
    assert r"50\% of R\_1 \& <x> & \textbf{0.600} & [0.500, 0.700]" in text
    assert r"\caption{All\_of it}" in text
    assert r"\label{tab:all}" in text
    opened = re.findall(r"\\begin\{(\w+)\}", text)
    assert opened == re.findall(r"\\end\{(\w+)\}", text)[::-1]
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")].splitlines()[1:-1]
    assert {line.count(" & ") for line in body} <= {4, 5}
    assert all(line.endswith(r" \\") for line in body)
    assert "slow" not in comparison().to_latex()


@pytest.mark.parametrize("what", ["rankers", "gains", "lists", "budget", "precision"])
def test_plots_return_axes(what):
    from matplotlib import pyplot

    axes = comparison().plot(what)
    assert axes.get_xlabel()
    assert comparison().plot(what, ax=axes) is axes
    pyplot.close("all")


def test_what_cannot_be_drawn_says_why():
    with pytest.raises(
        ValueError, match="what must be one of rankers, gains, lists, budget, precision; got 'pie'"
    ):
        comparison().plot("pie")
    with pytest.raises(ValueError, match="nothing to draw: label budgets were not measured"):
        comparison(budget=None).plot("budget")
    for what in ("rankers", "gains", "lists", "precision"):
        with pytest.raises(ValueError, match="nothing to draw"):
            comparison(**EMPTY).plot(what)


class Closed(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "link", "img", "style")
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def fitted():
    moons = semirank.load("moons")
    few = moons.hide_labels(keep=6, keep_levels=True, random_state=0)
    return semirank.AutoRanker().fit(few.X, few.y)


SHOWN = {
    "comparison": lambda: comparison(results=(result("semi-rankboost", words=EVIL), result("rankboost"))),
    "empty comparison": lambda: comparison(**EMPTY),
    "data": lambda: semirank.load("moons"),
    "contributions": lambda: Contributions(np.array([3, CONSTANT, 5]), np.array([0.5, -0.25, 0.0])),
    "features": lambda: FeatureContributions(np.arange(30), np.linspace(-1, 2, 30)),
    "words": lambda: semirank.meta.text.Words([EVIL, ""], np.array([0.5, -0.25])),
    "auto": fitted,
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_a_notebook_shows_is_plain_html_in_its_own_colours(name):
    text = SHOWN[name]()._repr_html_()
    Closed(text)
    assert EVIL not in text
    assert not re.search(r"https?:|url\(|(?<!-)color:|background:(white|#fff)", text)


def test_bars_say_what_a_score_is_made_of():
    text = SHOWN["contributions"]()._repr_html_()
    assert "+0.25 in all" in text
    assert re.search(r"item 3</td>.*width:0\.0%.*width:100\.0%.*\+0\.5<", text)
    assert re.search(r"constant</td>.*width:50\.0%.*width:0\.0%.*-0\.25<", text)
    assert "18 others" in SHOWN["features"]()._repr_html_()


def test_auto_ranker_shows_its_choice_in_the_way_that_notebooks_ask():
    auto = SHOWN["auto"]()
    shown = auto._repr_mimebundle_()
    assert auto.choice_["words"] in shown["text/html"]
    assert shown["text/plain"] == repr(auto)
    blank = semirank.AutoRanker()
    assert "AutoRanker" in blank._repr_html_()
    assert "has chosen" not in blank._repr_mimebundle_()["text/html"]
