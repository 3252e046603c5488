"""The papers' experiments on real data: each returns a page with our figures beside the paper's."""

from collections.abc import Callable

from semirank.experiments import (
    analyses,
    assumptions,
    auto,
    feedback,
    letor_ablation,
    letor_page,
    manifold_reuters,
    moons,
    newsgroups,
    ohsumed_text,
    optdigits,
    power,
    protein,
    rankrls_page,
    reuters,
    screening,
    suite,
    translation,
    usps,
)
from semirank.experiments.result import ExperimentPage

EXPERIMENTS: dict[str, Callable[..., ExperimentPage]] = {
    "moons": moons.moons,
    "usps": usps.usps,
    "newsgroups": newsgroups.newsgroups,
    "feedback": feedback.feedback,
    "manifold-reuters": manifold_reuters.manifold_reuters,
    "reuters": reuters.reuters,
    "ohsumed-text": ohsumed_text.ohsumed_text,
    "optdigits": optdigits.optdigits,
    "rankrls": rankrls_page.rankrls,
    "letor": letor_page.letor,
    "letor-ablation": letor_ablation.letor_ablation,
    "analyses": analyses.analyses,
    "assumptions": assumptions.assumptions,
    "translation": translation.translation,
    "protein": protein.protein,
    "auto": auto.auto,
    "suite": suite.suite,
    "power": power.power,
    "screening": screening.screening,
    "stopping": screening.stopping,
}

__all__ = ["EXPERIMENTS", "ExperimentPage"]
