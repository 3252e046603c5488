"""Measurements that are shared out, written down, and taken up again."""

import os
from dataclasses import dataclass

import pytest

from semirank.checkpoints import CheckpointInUseError
from semirank.experiments.cells import checkpoint_of, measure_cells, name_of


@dataclass(frozen=True)
class Cell:
    number: int
    names: tuple[str, ...] = ("a",)


def square(cell):
    return {"square": cell.number**2}


@pytest.fixture
def checkpoint(tmp_path, monkeypatch):
    monkeypatch.setenv("SEMIRANK_CACHE", str(tmp_path))
    return checkpoint_of("numbers", seed=0)


def test_all_cells_are_measured_and_counted(checkpoint):
    cells, seen = [Cell(n) for n in range(5)], []
    found = measure_cells(cells, square, checkpoint, lambda *at: seen.append(at), n_jobs=1)
    assert [found[name_of(cell)]["square"] for cell in cells] == [0, 1, 4, 9, 16]
    assert seen == [(n, 5) for n in range(1, 6)]


def test_an_interrupted_run_goes_on_where_it_stopped(checkpoint):
    cells, asked = [Cell(n) for n in range(6)], []

    def tired(cell):
        if cell.number == 3:
            raise KeyboardInterrupt
        return square(cell)

    def awake(cell):
        asked.append(cell.number)
        return square(cell)

    with pytest.raises(KeyboardInterrupt):
        measure_cells(cells, tired, checkpoint, n_jobs=1)
    with checkpoint.path.open("a") as stream:
        stream.write('\n["{\\"number\\": 3')  # a line that was cut off
    found = measure_cells(cells, awake, checkpoint, n_jobs=1)
    assert asked == [3, 4, 5]
    assert found == read(checkpoint) == {name_of(cell): square(cell) for cell in cells}


def read(checkpoint):
    with checkpoint as found:
        return dict(found)


def test_other_settings_or_code_have_another_checkpoint(checkpoint, monkeypatch):
    with checkpoint:
        checkpoint.add("cell", 1)
    assert read(checkpoint_of("numbers", seed=0)) == {"cell": 1}
    assert read(checkpoint_of("numbers", seed=1)) == {}
    monkeypatch.setattr("semirank.experiments.cells.code_digest", lambda: "changed")
    assert read(checkpoint_of("numbers", seed=0)) == {}
    checkpoint.discard()
    assert read(checkpoint) == {}


def test_two_runs_of_one_experiment_do_not_write_to_one_file(checkpoint):
    with checkpoint, pytest.raises(CheckpointInUseError):
        measure_cells([Cell(1)], square, checkpoint_of("numbers", seed=0), n_jobs=1)


def test_names_tell_cells_apart():
    assert len({name_of(cell) for cell in (Cell(1), Cell(2), Cell(1, ("a", "b")))}) == 3


def threads_of(cell):
    return os.environ["NUMBA_NUM_THREADS"]


@pytest.mark.slow
def test_processes_have_one_thread_each(checkpoint):
    found = measure_cells([Cell(0), Cell(1)], threads_of, checkpoint, n_jobs=2)
    assert list(found.values()) == ["1", "1"]
