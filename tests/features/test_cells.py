"""Numbers and dates as people write them, against Python's and pandas' own readers."""

import locale
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semirank.features.cells import as_levels, days_in, known_words, numbers_in

dates = st.dates(date(1900, 1, 1), date(2100, 1, 1))
EPOCH = date(1970, 1, 1)
LAYOUTS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d %b %Y", "%B %d, %Y", "%Y-%m-%dT00:00:00")


def words(*cells):
    return known_words(np.array(cells, dtype=object))


@given(st.lists(st.tuples(dates, st.sampled_from(LAYOUTS)), min_size=1, max_size=8))
def test_dates_in_mixed_formats_are_the_days_they_say(cells):
    assert locale.getlocale(locale.LC_TIME)[0] in (None, "C", "en_US")
    days, _ = days_in([day.strftime(layout) for day, layout in cells])
    assert days.tolist() == [(day - EPOCH) / timedelta(days=1) for day, _ in cells]


@pytest.mark.parametrize("day_first", [True, False])
def test_slashes_are_read_in_the_order_that_the_column_shows(day_first):
    text = ["13/02/2021", "03/04/2021"] if day_first else ["02/13/2021", "03/04/2021"]
    expected = pd.to_datetime(pd.Series(text), dayfirst=day_first, format="mixed")
    days, found = days_in(text)
    assert found == day_first
    assert days.tolist() == [(day.date() - EPOCH).days for day in expected]
    assert days_in(["03/04/2021"], day_first)[0].tolist() == days[1:].tolist()  # one new cell shows no order


@pytest.mark.parametrize(
    "not_dates", [["1999", "2001"], ["a1b2c3", "x7"], ["3.5.1", "1.2.3"], ["2021-13-45"]]
)
def test_what_is_no_date(not_dates):
    assert days_in(not_dates) is None


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1), st.integers(1, 6))
def test_numbers_with_separators_are_the_numbers_they_say(whole, digits):
    numbers = [each / 10**digits for each in whole]
    english = [f"{number:,.{digits}f}" for number in numbers]
    german = [text.translate(str.maketrans(",.", ".,")) for text in english]
    np.testing.assert_allclose(numbers_in(english, "commas between thousands")[0], numbers)
    np.testing.assert_allclose(numbers_in(german, "decimal commas")[0], numbers)


def test_few_words_among_numbers_are_missing_many_make_words():
    cells = [str(number) for number in range(20)]
    values, style = numbers_in([*cells, "unknown"])
    assert style == "decimal points"
    assert np.isnan(values[-1])
    assert not np.isnan(values[:-1]).any()
    assert numbers_in([*cells[:5], "unknown"]) is None


def test_signs_of_nothing():
    assert words("", " ", "NA", "n/a", "?", "-", "None", None, "0", "no") == [None] * 8 + ["0", "no"]


def test_a_number_has_one_spelling_as_a_level():
    numbers = known_words(np.array([7.0, np.nan, 0.1, 1e20]))
    assert as_levels(numbers) == as_levels(words("007", None, ".1", "1e20")) == ["7", None, "0.1", "1e+20"]
    assert as_levels(words("true", "AB 7")) == ["1", "AB 7"]


@pytest.mark.parametrize(("n_numbers", "is_column"), [(9, True), (8, False)])
def test_nine_cells_of_ten_make_a_column_of_numbers(n_numbers, is_column):
    found = numbers_in(words(*[str(each) for each in range(n_numbers)], *["unknown"] * (10 - n_numbers)))
    assert (found is not None) == is_column
