"""Boosting over parts that was stopped goes on with what a file has kept, and gives the same bits."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.rankers.test_sums import cut_at, in_memory, make_lists, same_ranker

from semirank import LogisticRanker, RankBoost, RankRLS, SemiRankBoost
from semirank.checkpoints import Checkpoint, CheckpointInUseError
from semirank.rankers.sums import rankboost
from semirank.storage import digest_of

pytestmark = pytest.mark.filterwarnings("ignore::semirank.dataset.checks.DataWarning")

RANKERS = {
    "rankboost": RankBoost(6),
    "exact": RankBoost(6, n_bins=4, step="exact", balance="lists"),
    "semi-rankboost": SemiRankBoost(6, n_neighbors=2, discount="similarity"),
}


class StoppedError(Exception):
    pass


def parts_of(seed=0):
    X, y, qid = make_lists(40, seed)
    return in_memory(X, y, qid, cut_at(qid, [7, 19, 28]))


def stop_after(n_passes, n_parts=4):
    def progress(done, total):
        if done >= n_passes * n_parts:
            raise StoppedError

    return progress


@pytest.mark.parametrize("name", RANKERS)
@settings(max_examples=12, deadline=None)
@given(stops=st.lists(st.integers(1, 14), max_size=4), torn=st.integers(0, 200))
def test_a_fit_stopped_at_any_rounds_has_the_same_bits(name, stops, torn):
    parts = parts_of()
    expected = clone(RANKERS[name]).fit_parts(parts, budget=0)
    with TemporaryDirectory() as folder:
        path = Path(folder, "rounds.json")
        for stop in stops:
            try:
                clone(RANKERS[name]).fit_parts(parts, resume=path, progress=stop_after(stop))
            except StoppedError:
                tear(path, torn)
        found = clone(RANKERS[name]).fit_parts(parts, resume=path)
        assert digest_of(found) == digest_of(expected)
        again = clone(RANKERS[name]).fit_parts(parts, resume=path)
        assert digest_of(again) == digest_of(expected)


def tear(path, n_bytes):
    """Cut the last line, as if it had been written when the process was killed."""
    *whole, last = path.read_bytes().splitlines(keepends=True)
    if whole:
        path.write_bytes(b"".join(whole) + last[:n_bytes])


def test_finished_rounds_are_not_done_again(tmp_path, monkeypatch):
    parts, weighed = parts_of(), []
    with pytest.raises(StoppedError):
        RankBoost(6).fit_parts(parts, resume=tmp_path / "rounds.json", progress=stop_after(2 + 5))
    lines = [json.loads(line) for line in (tmp_path / "rounds.json").read_text().splitlines()]
    assert [key for key, _ in lines] == ["code", "parameters", "parts", "data", "0", "1", "2", "3"]
    weigh_all = rankboost.weigh_all
    monkeypatch.setattr(
        rankboost, "weigh_all", lambda *given: weighed.append(len(given[3])) or weigh_all(*given)
    )
    seen = []
    RankBoost(6).fit_parts(parts, resume=tmp_path / "rounds.json", progress=lambda *at: seen.append(at))
    assert weighed == [4, 5, 6]
    assert seen[-1] == (9 * 4, 9 * 4)


def test_a_file_of_other_rounds_is_refused_and_stays(tmp_path):
    path, parts = tmp_path / "rounds.json", parts_of()
    RankBoost(3).fit_parts(parts, resume=path)
    kept = path.read_bytes()
    X, y, qid = make_lists(40, 0)
    X[100, 2] += 1e-3
    other_data = in_memory(X, y, qid, cut_at(qid, [7, 19, 28]))
    y = np.where(np.isnan(y), y, 2 - y)
    other_labels = in_memory(*make_lists(40, 0)[:1], y, qid, cut_at(qid, [7, 19, 28]))
    other_parts = in_memory(*make_lists(40, 0), cut_at(qid, [7, 19]))
    for ranker, given_parts, what in (
        (RankBoost(4), parts, "parameters"),
        (SemiRankBoost(3), parts, "parameters"),
        (RankBoost(3), other_parts, "parts"),
        (RankBoost(3), other_data, "data"),
        (RankBoost(3), other_labels, "data"),
    ):
        with pytest.raises(ValueError, match=f"rounds.json: holds rounds of other {what}. Give another"):
            ranker.fit_parts(given_parts, resume=path)
        assert path.read_bytes() == kept


def test_a_file_of_something_else_is_refused_and_stays(tmp_path):
    path = tmp_path / "train.letor"
    for content in (b"1 qid:1 1:0.5", b'["fit of a comparison", 1]\n'):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"train\.letor: is no file of rounds"):
            RankBoost(3).fit_parts(parts_of(), resume=path)
        assert path.read_bytes() == content


def test_two_fits_do_not_write_to_one_file(tmp_path):
    path = tmp_path / "rounds.json"
    RankBoost(3).fit_parts(parts_of(), resume=path)
    with Checkpoint(path), pytest.raises(CheckpointInUseError, match="another run is writing"):
        RankBoost(3).fit_parts(parts_of(), resume=path)


@pytest.mark.parametrize("ranker", [RankRLS(), LogisticRanker(), RankBoost(n_bins=None)])
def test_rankers_without_rounds_refuse_a_file_for_them(tmp_path, ranker):
    with pytest.raises(ValueError, match="does not learn in rounds that a file could keep"):
        ranker.fit_parts(parts_of(), resume=tmp_path / "rounds.json")
    assert not (tmp_path / "rounds.json").exists()


def test_rounds_of_few_labels_are_sums_too(tmp_path):
    X, y, qid = make_lists(40, 0)
    parts = in_memory(X, y, qid, cut_at(qid, [7]))
    found = RankBoost(4).fit_parts(parts, resume=tmp_path / "rounds.json")
    assert len(found.scores_) == 0
    same_ranker(found, RankBoost(4).fit(X, y, qid), X, qid)


KILLED = """
import os, signal, sys
from tests.rankers.test_resumed_rounds import parts_of
from semirank import RankBoost

