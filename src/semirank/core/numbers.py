"""Numbers in text, read as Python's `float` would.

Every power ``10^e`` is held as ``g 2^(floor(log2 10^e) - 127)`` with g a 128-bit integer, rounded up.
Multiplying by it bounds a decimal number closely enough to round it [1]_.

References
----------
.. [1] D. Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience, 2021.
"""

from typing import Any

import numpy as np

from semirank.core.arrays import Bytes
from semirank.core.compiling import compiled

Whole = Any  # an int64, which mypy does not take for an int
Word = Any  # a uint64; together with an int64 it would turn into a float

NO_NUMBER, EXACT, UNDECIDED = range(3)
"""How `read_number` ended. An undecided number is well formed, but needs more than 128 bits."""

_PLUS, _MINUS, _POINT, _ZERO, _E = b"+-.0e"
_ANY_CASE = 32  # the bit that makes a letter small
_MOST_DIGITS = 18  # fit into 63 bits
_DOUBLES = 10.0 ** np.arange(23)  # the powers of ten that are doubles
_TOP = 325  # the largest power of ten in the table

_NOTHING: Whole = np.int64(0)  # a plain 0 has a type of its own, and its callers would be compiled twice
_ONE: Word = np.uint64(1)
_HALF: Word = np.uint64(32)
_LOW_HALF: Word = np.uint64(0xFFFFFFFF)


def _power_of_ten(exponent: int) -> int:
    """Give g, the leading 128 bits of ``10^exponent``, rounded up."""
    power = 10 ** abs(exponent)
    if exponent >= 0:
        return -((-power << 128) >> power.bit_length())
    return -(-(1 << (127 + power.bit_length())) // power)


_POWERS = np.array([divmod(_power_of_ten(e), 1 << 64) for e in range(-_TOP, _TOP + 1)], dtype=np.uint64)


@compiled(inline="always")
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


@compiled()
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


@compiled()
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


@compiled()
def _read_word(text: Bytes, i: int) -> tuple[float, int]:
    """Read null, nan, inf or infinity; stop at the start if it is none of these."""
    if matches(text, i, b"null"):
        return np.nan, i + 4
    if matches(text, i, b"nan"):
        return np.nan, i + 3
    if matches(text, i, b"infinity"):
        return np.inf, i + 8
    return np.inf, i + 3 if matches(text, i, b"inf") else i


@compiled()
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


@compiled()
def read_digits(text: Bytes, i: int, digits: int) -> tuple[int, int]:
    """Append the digits that start here to a number; return it and where they stop."""
    while 48 <= byte_at(text, i) <= 57:
        digits = 10 * digits + byte_at(text, i) - _ZERO
        i += 1
    return digits, i


@compiled()
def matches(text: Bytes, i: int, word: bytes) -> bool:
    """Tell whether a word, given in small letters, stands here in any case."""
    k = 0
    while k < len(word) and text[i + k] | _ANY_CASE == word[k]:
        k += 1
    return k == len(word)


@compiled()
def byte_at(text: Bytes, i: int) -> int:
    """Give a byte; the unsigned place spares the test for a negative one."""
    return text[np.uintp(i)]


@compiled()
def nearest_double(digits: int, exponent: int) -> tuple[float, bool]:
    """Round ``digits 10^exponent``, with digits from 0 to below 10^18, to the nearest double.

    The second value is False where the bounds do not decide: exact ties, subnormal and overflowing numbers.
    """
    if digits == 0:
        return 0.0, True
    if abs(exponent) > _TOP:
        return 0.0, False
    top = (np.float64(digits).view(np.int64) >> 52) - 1023
    shift = 63 - top + (digits >> top == 0)
    scaled = np.uint64(digits) << np.uint64(shift)
    high, middle = _product(scaled, _POWERS[exponent + _TOP, 0])
    carry = _product(scaled, _POWERS[exponent + _TOP, 1])[0]
    middle += carry
    high += np.uint64(middle < carry)
    spare = 10 + np.int64(high >> np.uint64(63))
    half = _ONE << np.uint64(spare - 1)
    rest = high & (half + half - _ONE)
    field = 1076 + spare + _log2_of_power(exponent) - shift
    if (rest == half and middle == 0) or field < 1 or field > 2045:
        return 0.0, False
    fraction = (high >> np.uint64(spare)) + np.uint64(rest >= half) - (_ONE << np.uint64(52))
    return np.uint64((np.uint64(field) << np.uint64(52)) + fraction).view(np.float64), True


@compiled()
def _product(a: Word, b: Word) -> tuple[Word, Word]:
    """Multiply two 64-bit integers; return the high and the low 64 bits."""
    a_low, a_high = a & _LOW_HALF, a >> _HALF
    b_low, b_high = b & _LOW_HALF, b >> _HALF
    low = a_low * b_low
    middle = a_high * b_low + (low >> _HALF)
    other = a_low * b_high + (middle & _LOW_HALF)
    return a_high * b_high + (middle >> _HALF) + (other >> _HALF), a * b


@compiled()
def _log2_of_power(exponent: int) -> int:
    """Floor of the binary logarithm of ``10^exponent``, for |exponent| <= 325."""
    return (exponent * 1741647) >> 19
