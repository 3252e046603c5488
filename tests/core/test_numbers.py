"""Numbers in text mean what Python's own `float` says."""

from fractions import Fraction
from math import inf, isnan, nextafter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from semirank.core.numbers import (
    _POWERS,
    EXACT,
    NO_NUMBER,
    UNDECIDED,
    _log2_of_power,
    nearest_double,
    read_number,
)

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
DIGITS = st.text("0123456789", max_size=25)
POWERS_OF_TWO = [2.0**exponent for exponent in range(-1074, 1024)]


@st.composite
def spelt_numbers(draw: st.DrawFn) -> str:
    """Draw text as a person or a program might write a number."""
    whole, fraction = draw(DIGITS), draw(st.none() | DIGITS)
    mantissa = whole or "0" if fraction is None else f"{whole or '0' * (not fraction)}.{fraction}"
    exponent = draw(
        st.just("") | st.integers(-400, 400).map("e{}".format) | st.integers(0, 99).map("E+{}".format)
    )
    return draw(st.sampled_from(["", "-", "+"])) + mantissa + exponent


def read(text: str) -> tuple[float, int, int]:
    array = np.frombuffer(text.encode() + b" ", np.uint8)
    value, stop, state = read_number(array, 0)
    return value, stop, state


@settings(max_examples=1000, deadline=None)
@given(DOUBLES.map(repr) | spelt_numbers())
@example("9007199254740993")  # halfway between two doubles
@example("9007199254740992.999999999999999999999")
@example("2.2250738585072011e-308")
@example("0." + "0" * 40 + "123456789012345678")
@example("1e-400")
@example("123456789012345678e308")
@example("1e99999999999999999999999")
@example("0e99999999999999999999999")
def test_a_number_is_the_double_that_python_reads_or_is_left_to_python(text: str) -> None:
    value, stop, state = read(text)
    assert stop == len(text)
    assert state in (EXACT, UNDECIDED)
    if state == EXACT:
        assert value.hex() == float(text).hex()


@settings(deadline=None)
@given(st.floats(1e-300, 1e15))
def test_what_python_writes_is_read_without_its_help(value: float) -> None:
    assert read(repr(value)) == (value, len(repr(value)), EXACT)


@settings(deadline=None)
@given(st.floats(1e-3, 1e3))
def test_more_digits_than_a_double_has_are_read_without_its_help(value: float) -> None:
    assert read(f"{value:.30f}")[::2] == (value, EXACT)


@settings(deadline=None)
@given(st.text(alphabet="0123456789.eE+-nulaiftyNA_x ", max_size=8))
def test_no_other_text_is_a_number(text: str) -> None:
    value, stop, state = read(text)
    if state == NO_NUMBER:
        return
    spelt = text[:stop]
    if spelt.lstrip("+-").lower() == "null":
        assert isnan(value)
    elif state == EXACT:
        assert value == float(spelt) or isnan(value) == isnan(float(spelt)) is True


@pytest.mark.parametrize("text", ["", "-", "+", ".", "-.", "e5", ".e5", "--1", "x", "nul", "in"])
def test_these_are_no_numbers(text: str) -> None:
    assert read(text)[2] == NO_NUMBER


@pytest.mark.parametrize(("text", "value"), [("Inf", inf), ("-infinity", -inf), ("+INF", inf)])
def test_infinity_has_two_names(text: str, value: float) -> None:
    assert read(text) == (value, len(text), EXACT)


def test_neighbours_of_powers_of_two_and_random_bits_are_read_exactly() -> None:
    bits = np.random.default_rng(0).integers(0, 0x7FF0 << 48, 20_000, dtype=np.uint64)
    values = bits.view(np.float64).tolist()
    for power in POWERS_OF_TWO:
        values += [power, nextafter(power, 0.0), nextafter(power, inf)]
    for value in values[:-1]:
        read_back, _, state = read(repr(value))
        assert state == UNDECIDED or read_back == value


def test_the_powers_of_ten_are_rounded_up_by_less_than_one() -> None:
    top = len(_POWERS) // 2
    for exponent, (high, low) in zip(range(-top, top + 1), _POWERS.tolist(), strict=True):
        g = high << 64 | low
        exact = Fraction(10) ** exponent / Fraction(2) ** (_log2_of_power(exponent) - 127)
        assert 2**127 <= g < 2**128
        assert 0 <= g - exact < 1


@settings(deadline=None)
@given(st.integers(0, 10**18 - 1), st.integers(-400, 400))
def test_rounding_is_right_where_it_is_sure(digits: int, exponent: int) -> None:
    value, sure = nearest_double(digits, exponent)
    assert not sure or value == float(f"{digits}e{exponent}")
