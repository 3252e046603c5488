"""Tables on a terminal: columns that have no room are left out, prose is wrapped, and no word is broken."""

import shutil
from collections.abc import Iterable, Sequence
from textwrap import wrap

CUT = ("title", "text")  # what items are called stays on one line and ends where the line does
PROSE = 32  # cells longer than this may be wrapped, or cut
NARROWEST = 24  # what is wrapped or cut has so much room, or its column is left out
GAP = 2


def width_of_terminal() -> int:
    """Return how many columns the terminal has; COLUMNS says it too."""
    return shutil.get_terminal_size().columns


def wrapped(text: str, width: int) -> str:
    """Break lines between words; a word that is longer than a line stays whole.

    Examples
    --------
    >>> print(wrapped("Labels are too few to compare rankers.", 20))
    Labels are too few
    to compare rankers.
    """
    return "\n".join("\n".join(_fold(line, width)) for line in text.split("\n"))


def table(
    names: Sequence[str], rows: Sequence[Sequence[str]], width: int | None, least: Iterable[str] = ()
) -> tuple[list[str], list[str]]:
    r"""Lay out a table; return its lines and the names of the columns for which there was no room.

    `least` names columns in the order in which they go, before the last ones. Without a width every column is
    there, as wide as it wants.

    Examples
    --------
    >>> lines, gone = table(["ranker", "about", "page"], [["rankrls", "Rank by differences.", "27"]], 30)
    >>> print("\n".join(lines), gone, sep="\n")
    ranker   about
    rankrls  Rank by differences.
    ['page']
    """
    columns = {name: column for name, *column in zip(names, *rows, strict=True)}
    wanted = {name: max(map(_length, (name, *column))) for name, column in columns.items()}
    gone: list[str] = []
    for name in _by_importance(names, least):
        if width is None or _least_width(columns, wanted, gone) <= width:
            break
        gone.append(name)
    shown = [name for name in names if name not in gone]
    widths = wanted if width is None else _shared(shown, columns, wanted, width)
    lines = [_line(shown, [widths[name] for name in shown])]
    for row in range(len(rows)):
        lines += _row_lines({name: columns[name][row] for name in shown}, widths)
    return lines, [name for name in names if name in gone]


def _by_importance(names: Sequence[str], least: Iterable[str]) -> list[str]:
    """Return the columns in the order in which they are left out; the first always stays."""
    first = [name for name in least if name in names]
    return [*first, *(name for name in reversed(names[1:]) if name not in first)]


def _least_width(columns: dict[str, list[str]], wanted: dict[str, int], gone: Sequence[str]) -> int:
    shown = [name for name in columns if name not in gone]
    return sum(_narrowest(name, columns[name], wanted[name]) for name in shown) + GAP * (len(shown) - 1)


def _narrowest(name: str, column: Sequence[str], wanted: int) -> int:
    """Return the room that a column needs: all that it wants, unless it is prose."""
    if wanted <= PROSE:
        return wanted
    longest = (
        0 if name in CUT else max((_length(word) for cell in column for word in cell.split()), default=0)
    )
    return max(NARROWEST, longest, len(name))


def _shared(
    shown: Sequence[str], columns: dict[str, list[str]], wanted: dict[str, int], width: int
) -> dict[str, int]:
    """Share what is left of a line among the columns of prose, the first of them first."""
    widths = {name: _narrowest(name, columns[name], wanted[name]) for name in shown}
    left = width - sum(widths.values()) - GAP * (len(shown) - 1)
    for name in sorted(shown, key=lambda name: wanted[name]):
        more = max(min(wanted[name] - widths[name], left), 0)
        widths[name] += more
        left -= more
    return widths


def _row_lines(cells: dict[str, str], widths: dict[str, int]) -> list[str]:
    folded = [
        [_cut(cell, widths[name])] if name in CUT else _fold(cell, widths[name])
        for name, cell in cells.items()
    ]
    height = max(map(len, folded), default=0)
    padded = [lines + [""] * (height - len(lines)) for lines in folded]
    return [_line(line, [widths[name] for name in cells]) for line in zip(*padded, strict=True)]


def _line(cells: Iterable[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (width - _length(cell)) for cell, width in zip(cells, widths, strict=True))
    return (" " * GAP).join(padded).rstrip()


def _fold(cell: str, width: int) -> list[str]:
    return wrap(cell, max(width, 1), break_long_words=False, break_on_hyphens=False) or [""]


def _cut(cell: str, width: int) -> str:
    """Return the words that have room on one line, with an ellipsis where some have not."""
    if _length(cell) <= width:
        return cell
    words = ""
    for word in cell.split():
        if _length(f"{words} {word}") > width - 1:
            break
        words = f"{words} {word}".strip()
    return f"{words}…"


def _length(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
