"""The papers' experiments on real data: each returns a page with our figures beside the paper's."""

from collections.abc import Callable

from semirank.experiments import (
    assumptions,
    auto,
    letor_page,
    manifold,
    manifold_reuters,
    ohsumed_text,
    optdigits,
    power,
    protein,
    rankrls_page,
    reuters,
    screening,
    suite,
    translation,
)
from semirank.experiments.result import ExperimentPage

EXPERIMENTS: dict[str, Callable[..., ExperimentPage]] = {
    "moons": manifold.moons,
    "usps": manifold.usps,
    "newsgroups": manifold.newsgroups,
    "manifold-reuters": manifold_reuters.manifold_reuters,
    "reuters": reuters.reuters,
    "ohsumed-text": ohsumed_text.ohsumed_text,
    "optdigits": optdigits.optdigits,
    "rankrls": rankrls_page.rankrls,
    "letor": letor_page.letor,
    "assumptions": assumptions.assumptions,
    "translation": translation.translation,
    "protein": protein.protein,
    "auto": auto.auto,
    "suite": suite.suite,
    "power": power.power,
    "screening": screening.screening,
    "stopping": screening.stopping,
}

__all__ = ["EXPERIMENTS", "Result"]
