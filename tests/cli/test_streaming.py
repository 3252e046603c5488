"""--stream: a model and scores of data in parts."""

from tests.test_parts import make_lists, write_parquet


def test_fit_and_rank_part_by_part(run, tmp_path, monkeypatch):
    write_parquet(tmp_path / "a.parquet", *make_lists(30, 2))
    monkeypatch.chdir(tmp_path)
    code, _, err = run("fit", "*.parquet", "--stream", "-r", "rankrls", "-o", "m.safetensors")
    assert code == 0
    assert "items a second" in err
    code, _, err = run("rank", "*.parquet", "--stream", "--model", "m.safetensors", "-o", "scores")
    assert code == 0
    assert (tmp_path / "scores" / "part-000000.tsv").read_text().startswith("qid\titem\tscore\n0\td0\t")


def test_what_cannot_be_streamed_is_told_with_what_can(run, tmp_path):
    write_parquet(tmp_path / "a.parquet", *make_lists(5, 2))
    code, _, err = run(
        "fit", tmp_path, "--stream", "-r", "manifold-ranking", "-o", tmp_path / "m.safetensors"
    )
    assert code == 2
    assert "say --ranker with one of: " in err
    assert "rankrls" in err
    code, _, err = run("rank", tmp_path, "--stream")
    assert code == 2
    assert "needs --model FILE and -o FOLDER" in err


def test_a_list_in_two_places_can_be_sorted_as_the_error_says(run, tmp_path):
    X, y, qid = make_lists(12, 3)
    write_parquet(tmp_path / "a.parquet", X, y, qid[::-1] % 5)
    code, _, err = run("fit", tmp_path / "a.parquet", "--stream", "-r", "rankrls", "-o", tmp_path / "m")
    assert code == 1
    assert "semirank convert --by-list" in err
    assert run("convert", tmp_path / "a.parquet", tmp_path / "b.parquet", "--by-list")[0] == 0
    assert run("fit", tmp_path / "b.parquet", "--stream", "-r", "rankrls", "-o", tmp_path / "m")[0] == 0
