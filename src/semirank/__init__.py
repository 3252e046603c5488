"""Rank many things from few labels.

Data flows one way, and imports go only downwards::

    read -> dataset -> graph / kernel / features -> ranker -> scores -> metrics -> report

A *list* holds *items* that compete with each other; an item's *label* says how
good it is, and NaN says that nobody has looked yet. A *ranker* gives every item
a *score*: higher is better, comparable within a list only.

Names are imported when they are first used, so ``import semirank`` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semirank.dataset import RankingDataset
    from semirank.density_ratio import KLIEP
    from semirank.graphs import list_kernel
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
        EstimatorRanker,
        ForestRanker,
        LabelledOnly,
        LinearSVMRanker,
        LineSearchRanker,
        LogisticRanker,
        ManifoldRanking,
        ManifoldRankingCV,
        PairWeights,
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
    from semirank.readers import (
        load,
        read,
        read_letor,
        read_qrels,
        read_run,
        read_table,
        write,
        write_letor,
        write_qrels,
        write_run,
        write_table,
    )
    from semirank.registry import load_model
    from semirank.selection import AutoRanker, compare

_ROOMS = (
    "dataset",
    "density_ratio",
    "experiments",
    "features",
    "graphs",
    "meta",
    "metrics",
    "rankers",
    "readers",
    "registry",
    "report",
    "selection",
    "storage",
)
_HOMES = {
    "AutoRanker": "selection",
    "Blend": "meta",
    "DistanceRanking": "rankers",
    "FeatureGeneration": "meta",
    "ForestRanker": "rankers",
    "ImportanceWeighting": "meta",
    "KLIEP": "density_ratio",
    "LabelledOnly": "rankers",
    "LatentRanker": "meta",
    "LineSearchRanker": "rankers",
    "LinearSVMRanker": "rankers",
    "LogisticRanker": "rankers",
    "ManifoldRanking": "rankers",
    "ManifoldRankingCV": "rankers",
    "PairWeights": "rankers",
    "EstimatorRanker": "rankers",
    "PersonalizedPageRank": "rankers",
    "PseudoMargin": "meta",
    "RankBoost": "rankers",
    "RankRLS": "rankers",
    "RankRLSCV": "rankers",
    "RankSVM": "rankers",
    "Ranker": "rankers",
    "RankerPropagation": "meta",
    "RankingDataset": "dataset",
    "RayleighRanker": "rankers",
    "RayleighRankerCV": "rankers",
    "SelfTrainingLogistic": "rankers",
    "SemiRankBoost": "rankers",
    "TextRanker": "meta",
    "TransductiveRankRLS": "rankers",
    "TransductiveSVM": "rankers",
    "compare": "selection",
    "list_kernel": "graphs",
    "load": "readers",
    "load_model": "registry",
    "read": "readers",
    "read_letor": "readers",
    "read_qrels": "readers",
    "read_run": "readers",
    "read_table": "readers",
    "write": "readers",
    "write_letor": "readers",
    "write_qrels": "readers",
    "write_run": "readers",
    "write_table": "readers",
}

__all__ = [
    "KLIEP",
    "AutoRanker",
    "Blend",
    "DistanceRanking",
    "EstimatorRanker",
    "FeatureGeneration",
    "ForestRanker",
    "ImportanceWeighting",
    "LabelledOnly",
    "LatentRanker",
    "LineSearchRanker",
    "LinearSVMRanker",
    "LogisticRanker",
    "ManifoldRanking",
    "ManifoldRankingCV",
    "PairWeights",
    "PersonalizedPageRank",
    "PseudoMargin",
    "RankBoost",
    "RankRLS",
    "RankRLSCV",
    "RankSVM",
    "Ranker",
    "RankerPropagation",
    "RankingDataset",
    "RayleighRanker",
    "RayleighRankerCV",
    "SelfTrainingLogistic",
    "SemiRankBoost",
    "TextRanker",
    "TransductiveRankRLS",
    "TransductiveSVM",
    "compare",
    "list_kernel",
    "load",
    "load_model",
    "read",
    "read_letor",
    "read_qrels",
    "read_run",
    "read_table",
    "write",
    "write_letor",
    "write_qrels",
    "write_run",
    "write_table",
]


def __getattr__(name: str) -> Any:
    """Import a public name or room on first use; `__version__` comes from the installed package."""
    if name == "__version__":
        from importlib.metadata import version

        return version("semirank")
    if name in _ROOMS:
        return import_module(f"semirank.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'semirank' has no attribute {name!r}")
    value = getattr(import_module(f"semirank.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS, "__version__"])
