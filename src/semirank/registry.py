"""Every ranker by its name, for the command line, model files and tests; imported when it is used.

Packages of others register their rankers by an entry point of the group ``semirank.rankers``::

    [project.entry-points."semirank.rankers"]
    my-ranker = "my_package.rankers:MyRanker"
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from semirank import storage
from semirank.rankers._base import Ranker

GROUP = "semirank.rankers"

_OURS = {
    "auto-ranker": "semirank.selection.auto_ranker:AutoRanker",
    "distance-ranking": "semirank.rankers.distance:DistanceRanking",
    "manifold-ranking": "semirank.rankers.manifold:ManifoldRanking",
    "manifold-ranking-cv": "semirank.rankers.manifold_cv:ManifoldRankingCV",
    "anchor-ranking": "semirank.rankers.anchor_ranking:AnchorRanking",
    "personalized-pagerank": "semirank.rankers.pagerank:PersonalizedPageRank",
    "rayleigh-ranker": "semirank.rankers.rayleigh:RayleighRanker",
    "rayleigh-ranker-cv": "semirank.rankers.rayleigh_cv:RayleighRankerCV",
    "rankrls": "semirank.rankers.rankrls:RankRLS",
    "rankrls-cv": "semirank.rankers.rankrls_cv:RankRLSCV",
    "transductive-rankrls": "semirank.rankers.transductive_rankrls:TransductiveRankRLS",
    "rank-svm": "semirank.rankers.rank_svm:RankSVM",
    "line-search-ranker": "semirank.rankers.line_search:LineSearchRanker",
    "rankboost": "semirank.rankers.rankboost:RankBoost",
    "semi-rankboost": "semirank.rankers.semi_rankboost:SemiRankBoost",
    "forest-ranker": "semirank.rankers.forest:ForestRanker",
    "logistic-ranker": "semirank.rankers.logistic:LogisticRanker",
    "linear-svm-ranker": "semirank.rankers.linear_svm:LinearSVMRanker",
    "self-training-logistic": "semirank.rankers.self_training:SelfTrainingLogistic",
    "transductive-svm": "semirank.rankers.transductive_svm:TransductiveSVM",
    "estimator-ranker": "semirank.rankers.estimator:EstimatorRanker",
    "labelled-only": "semirank.rankers.labelled_only:LabelledOnly",
    "text-ranker": "semirank.meta.text:TextRanker",
    "screening-ranker": "semirank.meta.screening:ScreeningRanker",
    "latent-ranker": "semirank.meta.latent:LatentRanker",
    "each-list": "semirank.meta.each_list:EachList",
    "blend": "semirank.meta.blend:Blend",
    "feature-generation": "semirank.meta.feature_generation:FeatureGeneration",
    "importance-weighting": "semirank.meta.importance_weighting:ImportanceWeighting",
    "pseudo-margin": "semirank.meta.pseudo_margin:PseudoMargin",
    "ranker-propagation": "semirank.meta.ranker_propagation:RankerPropagation",
}

_PARTS = (  # what a model file may hold beside rankers
    "semirank.density_ratio.kliep:KLIEP",
    "semirank.features.columns:CategoryColumn",
    "semirank.features.columns:DateColumn",
    "semirank.features.columns:NumberColumn",
    "semirank.features.columns:TextColumn",
    "semirank.features.gram_schmidt:GramSchmidt",
    "semirank.features.lsa:LSA",
    "semirank.features.rank_lda:RankLDA",
    "semirank.features.scaling:Scaling",
    "semirank.features.table:TableFeatures",
    "semirank.features.text_features:TextFeatures",
    "semirank.features.tfidf:TfIdf",
    "semirank.features.word_pairs:WordPairs",
)


@cache
def _places() -> dict[str, str]:
    """Return where each ranker is, by name; a name of ours cannot be taken by another package."""
    theirs = {entry.name: entry.value for entry in entry_points(group=GROUP)}
    return theirs | _OURS


def ranker_names() -> list[str]:
    """Return the names of all rankers: ours, then those that other packages have registered."""
    return [*_OURS, *sorted(_places().keys() - _OURS.keys())]


def ranker_class(name: str) -> type[Ranker]:
    """Return the class behind a name; an unknown name gets the nearest known one suggested."""
    known = ranker_names()
    if name not in known:
        near = get_close_matches(name, known, n=1, cutoff=0.4)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"There is no ranker {name!r}. {hint}Known: {', '.join(known)}.")
    kind: type[Ranker] = _import(_places()[name])
    return kind


def name_of_class(kind: type[Ranker]) -> str:
    """Return the name that a class is registered under, or else its own."""
    place = f"{kind.__module__}:{kind.__qualname__}"
    return next((name for name, value in _places().items() if value == place), kind.__name__)


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a model that was written by `save`; nothing in the file is executed.

    Only classes of registered rankers, and parts of ours, can stand in a file; those that the file needs are
    imported, and no others.

    See Also
    --------
    Ranker.save : writes such a file.

    Examples
    --------
    >>> import tempfile, pathlib, semirank
    >>> ranker = semirank.DistanceRanking().fit([[0.0], [2.0]], [1, float("nan")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "distance.model"
    ...     ranker.save(path)
    ...     semirank.load_model(path).predict([[1.0]])
    array([-1.])
    """
    return storage.load(path, model_classes())


def model_classes(*more: type) -> Mapping[str, type]:
    """Return the classes that a model file may name, by name; `more` are classes that are not registered."""
    return _Classes(more)


class _Classes(Mapping[str, type]):
    """The classes that a model file may name, imported when they are asked for."""

    def __init__(self, more: Iterable[type]) -> None:
        self._places: dict[str, str | type] = {kind.__name__: kind for kind in more}
        self._places |= {place.partition(":")[2]: place for place in (*_places().values(), *_PARTS)}

    def __getitem__(self, name: str) -> type:
        place = self._places[name]
        kind: type = _import(place) if isinstance(place, str) else place
        return kind

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _import(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
