"""What a ranker assumes about unlabelled data, and the ranker it would be without that."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.base import clone

from semirank.meta import Blend, LatentRanker, TextRanker
from semirank.meta.members import named
from semirank.rankers import (
    DistanceRanking,
    LinearSVMRanker,
    LogisticRanker,
    RankBoost,
    Ranker,
    RankRLS,
    as_ranker,
)

MANIFOLD = "items near each other along the data are equally good (manifold)"
LOW_DENSITY = "good and bad items are separated by a sparse region (low density)"
SHARED_WORDS = "items that share directions of the data, such as words used together, are alike"
OWN_PREDICTIONS = "what the ranker predicts for unlabelled items is mostly right (self-training)"
NEIGHBOUR_LABELS = "an item is as good as its nearest labelled neighbours (clusters)"
MOSTLY_IRRELEVANT = "most unlabelled items are irrelevant"
LIST_DIRECTIONS = "directions in which a list varies are those that relevance follows"
LIST_SHIFT = "lists differ in where their items lie, not in what makes an item good (covariate shift)"
SIMILAR_LISTS = "similar lists are ranked by similar rankers"


CHOSEN = "whichever assumption held-out labels support, or none"


class Trait(NamedTuple):
    """An assumption about unlabelled data, and the ranker without it, if there is one."""

    assumption: str
    baseline: Ranker | None


def trait_of(ranker: Ranker) -> Trait | None:
    """Tell what a ranker assumes about unlabelled data; None: it learns from labels alone.

    The baseline has the same settings, as far as it has them at all. Rankers that are not known here count
    as supervised; say otherwise with `Candidate`.

    Examples
    --------
    >>> from semirank import RankBoost, SemiRankBoost
    >>> trait_of(SemiRankBoost(n_rounds=30)).baseline
    RankBoost(n_rounds=30)
    >>> trait_of(RankBoost()) is None
    True
    """
    if isinstance(ranker, TextRanker):
        return _trait_of_text(ranker)
    if isinstance(ranker, LatentRanker):
        return _trait_of_latent(ranker)
    if isinstance(ranker, Blend):
        return _trait_of_blend(ranker)
    for kind in type(ranker).__mro__:
        if kind.__name__ in _TRAITS:
            assumption, build = _TRAITS[kind.__name__]
            baseline = build(ranker)
            return None if repr(baseline) == repr(ranker) else Trait(assumption, baseline)
    if getattr(ranker, "presumed_negatives", 0):
        return Trait(MOSTLY_IRRELEVANT, clone(ranker).set_params(presumed_negatives=0))
    return None


def supervised(ranker: Ranker) -> Ranker:
    """Return the ranker without unlabelled data: itself, or its baseline."""
    trait = trait_of(ranker)
    return ranker if trait is None or trait.baseline is None else supervised(trait.baseline)


def _like(kind: type[Ranker]) -> Callable[[Any], Ranker]:
    """Return a function that builds a ranker with the parameters that it shares with another."""

    def build(ranker: Any) -> Ranker:
        params, own = ranker.get_params(deep=False), kind().get_params(deep=False)
        return kind(**{name: value for name, value in params.items() if name in own})

    return build


def _changed(**params: Any) -> Callable[[Any], Ranker]:
    return lambda ranker: clone(ranker).set_params(**params)


def _inner(ranker: Any) -> Ranker:
    return RankBoost() if ranker.ranker is None else as_ranker(clone(ranker.ranker))


def _trait_of_text(ranker: TextRanker) -> Trait | None:
    latent = ranker.n_components is not None
    inner = trait_of(LatentRanker(ranker.ranker) if latent else ranker.ranker)
    if inner is None:
        return None
    baseline = clone(ranker).set_params(ranker=supervised(ranker.ranker), n_components=None)
    return Trait(inner.assumption, baseline)


def _trait_of_latent(ranker: LatentRanker) -> Trait:
    inner = LogisticRanker() if ranker.ranker is None else as_ranker(clone(ranker.ranker))
    trait = trait_of(inner)
    return Trait(SHARED_WORDS if trait is None else trait.assumption, supervised(inner))


def _trait_of_blend(blend: Blend) -> Trait | None:
    """Leave out the rankers that use unlabelled data, or where there are no others, the unlabelled data."""
    members = named(blend.rankers or ())
    traits = {name: trait_of(ranker) for name, ranker in members}
    assumptions = [trait.assumption for trait in traits.values() if trait is not None]
    if not assumptions:
        return None
    kept = [(name, ranker) for name, ranker in members if traits[name] is None]
    if len(kept) > 1:
        weights = blend.weights
        if isinstance(weights, (list, tuple)):
            weights = [
                weight for weight, trait in zip(weights, traits.values(), strict=True) if trait is None
            ]
        return Trait(assumptions[0], Blend(kept, weights, n_folds=blend.n_folds))
    return Trait(assumptions[0], kept[0][1] if kept else supervised(members[0][1]))


_TRAITS: dict[str, tuple[str, Callable[[Any], Ranker | None]]] = {
    "ManifoldRanking": (MANIFOLD, _like(DistanceRanking)),
    "ManifoldRankingCV": (MANIFOLD, _like(DistanceRanking)),
    "PersonalizedPageRank": (MANIFOLD, _like(DistanceRanking)),
    "RayleighRanker": (MANIFOLD, _changed(smoothness=0.0)),
    "RayleighRankerCV": (MANIFOLD, _changed(smoothnesses=(0.0,))),
    "TransductiveRankRLS": (OWN_PREDICTIONS, _like(RankRLS)),
    "SemiRankBoost": (NEIGHBOUR_LABELS, _like(RankBoost)),
    "SelfTrainingLogistic": (OWN_PREDICTIONS, _like(LogisticRanker)),
    "TransductiveSVM": (LOW_DENSITY, _like(LinearSVMRanker)),
    "FeatureGeneration": (LIST_DIRECTIONS, _inner),
    "ImportanceWeighting": (LIST_SHIFT, _inner),
    "PseudoMargin": (LOW_DENSITY, _like(RankBoost)),
    "RankerPropagation": (SIMILAR_LISTS, _inner),
    "AutoRanker": (CHOSEN, lambda ranker: None),  # it measures itself against the best of all
}
