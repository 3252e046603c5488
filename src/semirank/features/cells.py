"""Cells as people write them: numbers with commas, dates in mixed formats, words that mean "nothing here"."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from math import nan

import numpy as np

from semirank.core.arrays import AnyArray, Floats

NOTHING = frozenset({"", "na", "n/a", "nan", "null", "none", "nat", "?", "-", "--", ".", "<na>", "#n/a"})
TRUTH = {"true": 1.0, "false": 0.0}
MOSTLY = 0.9  # share of cells that tells what a column is; the others then count as missing
EPOCH = date(1970, 1, 1).toordinal()

_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")  # 1,234,567.8
_DECIMAL_COMMA = re.compile(r"[+-]?(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d+)?")  # 1.234.567,8
_PARTS = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})")
_NAMED_MONTHS = ("%d %b %Y", "%d %B %Y", "%b %d %Y", "%B %d %Y", "%b %Y", "%B %Y", "%d-%b-%Y", "%d-%b-%y")


def known_words(cells: AnyArray) -> list[str | None]:
    """Return the cells of a column as words, None where a cell is empty or says that it is."""
    if cells.dtype.kind == "f":
        return [None if value != value else _shortest(value) for value in cells.tolist()]
    if cells.dtype.kind == "M":
        return [None if value is None else str(value) for value in cells.astype(object).tolist()]
    words = (None if cell is None else cell.strip() for cell in cells.tolist())
    return [None if word is None or word.lower() in NOTHING else word for word in words]


def as_levels(words: Sequence[str | None]) -> list[str | None]:
    """Give words that spell the same number one form, "7" for 7.0 and 007.

    A column is then the same whether it was read as numbers or as words.
    """
    forms = {word: _form(word) for word in set(words)}
    return [forms[word] for word in words]


def _form(word: str | None) -> str | None:
    if word is None or word.lower() in TRUTH:
        return None if word is None else _shortest(TRUTH[word.lower()])
    return _shortest(float(word)) if _PLAIN.fullmatch(word) else word


def _shortest(value: float) -> str:
    return repr(value).removesuffix(".0")


def numbers_in(words: Sequence[str | None], style: str | None = None) -> tuple[Floats, str] | None:
    """Read a column of numbers; return them and how they are written, or None where they are none.

    Words that are no numbers, if they are few, are NaN. With a given style, all that it cannot read are.

    Examples
    --------
    >>> numbers_in(["1,5", "1.200,25", None, "3"])
    (array([   1.5 , 1200.25,     nan,    3.  ]), 'decimal commas')
    >>> numbers_in(["1,500", "12"])
    (array([1500.,   12.]), 'commas between thousands')
    >>> numbers_in(["1,500", "12"], "decimal commas")
    (array([ 1.5, 12. ]), 'decimal commas')
    >>> numbers_in(["red", "12"]) is None
    True
    """
    known = {word for word in words if word is not None}
    for name, readings in _STYLES.items():
        if style is not None and name != style:
            continue
        values = {word: _number(word, readings) for word in known}
        if style is not None or _is_most(words, values):
            found = [nan if word is None else values[word] for word in words]
            return np.array(found, dtype=np.float64), name
    return None


def _number(word: str, accepted: Iterable[tuple[re.Pattern[str], Callable[[str], str]]]) -> float:
    return next((float(spell(word)) for pattern, spell in accepted if pattern.fullmatch(word)), nan)


def _without_commas(word: str) -> str:
    return word.replace(",", "")


def _with_point(word: str) -> str:
    return word.replace(".", "").replace(",", ".")


_STYLES: dict[str, list[tuple[re.Pattern[str], Callable[[str], str]]]] = {
    "decimal points": [(_PLAIN, str)],
    "commas between thousands": [(_PLAIN, str), (_THOUSANDS, _without_commas)],
    "decimal commas": [(_DECIMAL_COMMA, _with_point)],
}


def _is_most(words: Sequence[str | None], values: dict[str, float]) -> bool:
    read = [values[word] == values[word] for word in words if word is not None]
    return bool(read) and sum(read) >= MOSTLY * len(read)


def days_in(words: Sequence[str | None], day_first: bool | None = None) -> tuple[Floats, bool] | None:
    """Read a column of dates as days since 1970; return them and whether 3/4/2021 starts with the day.

    It starts with the month unless a cell of the column has a number above 12 there. Formats may be mixed.
    Words that are no dates, if they are few, are NaN; with a given order, all of them are.

    Examples
    --------
    >>> days_in(["1970-01-02", "3 Jan 1970", "04.01.1970", None])
    (array([ 1.,  2.,  3., nan]), False)
    >>> days_in(["1/2/1970", "13/1/1970"])
    (array([31., 12.]), True)
    >>> days_in(["red", "blue"]) is None
    True
    """
    known = {word for word in words if word is not None}
    new = day_first is None
    if new and not any(_day(word, False) == _day(word, False) for word in list(known)[:20]):
        return None
    day_first = any(_first_number(word) > 12 for word in known) if day_first is None else day_first
    values = {word: _day(word, day_first) for word in known}
    if new and not _is_most(words, values):
        return None
    found = [nan if word is None else values[word] for word in words]
    return np.array(found, dtype=np.float64), day_first


def _first_number(word: str) -> int:
    found = _PARTS.match(word)
    return int(found[1]) if found and found[2] != "." else 0


def _day(word: str, day_first: bool) -> float:
    """Return the days since 1970 of a date in any usual format, NaN where it is none."""
    if not 6 <= len(word) <= 40 or not any(map(str.isdigit, word)) or _PLAIN.fullmatch(word):
        return nan
    try:
        moment = datetime.fromisoformat(word.replace("/", "-") if word[:4].isdigit() else word)
        return moment.toordinal() - EPOCH + (moment.hour + moment.minute / 60) / 24
    except ValueError:
        pass
    found = _PARTS.match(word)
    return _named_month(word) if found is None else _numbered(found, day_first)


def _numbered(found: re.Match[str], day_first: bool) -> float:
    first, last, year = int(found[1]), int(found[3]), int(found[4])
    year += 0 if len(found[4]) == 4 else 2000 if year < 70 else 1900
    day, month = (first, last) if day_first or found[2] == "." or first > 12 else (last, first)
    try:
        return float(date(year, month, day).toordinal() - EPOCH)
    except ValueError:
        return nan


def _named_month(word: str) -> float:
    plain = " ".join(word.replace(",", " ").replace(".", " ").split())
    for layout in _NAMED_MONTHS:
        try:
            return float(datetime.strptime(plain, layout).toordinal() - EPOCH)
        except ValueError:
            continue
    return nan
