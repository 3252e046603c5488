"""Every ranker by its name, for the command line, model files and tests."""

import os
from difflib import get_close_matches
from typing import Any

import semirank
from semirank import storage
from semirank.density_ratio import KLIEP
from semirank.features import LSA, GramSchmidt, RankLDA, TfIdf
from semirank.meta import (
    Blend,
    FeatureGeneration,
    ImportanceWeighting,
    LatentRanker,
    PseudoMargin,
    RankerPropagation,
    TextRanker,
)
from semirank.rankers import (
    DistanceRanking,
    ForestRanker,
    LinearSVMRanker,
    LineSearchRanker,
    LogisticRanker,
    ManifoldRanking,
    ManifoldRankingCV,
    PersonalizedPageRank,
    RankBoost,
    Ranker,
    RankRLS,
    RankRLSCV,
    RankSVM,
    RayleighRanker,
    RayleighRankerCV,
    SelfTrainingLogistic,
    SemiRankBoost,
    TransductiveRankRLS,
    TransductiveSVM,
)

RANKERS: dict[str, type[Ranker]] = {
    "distance-ranking": DistanceRanking,
    "manifold-ranking": ManifoldRanking,
    "manifold-ranking-cv": ManifoldRankingCV,
    "personalized-pagerank": PersonalizedPageRank,
    "rayleigh-ranker": RayleighRanker,
    "rayleigh-ranker-cv": RayleighRankerCV,
    "rankrls": RankRLS,
    "rankrls-cv": RankRLSCV,
    "transductive-rankrls": TransductiveRankRLS,
    "rank-svm": RankSVM,
    "line-search-ranker": LineSearchRanker,
    "rankboost": RankBoost,
    "semi-rankboost": SemiRankBoost,
    "forest-ranker": ForestRanker,
    "logistic-ranker": LogisticRanker,
    "linear-svm-ranker": LinearSVMRanker,
    "self-training-logistic": SelfTrainingLogistic,
    "transductive-svm": TransductiveSVM,
    "blend": Blend,
    "latent-ranker": LatentRanker,
    "feature-generation": FeatureGeneration,
    "importance-weighting": ImportanceWeighting,
    "pseudo-margin": PseudoMargin,
    "ranker-propagation": RankerPropagation,
}


_ABOVE = {"auto-ranker": "AutoRanker"}  # made in rooms above this one; the package finds them when asked


def ranker_class(name: str) -> type[Ranker]:
    """Return the class behind a name; an unknown name gets the nearest known one suggested."""
    if name in _ABOVE:
        kind: type[Ranker] = getattr(semirank, _ABOVE[name])
        return kind
    if name not in RANKERS:
        known = [*RANKERS, *_ABOVE]
        near = get_close_matches(name, known, n=1, cutoff=0.4)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"There is no ranker {name!r}. {hint}Known: {', '.join(known)}.")
    return RANKERS[name]


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a model that was written by `save`; nothing in the file is executed.

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
    others = (TextRanker, KLIEP, GramSchmidt, LSA, RankLDA, TfIdf)
    above = map(ranker_class, _ABOVE)
    kinds = {kind.__name__: kind for kind in (*RANKERS.values(), *above, *others)}
    return storage.load(path, kinds)
