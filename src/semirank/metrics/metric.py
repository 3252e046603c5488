"""A metric with its options, as a value that can be called, named and compared."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from numbers import Integral
from typing import Any, Literal, Self, Unpack

from semirank.core.arrays import Floats
from semirank.limits import Between, Either, Limit, OneOf, check_limits
from semirank.metrics.ranking import How, Ranking

CUTOFF = Between(1, inf, Integral)
OPTIONAL_CUTOFF = Either(OneOf(None), CUTOFF)
RELEVANT = Either(OneOf(None), Between(-inf, inf))

SPELLING = {"relevant": "rel"}
"""Options with a shorter name in the notation: ``AP(rel=2)``."""


@dataclass(frozen=True, eq=False, repr=False)
class Metric:
    """A metric and its options: ``metric(y, scores, qid)`` gives one value for each list.

    Two metrics are equal when their names are.

    Attributes
    ----------
    base : str
        The name without options: "nDCG".
    meaning : str
        What the value says, in one sentence.
    compute : callable
        From a `Ranking` and the options to one value for each list.
    limits : mapping
        What each option may be.
    defaults, given : mapping
        The options as they are when nobody says otherwise, and those that differ here.
    at : str or None
        The option that stands after the @ in the name.
    example : str
        A complete name, for help texts.
    aliases : tuple of str
        Other names that `parse` understands.
    greater_is_better : bool
        False for an error.
    span : pair of float
        Between which values it lies.

    Examples
    --------
    >>> from semirank import metrics
    >>> metric = metrics.parse("ndcg@10")
    >>> metric
    Metric('nDCG@10')
    >>> metric([2, 0, 1], [0.9, 0.8, 0.1])
    array([0.96394043])
    """

    base: str
    meaning: str
    compute: Callable[..., Floats]
    limits: Mapping[str, Limit]
    defaults: Mapping[str, Any]
    example: str
    at: Literal["cutoff", "recall"] | None = None
    aliases: tuple[str, ...] = ()
    greater_is_better: bool = True
    span: tuple[float, float] = (0.0, 1.0)
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name with its options, as `parse` reads it."""
        inside = [
            f"{SPELLING.get(option, option)}={_spell(value)}"
            for option, value in sorted(self.given.items())
            if option != self.at
        ]
        name = f"{self.base}({','.join(inside)})" if inside else self.base
        number = self.options.get(self.at or "")
        if number is None:
            return name
        return f"{name}@{100 * number:.10g}" if self.at == "recall" else f"{name}@{number}"

    @property
    def options(self) -> dict[str, Any]:
        """Every option with its value."""
        return {**self.defaults, **self.given}

    def with_options(self, **options: Any) -> Self:
        """Return the same metric with other options."""
        options = self.options | options
        unknown = set(options) - set(self.limits)
        if unknown:
            known = ", ".join(self.limits) or "none"
            raise ValueError(f"{self.base} has no option {min(unknown)!r}. Options: {known}.")
        check_limits(self.limits, options)
        return replace(
            self, given={key: value for key, value in options.items() if value != self.defaults[key]}
        )

    def __call__(
        self,
        y: Any,
        scores: Any,
        qid: Any = None,
        **how: Unpack[How],
    ) -> Floats:
        """Give one value for each list, in order of first appearance; NaN where a list cannot say."""
        return self.of(Ranking(y, scores, qid, **how))

    def of(self, ranking: Ranking) -> Floats:
        """Give one value for each list of a ranking that is sorted already."""
        check_limits(self.limits, self.options)
        return self.compute(ranking, **self.options)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Metric({self.name!r})"


def _spell(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
