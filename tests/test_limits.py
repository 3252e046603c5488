"""Limits say what a parameter may be, in the check and in words."""

from numbers import Integral

import numpy as np
import pytest

from semirank.limits import FLAG, SEED, Between, Either, Kind, OneOf, Several, check_limits, parse_setting

LIMITS = {
    "alpha": Between(0, 1, closed="neither"),
    "n_neighbors": Between(1, kind=Integral),
    "sigma": Either(Between(0, closed="neither"), OneOf("median", "local")),
    "flag": FLAG,
    "alphas": Several(Between(0, 1, closed="neither")),
}


@pytest.mark.parametrize(
    ("limit", "inside", "outside", "words"),
    [
        (
            LIMITS["alpha"],
            [0.5, np.float32(0.1)],
            [0, 1, -1, "0.5", None, True, np.nan],
            "a number in (0, 1)",
        ),
        (LIMITS["n_neighbors"], [1, np.int64(7)], [0, 1.0, True], "a whole number in [1, inf)"),
        (LIMITS["sigma"], ["median", 2.0], ["mean", 0.0], "a number in (0, inf) or 'median' or 'local'"),
        (OneOf(None, 1), [None, 1], [True, 1.0, 2], "None or 1"),
        (FLAG, [True, False], [1, 0, "True"], "True or False"),
        (SEED, [None, 3, np.random.default_rng(0)], [-1, 1.5, "x"], "a whole number in [0, 4.29497e+09]"),
        (Kind("a matrix", (np.ndarray,)), [np.eye(2)], [1], "a matrix"),
        (
            Several(LIMITS["alpha"]),
            [(0.5,), [0.1, 0.9]],
            [(), (0.5, 1.0), 0.5, "0.5"],
            "a tuple, each entry a",
        ),
    ],
)
def test_membership_and_words(limit, inside, outside, words):
    assert all(value in limit for value in inside)
    assert not any(value in limit for value in outside)
    assert str(limit).startswith(words)


def test_message_names_parameter_range_and_value():
    with pytest.raises(ValueError, match=r"^alpha must be a number in \(0, 1\); got 1\.0\.$"):
        check_limits({"alpha": LIMITS["alpha"]}, {"alpha": 1.0})


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("alpha=0.9", ("alpha", 0.9)),
        ("n_neighbors=5", ("n_neighbors", 5)),
        ("sigma=local", ("sigma", "local")),
        ("sigma=1.5", ("sigma", 1.5)),
        ("flag=True", ("flag", True)),
        ("alphas=0.9,0.99", ("alphas", (0.9, 0.99))),
    ],
)
def test_settings_are_read_by_their_limits(setting, value):
    assert parse_setting(LIMITS, setting) == value


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("alpha", "write NAME=VALUE"),
        ("beta=1", "Parameters: alpha, n_neighbors"),
        ("alpha=2", "alpha must be a number in"),
        ("n_neighbors=2.5", "n_neighbors must be a whole number"),
        ("sigma=wide", "sigma must be a number"),
    ],
)
def test_bad_settings_are_refused(setting, message):
    with pytest.raises(ValueError, match=message):
        parse_setting(LIMITS, setting)
