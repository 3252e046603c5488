from contextlib import ExitStack
from threading import Barrier, Event, Thread

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from semirank.core.threads import count_workers, one_blas_thread


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_blas_threads():
    with threadpool_limits(2, user_api="blas"):
        yield


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1)])
def test_overlapping_blocks_restore_the_threads_whatever_leaves_first(order):
    before = blas_threads()
    blocks = [ExitStack() for _ in range(3)]
    for block in blocks:
        block.enter_context(one_blas_thread())
    for place in order:
        assert blas_threads() == {1}
        blocks[place].close()
    assert blas_threads() == before == {2}


def test_blocks_of_several_threads_may_overlap():
    together, seen = Barrier(4), []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        together.wait()
        for _ in range(50):
            with one_blas_thread():
                seen.append(blas_threads())
                rng.random((20, 20)) @ rng.random((20, 20))

    workers = [Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert seen == [{1}] * 200
    assert blas_threads() == {2}


def test_the_last_one_out_may_be_another_thread_than_the_first_one_in():
    first = ExitStack()
    first.enter_context(one_blas_thread())
    entered, may_leave = Event(), Event()

    def work() -> None:
        with one_blas_thread():
            entered.set()
            may_leave.wait()

    worker = Thread(target=work)
    worker.start()
    entered.wait()
    first.close()
    assert blas_threads() == {1}
    may_leave.set()
    worker.join()
    assert blas_threads() == {2}


def test_an_error_inside_restores_the_threads():
    with pytest.raises(RuntimeError, match="inside"), one_blas_thread():
        raise RuntimeError("inside")
    assert blas_threads() == {2}


def test_workers_are_counted_as_joblib_does(monkeypatch):
    monkeypatch.setattr("semirank.core.threads.cpu_count", lambda: 4)
    assert [count_workers(n_jobs) for n_jobs in (None, 1, 7, -1, -2, -4, -9)] == [1, 1, 7, 4, 3, 1, 1]
    with pytest.raises(ValueError, match=r"n_jobs .* got 0\."):
        count_workers(0)


def test_the_cores_are_those_that_this_process_may_use(monkeypatch):
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    assert count_workers(-1) == joblib.cpu_count() == 1
