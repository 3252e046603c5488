"""``semirank compare`` as a user meets it: tables, words, reports, exit codes."""

import json

import numpy as np
import pytest

import semirank
from semirank import Comparison


@pytest.fixture(autouse=True)
def empty_folder(monkeypatch, tmp_path):
    """A report that nobody named is written into the folder where the command runs."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def one_process(monkeypatch):
    """Fit in this process: starting others takes seconds, and is tested elsewhere."""
    compare = semirank.compare
    monkeypatch.setattr(
        semirank, "compare", lambda *args, **options: compare(*args, **options | {"n_jobs": None})
    )


@pytest.fixture
def lists(tmp_path):
    """Write six lists in which the first feature is the label and the second is noise."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60).astype(float)
    X = np.column_stack([y + 0.1 * rng.normal(size=60), rng.normal(size=60)])
    path = tmp_path / "lists.letor"
    semirank.write(semirank.RankingDataset(X, y, np.repeat(np.arange(1, 7), 10)), path)
    return path


@pytest.mark.usefixtures("one_process")
def test_leaderboard_words_and_report(run, lists, tmp_path):
    code, out, err = run("compare", lists, "--ranker", "semi-rankboost", "--metric", "AUC", "--no-budget")
    rows = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert rows[0][:4] == ["place", "ranker", "AUC", "low"]
    assert {row[1] for row in rows[1:]} == {"rankboost", "semi-rankboost"}
    assert "Every item has a label, so what remains to be ranked are other lists." in err
    assert "no evidence" in err
    assert err.rstrip().endswith("-> lists-comparison.html")
    assert "semi-rankboost" in (tmp_path / "lists-comparison.html").read_text()


@pytest.mark.usefixtures("one_process")
def test_json_is_the_whole_comparison(run, lists, tmp_path):
    report = tmp_path / "report.json"
    code, out, err = run("compare", lists, "-r", "rankboost", "--json", "-q", "-o", report, "--seed", 3)
    assert (code, err) == (0, "")
    found = Comparison.from_json(out)
    assert found == Comparison.from_json(report.read_text())
    assert (found.seed, found.name, found.metric) == (3, "lists", "nDCG")
    assert json.loads(out)["results"][0]["name"] == "rankboost"


@pytest.mark.usefixtures("one_process")
def test_a_finished_comparison_leaves_its_report_and_nothing_else(run, lists, tmp_path):
    run("compare", lists, "-r", "rankboost", "-q", "-o", tmp_path / "r.html")
    assert {path.name for path in tmp_path.iterdir()} == {"lists.letor", "r.html"}


@pytest.mark.usefixtures("one_process")
def test_fits_of_a_stopped_comparison_are_not_thrown_away_without_being_asked(run, lists, tmp_path):
    fits = tmp_path / "r.html.fits.jsonl"
    fits.write_text('["key", {}]\n')
    code, _, err = run("compare", lists, "-r", "rankboost", "-o", tmp_path / "r.html")
    assert code == 1
    assert "--resume" in err.splitlines()[-1]
    assert fits.read_text() == '["key", {}]\n'
    assert run("compare", lists, "-r", "rankboost", "-o", tmp_path / "r.html", "--resume")[0] == 0
    assert not fits.exists()


@pytest.mark.usefixtures("one_process")
def test_full_labels_of_shared_items_are_thinned(run):
    _, _, err = run("compare", "moons", "-r", "distance-ranking", "--repeats", 2, "--no-budget")
    assert "In each list 10 labels are drawn and shown, 2 times over." in err


def test_the_command_and_the_function_are_one_experiment(run, tmp_path):
    names = ("distance-ranking", "rankrls")
    run("compare", "moons", *(f"-r{name}" for name in names), "--jobs", 1, "-q", "-o", tmp_path / "r.json")
    found = semirank.compare(semirank.load("moons"), names, name="moons", n_jobs=1)
    written = Comparison.from_json((tmp_path / "r.json").read_text())
    assert [each.values for each in written.results] == [each.values for each in found.results]
    assert (written.choice, written.budget) == (found.choice, found.budget)
    assert written.options == found.options


@pytest.mark.usefixtures("one_process")
def test_too_few_labels_give_a_message_and_a_partial_report(run, tmp_path):
    table = tmp_path / "few.csv"
    table.write_text("item,label,a\nx,1,0.5\ny,0,0.1\nz,,0.2\nw,,0.3\n")
    code, out, err = run("compare", table)
    assert code == 1
    assert out == ""
    assert "two better and two worse labels in it; no list has them" in err.splitlines()[-1]
    page = (tmp_path / "few-comparison.html").read_text()
    assert "two better and two worse labels" in page
    assert "nan" not in page.lower().replace("nan,", "")


@pytest.mark.usefixtures("one_process")
def test_when_all_rankers_fail_the_report_says_why(run, tmp_path):
    table = tmp_path / "negative.csv"
    table.write_text("item,label,a\n" + "".join(f"i{i},{-i % 4 - 5},{i}\n" for i in range(12)))
    code, _, err = run(
        "compare", table, "-r", "distance-ranking", "--metric", "AUC", "-o", tmp_path / "r.json"
    )
    assert code == 1
    assert "No ranker could be fitted and measured. distance-ranking: ValueError" in err
    assert Comparison.from_json((tmp_path / "r.json").read_text()).results[0].status == "failed"


def test_mistakes_are_found_before_any_work(run, lists, tmp_path):
    assert run("compare", lists, "-r", "rank-boost")[0] == 2
    assert "Did you mean 'rankboost'?" in run("compare", lists, "-r", "rank-boost")[2]
    assert "There is no metric" in run("compare", lists, "--metric", "nDXG")[2]
    code, _, err = run("compare", lists, "-o", tmp_path / "report.pdf")
    assert code == 2
    assert "a report ends in .html, .md, .json, .csv or .tex" in err
    assert "the folder" in run("compare", lists, "-o", tmp_path / "none" / "r.html")[2]
