"""--stream: a model and scores of data in parts."""

import numpy as np
import pytest
from tests.test_parts import damage, make_lists, write_parquet

import semirank
from semirank.checkpoints import Checkpoint


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
    assert "it needs -o FOLDER" in err
    code, _, err = run("rank", tmp_path, "--stream", "-o", tmp_path / "scores")
    assert code == 2
    assert "AutoRanker needs a model: `semirank fit --stream` makes one for --model" in err
    assert "say --ranker with one of: manifold-ranking, personalized-pagerank." in err
    for options in (["--skip-bad-parts"], ["--part-bytes", 99], ["--timeout", 5]):
        assert run("rank", tmp_path / "a.parquet", *options)[0] == 2
    for options in (["--budget", 0], ["--resume", tmp_path / "rounds.json"]):
        code, _, err = run("fit", tmp_path / "a.parquet", *options, "-o", tmp_path / "m")
        assert (code, "they need --stream" in err) == (2, True)


@pytest.mark.filterwarnings("always::semirank.dataset.checks.DataWarning")
@pytest.mark.parametrize("ranker", ["manifold-ranking", "personalized-pagerank"])
def test_lists_are_ranked_by_their_own_labels_without_a_model(run, tmp_path, ranker):
    X, y, qid = make_lists(30, 2)
    write_parquet(tmp_path / "a.parquet", X, y, qid)
    command = ["rank", tmp_path / "a.parquet", "--stream", "--part-bytes", 400, "-r", ranker]
    code, _, err = run(*command, "-s", "n_neighbors=3", "-o", tmp_path / "scores")
    assert code == 0
    found = np.concatenate([scores(path) for path in sorted((tmp_path / "scores").glob("*.tsv"))])
    assert f"{len(list((tmp_path / 'scores').glob('*.tsv')))} files of scores" in err
    whole = semirank.registry.ranker_class(ranker)(n_neighbors=3).fit(X, y, qid)
    np.testing.assert_array_equal(found, whole.scores_)


def test_one_list_in_parts_is_ranked_by_its_own_labels(run, tmp_path):
    X, y, qid = make_lists(200, 2)
    write_parquet(tmp_path / "a.parquet", X, y, qid)
    command = ["rank", tmp_path / "a.parquet", "--stream", "--qid", "none", "--drop", "qid"]
    command += ["--part-bytes", 4000, "-r", "manifold-ranking", "-o", tmp_path / "scores"]
    code, _, err = run(*command, "--skip-bad-parts")
    assert (code, "no part can be left out: leave --skip-bad-parts out" in err) == (1, True)
    assert run(*command)[0] == 0
    found = np.concatenate([scores(path) for path in sorted((tmp_path / "scores").glob("*.tsv"))])
    assert np.corrcoef(found, semirank.ManifoldRanking().fit(X, y).scores_)[0, 1] > 0.99


def scores(path):
    return np.loadtxt(path, skiprows=1, usecols=2, delimiter="\t", ndmin=1)


@pytest.mark.filterwarnings("always::semirank.dataset.checks.DataWarning")
@pytest.mark.parametrize("ranker", [None, "manifold-ranking"])
def test_bad_parts_are_left_out_where_that_is_asked(run, tmp_path, ranker):
    write_parquet(tmp_path / "a.parquet", *make_lists(40, 3), rows_a_group=30)
    damage(tmp_path / "a.parquet", 3)
    read = [tmp_path / "a.parquet", "--stream", "--part-bytes", 12 * 30]
    chosen = ["-r", ranker]
    if ranker is None:
        fit = ["fit", *read, "-r", "rankrls", "-o", tmp_path / "m"]
        code, _, err = run(*fit)
        assert (code, "row group 3: is no Parquet file, or damaged" in err) == (1, True)
        code, _, err = run(*fit, "--skip-bad-parts")
        assert (code, "parts are left out. The first: " in err) == (0, True)
        chosen = ["--model", tmp_path / "m"]
    rank = ["rank", *read, *chosen, "-o", tmp_path / "scores"]
    assert run(*rank)[0] == 1
    code, _, err = run(*rank, "--skip-bad-parts")
    assert (code, "parts are left out. The first: " in err) == (0, True)
    n_files = len(list((tmp_path / "scores").glob("*.tsv")))
    assert 0 < n_files < len(semirank.open_parts(tmp_path / "a.parquet", part_bytes=12 * 30))
    assert f"{n_files} files of scores" in err


def test_boosting_goes_on_with_the_rounds_of_a_file(run, tmp_path):
    write_parquet(tmp_path / "a.parquet", *make_lists(40, 3))
    fit = ["fit", tmp_path / "a.parquet", "--stream", "-r", "rankboost", "-s", "n_rounds=4"]
    assert run(*fit, "--budget", 0, "-o", tmp_path / "expected")[0] == 0
    resumed = [*fit, "--resume", tmp_path / "rounds.json", "-o"]
    assert run(*resumed, tmp_path / "first")[0] == 0
    kept = (tmp_path / "rounds.json").read_bytes().splitlines(keepends=True)
    (tmp_path / "rounds.json").write_bytes(b"".join(kept[:-2]))
    assert run(*resumed, tmp_path / "second")[0] == 0
    models = {(tmp_path / name).read_bytes() for name in ("expected", "first", "second")}
    assert len(models) == 1
    assert (tmp_path / "rounds.json").read_bytes() == b"".join(kept)
    code, _, err = run(*resumed, tmp_path / "third", "-s", "n_rounds=5")
    assert (code, "holds rounds of other parameters" in err) == (1, True)
    with Checkpoint(tmp_path / "rounds.json"):
        code, _, err = run(*resumed, tmp_path / "third")
    assert (code, "another run is writing to this file" in err) == (1, True)
    code, _, err = run(*fit[:4], "rankrls", "--resume", tmp_path / "other.json", "-o", tmp_path / "third")
    assert (code, "leave out --resume." in err) == (1, True)


def test_errors_name_options_of_the_command(run, tmp_path):
    write_parquet(tmp_path / "a.parquet", *make_lists(5, 2))
    fit = ["fit", tmp_path / "a.parquet", "--stream", "--budget", 100, "-o", tmp_path / "m"]
    code, _, err = run(*fit, "-r", "logistic-ranker")
    assert (code, "the budget is 100. Raise it (--budget ...)" in err) == (1, True)


def test_a_list_in_two_places_can_be_sorted_as_the_error_says(run, tmp_path):
    X, y, qid = make_lists(12, 3)
    write_parquet(tmp_path / "a.parquet", X, y, qid[::-1] % 5)
    code, _, err = run("fit", tmp_path / "a.parquet", "--stream", "-r", "rankrls", "-o", tmp_path / "m")
    assert code == 1
    assert "semirank convert --by-list" in err
    assert run("convert", tmp_path / "a.parquet", tmp_path / "b.parquet", "--by-list")[0] == 0
    assert run("fit", tmp_path / "b.parquet", "--stream", "-r", "rankrls", "-o", tmp_path / "m")[0] == 0
