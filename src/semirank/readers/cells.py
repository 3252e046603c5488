"""Cells of a table as numbers and names."""

from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any, Protocol

import numpy as np

from semirank.core.arrays import AnyArray, Floats
from semirank.features.cells import known_words
from semirank.spelling import option

Complaint = Callable[[int, str], ValueError]
"""Makes the error for a row, counted within the cells, from what is wrong there."""

_WORDS = {"": nan, "na": nan, "nan": nan, "null": nan, "none": nan, "true": 1.0, "false": 0.0}


class Chunk(Protocol):
    """Some rows of a table; every method raises a ValueError that says in which row a cell is wrong."""

    def __len__(self) -> int: ...

    def numbers(self, column: str, advice: str) -> Floats:
        """Return a column of numbers, NaN where a cell is empty."""

    def cells(self, column: str) -> AnyArray:
        """Return a column as it is: numbers, dates, or words; NaN, NaT or None where a cell is empty."""

    def names(self, column: str) -> AnyArray:
        """Return a column of names, none of them empty."""

    def texts(self, column: str) -> list[str]:
        """Return a column of texts, "" where a cell is empty."""


def parse_numbers(cells: Sequence[Any], complain: Complaint) -> Floats:
    """Read cells as finite numbers, exactly as Python does; empty cells, NA, NaN, null and None are NaN.

    The words true and false count as 1 and 0.
    """
    numbers = _parse_plain(cells)
    if numbers is None:
        numbers = np.array([_parse(cell) for cell in cells], dtype=np.float64)
    return check_finite(numbers, cells, complain)


def parse_cells(cells: Sequence[Any], complain: Complaint) -> AnyArray:
    """Read cells as numbers if all of them are, otherwise as words, None where a cell is empty."""
    numbers = _parse_plain(cells)
    if numbers is None and any(map(_is_word, cells)):
        words = np.empty(len(cells), dtype=object)
        words[:] = [None if _parse(cell) != _parse(cell) else str(cell) for cell in cells]
        return words
    if numbers is None:
        numbers = np.array([_parse(cell) for cell in cells], dtype=np.float64)
    return check_finite(numbers, cells, complain)


def leave_out(column: str) -> str:
    """Say how to go on without a cell, or without its column."""
    return f"leave the cell empty, or say {option('drop', [column])}"


def join_cells(parts: Sequence[AnyArray]) -> AnyArray:
    """Put parts of a column together; where some hold words, numbers are spelled."""
    if len({part.dtype.kind for part in parts}) > 1:
        parts = [np.array(known_words(part), dtype=object) for part in parts]
    return np.concatenate(parts)


def check_finite(numbers: Floats, cells: Sequence[Any] | AnyArray, complain: Complaint) -> Floats:
    """Refuse an infinite number, and show the cell where it comes from."""
    for row in np.flatnonzero(np.isinf(numbers)).tolist():
        raise complain(row, f"{_shortened(cells[row])} is not a finite number")
    return numbers


def check_filled(names: Sequence[Any], complain: Complaint) -> None:
    """Refuse an empty name."""
    for row, name in enumerate(names):
        if name is None or name != name or name == "":
            raise complain(row, "the cell is empty, but every item needs one")


def _parse_plain(cells: Sequence[Any]) -> Floats | None:
    """Read cells that all spell a number, the usual case, quickly."""
    try:
        readable_by_all = "_" not in "".join(cells)  # Python alone reads 1_000
        return np.fromiter(map(float, cells), np.float64, len(cells)) if readable_by_all else None
    except (TypeError, ValueError):
        return None


def _parse(cell: Any) -> float:
    """Read one cell; what is no number becomes infinite."""
    if cell is None:
        return nan
    try:
        return inf if "_" in str(cell) else float(cell)
    except (TypeError, ValueError):
        return _WORDS.get(str(cell).strip().lower(), inf)


def _is_word(cell: Any) -> bool:
    """Tell whether a cell is neither empty nor spells a number, finite or not."""
    try:
        float(cell)
    except (TypeError, ValueError):
        return cell is not None and str(cell).strip().lower() not in _WORDS
    return False


def is_number(cell: Any) -> bool:
    """Tell whether a cell spells a number, or is empty."""
    return _parse(cell) != inf


def _shortened(cell: Any) -> str:
    shown = repr(cell.item() if isinstance(cell, np.generic) else cell)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
