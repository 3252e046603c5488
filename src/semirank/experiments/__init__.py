"""The papers' experiments on real data: each returns a page with our figures beside the paper's."""

from collections.abc import Callable

from semirank.experiments import manifold
from semirank.experiments.manifold_reuters import manifold_reuters
from semirank.experiments.optdigits import optdigits
from semirank.experiments.result import Result

EXPERIMENTS: dict[str, Callable[..., Result]] = {
    "moons": manifold.moons,
    "usps": manifold.usps,
    "newsgroups": manifold.newsgroups,
    "manifold-reuters": manifold_reuters,
    "optdigits": optdigits,
}

__all__ = ["EXPERIMENTS", "Result"]
