"""``semirank simulate``."""

import json

import pytest

WORDS = ("heart", "trial", "drug")


@pytest.fixture
def reviews(tmp_path):
    """A table of 24 labelled abstracts, six of them relevant."""
    rows = ["id,title,label"]
    rows += [f"{k},{WORDS[k % 3]} failure {WORDS[(k + 1) % 3]} study,1" for k in range(6)]
    rows += [f"{k},kidney stone number {k % 5} of a patient,0" for k in range(6, 24)]
    path = tmp_path / "reviews.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_table_goes_out_and_a_report_is_written(run, reviews, tmp_path):
    report = tmp_path / "out.json"
    options = ("--text", "title", "--label", "label", "--item", "id", "--jobs", 1)
    code, out, err = run("simulate", reviews, *options, "--runs", 2, "-o", report)
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].startswith("ranker\trecall at 10 %")
    assert [line.split("\t")[0] for line in lines[1:]] == ["ScreeningRanker", "labels alone", "random order"]
    assert "ScreeningRanker against random order" in err
    assert len(json.loads(report.read_text())["runs"]) == 6


def test_what_cannot_work_is_refused_before_any_work(run, reviews, tmp_path):
    options = ("--text", "title", "--label", "label", "--item", "id")
    for wrong, words in (
        (("-o", tmp_path / "out.pdf"), "ends in .html"),
        (("-o", tmp_path / "nowhere" / "out.html"), "does not exist"),
        (("--stop", "instinct"), "no rule 'instinct'"),
        (("--ranker", "best"), "best"),
        (("--start", "6+1", "-o", tmp_path / "x.html", "--jobs", 1), "leaves none to be found"),
    ):
        code, _, err = run("simulate", reviews, *options, *wrong)
        assert code != 0
        assert words in err
    assert not (tmp_path / "x.html").exists()
