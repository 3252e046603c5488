"""Decimal numbers as doubles and back, exactly.

Every power ``10^e`` is held as ``g 2^(floor(log2 10^e) - 127)`` with g a 128-bit integer, rounded up.
Multiplying by it bounds a decimal number closely enough to round it [1]_, and finds the shortest decimal
that stands for a double [2]_.

References
----------
.. [1] D. Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience, 2021.
.. [2] R. Giulietti, "The Schubfach way to render doubles", 2021.
"""

from typing import Any

import numpy as np
from numba import njit

Whole = Any  # an int64, which mypy does not take for an int
Word = Any  # a uint64; together with an int64 it would turn into a float

_ONE: Word = np.uint64(1)
_HALF: Word = np.uint64(32)
_LOW_HALF: Word = np.uint64(0xFFFFFFFF)
_TOP = 325


def _power_of_ten(exponent: int) -> int:
    """Give g, the leading 128 bits of ``10^exponent``, rounded up."""
    power = 10 ** abs(exponent)
    if exponent >= 0:
        return -((-power << 128) >> power.bit_length())
    return -(-(1 << (127 + power.bit_length())) // power)


_POWERS = np.array([divmod(_power_of_ten(e), 1 << 64) for e in range(-_TOP, _TOP + 1)], dtype=np.uint64)


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def shortest_decimal(value: float) -> tuple[int, int]:
    """Give ``(digits, exponent)``, the shortest decimal that rounds to the positive finite `value`.

    Of several equally short ones it is the nearest to `value`; the digits may end in zeros.
    """
    bits: Whole = np.float64(value).view(np.int64)
    field, fraction = bits >> 52, bits & ((1 << 52) - 1)
    mantissa = fraction | (1 << 52) if field else fraction
    binary = (field if field else 1) - 1075
    uneven = fraction == 0 and field > 1  # the double below is nearer than the one above
    exponent = (binary * 1262611 - (524031 if uneven else 0)) >> 22
    shift = np.uint64(binary + _log2_of_power(-exponent) + 1)
    power = _TOP - exponent
    centre = np.uint64(4 * mantissa)
    below = _scaled_to_odd(power, (centre - np.uint64(1 if uneven else 2)) << shift)
    here = _scaled_to_odd(power, centre << shift)
    above = _scaled_to_odd(power, (centre + np.uint64(2)) << shift)
    odd = mantissa & 1  # a bound rounds to this double only when the mantissa is even
    return _choose(below + odd, here, above - odd, exponent)


@njit(cache=True, nogil=True)
def _scaled_to_odd(power: int, value: Word) -> Whole:
    """Give the integer part of ``g value / 2^128``, its last bit set where anything is cut off."""
    carry = _product(_POWERS[power, 1], value)[0]
    high, low = _product(_POWERS[power, 0], value)
    low += carry
    high += np.uint64(low < carry)
    return np.int64(high | np.uint64(low > _ONE))


@njit(cache=True, nogil=True)
def _choose(low: int, here: int, high: int, exponent: int) -> tuple[int, int]:
    """Choose the best decimal from `low` to `high`, which are in quarters of ``10^exponent``."""
    digits = here >> 2
    if digits >= 10:
        tens = digits // 10
        down, up = low <= 40 * tens, 40 * tens + 40 <= high
        if down != up:
            return tens + up, exponent + 1
    down, up = low <= 4 * digits, 4 * digits + 4 <= high
    if down == up:
        middle = 4 * digits + 2
        up = here > middle or (here == middle and digits & 1 == 1)
    return digits + up, exponent


@njit(cache=True, nogil=True)
def _product(a: Word, b: Word) -> tuple[Word, Word]:
    """Multiply two 64-bit integers; return the high and the low 64 bits."""
    a_low, a_high = a & _LOW_HALF, a >> _HALF
    b_low, b_high = b & _LOW_HALF, b >> _HALF
    low = a_low * b_low
    middle = a_high * b_low + (low >> _HALF)
    other = a_low * b_high + (middle & _LOW_HALF)
    return a_high * b_high + (middle >> _HALF) + (other >> _HALF), a * b


@njit(cache=True, nogil=True)
def _log2_of_power(exponent: int) -> int:
    """Floor of the binary logarithm of ``10^exponent``, for |exponent| <= 325."""
    return (exponent * 1741647) >> 19
