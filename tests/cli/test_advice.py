"""What an error advises can be typed as it stands, and helps."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 30
    base = {"label": np.where(np.arange(n) < 20, np.arange(n) % 2, np.nan), "a": rng.normal(size=n)}
    frame = pd.DataFrame(base)
    frame.assign(label=[-2, -1] + [1, 0] * 14).to_csv("minus.csv", index=False)
    frame.assign(label=["yes", "no"] * 15).to_csv("words.csv", index=False)
    frame.rename(columns={"label": "verdict"}).to_csv("unnamed.csv", index=False)
    frame.assign(rel=frame["label"]).to_csv("two.csv", index=False)
    frame.assign(**{"Unnamed: 0": range(n)}).to_csv("index.csv", index=False)
    frame.assign(score=0.5).to_csv("score.csv", index=False)
    frame.to_csv("plain.xyz", index=False)
    frame.assign(a=frame["a"].where(frame.index != 3)).to_csv("gaps.csv", index=False)
    text = "label,a,b\n1,1,café\n0,2,x\n1,3,y\n0,4,z\n"
    with open("latin.csv", "wb") as stream:
        stream.write(text.encode("utf-8")[:-2] + b"\x81\n")
    frame.assign(id=[f"i{k}" for k in range(n)]).to_csv("named.csv", index=False)
    with open("some.tsv", "w") as stream:
        stream.write("qid\titem\tscore\n" + "".join(f"0\t{k}\t{k}.5\n" for k in range(10)))


FOLLOWED = [
    (["describe", "minus.csv"], "--unlabelled -1", []),
    (["describe", "minus.csv"], "--unlabelled none", []),
    (["describe", "words.csv"], "--relevant yes", []),
    (["describe", "unnamed.csv"], "--label none", []),
    (["describe", "two.csv"], "--label label", ["--drop", "rel"]),
    (["describe", "two.csv"], "--drop rel", []),
    (["describe", "index.csv"], "--drop 'Unnamed: 0'", []),
    (["describe", "score.csv"], "--drop score", []),
    (["rank", "gaps.csv", "-r", "rankboost"], "--fill mean", []),
    (["evaluate", "plain.csv", "some.tsv", "AUC"], "--missing last", []),
]


@pytest.mark.parametrize(("command", "advice", "more"), FOLLOWED, ids=[each[1] for each in FOLLOWED])
def test_advice_helps(run, command, advice, more):
    pd.read_csv("plain.xyz").to_csv("plain.csv", index=False)
    code, _, err = run(*command)
    assert code == 1, err
    assert advice in err
    assert run(*command, *shlex.split(advice), *more)[0] == 0


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (["describe", "plain.xyz"], "--format ..."),
        (["describe", "-"], "--format ..."),
        (["describe", "latin.csv", "--encoding", "utf-8"], "--encoding ..."),
        (["describe", "named.csv", "--feature", "zz"], "--feature: there is no column 'zz'"),
        (["describe", "named.csv", "--drop", "zz"], "--drop: there is no column 'zz'"),
        (["describe", "named.csv", "--label", "a", "--drop", "a"], "in --label and in --drop"),
        (["describe", "named.csv", "--category", "zz"], "--category or --number: 'zz'"),
        (["describe", "named.csv", "--encoding", "klingon"], "--encoding: "),
        (["rank", "gaps.csv", "-r", "rankboost", "--fill", "most"], "--fill must be a number"),
        (
            ["rank", "named.csv", "-r", "rankboost", "--set", "patience=3"],
            ", or --set patience=none",
        ),
    ],
)
def test_errors_name_options_of_the_command(run, command, option):
    code, _, err = run(*command)
    assert code == 1
    assert option in err
    assert not re.search(r"\b(?!patience)[a-z_]+=['\[.]", err)


@pytest.mark.filterwarnings("default")
def test_quiet_silences_warnings(run):
    text = pd.DataFrame({"title": ["a cat", "a dog", "a cow"] * 9, "year": 1, "label": [1, 0, ""] * 9})
    text.to_csv("texts.csv", index=False)
    code, _, err = run("describe", "texts.csv")
    assert (code, "ranked by text alone" in err, "--feature ..." in err) == (0, True, True)
    assert run("describe", "texts.csv", "--quiet")[2] == ""
    assert run("describe", "texts.csv", "-q")[2] == ""


def test_describe_names_every_column(run):
    pd.DataFrame(
        {"id": [f"i{k}" for k in range(40)], "town": ["Bonn", "Ulm"] * 20, "size": [1.0, 2, 3, 5] * 10,
         "nr": range(40), "old": 7, "label": [1, 0, None, 1] * 10}
    ).to_csv("table.csv", index=False)  # fmt: skip
    _, out, _ = run("describe", "table.csv", "--drop", "old")
    found = dict(line.split("\t") for line in out.splitlines())
    assert {name: found[f"column {name}"] for name in ("id", "town", "size", "nr", "old", "label")} == {
        "id": "name of the item",
        "town": "category of 2 levels",
        "size": "number",
        "nr": "left out: it counts the rows",
        "old": "left out",
        "label": "label",
    }
