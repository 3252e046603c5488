"""The same bits on a cluster, with workers that are lost, stopped or never there."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone
from tests.test_parts import make_lists, write_parquet

import semirank
from semirank import RankBoost, RankRLS, RankRLSCV, RayleighRanker, SemiRankBoost, open_parts

dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

RANKERS = {
    "rankrls": RankRLS(),
    "rankrls components": RankRLS("rbf", 0.3, n_components=10),
    "rankrls-cv": RankRLSCV(),
    "rankboost": RankBoost(8),
    "semi-rankboost": SemiRankBoost(5, step="exact"),
    "rayleigh": RayleighRanker(n_components=40),
}


def start(n_workers):
    return distributed.LocalCluster(n_workers, threads_per_worker=1, dashboard_address=None)


@pytest.fixture(scope="module")
def client():
    with start(2) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def doomed():
    """A cluster of its own for each kill: nannies do not bring back every worker that was killed."""
    with start(2) as cluster, distributed.Client(cluster) as client:
        wait_for(client, 2)
        yield client


@pytest.fixture
def parts(tmp_path):
    X, y, qid = make_lists(400, 7)
    write_parquet(tmp_path / "a.parquet", X, y, qid, rows_a_group=200)
    return open_parts(tmp_path / "a.parquet", part_bytes=12 * 100)


def pids(client):
    return list(client.run(os.getpid).values())


def wait_for(client, n_workers):
    """Poll: what a cluster knows of its workers is late after a kill."""
    end = time.monotonic() + 60
    while len(client.nthreads()) != n_workers and time.monotonic() < end:
        time.sleep(0.1)
    assert len(client.nthreads()) == n_workers


def learned(ranker):
    values = vars(ranker)
    return {name: values[name] for name in values if name.endswith("_") and name != "projection_"}


def same_bits(one, other):
    for name, value in learned(one).items():
        np.testing.assert_equal(value, learned(other)[name], err_msg=name)


@pytest.mark.filterwarnings("ignore::semirank.dataset.checks.DataWarning")
@pytest.mark.parametrize("name", RANKERS)
def test_a_cluster_has_the_bits_of_this_machine(client, parts, name):
    here = clone(RANKERS[name]).fit_parts(parts, budget=0)
    there = clone(RANKERS[name]).fit_parts(parts, budget=0, on=client)
    same_bits(here, there)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["rankrls", "rankboost", "rayleigh"])
def test_a_worker_killed_at_any_moment_changes_nothing(doomed, parts, name, seed):
    expected = clone(RANKERS[name]).fit_parts(parts, budget=0)
    clone(RANKERS[name]).fit_parts(parts, budget=0, on=doomed)  # so that no import delays the next fit
    rng = np.random.default_rng(seed)
    victim = pids(doomed)[rng.integers(2)]
    timer = threading.Timer(float(rng.uniform(0, 0.5)), os.kill, (victim, signal.SIGKILL))
    timer.start()
    found = clone(RANKERS[name]).fit_parts(parts, budget=0, on=doomed, timeout=120)
    timer.join()
    same_bits(expected, found)


def test_all_workers_killed_at_once_are_waited_for(doomed, parts):
    def kill(done, total):
        if done == len(parts) // 2:
            for pid in pids(doomed):
                os.kill(pid, signal.SIGKILL)

    found = RankRLS().fit_parts(parts, budget=0, on=doomed, timeout=120, progress=kill)
    same_bits(RankRLS().fit_parts(parts, budget=0), found)


def test_a_part_that_ends_its_workers_is_named():
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        start(1) as cluster,
        distributed.Client(cluster) as client,
    ):
        parts = open_parts_that_kill()
        with pytest.raises(ValueError, match="or one that was at the same worker, ended 2 workers"):
            RankRLS().fit_parts(parts, on=client, timeout=120)


def open_parts_that_kill():
    from semirank.dataset.parts import Part, Parts

    X, y, qid = make_lists(6, 0)
    calm = Part(0, "calm", len(y), 3, semirank.RankingDataset, (X, y, qid))
    return Parts((calm, Part(1, "deadly", 5, 3, os._exit, (1,))), False, None, 3)


def test_a_cluster_without_workers_is_given_up_in_time(parts):
    with start(1) as cluster, distributed.Client(cluster) as client:
        cluster.scale(0)
        wait_for(client, 0)
        began = time.perf_counter()
        with pytest.raises(ValueError, match=r"not done within 1 seconds; the cluster has 0 workers"):
            RankRLS().fit_parts(parts, on=client, timeout=1)
        assert time.perf_counter() - began < 30


def test_a_scheduler_that_is_not_there_is_told(parts):
    with pytest.raises(ValueError, match=r"tcp://127\.0\.0\.1:1: no scheduler answers there"):
        RankRLS().fit_parts(parts, on="tcp://127.0.0.1:1")


def test_scores_are_written_by_workers(client, parts, tmp_path):
    ranker = RankRLS().fit_parts(parts)
    ranker.rank_parts(parts, tmp_path / "here")
    ranker.rank_parts(parts, tmp_path / "there", on=client.scheduler.address)
    for path in (tmp_path / "here").iterdir():
        assert path.read_bytes() == (tmp_path / "there" / path.name).read_bytes()


def test_boosting_begun_on_a_cluster_goes_on_here(client, parts, tmp_path):
    def stop(done, total):
        if done >= 6 * len(parts):
            raise InterruptedError

    with pytest.raises(InterruptedError):
        RankBoost(8).fit_parts(parts, on=client, resume=tmp_path / "rounds.json", progress=stop)
    found = RankBoost(8).fit_parts(parts, resume=tmp_path / "rounds.json")
    same_bits(RankBoost(8).fit_parts(parts, budget=0), found)


def test_compare_has_the_same_cells_on_a_cluster(client):
    data = semirank.load("moons", random_state=0).hide_labels(keep=30, keep_levels=True, random_state=0)
    rankers = ["manifold-ranking", "logistic-ranker"]
    options = {"budget": False, "detailed": False, "n_repeats": 2}
    wait_for(client, 2)
    here = semirank.compare(data, rankers, **options)
    there = semirank.compare(data, rankers, on=client, **options)
    assert [(each.name, each.mean) for each in here.results] == [
        (each.name, each.mean) for each in there.results
    ]


def test_list_adapting_rankers_fit_on_a_cluster_through_joblib(client):
    import joblib

    X, y, qid = make_lists(12, 3)
    ranker = semirank.ImportanceWeighting(RankBoost(5), n_jobs=-1)
    here = clone(ranker).set_params(n_jobs=None).fit(X, y, qid).scores_
    wait_for(client, 2)
    with joblib.parallel_config(backend="dask"):
        there = clone(ranker).fit(X, y, qid).scores_
    np.testing.assert_array_equal(here, there)
