"""One catalogue of candidates: what is tried on a kind of data, and what is taken when labels are few."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import issparse

from semirank.dataset import RankingDataset
from semirank.kernels import median_distance
from semirank.meta.blend import Blend
from semirank.meta.each_list import EachList
from semirank.meta.feature_generation import FeatureGeneration
from semirank.meta.importance_weighting import ImportanceWeighting
from semirank.meta.latent import LatentRanker
from semirank.meta.pseudo_margin import PseudoMargin
from semirank.meta.ranker_propagation import RankerPropagation
from semirank.rankers._base import Ranker
from semirank.rankers.distance import DistanceRanking
from semirank.rankers.forest import ForestRanker
from semirank.rankers.linear_svm import LinearSVMRanker
from semirank.rankers.logistic import LogisticRanker
from semirank.rankers.manifold import ManifoldRanking
from semirank.rankers.manifold_cv import ManifoldRankingCV
from semirank.rankers.rank_svm import RankSVM
from semirank.rankers.rankboost import RankBoost
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.rankrls_cv import RankRLSCV
from semirank.rankers.rayleigh import RayleighRanker
from semirank.rankers.self_training import SelfTrainingLogistic
from semirank.rankers.semi_rankboost import SemiRankBoost
from semirank.rankers.transductive_rankrls import TransductiveRankRLS
from semirank.rankers.transductive_svm import TransductiveSVM
from semirank.results.comparison import Kind
from semirank.selection.candidates import Candidate, Given, as_candidates, without_texts
from semirank.selection.label_source import FEWEST, asked_from_top, is_binary
from semirank.selection.protocols import choose_protocol

MANY_ITEMS = 5_000  # labelled items from which a kernel is approximated
BASIS = 1_000
NARROW, WIDE = 0.35, 1.0
LARGE_LIST = 3_000  # items from which a smooth kernel takes long
N_TOPICS = 100
WORDS, GRAPH = LogisticRanker(), ManifoldRanking(distance="cosine", combine="ratio")

Entries = list[tuple[str, Ranker]]
Entered = tuple[Entries, str, tuple[str, ...], str]
"""Candidates by name, the usual one, the trusted ones, and the one for few labels."""


@dataclass(frozen=True, eq=False)
class Catalogue:
    """Candidates, and what is known about them from elsewhere.

    Attributes
    ----------
    kind : str
        The kind of data.
    candidates : tuple of Candidate
        Each with its baseline among them.
    usual : str
        The supervised candidate that is taken unless another is clearly better.
    trusted : tuple of str
        Candidates that use unlabelled data and have done well on other data of this kind.
    for_few : str
        The candidate for labels that are too few to compare any.
    """

    kind: Kind
    candidates: tuple[Candidate, ...]
    usual: str
    trusted: tuple[str, ...]
    for_few: str

    def named(self, name: str) -> Candidate:
        """Return the candidate of this name."""
        return next(each for each in self.candidates if each.name == name)

    @property
    def first(self) -> set[str]:
        """Return the names of those that are tried in any case: the usual ones, and their baselines."""
        usual = {self.usual, *self.trusted}
        return usual | {each.baseline for each in self.candidates if each.name in usual and each.baseline}

    def without_unlabelled(self) -> "Catalogue":
        """Leave out all that uses unlabelled data, for data that have none."""
        supervised = tuple(each for each in self.candidates if each.assumption is None)
        few = self.for_few if self.named(self.for_few) in supervised else self.usual
        return replace(self, candidates=supervised, trusted=(), for_few=few)


def catalogue(
    data: RankingDataset,
    given: Iterable[Given] | None = None,
    *,
    thorough: bool = False,
    random_state: int = 0,
) -> Catalogue:
    """Choose what to try on these data, or take what was given; `thorough` adds what takes long.

    Of what was given, the first that learns from labels alone is the usual one.
    """
    if given is not None:
        return _of_given(given, random_state)
    kind = kind_of(data)
    entries, usual, trusted, few = _ENTRIES[kind](data, thorough, random_state)
    if data.n_lists > 1 and choose_protocol(data).reason == "same items":
        entries = [(name, EachList(each) if each.one_function else each) for name, each in entries]
    return Catalogue(kind, tuple(as_candidates(entries, random_state)), usual, trusted, few)


def _of_given(given: Iterable[Given], random_state: int) -> Catalogue:
    candidates = [
        replace(each, ranker=without_texts(each.ranker)) for each in as_candidates(given, random_state)
    ]
    if not candidates:
        raise ValueError("There is no ranker to compare: give at least one.")
    usual = next((each.name for each in candidates if each.assumption is None), candidates[0].name)
    return Catalogue("given", tuple(candidates), usual, (), usual)


def kind_of(data: RankingDataset) -> Kind:
    """Tell what kind of data this is by its features, its labels, and what remains to be ranked."""
    if choose_protocol(data).name == "lists":
        return "lists"
    if issparse(data.X):
        return "texts"
    return "features" if is_binary(data) else "grades"


def words_topics_and_graphs() -> Blend:
    """Mix words and latent topics, and a graph of either, for labels that are a sample of all texts."""
    topics = LatentRanker(Blend([("topics", WORDS), ("graph", GRAPH)]), N_TOPICS)
    return Blend([("words", WORDS), ("graph", GRAPH), ("topics", topics)], weights=[1, 1, 2])


def screening(random_state: int | None = None) -> Blend:
    """Mix for the first labels, and for those asked for from the top: what is near to relevant ones leads."""
    presuming = LogisticRanker(presumed_negatives=100, random_state=random_state)
    spread = ManifoldRanking(distance="cosine", combine="log", alpha=0.9, degree_correction=0.0)
    members = [("words", presuming), ("graph", spread), ("nearest", DistanceRanking("cosine"))]
    return Blend(members, weights=[0.5, "fading", 2])


def _for_texts(data: RankingDataset, thorough: bool, seed: int) -> Entered:
    entries: Entries = [
        ("words", WORDS),
        ("words, topics and graphs", words_topics_and_graphs()),
        ("screening", screening(seed)),
        ("nearest text", DistanceRanking("cosine")),
        ("words, margin", LinearSVMRanker()),
        ("topics", LatentRanker(WORDS, N_TOPICS)),
        ("graph of topics", LatentRanker(GRAPH, N_TOPICS)),
        ("presumed irrelevant", LogisticRanker(presumed_negatives=100, random_state=seed)),
    ]
    if thorough:
        boosted, smooth = SemiRankBoost(30, distance="cosine"), RayleighRanker(n_components=300)
        entries += [
            ("self-training", SelfTrainingLogistic()),
            ("transductive margin", TransductiveSVM()),
            ("boosted topics and neighbours", LatentRanker(boosted, N_TOPICS)),
            ("smooth kernel", LatentRanker(smooth, N_TOPICS)),
            ("transductive least squares", LatentRanker(TransductiveRankRLS(), N_TOPICS)),
        ]
    usual = "words" if _both_sides(data) else "nearest text"
    trusted = ("words, topics and graphs", "screening")
    few = trusted[0] if _are_a_sample(data) else trusted[1]
    return entries, usual, trusted, few


def _are_a_sample(data: RankingDataset) -> bool:
    """Tell whether labels on both sides are some, and look like a sample of all items."""
    y = data.y[data.labelled]
    return min((y > 0).sum(), (y <= 0).sum()) >= FEWEST and not asked_from_top(data)


def _for_features(data: RankingDataset, thorough: bool, seed: int) -> Entered:
    both = _both_sides(data)
    combine = "ratio" if both else "positive"
    graph = ManifoldRanking(n_neighbors=10 if both else 5, sigma="local", combine=combine)
    kernel = _kernel(data, NARROW)
    entries: Entries = [
        ("kernel", kernel),
        ("graph", graph),
        ("nearest item", DistanceRanking()),
        ("wide kernel", _kernel(data, WIDE)),
        ("linear", LogisticRanker()),
        ("linear least squares", RankRLSCV()),
        ("boosted", RankBoost(30)),
        ("trees", ForestRanker(random_state=seed)),
        ("kernel and graph", Blend([("kernel", kernel), ("graph", graph)])),
        ("boosted neighbours", SemiRankBoost(30)),
    ]
    if thorough or np.diff(data.indptr).max() <= LARGE_LIST:
        entries.append(("smooth kernel", RayleighRanker(n_components=300)))
    if thorough:
        entries += [
            ("tuned graph", ManifoldRankingCV(combine=combine, random_state=seed)),
            ("self-training", SelfTrainingLogistic()),
            ("transductive least squares", TransductiveRankRLS()),
        ]
    return entries, "kernel" if both else "nearest item", ("graph",), "graph"


def _for_grades(data: RankingDataset, thorough: bool, seed: int) -> Entered:
    members = [
        ("linear", RankRLSCV()),
        ("kernel", _kernel(data, WIDE)),
        ("boosted", RankBoost(100)),
        ("trees", ForestRanker(random_state=seed)),
    ]
    entries: Entries = [
        ("mix of all kinds", Blend(members)),
        *((name, ranker) for name, ranker in members),
        ("transductive least squares", TransductiveRankRLS()),
    ]
    return entries, "mix of all kinds", (), "linear"


def _for_lists(data: RankingDataset, thorough: bool, seed: int) -> Entered:
    boosted = RankBoost(30, balance="lists")
    strong = RankRLS(ridge=2.0 * _spread(data))
    linear = [("linear", RankRLSCV()), ("robust", strong)]
    trees = ForestRanker(random_state=seed)
    entries: Entries = [
        ("linear, boosted and trees", Blend([*linear, ("boosted", boosted), ("trees", trees)])),
        ("linear and boosted", Blend([*linear, ("boosted", boosted)])),
        ("linear", Blend(linear)),
        ("linear least squares", RankRLSCV()),
        ("boosted", boosted),
        ("trees", trees),
        ("logistic", LogisticRanker(1.0)),
        ("transductive least squares", TransductiveRankRLS(ridge=strong.ridge)),
        ("boosted neighbours", SemiRankBoost(30)),
    ]
    if thorough:
        entries += [
            ("pairwise margin", RankSVM()),
            ("features of each list", FeatureGeneration(boosted)),
            ("lists like the new one", ImportanceWeighting(boosted)),
            ("wide margins", PseudoMargin(30, weight=0.1)),
            ("rankers of similar lists", RankerPropagation(strong)),
            ("transductive margin", TransductiveSVM()),
        ]
    return entries, "linear, boosted and trees", (), "linear"


def _both_sides(data: RankingDataset) -> bool:
    """Tell whether relevant and irrelevant items have labels."""
    y = data.y[data.labelled]
    return bool((y > 0).any() and (y <= 0).any())


def _kernel(data: RankingDataset, width: float) -> RankRLSCV:
    """Return least squares with bells that are so wide, in units of the median distance of labelled items."""
    labelled = data.X[data.labelled]
    basis = BASIS if labelled.shape[0] > MANY_ITEMS else None
    return RankRLSCV("rbf", gamma=0.5 / (width * median_distance(labelled)) ** 2, n_components=basis)


def _spread(data: RankingDataset) -> float:
    """Return the mean squared distance of two labelled items of a list, the natural unit of a ridge."""
    squares = []
    for first, last in zip(data.indptr[:-1], data.indptr[1:], strict=True):
        X = data.X[first:last][data.labelled[first:last]]
        X = X.toarray() if issparse(X) else X
        if len(X) > 1:
            squares.append(2.0 * float(X.var(axis=0, ddof=1).sum()))
    return float(np.mean(squares)) or 1.0 if squares else 1.0


_ENTRIES = {"texts": _for_texts, "features": _for_features, "grades": _for_grades, "lists": _for_lists}
