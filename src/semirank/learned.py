"""What `fit` may learn: one table for each class that serves saving, loading and the documentation.

Sizes have names (``n_items``, ``n_features``); the same name means the same number in all attributes of a
model. Numbers are finite unless the table says otherwise.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from numbers import Real
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse

Size = str | int
"""How long an array is along an axis: a number, a name, or a name and one more (``n_lists + 1``)."""
MOST = 2**62  # what can still be an index


class Sizes(dict[str, int]):
    """The sizes that the attributes of a model have shown so far."""

    def fits(self, size: Size, length: int) -> bool:
        """Tell whether a length is that of the size; a name that is new is given this length."""
        if isinstance(size, int):
            return size == length
        name, _, more = size.partition(" + ")
        return self.setdefault(name, length - int(more or 0)) == length - int(more or 0)


class Attribute(Protocol):
    """A set of values: it can say what it is, and why a value is none of them."""

    def __str__(self) -> str: ...

    def problem(self, value: Any, sizes: Sizes) -> str | None:
        """Return what is wrong with a value, None if it is right."""


@dataclass(frozen=True)
class Array:
    """Numbers: of which type, how many along each axis, in which range.

    `high` may name a size, and is then the first number that is too large. A `dtype` "float" is single or
    double precision. `sparse` allows CSR, and `dense=False` nothing else.
    """

    shape: tuple[Size, ...]
    dtype: str = "float64"
    low: float = -inf
    high: float | str = inf
    gaps: bool = False
    infinite: bool = False
    sparse: bool = False
    dense: bool = True

    def __init__(self, *shape: Size, dtype: str = "float64", **options: Any) -> None:
        values = {"shape": shape, "dtype": dtype, **options}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        kinds = ["array"] * self.dense + ["CSR matrix"] * self.sparse
        shape = ", ".join(map(str, self.shape)) + "," * (len(self.shape) == 1)
        return f"{self.dtype} {' or '.join(kinds)} of shape ({shape}){self._range}"

    @property
    def _range(self) -> str:
        low = f", at least {self.low:g}" if self.low > -inf else ""
        high = "" if self.high == inf else f", below {self.high}" if isinstance(self.high, str) else ""
        return (
            low + (high or (f", at most {self.high:g}" if self.high != inf else "")) + ", or NaN" * self.gaps
        )

    def problem(self, value: Any, sizes: Sizes) -> str | None:
        """Look at type, shape and range."""
        if not ((self.dense and isinstance(value, np.ndarray)) or (self.sparse and issparse(value))):
            return f"is a {type(value).__name__}"
        of_type = value.dtype.kind == "f" if self.dtype == "float" else value.dtype == np.dtype(self.dtype)
        if not of_type or (value.dtype.kind == "f" and value.dtype.itemsize not in (4, 8)):
            return f"is of type {value.dtype}"
        if value.ndim != len(self.shape) or not all(map(sizes.fits, self.shape, value.shape)):
            known = ", ".join(f"{name} is {number}" for name, number in sizes.items())
            return f"has shape {value.shape}" + (f", where {known}" if known else "")
        return self._out_of_range(value.data if issparse(value) else value, sizes)

    def _out_of_range(self, values: Any, sizes: Sizes) -> str | None:
        if values.dtype.kind == "f":
            if not self.gaps and np.isnan(values).any():
                return "has a value that is not a number"
            if not self.infinite and np.isinf(values).any():
                return "has an infinite value"
        below = isinstance(self.high, str)
        high = sizes[str(self.high)] if below else self.high
        too_high = values >= high if below else values > high
        return "has a value out of range" if (too_high | (values < self.low)).any() else None


@dataclass(frozen=True)
class Number:
    """One number, whole or not; `size` is the name of what it counts."""

    low: float = -inf
    high: float = inf
    whole: bool = False
    size: str | None = None
    gaps: bool = False
    infinite: bool = False

    def __str__(self) -> str:
        noun = "whole number" if self.whole else "number"
        low = f", at least {self.low:g}" if self.low > -inf else ""
        high = f", at most {self.high:g}" if self.high < MOST else ""
        return noun + low + high + (f"; {self.size}" if self.size else "")

    def problem(self, value: Any, sizes: Sizes) -> str | None:
        """Look at type and range."""
        if not isinstance(value, int if self.whole else Real) or isinstance(value, (bool, np.bool_)):
            return f"is a {type(value).__name__}"
        number: Any = value
        if number != number:
            return None if self.gaps else "is not a number"
        if (abs(number) == inf and not self.infinite) or not self.low <= number <= self.high:
            return f"is {number}"
        if self.size is not None and not sizes.fits(self.size, number):
            return f"is {number}, where {self.size} is {sizes[self.size]}"
        return None


def count(size: str | None = None, low: int = 0) -> Number:
    """Return what counts something: a whole number that is not negative, nor too large to be an index."""
    return Number(low, MOST, whole=True, size=size)


@dataclass(frozen=True)
class Names:
    """Ids of lists or names of columns: numbers or texts, one of each kind of `size`."""

    size: Size

    def __str__(self) -> str:
        return f"array of numbers or texts of shape ({self.size},)"

    def problem(self, value: Any, sizes: Sizes) -> str | None:
        """Look at type and length."""
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "biufOU":
            return f"is a {getattr(value, 'dtype', type(value).__name__)}"
        if value.ndim != 1 or not sizes.fits(self.size, len(value)):
            return f"has shape {value.shape}"
        if not all(isinstance(each, (str, int, float)) for each in value.tolist()):
            return "has an entry that is neither a number nor a text"
        return None


@dataclass(frozen=True)
class Part:
    """A model of one of these classes, or of classes that inherit from them, fitted unless said otherwise."""

    classes: tuple[str, ...]
    fitted: bool = True

    def __init__(self, *classes: str, fitted: bool = True) -> None:
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "fitted", fitted)

    def __str__(self) -> str:
        return " or ".join(self.classes)

    def problem(self, value: Any, sizes: Sizes) -> str | None:
        """Look at the class; the part itself was checked when it was read."""
        if {kind.__name__ for kind in type(value).__mro__}.isdisjoint(self.classes):
            return f"is a {type(value).__name__}"
        return "is not fitted" if self.fitted and not learned_by(value) else None


@dataclass(frozen=True)
class Value:
    """A plain value of one of some types, such as a text or a dictionary of results."""

    types: tuple[type, ...]
    choices: tuple[Any, ...] = ()

    def __init__(self, *types: type, choices: tuple[Any, ...] = ()) -> None:
        object.__setattr__(self, "types", types)
        object.__setattr__(self, "choices", choices)

    def __str__(self) -> str:
        return " or ".join([repr(each) for each in self.choices] or [kind.__name__ for kind in self.types])

    def problem(self, value: Any, sizes: Sizes) -> str | None:
        """Look at the type, or at the choices."""
        if type(value) not in self.types:
            return f"is a {type(value).__name__}"
        return f"is {value!r:.40}" if self.choices and value not in self.choices else None


@dataclass(frozen=True)
class Each:
    """A list, a tuple or a dictionary whose entries (of a dictionary: values) are of one kind."""

    entry: Attribute
    of: type[list[Any]] | type[dict[Any, Any]] = list
    size: str | None = None

    def __str__(self) -> str:
        return f"{self.of.__name__}, each entry {self.entry}"

    def problem(self, value: Any, sizes: Sizes) -> str | None:
        """Look at all entries."""
        if not isinstance(value, self.of):
            return f"is a {type(value).__name__}"
        if self.size is not None and not sizes.fits(self.size, len(value)):
            return f"has {len(value)} entries, where {self.size} is {sizes[self.size]}"
        entries = value.values() if isinstance(value, dict) else value
        found = next(filter(None, (self.entry.problem(entry, sizes) for entry in entries)), None)
        return f"has an entry that {found}" if found else None


@dataclass(frozen=True)
class AnyOf:
    """One of several kinds, None among them where `None` stands for nothing learned."""

    kinds: tuple[Attribute | None, ...]

    def __init__(self, *kinds: Attribute | None) -> None:
        object.__setattr__(self, "kinds", kinds)

    def __str__(self) -> str:
        return " or ".join(map(str, self.kinds))

    def problem(self, value: Any, sizes: Sizes) -> str | None:
        """Look whether one of the kinds fits; sizes are those that it has shown."""
        found = None
        for kind in self.kinds:
            if kind is None:
                found = None if value is None else f"is a {type(value).__name__}"
            else:
                tried = Sizes(sizes)
                found = kind.problem(value, tried)
                if found is None:
                    sizes.update(tried)
            if found is None:
                return None
        return found


@dataclass(frozen=True)
class Optional:
    """An attribute that is learned only sometimes."""

    kind: Attribute

    def __str__(self) -> str:
        return f"{self.kind}; not always there"

    def problem(self, value: Any, sizes: Sizes) -> str | None:
        """Look at it as if it were always there."""
        return self.kind.problem(value, sizes)


Table = dict[str, Any]  # name -> Attribute


def learned_by(model: object) -> dict[str, Any]:
    """Return what `fit` has set: the attributes that end in ``_`` and do not start with one."""
    return {name: value for name, value in vars(model).items() if name.endswith("_") and name[0] != "_"}


def check_names(model: Any) -> None:
    """Raise ValueError for a learned attribute that the table of the class does not know, or that is missing.

    A class of another package may learn more than the table says that it inherits.
    """
    table, state = type(model).learned, learned_by(model)
    ours = type(model).__module__.partition(".")[0] == __name__.partition(".")[0]
    if ours and (unknown := sorted(state.keys() - table.keys())):
        raise ValueError(f"{unknown[0]} is nothing that a {type(model).__name__} learns")
    for name, kind in table.items():
        if name not in state and not isinstance(kind, Optional):
            raise ValueError(f"{name} is missing from what a {type(model).__name__} learns")


def check_learned(model: Any) -> None:
    """Raise ValueError for the first learned attribute that is not what the table of its class says."""
    check_names(model)
    state, sizes = learned_by(model), Sizes()
    for name, kind in type(model).learned.items():
        if name in state and (found := kind.problem(state[name], sizes)):
            raise ValueError(f"{name} must be {kind}; it {found}")


def describe_table(kind: type) -> Iterator[str]:
    """Yield a line of Markdown for each attribute that a class learns."""
    for name, attribute in kind.learned.items():  # type: ignore[attr-defined]
        yield f"| `{name}` | {attribute} |"
