"""From a file of references to a reading list and back, round after round, without a script."""

import csv

import numpy as np
import openpyxl
import pytest

import semirank

TOPICS = {1: "heart failure drug trial", 0: "kidney stone surgery case"}


@pytest.fixture
def review(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.chdir(tmp_path)
    with open("review.csv", "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["record_id", "title", "abstract", "year", "included"])
        for number in range(40):
            relevant = number % 4 == 0
            words = TOPICS[relevant].split() + TOPICS[not relevant].split()[:1]
            label = "" if number >= 10 else int(relevant)
            writer.writerow([f"r{number}", " ".join(rng.permutation(words)), " ".join(words), 1990, label])
    return tmp_path


def truth(record_id):
    return int(int(record_id[1:]) % 4 == 0)


def cells(path):
    return semirank.readers.read_records(path).columns


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx", "parquet", "ris", "bib"])
def test_rounds_of_reading_find_what_is_relevant(run, review, ending):
    name = f"list.{ending}"
    code, _, err = run("rank", "review.csv", "--drop", "year", "-o", name, "--top", 5)
    assert code == 0, err
    listed = cells(name)
    ids = listed["record_id"] if "record_id" in listed else _from_notes(listed)
    assert len(ids) == 5
    assert all(truth(each) for each in ids)
    if ending in ("ris", "bib"):
        return
    decided = {**listed, "included": [truth(each) for each in ids]}
    semirank.readers.write_records(semirank.readers.Records(name, decided, range(5)), name)
    code, _, err = run("label", "review.csv", name)
    assert (code, "5 new labels, 0 known already" in err) == (0, True)
    assert sum(cell != "" for cell in cells("review.csv")["included"]) == 15
    listed = run("rank", "review.csv", "--drop", "year")[1]
    assert not set(ids) & {row["record_id"] for row in csv.DictReader(listed.splitlines(), delimiter="\t")}


def _from_notes(listed):
    notes = [" ".join(cell) if isinstance(cell, list) else "" for cell in listed.get("notes", [])]
    if any(notes):
        return [note.split("record_id: ")[1].split()[0] for note in notes]
    return listed["record_id"]


def test_the_reading_list_itself_can_be_ranked_again(run, review):
    run("rank", "review.csv", "--all", "-o", "list.csv", "--drop", "year")
    code, out, err = run("rank", "list.csv", "--drop", "year")
    assert code == 0, err
    assert len(out.splitlines()) == 31


def test_decisions_in_a_workbook_stay_text(run, review):
    run("rank", "review.csv", "-o", "list.xlsx", "--drop", "year")
    sheet = openpyxl.load_workbook("list.xlsx").active
    assert [cell.value for cell in sheet[1]][:4] == ["rank", "score", "why", "record_id"]
    assert sheet.max_row == 31


def test_a_wrong_decision_changes_nothing(run, review):
    (review / "d.csv").write_text("record_id,included\nr0,0\n")
    before = (review / "review.csv").read_bytes()
    code, _, err = run("label", "review.csv", "d.csv")
    assert code == 1
    assert "--replace" in err
    assert (review / "review.csv").read_bytes() == before
    assert run("label", "review.csv", "d.csv", "--replace", "-o", "new.csv")[0] == 0
    assert cells("new.csv")["included"][0] == "0"
    assert (review / "review.csv").read_bytes() == before


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
def test_empty_texts_stand_last_and_are_counted(run, review):
    with open("review.csv", "a") as stream:
        stream.write("r40,,,1990,\nr41,,,1990,\n")
    code, out, err = run("rank", "review.csv", "--drop", "year")
    assert code == 0
    assert "2 items have no text and stand last." in err
    last = [row["record_id"] for row in csv.DictReader(out.splitlines(), delimiter="\t")][-2:]
    assert set(last) == {"r40", "r41"}


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
def test_windows_files_are_read_and_that_is_said(run, review):
    text = (review / "review.csv").read_text().replace("kidney", "niña")
    (review / "windows.csv").write_bytes(text.encode("cp1252"))
    code, out, err = run("rank", "windows.csv", "--drop", "year")
    assert (code, "Windows-1252" in err, "niña" in out) == (0, True, True)
    assert "Windows-1252" not in run("rank", "windows.csv", "--drop", "year", "--encoding", "cp1252")[2]


def test_scores_of_a_reading_list_are_evaluated(run, review):
    run("rank", "review.csv", "--all", "-o", "list.csv", "--drop", "year")
    code, out, _ = run("evaluate", "review.csv", "list.csv", "AUC", "--drop", "year")
    assert code == 0
    assert float(out.splitlines()[1].split("\t")[1]) > 0.9


def test_references_are_converted_with_all_their_columns(run, review):
    assert run("convert", "review.csv", "review.ris")[0] == 0
    assert run("convert", "review.ris", "again.csv")[0] == 0
    before, after = cells("review.csv"), cells("again.csv")
    assert (after["title"], after["year"], after["included"]) == (
        before["title"],
        before["year"],
        before["included"],
    )
    assert run("convert", "digits", "digits.ris")[0] == 1


def listed(out):
    return list(csv.DictReader(out.splitlines(), delimiter="\t"))


def test_the_list_says_why(run, review):
    rows = listed(run("rank", "review.csv", "--drop", "year", "--top", 2)[1])
    for row in rows:
        assert " like " in row["why"]
        assert "(relevant)" in row["why"] or "(not)" in row["why"]
        assert "words " in row["why"]


@pytest.mark.parametrize("mode", ["top", "uncertain", "spread", "random"])
def test_the_next_items_to_label_by_mode(run, review, mode):
    everything = listed(run("rank", "review.csv", "--drop", "year", "--all")[1])
    scores = {row["record_id"]: float(row["score"]) for row in everything}
    unread = {row["record_id"] for row in everything if row["included"] == ""}
    rows = listed(run("rank", "review.csv", "--drop", "year", "--next", 6, "--mode", mode)[1])
    ids = [row["record_id"] for row in rows]
    assert len(set(ids)) == 6
    assert set(ids) <= unread
    if mode == "top":
        assert [scores[each] for each in ids] == sorted((scores[each] for each in unread), reverse=True)[:6]
    if mode == "uncertain":
        sides = [[scores[row["record_id"]] for row in everything if row["included"] == side] for side in "01"]
        between = (np.mean(sides[0]) + np.mean(sides[1])) / 2
        nearest = sorted(abs(scores[each] - between) for each in unread)[:6]
        assert [abs(scores[each] - between) for each in ids] == pytest.approx(nearest)
    if mode == "random":
        assert any(not truth(each) for each in ids)
    assert run("rank", "review.csv", "--drop", "year", "--mode", "random")[0] == 2


def test_explain_adds_up_to_the_score(run, review):
    everything = listed(run("rank", "review.csv", "--drop", "year", "--all")[1])
    score = next(float(row["score"]) for row in everything if row["record_id"] == "r12")
    code, out, err = run("explain", "review.csv", "r12", "--drop", "year", "--top", 3)
    assert code == 0, err
    rows = listed(out)
    amounts = [float(row["amount"]) for row in rows if row["by"] != "word"]
    assert len(amounts) == 4
    assert sum(amounts) == pytest.approx(score, abs=1e-4)
    assert rows[0]["label"] in ("0", "1")
    assert any(row["by"] == "word" for row in rows)
    other = next(float(row["score"]) for row in everything if row["record_id"] == "r13")
    rows = listed(run("explain", "review.csv", "r12", "--against", "r13", "--drop", "year")[1])
    assert sum(float(row["amount"]) for row in rows) == pytest.approx(score - other, abs=1e-4)
    code, _, err = run("explain", "review.csv", "nobody", "--drop", "year")
    assert (code, "no item 'nobody'" in err) == (1, True)


def test_an_ending_that_tells_no_format_is_refused_before_the_work(run, review):
    code, out, err = run("rank", "review.csv", "-o", "list.pdf")
    assert (code, out) == (1, "")
    assert "list.pdf: records cannot be written so" in err
    assert len(err.splitlines()) == 1


def test_why_speaks_of_the_right_items_when_lists_are_mixed(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    with open("two.csv", "w") as stream:
        stream.write("item,qid,a,b,label\n")
        for number in range(24):
            relevant, qid = number % 3 == 0, number % 2
            label = "" if number > 11 else int(relevant)
            numbers = f"{relevant + rng.normal(0, 0.1)},{qid * 9 + rng.normal()}"
            stream.write(f"i{number},q{qid},{numbers},{label}\n")
    rows = listed(run("explain", "two.csv", "i18", "--ranker", "manifold-ranking", "--top", 12)[1])
    named = [row["name"] for row in rows if row["by"] == "labelled item"]
    assert named
    assert all(int(name[1:]) % 2 == 0 and int(name[1:]) <= 11 for name in named)  # of its own list, labelled
    by_row = listed(run("explain", "two.csv", "19", "--ranker", "manifold-ranking", "--top", 12)[1])
    assert by_row == rows