def progress(done, total):
    if done >= int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

RankBoost(6).fit_parts(parts_of(), resume=sys.argv[1], progress=progress)
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_process_is_gone_on_with(tmp_path):
    path = tmp_path / "rounds.json"
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join([*sys.path, root])}
    n_kept = []
    for n_passes in (4, 7):
        command = [sys.executable, "-c", KILLED, str(path), str(4 * n_passes)]
        assert subprocess.run(command, env=environment, cwd=root).returncode == -signal.SIGKILL
        with Checkpoint(path) as kept:
            n_kept.append(sum(key.isdigit() for key in kept))
    assert n_kept == [1, 4]
    found = RankBoost(6).fit_parts(parts_of(), resume=path)
    assert digest_of(found) == digest_of(RankBoost(6).fit_parts(parts_of(), budget=0))


def test_parts_that_are_left_out_are_left_out_again(tmp_path):
    X, y, qid = make_lists(40, 0)
    X[100] = np.nan
    parts = in_memory(X, y, qid, cut_at(qid, [7, 19, 28]))
    path = tmp_path / "rounds.json"
    expected = RankBoost(5).fit_parts(parts, budget=0, on_bad_part="skip")
    with pytest.raises(StoppedError):
        RankBoost(5).fit_parts(parts, resume=path, on_bad_part="skip", progress=stop_after(5, 3))
    found = RankBoost(5).fit_parts(parts, resume=path, on_bad_part="skip")
    assert (digest_of(found), found.skipped_) == (digest_of(expected), expected.skipped_)
    fewer = replace(parts, parts=parts.parts[:2])
    with pytest.raises(ValueError, match="rounds of other parts"):
        RankBoost(5).fit_parts(fewer, resume=path)
