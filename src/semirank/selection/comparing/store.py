"""Finished cells in a file, so that a comparison that was stopped can go on."""

import json
import os
from pathlib import Path
from typing import IO, Any, Self

import joblib

from semirank.files import code_digest
from semirank.selection.comparing.cells import Bench, Cell
from semirank.selection.comparing.workers import Task


class CellStore:
    """Cells by what made them: data, ranker, labels shown and held out, metric, code.

    Each finished cell is appended as one line of JSON at once. A line that was cut off is ignored.

    Parameters
    ----------
    bench : Bench
        The data and what is measured.
    path : path, optional
        The file; None: nothing is kept.
    resume : bool
        Use the cells that the file holds already; otherwise it is begun anew.
    """

    def __init__(self, bench: Bench, path: str | os.PathLike[str] | None, resume: bool) -> None:
        data = bench.data
        what = (bench.metric, bench.unlabelled, bench.depth, bench.lists, code_digest())
        self._made_by = joblib.hash((bench.features, data.texts, data.y, data.indptr, what))
        self._path = None if path is None else Path(path)
        self._known = _read(self._path) if self._path is not None and resume else {}
        self._file: IO[str] | None = None
        self._resume = resume

    def __enter__(self) -> Self:
        if self._path is not None:
            self._file = self._path.open("a" if self._resume else "w", encoding="utf-8")
        return self

    def __exit__(self, *problem: Any) -> None:
        if self._file is not None:
            self._file.close()

    def find(self, task: Task) -> Cell | None:
        """Return the cell of a task, if it is known."""
        return self._known.get(self._key(task)) if self._known else None

    def add(self, task: Task, cell: Cell) -> None:
        """Keep a cell."""
        if self._file is not None:
            print(json.dumps({"key": self._key(task), "cell": cell.to_dict()}), file=self._file, flush=True)

    def _key(self, task: Task) -> str:
        candidate, split = task.candidate, task.split
        how = (candidate.ranker, candidate.n_components, candidate.each_list)
        return str(joblib.hash((self._made_by, how, split.shown, split.measured)))


def _read(path: Path) -> dict[str, Cell]:
    if not path.exists():
        return {}
    known = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
            known[entry["key"]] = Cell.from_dict(entry["cell"])
        except (ValueError, KeyError, TypeError):
            continue
    return known
