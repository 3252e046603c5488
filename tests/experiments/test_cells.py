"""Measurements that are shared out, written down, and taken up again."""

import os
from dataclasses import dataclass

import pytest

from semirank.experiments.cells import Notebook, measure_cells, name_of


@dataclass(frozen=True)
class Cell:
    number: int
    names: tuple[str, ...] = ("a",)


def square(cell):
    return {"square": cell.number**2}


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    monkeypatch.setenv("SEMIRANK_CACHE", str(tmp_path))
    return Notebook.of("numbers", seed=0)


def test_all_cells_are_measured_and_counted(notebook):
    cells, seen = [Cell(n) for n in range(5)], []
    found = measure_cells(cells, square, notebook, lambda *at: seen.append(at), n_jobs=1)
    assert [found[name_of(cell)]["square"] for cell in cells] == [0, 1, 4, 9, 16]
    assert seen == [(n, 5) for n in range(1, 6)]


def test_an_interrupted_run_goes_on_where_it_stopped(notebook):
    cells, asked = [Cell(n) for n in range(6)], []

    def tired(cell):
        if cell.number == 3:
            raise KeyboardInterrupt
        return square(cell)

    def awake(cell):
        asked.append(cell.number)
        return square(cell)

    with pytest.raises(KeyboardInterrupt):
        measure_cells(cells, tired, notebook, n_jobs=1)
    with notebook.path.open("a") as stream:
        stream.write('\n["{\\"number\\": 3')  # a line that was cut off
    found = measure_cells(cells, awake, notebook, n_jobs=1)
    assert asked == [3, 4, 5]
    assert found == notebook.read() == {name_of(cell): square(cell) for cell in cells}


def test_other_settings_have_another_notebook(notebook):
    notebook.add("cell", 1)
    assert Notebook.of("numbers", seed=0).read() == {"cell": 1}
    assert Notebook.of("numbers", seed=1).read() == {}
    notebook.discard()
    assert notebook.read() == {}


def test_other_code_has_another_notebook(notebook, monkeypatch):
    notebook.add("cell", 1)
    monkeypatch.setattr("semirank.experiments.cells.code_digest", lambda: "changed")
    assert Notebook.of("numbers", seed=0).read() == {}


def test_names_tell_cells_apart():
    assert len({name_of(cell) for cell in (Cell(1), Cell(2), Cell(1, ("a", "b")))}) == 3


def threads_of(cell):
    return os.environ["NUMBA_NUM_THREADS"]


@pytest.mark.slow
def test_processes_have_one_thread_each(notebook):
    found = measure_cells([Cell(0), Cell(1)], threads_of, notebook, n_jobs=2)
    assert list(found.values()) == ["1", "1"]
