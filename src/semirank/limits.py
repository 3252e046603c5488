"""What a parameter may be: one table that serves the checks, the command line's help and any form."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any, Literal, Protocol

import numpy as np


class Limit(Protocol):
    """A set of values: it knows its members, can say what it is, and reads a value from text."""

    def __contains__(self, value: object) -> bool: ...

    def __str__(self) -> str: ...

    def parse(self, text: str) -> Any:
        """Read a value; raise ValueError when the text does not spell one of this kind."""


MOST_WHOLE = 2**53  # above it not every whole number is a float, and none is a size


@dataclass(frozen=True)
class Between:
    """Numbers from `low` to `high`; whole ones up to 2^53 in size.

    Examples
    --------
    >>> alpha = Between(0, 1, closed="neither")
    >>> str(alpha), 0.5 in alpha, 1.0 in alpha
    ('a number in (0, 1)', True, False)
    """

    low: float
    high: float = inf
    kind: Any = Real
    closed: Literal["both", "left", "right", "neither"] = "both"

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, self.kind) or isinstance(value, (bool, np.bool_)):
            return False
        if isinstance(value, Integral) and abs(int(value)) > MOST_WHOLE:
            return False
        number: Any = value
        above = number >= self.low if self.closed in ("both", "left") else number > self.low
        below = number <= self.high if self.closed in ("both", "right") else number < self.high
        return bool(above and below)

    def __str__(self) -> str:
        noun = "a whole number" if self.kind is Integral else "a number"
        if self.low == -inf and self.high == inf:
            return noun
        left = "[" if self.closed in ("both", "left") and self.low > -inf else "("
        right = "]" if self.closed in ("both", "right") and self.high < inf else ")"
        return f"{noun} in {left}{self.low:g}, {self.high:g}{right}"

    def parse(self, text: str) -> float | int:
        """Read a number."""
        return int(text) if self.kind is Integral else float(text)


@dataclass(frozen=True)
class OneOf:
    """A few named choices."""

    choices: tuple[Any, ...]

    def __init__(self, *choices: Any) -> None:
        object.__setattr__(self, "choices", choices)

    def __contains__(self, value: object) -> bool:
        return any(type(value) is type(choice) and value == choice for choice in self.choices)

    def __str__(self) -> str:
        return " or ".join(str(choice) if choice is None else repr(choice) for choice in self.choices)

    def parse(self, text: str) -> Any:
        """Read one of the choices."""
        for choice in self.choices:
            if text == str(choice) or (choice is None and text.lower() == "none"):
                return choice
        raise ValueError(f"{text!r} is none of {self}")


@dataclass(frozen=True)
class Kind:
    """Any value of the given types, for what the command line cannot spell (a matrix, another ranker)."""

    name: str
    types: tuple[type, ...]

    def __contains__(self, value: object) -> bool:
        return isinstance(value, self.types)

    def __str__(self) -> str:
        return self.name

    def parse(self, text: str) -> Any:
        """Refuse: such a value has no spelling."""
        raise ValueError(f"{self.name} cannot be given as text")


@dataclass(frozen=True)
class Either:
    """A value of any of several limits."""

    limits: tuple[Limit, ...]

    def __init__(self, *limits: Limit) -> None:
        object.__setattr__(self, "limits", limits)

    def __contains__(self, value: object) -> bool:
        return any(value in limit for limit in self.limits)

    def __str__(self) -> str:
        return " or ".join(map(str, self.limits))

    def parse(self, text: str) -> Any:
        """Read the value by the first limit that knows the text."""
        for limit in self.limits:
            try:
                return limit.parse(text)
            except ValueError:
                continue
        raise ValueError(f"{text!r} is not {self}")


@dataclass(frozen=True)
class Several:
    """One or more values of a limit, as a tuple or list.

    Examples
    --------
    >>> alphas = Several(Between(0, 1, closed="neither"))
    >>> (0.9, 0.99) in alphas, () in alphas, alphas.parse("0.9,0.99")
    (True, False, (0.9, 0.99))
    """

    limit: Limit

    def __contains__(self, values: object) -> bool:
        return isinstance(values, (tuple, list)) and len(values) > 0 and all(v in self.limit for v in values)

    def __str__(self) -> str:
        return f"a tuple, each entry {self.limit}"

    def parse(self, text: str) -> tuple[Any, ...]:
        """Read values that are separated by commas."""
        return tuple(self.limit.parse(part) for part in text.split(","))


FLAG = OneOf(True, False)
SEED = Either(
    Between(0, 2**32 - 1, Integral),
    OneOf(None),
    Kind("a random generator", (np.random.Generator, np.random.RandomState)),
)


def check_limits(limits: Mapping[str, Limit], params: Mapping[str, Any]) -> None:
    """Raise a ValueError that names the first parameter outside its limits, its range and its value."""
    for name, limit in limits.items():
        if params[name] not in limit:
            value = params[name]
            beyond = isinstance(value, Integral) and abs(int(value)) > MOST_WHOLE
            raise ValueError(f"{name} must be {limit}; got {value!r}{', which is above 2^53' * beyond}.")


def parse_setting(limits: Mapping[str, Limit], setting: str) -> tuple[str, Any]:
    """Read ``name=value`` as the limits spell it and check the value."""
    name, equals, text = setting.partition("=")
    if not equals or name not in limits:
        known = ", ".join(limits) or "none"
        raise ValueError(f"{setting!r} does not set a parameter: write NAME=VALUE. Parameters: {known}.")
    try:
        value = limits[name].parse(text)
    except ValueError:
        value = text
    check_limits({name: limits[name]}, {name: value})
    return name, value
