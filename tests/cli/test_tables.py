"""Tables as they are on the command line: what is said, saved, and can be typed."""

import csv
import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import semirank

nan = np.nan


def rows(text):
    return [line.split("\t") for line in text.splitlines()]


def scores(text):
    """Return the score of each row of the data."""
    return {int(row["row"]): float(row["score"]) for row in csv.DictReader(text.splitlines(), delimiter="\t")}


@pytest.fixture
def houses(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    n = 100
    frame = pd.DataFrame(
        {
            "town": rng.choice(["Bonn", "Jena", "Ulm"], n),
            "size": rng.normal(size=n),
            "nr": np.arange(n),
            "sold": "",
        }
    )
    wanted = (frame["town"] == "Bonn") | (frame["size"] > 1)
    frame.loc[::2, "sold"] = np.where(wanted, "yes", "no")[::2]
    frame.loc[3, "size"] = nan
    monkeypatch.chdir(tmp_path)
    frame.to_csv("houses.csv", index=False)
    frame.drop(columns="sold").head(4).to_csv("new.csv", index=False)
    return frame


READ = ("houses.csv", "--label", "sold", "--relevant", "yes")


def test_labels_that_are_words_are_asked_back(run, houses):
    code, out, err = run("rank", "houses.csv", "--label", "sold")
    assert (code, out) == (1, "")
    assert "column 'sold' holds words: 'no'" in err
    assert "--relevant yes;" in err
    assert len(err.splitlines()) == 1


def test_describe_says_which_columns_became_what(run, houses):
    code, out, _ = run("describe", *READ)
    assert code == 0
    assert dict(rows(out))["columns"] == (
        "1 number, 1 category of 3 levels; left out: `nr` (it counts the rows)"
    )
    other = ("--category", "nr", "--drop", "town", "--number", "size")
    assert json.loads(run("describe", *READ, *other, "--json")[1])["columns"] == (
        "1 number, 1 category of 100 levels"
    )
    assert (
        dict(rows(run("describe", *READ, "--feature", "size", "--number", "size")[1]))["columns"]
        == "1 number"
    )


def test_rank_chooses_and_says_so(run, houses):
    code, out, err = run("rank", *READ, "--top", 2)
    assert code == 0
    assert "columns: 1 number, 1 category of 3 levels; left out: `nr`" in err
    data = semirank.read_table("houses.csv", label="sold", relevant="yes", text_features=False)
    auto = semirank.AutoRanker().fit(data.table, data.y)
    assert auto.verdict_ in err
    unlabelled = np.isnan(data.y)
    assert max(scores(out).values()) == pytest.approx(auto.scores_[unlabelled].max())


@pytest.mark.parametrize(
    "ranker", [(), ("--ranker", "trees"), ("--ranker", "rankboost", "--set", "n_rounds=5")]
)
def test_a_model_keeps_what_it_made_of_the_table(run, houses, ranker):
    assert run("fit", *READ, "-o", "m", *ranker)[0] == 0
    code, out, err = run("rank", "new.csv", "--model", "m")
    assert code == 0, err
    model = semirank.load_model("m")
    expected = model.predict(houses.head(4))
    found = scores(out)
    assert [found[row] for row in range(1, 5)] == pytest.approx(expected.tolist())
    houses.drop(columns=["town", "sold"]).to_csv("lacks.csv", index=False)
    code, _, err = run("rank", "lacks.csv", "--model", "m")
    assert (code, "no column 'town'" in err) == (1, True)


def test_numbers_with_gaps_need_no_filling(run, houses):
    houses.drop(columns="town").to_csv("numbers.csv", index=False)
    read = ("numbers.csv", *READ[1:])
    assert run("fit", *read, "-o", "m")[0] == 0
    code, out, _ = run("rank", "new.csv", "--model", "m")
    assert (code, len(rows(out))) == (0, 5)


def test_what_compare_recommends_can_be_typed_and_is_saved(run, houses):
    code, _, err = run("compare", *READ, "--no-budget", "--jobs", 1, "--save", "m", "-o", "report.md")
    assert code == 0
    command = next(line for line in err.splitlines() if line.startswith("To rank with")).partition(": ")[2]
    assert command in (report := Path("report.md").read_text())
    assert report.index(command) < report.index("Leaderboard")
    code, out, _ = run(*shlex.split(command)[1:])
    assert code == 0
    new, saved = scores(out), scores(run("rank", "houses.csv", "--model", "m", "--drop", "sold")[1])
    assert len(new) == 50
    assert {row: saved[row] for row in new} == pytest.approx(new, abs=1e-6)


def test_a_baseline_that_is_recommended_can_be_typed(run, houses):
    code, _, err = run(
        "compare", *READ, "--no-budget", "--jobs", 1, "-r", "manifold-ranking", "-o", "report.md"
    )
    assert code == 0
    command = next(line for line in err.splitlines() if line.startswith("To rank with")).partition(": ")[2]
    assert run(*shlex.split(command)[1:])[0] == 0


def test_an_unknown_name_gets_the_names_there_are(run, houses):
    code, _, err = run("rank", *READ, "--ranker", "tree")
    assert code == 1
    assert "no candidate 'tree' for these data. There are 'linear'" in err.splitlines()[-1]
