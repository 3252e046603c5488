"""Rankers: labels and features in, one score per item out."""

from semirank.rankers._base import Ranker
from semirank.rankers.distance import DistanceRanking
from semirank.rankers.estimator import EstimatorRanker, as_ranker
from semirank.rankers.forest import ForestRanker
from semirank.rankers.labelled_only import LabelledOnly
from semirank.rankers.line_search import LineSearchRanker
from semirank.rankers.linear_svm import LinearSVMRanker
from semirank.rankers.logistic import LogisticRanker
from semirank.rankers.manifold import ManifoldRanking
from semirank.rankers.manifold_cv import ManifoldRankingCV
from semirank.rankers.pagerank import PersonalizedPageRank
from semirank.rankers.pairs import PairWeights
from semirank.rankers.rank_svm import RankSVM
from semirank.rankers.rankboost import RankBoost
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.rankrls_cv import RankRLSCV
from semirank.rankers.rayleigh import RayleighRanker
from semirank.rankers.rayleigh_cv import RayleighRankerCV
from semirank.rankers.self_training import SelfTrainingLogistic
from semirank.rankers.semi_rankboost import SemiRankBoost
from semirank.rankers.transductive_rankrls import TransductiveRankRLS
from semirank.rankers.transductive_svm import TransductiveSVM

__all__ = [
    "DistanceRanking",
    "EstimatorRanker",
    "ForestRanker",
    "LabelledOnly",
    "LineSearchRanker",
    "LinearSVMRanker",
    "LogisticRanker",
    "ManifoldRanking",
    "ManifoldRankingCV",
    "PairWeights",
    "PersonalizedPageRank",
    "RankBoost",
    "RankRLS",
    "RankRLSCV",
    "RankSVM",
    "Ranker",
    "RayleighRanker",
    "RayleighRankerCV",
    "SelfTrainingLogistic",
    "SemiRankBoost",
    "TransductiveRankRLS",
    "TransductiveSVM",
    "as_ranker",
]
