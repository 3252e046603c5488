"""Numbers in text: read as Python's `float` would, written with the fewest digits."""

import numpy as np
from numba import njit

from semirank.core.arrays import Bytes
from semirank.core.decimals import Whole, Word, nearest_double, shortest_decimal

NO_NUMBER, EXACT, UNDECIDED = range(3)
"""How `read_number` ended. An undecided number is well formed, but needs more than 128 bits."""

LONGEST_NUMBER = 24
"""Bytes that `write_number` needs at most: a sign, 17 digits, a point and ``e-308``."""

_PLUS, _MINUS, _POINT, _ZERO, _E = b"+-.0e"
_ANY_CASE = 32  # the bit that makes a letter small
_MOST_DIGITS = 18  # fit into 63 bits
_DOUBLES = 10.0 ** np.arange(23)  # the powers of ten that are doubles

_NOTHING: Whole = np.int64(0)  # a plain 0 has a type of its own, and its callers would be compiled twice
_TEN: Word = np.uint64(10)
_MILLION: Word = np.uint64(10**6)
_TENS: Word = _TEN ** np.arange(19, dtype=np.uint64)


@njit(cache=True, nogil=True, inline="always")
def read_number(text: Bytes, start: int) -> tuple[float, int, int]:
    """Read the number that starts here, as Python's `float` would, or one of a few words.

    Parameters
    ----------
    text : uint8 (n,), read-only
        Must go on behind the number.
    start : int

    Returns
    -------
    value : float
        NaN for nan and null, in any case.
    stop : int
    state : int
        EXACT, or UNDECIDED (then the value is 0 and left to the caller), or NO_NUMBER.
    """
    negative = byte_at(text, start) == _MINUS
    first = start + (negative or byte_at(text, start) == _PLUS)
    digits, stop = read_digits(text, first, _NOTHING)
    length = stop - first
    places = 0
    if byte_at(text, stop) == _POINT:
        point = stop + 1
        digits, stop = read_digits(text, point, digits)
        places = stop - point
        length += places
    if 0 < length <= 15 and byte_at(text, stop) | _ANY_CASE != _E:
        value, state = digits / _DOUBLES[places], EXACT
    else:
        value, stop, state = _read_unusual(text, first, stop, digits, places, length)
    return -value if negative else value, stop, state


@njit(cache=True, nogil=True)
def _read_unusual(
    text: Bytes, first: int, stop: int, digits: int, places: int, length: int
) -> tuple[float, int, int]:
    """Finish a number with an exponent or many digits, or read a word instead of a number."""
    if length == 0:
        value, stop = _read_word(text, first)
        return value, stop, EXACT if stop > first else NO_NUMBER
    left = 0
    if length > _MOST_DIGITS:
        digits, left = _first_digits(text, first, stop)
    exponent, stop = _read_exponent(text, stop)
    exponent += left - places
    value, sure = nearest_double(digits, exponent)
    if left:
        sure &= nearest_double(digits + 1, exponent) == (value, True)
    return (value, stop, EXACT) if sure else (0.0, stop, UNDECIDED)


@njit(cache=True, nogil=True)
def _first_digits(text: Bytes, start: int, stop: int) -> tuple[int, int]:
    """Read as many digits as a whole number can hold; return it and how many are left."""
    digits, left = _NOTHING, 0
    for place in range(start, stop):
        if text[place] != _POINT:
            if digits < 10 ** (_MOST_DIGITS - 1):
                digits = 10 * digits + text[place] - _ZERO
            else:
                left += 1
    return digits, left


@njit(cache=True, nogil=True)
def _read_word(text: Bytes, i: int) -> tuple[float, int]:
    """Read null, nan, inf or infinity; stop at the start if it is none of these."""
    if matches(text, i, b"null"):
        return np.nan, i + 4
    if matches(text, i, b"nan"):
        return np.nan, i + 3
    if matches(text, i, b"infinity"):
        return np.inf, i + 8
    return np.inf, i + 3 if matches(text, i, b"inf") else i


@njit(cache=True, nogil=True)
def _read_exponent(text: Bytes, i: int) -> tuple[int, int]:
    """Read ``e-5``, if that stands here; return the exponent and where it stops."""
    if text[i] | _ANY_CASE != _E:
        return 0, i
    negative = text[i + 1] == _MINUS
    first = i + 1 + (negative or text[i + 1] == _PLUS)
    exponent, stop = read_digits(text, first, _NOTHING)
    if stop == first:
        return 0, i
    if stop - first > _MOST_DIGITS - 2:
        exponent = 10**_MOST_DIGITS
    return -exponent if negative else exponent, stop


