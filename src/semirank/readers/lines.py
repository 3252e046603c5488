"""Lines of cells and what stands in them, with messages that say where."""

from collections.abc import Callable, Iterator
from math import isfinite
from typing import AnyStr

from semirank.files import LONGEST_LINE, Source, name_of, open_input

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_cells(
    source: Source, columns: tuple[str, ...], separator: bytes | None = None
) -> Iterator[tuple[str, list[str]]]:
    """Yield the place (``file:line``) and the cells of every line that is not blank.

    Parameters
    ----------
    source : path, "-" or binary file
        UTF-8 text.
    columns : tuple of str
        What each line holds. A line with more or fewer cells raises a ValueError.
    separator : bytes, optional
        What stands between two cells. None: any run of blanks and tabs.
    """
    name = name_of(source)
    with open_input(source) as stream:
        for number, line in enumerate(lines_of(stream.readline, name), start=1):
            line = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
            if not line.strip():
                continue
            place = f"{name}:{number}"
            cells = line.rstrip(b"\r\n").split(separator)
            if len(cells) != len(columns):
                raise ValueError(
                    f"{place}: {len(cells)} cells where a line has {len(columns)}: {' '.join(columns)}."
                )
            yield place, _decoded(place, cells)


def lines_of(readline: Callable[[int], AnyStr], name: str) -> Iterator[AnyStr]:
    """Yield lines, as iterating over a file does, but none that is too long to be one."""
    number = 0
    while line := readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise ValueError(
                f"{name}:{number}: the line has more than {LONGEST_LINE} characters. Is it the right file?"
            )
        yield line


def read_number(place: str, what: str, cell: str) -> float:
    """Return the finite number that a cell spells, or raise a ValueError that says where it is."""
    try:
        value = float(cell)
    except ValueError:
        value = float("nan")
    if not isfinite(value) or "_" in cell:
        raise ValueError(f"{place}: the {what} {cell!r} is not a finite number.")
    return value


class Once:
    """The names that a file has used so far; a second use raises a ValueError with both places."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], str] = {}

    def add(self, place: str, list_name: str, item: str) -> None:
        """Note that an item of a list stands at this place."""
        first = self._places.setdefault((list_name, item), place)
        if first != place:
            raise ValueError(
                f"{place}: item {item!r} of list {list_name!r} is there a second time; the first is {first}."
            )


def _decoded(place: str, cells: list[bytes]) -> list[str]:
    try:
        return [cell.decode() for cell in cells]
    except UnicodeDecodeError as error:
        raise ValueError(f"{place}: is not UTF-8 text ({error.reason}).") from error
