"""The command line as a user meets it: what it prints, where, and with which exit code."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import semirank

nan = np.nan


@pytest.fixture
def letor(tmp_path) -> Path:
    path = tmp_path / "small.letor"
    path.write_text(
        "1 qid:7 1:0 2:1 #docid = a\n-1 qid:7 1:1 2:1 #docid = b\n0 qid:7 1:3 2:1 #docid = c\n"
        "-1 qid:8 1:5 2:0 #docid = d\n1 qid:8 1:4 2:0 #docid = e\n"
    )
    return path


NEAREST = ("--ranker", "distance-ranking")


def rows(text):
    return [line.split("\t") for line in text.splitlines()]


def records(text):
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


def test_help_names_every_command(run):
    code, out, _ = run("--help")
    assert code == 0
    for command in ("describe", "rank", "label", "fit", "evaluate", "convert", "rankers", "datasets"):
        assert command in out


def test_version(run):
    assert run("--version")[:2] == (0, f"{semirank.__version__}\n")


def test_describe(run, letor):
    code, out, err = run("describe", letor)
    table = dict(rows(out))
    assert (code, err) == (0, "")
    assert (table["lists"], table["items"], table["labelled"], table["unlabelled"]) == ("2", "5", "3", "2")
    assert table["label 1"] == "2"
    summary = json.loads(run("describe", letor, "--json")[1])
    assert summary["label_histogram"] == {"0": 1, "1": 2}
    assert summary["warnings"] == []


def test_rank_prints_the_best_first_and_messages_elsewhere(run, letor):
    code, out, err = run("rank", letor, *NEAREST, "--all")
    assert code == 0
    assert rows(out) == [
        ["rank", "score", "qid", "item", "label"],
        ["1", "0", "7", "a", "1"],
        ["2", "-1", "7", "b", ""],
        ["3", "-3", "7", "c", "0"],
        ["1", "0", "8", "e", "1"],
        ["2", "-1", "8", "d", ""],
    ]
    assert "2 lists, 5 items" in err
    assert run("rank", letor, *NEAREST, "--quiet")[2] == ""
    assert len(rows(run("rank", letor, *NEAREST, "--all", "--top", 1)[1])) == 3
    assert json.loads(run("rank", letor, *NEAREST, "--json", "--all")[1].splitlines()[0]) == {
        "rank": 1,
        "score": 0.0,
        "qid": "7",
        "item": "a",
        "label": 1.0,
    }


def test_rank_gives_items_without_a_label_unless_all_have_one(run, letor, tmp_path):
    found = records(run("rank", letor, *NEAREST)[1])
    assert [(row["rank"], row["item"]) for row in found] == [("1", "b"), ("1", "d")]
    known = tmp_path / "known.letor"
    known.write_text("1 qid:7 1:0 #docid = a\n0 qid:7 1:1 #docid = b\n")
    _, out, err = run("rank", known, *NEAREST)
    assert [row["item"] for row in records(out)] == ["a", "b"]
    assert "Every item has a label" in err


def test_rank_writes_tables_and_runs(run, letor, tmp_path):
    assert run("rank", letor, *NEAREST, "-o", tmp_path / "new.run")[0] == 0
    assert (tmp_path / "new.run").read_text() == "7 Q0 b 1 -1.0 semirank\n8 Q0 d 1 -1.0 semirank\n"
    assert run("rank", letor, *NEAREST, "--all", "-o", tmp_path / "s.tsv")[:2] == (0, "")
    assert run("rank", letor, *NEAREST, "--all", "-o", tmp_path / "s.run")[0] == 0
    assert (tmp_path / "s.run").read_text().splitlines()[0].split()[:4] == ["7", "Q0", "a", "1"]
    for name in ("s.tsv", "s.run"):
        code, out, _ = run("evaluate", letor, tmp_path / name, "AUC", "P@1")
        assert code == 0
        assert rows(out) == [
            ["metric", "mean", "lists", "of"],
            ["AUC", "1", "1", "2"],
            ["P@1", "1", "2", "2"],
        ]


def test_evaluate_per_list(run, letor, tmp_path):
    run("rank", letor, *NEAREST, "--all", "-o", tmp_path / "s.tsv")
    _, out, _ = run("evaluate", letor, tmp_path / "s.tsv", "AUC", "--per-list")
    assert rows(out) == [["qid", "AUC"], ["7", "1"], ["8", "nan"]]
    assert json.loads(
        run("evaluate", letor, tmp_path / "s.tsv", "AUC", "--per-list", "--json")[1].splitlines()[1]
    ) == {
        "qid": "8",
        "AUC": None,
    }


def test_qrels_and_run_as_trec_eval_sees_them(run, tmp_path):
    import pytrec_eval

    qrels = {"q1": {"a": 1, "b": 0, "c": 1, "e": 1}, "q2": {"x": 0, "y": 1}}
    ranking = {
        "q1": {"a": 0.5, "b": 0.5, "c": 0.1, "d": 0.9, "e": -1.0},
        "q2": {"x": 2.0, "y": 1.0, "z": 3.0},
    }
    (tmp_path / "j.qrels").write_text("".join(f"{q} 0 {d} {r}\n" for q in qrels for d, r in qrels[q].items()))
    (tmp_path / "r.run").write_text(
        "".join(f"{q} Q0 {d} 1 {s} t\n" for q in ranking for d, s in ranking[q].items())
    )
    options = ["--ties", "trec", "--unjudged", "irrelevant", "--per-list", "--json"]
    code, out, _ = run("evaluate", tmp_path / "j.qrels", tmp_path / "r.run", "AP", "P@5", "RR", *options)
    assert code == 0
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "P_5", "recip_rank"}).evaluate(ranking)
    for line in map(json.loads, out.splitlines()):
        expected = theirs[line["qid"]]
        assert [line["AP"], line["P@5"], line["RR"]] == pytest.approx(
            [expected["map"], expected["P_5"], expected["recip_rank"]]
        )
    code, out, _ = run("evaluate", tmp_path / "j.qrels", tmp_path / "r.run", "Judged@5")
    assert float(rows(out)[1][1]) == pytest.approx((4 / 5 + 2 / 3) / 2)


def test_the_readme_job_is_the_library_called_by_hand(run):
    code, out, _ = run("rank", "digits", *NEAREST, "--keep", 10, "--metric", "P@50", "--seed", 3)
    digits = semirank.load("digits")
    few = digits.hide_labels(keep=10, keep_levels=True, random_state=3)
    scores = semirank.DistanceRanking().fit(few.X, few.y, few.qid).scores_
    hidden = np.where(few.labelled, nan, digits.y)
    expected = semirank.metrics.precision_at(hidden, scores, digits.qid, cutoff=50).mean()
    assert code == 0
    assert rows(out)[1] == ["P@50", f"{expected:.6g}", "10", "10"]


def test_fit_then_rank_new_items(run, letor, tmp_path):
    assert run("fit", letor, "-o", tmp_path / "m.model", *NEAREST, "--set", "distance=cosine")[0] == 0
    new = tmp_path / "new.letor"
    new.write_text("-1 qid:7 1:1 2:0 #docid = x\n-1 qid:7 1:0 2:2 #docid = y\n")
    code, out, _ = run("rank", new, "--model", tmp_path / "m.model")
    assert code == 0
    assert [(row["item"], float(row["score"])) for row in records(out)] == [("y", 1.0), ("x", 0.0)]


def test_a_ranker_inside_another_is_set_by_its_name(run, letor, tmp_path):
    three = tmp_path / "three.letor"
    three.write_text(letor.read_text() + "-1 qid:9 1:2 2:1 #docid = f\n-1 qid:9 1:0 2:3 #docid = g\n")
    setting = ("--ranker", "feature-generation", "--set", "ranker=rankrls", "--set", "kernel=linear")
    code, out, _ = run("rank", three, *setting)
    assert code == 0
    data = semirank.read(three)
    ranker = semirank.FeatureGeneration(semirank.RankRLS(), "linear")
    expected = ranker.fit(data.X, data.y, data.qid).predict(data.X[5:])
    found = [float(row["score"]) for row in records(out) if row["qid"] == "9"]
    assert found == pytest.approx(sorted(expected, reverse=True))


def test_texts_go_from_a_table_to_a_model_and_back(run, tmp_path):
    table = tmp_path / "review.csv"
    table.write_text(
        "record_id,title,abstract,included\n1,red apple,sweet apple,1\n2,green apple,sour apple,\n"
        "3,red car,fast car,0\n4,blue car,slow car,\n"
    )
    code, out, _ = run("rank", table, *NEAREST, "--set", "distance=cosine")
    assert code == 0
    assert [(row["record_id"], row["title"]) for row in records(out)] == [
        ("2", "green apple"),
        ("4", "blue car"),
    ]
    assert run("fit", table, "-o", tmp_path / "m", *NEAREST, "--set", "distance=cosine")[0] == 0
    new = tmp_path / "new.csv"
    new.write_text("record_id,title,abstract,included\n9,car,a car,\n8,apple,an apple,\n")
    code, out, _ = run("rank", new, "--model", tmp_path / "m")
    assert code == 0
    assert [row["record_id"] for row in records(out)] == ["8", "9"]
    assert run("rank", letor_without_text(tmp_path), "--model", tmp_path / "m")[0] == 1


def letor_without_text(tmp_path):
    path = tmp_path / "plain.letor"
    path.write_text("1 qid:1 1:2\n0 qid:1 1:3\n")
    return path


@pytest.mark.parametrize("ending", [".letor", ".csv", ".tsv", ".parquet", ".letor.gz"])
def test_convert_there_and_back(run, letor, tmp_path, ending):
    there, back = tmp_path / f"there{ending}", tmp_path / "back.letor"
    assert run("convert", letor, there)[0] == 0
    assert run("convert", there, back)[0] == 0
    assert back.read_text() == letor.read_text()


def test_rankers_lists_parameters_with_limits(run):
    _, out, _ = run("rankers")
    assert {"distance-ranking", "rankboost"} <= {row[0] for row in rows(out)}
    assert all(row[1].endswith(".") for row in rows(out)[1:])
    _, out, _ = run("rankers", "rankboost", "distance-ranking")
    assert ["distance-ranking", "distance", "'euclidean'", "'euclidean' or 'cosine'"] in [
        row[:4] for row in rows(out)
    ]


def test_datasets_list(run):
    _, out, _ = run("datasets", "list", "--json")
    assert {"digits", "usps", "mq2008"} <= {json.loads(line)["name"] for line in out.splitlines()}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["rank", "nowhere.letor"], 1, "nowhere.letor: no such file"),
        (["rank", "{letor}", "--ranker", "distance-rankin"], 2, "Did you mean 'distance-ranking'?"),
        (
            ["rank", "{letor}", *NEAREST, "--set", "distance=nearest"],
            2,
            "distance must be 'euclidean' or 'cosine'; got 'nearest'",
        ),
        (
            ["rank", "{letor}", "-r", "feature-generation", "-s", "ranker=rankrsl"],
            2,
            "Did you mean 'rankrls'?",
        ),
        (["rank", "{letor}", *NEAREST, "--set", "colour=red"], 2, "Parameters: distance"),
        (["rank", "{letor}", "--unlabelled", "x"], 2, "--unlabelled must be a number"),
        (["rank", "{letor}", "--metric", "AP"], 2, "needs --keep"),
        (["rank", "{letor}", "--top", "0"], 2, "--top"),
        (["rank", "{letor}", "--model", "{letor}"], 1, "no semirank model"),
        (["rank", "{bad}"], 1, "bad.letor:2:"),
        (["rank", "digitz"], 1, "digitz"),
        (["rank", "-"], 1, "standard input has none: say --format"),
        (["evaluate", "{letor}", "{letor}", "nDGC@10"], 2, "nDCG"),
        (["evaluate", "{letor}", "{letor}", "AP"], 1, "small.letor"),
        (["convert", "{letor}", "x.docx"], 1, "'.docx' tells no format"),
        (["describe"], 2, "DATA"),
        (["nonsense"], 2, "nonsense"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(run, letor, tmp_path, arguments, code, message):
    bad = tmp_path / "bad.letor"
    bad.write_text("1 qid:1 1:2\n1 qid:1 1:x\n")
    before = set(tmp_path.iterdir())
    arguments = [argument.format(letor=letor, bad=bad) for argument in arguments]
    if arguments[0] in ("rank", "evaluate") and "--metric" not in arguments:
        arguments += ["-o", str(tmp_path / "out.tsv")]
    found, out, err = run(*arguments)
    assert (found, out) == (code, "")
    lines = err.splitlines()
    assert message in lines[-1]
    assert lines[-1].startswith("semirank: ")
    assert "Traceback" not in err
    assert set(tmp_path.iterdir()) == before


def test_standard_input(letor):
    command = [sys.executable, "-m", "semirank", "describe", "-", "--format", "letor", "--json"]
    result = subprocess.run(command, input=letor.read_bytes(), capture_output=True, check=True)
    assert json.loads(result.stdout)["items"] == 5


def test_an_option_that_an_experiment_does_not_have_is_refused(run):
    code, _, err = run("reproduce", "moons", "--trials", 3)
    assert code == 2
    assert "The experiment moons has no option --trials." in " ".join(err.replace("│", " ").split())
    assert run("reproduce", "usps", "--jobs", 2)[0] == 2