@njit(cache=True, nogil=True)
def read_digits(text: Bytes, i: int, digits: int) -> tuple[int, int]:
    """Append the digits that start here to a number; return it and where they stop."""
    while 48 <= byte_at(text, i) <= 57:
        digits = 10 * digits + byte_at(text, i) - _ZERO
        i += 1
    return digits, i


@njit(cache=True, nogil=True)
def matches(text: Bytes, i: int, word: bytes) -> bool:
    """Tell whether a word, given in small letters, stands here in any case."""
    k = 0
    while k < len(word) and text[i + k] | _ANY_CASE == word[k]:
        k += 1
    return k == len(word)


@njit(cache=True, nogil=True)
def byte_at(text: Bytes, i: int) -> int:
    """Give a byte; the unsigned place spares the test for a negative one."""
    return text[np.uintp(i)]


@njit(cache=True, nogil=True, inline="always")
def write_number(value: float, out: Bytes, at: int) -> int:
    """Write a finite double as the shortest text that reads back as the same double; return where it ends.

    Whole numbers have no point; below 1e-4 and from 1e16 there is an exponent, as in ``1.5e-7``.
    """
    if np.signbit(value):
        out[at] = _MINUS
        at += 1
        value = -value
    if value < 1e15 and value == np.floor(value):
        return write_integer(np.uint64(value), out, at)
    digits, exponent = _without_zeros(_few_decimals(value))
    order = exponent + _length(digits) - 1
    if -5 < order < 16:
        if exponent >= 0:
            return write_integer(digits * _TENS[exponent], out, at)
        return _write_with_point(digits, -exponent, out, at)
    at = _write_with_point(digits, order - exponent, out, at)
    out[at] = _E
    if order < 0:
        at += 1
        out[at] = _MINUS
    return write_integer(np.uint64(abs(order)), out, at + 1)


@njit(cache=True, nogil=True)
def _few_decimals(value: float) -> tuple[Whole, int]:
    """Give the shortest decimal, quickly where six decimals are enough: no other has as few as 15 digits."""
    scaled = np.rint(value * 1e6)
    if scaled < 1e15 and scaled / 1e6 == value:
        return np.int64(scaled), -6
    return shortest_decimal(value)


@njit(cache=True, nogil=True)
def _without_zeros(decimal: tuple[int, int]) -> tuple[Word, int]:
    """Move trailing zeros from the digits to the exponent."""
    digits: Word = np.uint64(decimal[0])
    exponent = decimal[1]
    while digits % _MILLION == 0:
        digits //= _MILLION
        exponent += 6
    while digits % _TEN == 0:
        digits //= _TEN
        exponent += 1
    return digits, exponent


@njit(cache=True, nogil=True)
def _write_with_point(digits: Word, places: int, out: Bytes, at: int) -> int:
    """Write ``digits 10^-places``, with a point unless `places` is 0; return where it ends."""
    whole = digits // _TENS[places] if places < len(_TENS) else np.uint64(0)
    at = write_integer(whole, out, at)
    if places == 0:
        return at
    out[at] = _POINT
    fraction = digits - whole * _TENS[places] if whole else digits
    return _write_digits(fraction, places, out, at + 1)


@njit(cache=True, nogil=True)
def write_integer(value: Word, out: Bytes, at: int) -> int:
    """Write a whole number below 10^18; return where it ends."""
    return _write_digits(value, _length(value), out, at)


@njit(cache=True, nogil=True)
def _write_digits(value: Word, width: int, out: Bytes, at: int) -> int:
    """Write a whole number with zeros before it, `width` digits in all; return where it ends."""
    place = at + width
    while place > at:
        place -= 1
        tens = value // _TEN
        out[np.uintp(place)] = _ZERO + value - tens * _TEN
        value = tens
    return at + width


@njit(cache=True, nogil=True)
def _length(value: Word) -> int:
    """Count the digits of a whole number; 0 has one."""
    length = 1
    while length < len(_TENS) and value >= _TENS[length]:
        length += 1
    return length
