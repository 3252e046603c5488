"""What a fitted ranker computes of the features of one item: formulas that other programs can evaluate."""

from typing import NamedTuple, TypeAlias

from semirank.core.arrays import Floats, Integers


class Linear(NamedTuple):
    """``x'w + b``."""

    coef: Floats
    intercept: float = 0.0


class Bells(NamedTuple):
    """``sum_i a_i exp(-gamma |x - x_i|^2)``."""

    items: Floats
    weights: Floats
    gamma: float


class Steps(NamedTuple):
    """``sum_t alpha_t [x_j > theta]`` with its feature j and its threshold theta for each t."""

    features: Integers
    thresholds: Floats
    alphas: Floats


class Trees(NamedTuple):
    """The mean of what trees say; nodes as `core.trees.sum_leaves` has them, features in single precision."""

    roots: Integers
    features: Integers
    thresholds: Floats
    children: Integers
    values: Floats


class Scaled(NamedTuple):
    """A formula of ``(x - centres) * factors``, cut off beyond a limit if there is one."""

    centres: Floats
    factors: Floats
    limit: float | None
    formula: "Formula"


class Mixed(NamedTuple):
    """``sum_k factor_k (f_k(x) - centre_k)``."""

    formulas: "list[Formula]"
    factors: Floats
    centres: Floats


Formula: TypeAlias = Linear | Bells | Steps | Trees | Scaled | Mixed
