"""One catalogue of candidates: what is tried on a kind of data, and what is taken when labels are few."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

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
from semirank.selection.label_source import asked_from_top, is_binary
from semirank.selection.protocols import choose_protocol

MANY_ITEMS = 5_000  # labelled items from which a kernel is approximated
BASIS = 1_000
NARROW, WIDE = 0.35, 1.0
LARGE_LIST = 3_000  # items from which a smooth kernel takes long
N_TOPICS = 100
WORDS, GRAPH = LogisticRanker(), ManifoldRanking(distance="cosine", combine="ratio")

MIX, MIX_WITH_UNLABELLED = "mix", "mix with unlabelled items"

TABLES = {"linear": 0.1, "wide kernel": 0.15, "trees": 0.25, "graph": 0.03}
VECTORS = {"linear": 0.05, "wide kernel": 0.1, "kernel": 0.1, "graph": 0.25}
TEXTS = {"words": 0.25, "topics": 0.25, "graph": 0.25, "graph of topics": 0.25}
NEAREST_FIRST, FADES_BY = 0.75, 5.0  # what "screening" counts at the first relevant label; half at the sixth

Entries = list[tuple[str, Ranker]]


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
    mix : mapping of str to float
        Candidates that are mixed, and how much each of them counts before labels have spoken. The mixture of
        those that learn from labels alone is called "mix", that of all "mix with unlabelled items".
    """

    kind: Kind
    candidates: tuple[Candidate, ...]
    usual: str
    trusted: tuple[str, ...]
    for_few: str
    mix: Mapping[str, float] = field(default_factory=dict)

    def named(self, name: str) -> Candidate:
        """Return the candidate of this name."""
        return next(each for each in self.candidates if each.name == name)

    @property
    def first(self) -> set[str]:
        """Return the names of those that are tried in any case: the usual ones, and their baselines."""
        usual = {self.usual, *self.trusted, *self.mix}
        return usual | {each.baseline for each in self.candidates if each.name in usual and each.baseline}

    def without_unlabelled(self) -> "Catalogue":
        """Leave out all that uses unlabelled data, for data that have none."""
        supervised = tuple(each for each in self.candidates if each.assumption is None)
        names = {each.name for each in supervised} | {MIX}
        mix = {name: weight for name, weight in self.mix.items() if name in names}
        few = self.for_few if self.for_few in names else self.usual
        return replace(self, candidates=supervised, trusted=(), for_few=few, mix=mix)

    def only_mixed(self) -> "Catalogue":
        """Leave out what is neither a part of a mixture nor meant for few labels, nor the baseline of one."""
        parts = {self.for_few, *self.mix}
        parts |= {each.baseline for each in self.candidates if each.name in parts and each.baseline}
        return replace(self, candidates=tuple(each for each in self.candidates if each.name in parts))


def catalogue(
    data: RankingDataset,
    given: Iterable[Given] | None = None,
    *,
    alike: bool = False,
    thorough: bool = False,
    random_state: int = 0,
) -> Catalogue:
    """Choose what to try on these data, or take what was given.

    Of what was given, the first that learns from labels alone is the usual one. `alike` says that the
    features are of one kind, such as pixels, and not columns of a table; `thorough` adds what takes long.
    """
    if given is not None:
        return _of_given(given, random_state)
    kind = kind_of(data, alike)
    entries, options = _ENTRIES[kind](data, thorough, random_state)
    if data.n_lists > 1 and choose_protocol(data).reason == "same items":
        entries = [(name, EachList(each) if each.one_function else each) for name, each in entries]
    return Catalogue(kind, tuple(as_candidates(entries, random_state)), **options)


def _of_given(given: Iterable[Given], random_state: int) -> Catalogue:
    candidates = [
        replace(each, ranker=without_texts(each.ranker)) for each in as_candidates(given, random_state)
    ]
    if not candidates:
        raise ValueError("There is no ranker to compare: give at least one.")
    usual = next((each.name for each in candidates if each.assumption is None), candidates[0].name)
    return Catalogue("given", tuple(candidates), usual, (), usual)


def kind_of(data: RankingDataset, alike: bool = False) -> Kind:
    """Tell what kind of data this is by its features, its labels, and what remains to be ranked."""
    if choose_protocol(data).name == "lists":
        return "lists"
    if issparse(data.X):
        return "texts"
    if not is_binary(data):
        return "grades"
    return "vectors" if alike else "tables"


def screening(random_state: int | None = None) -> Blend:
    """Mix for the first labels, and for those asked for from the top: what is near to relevant ones leads."""
    presuming = LogisticRanker(presumed_negatives=100, random_state=random_state)
    spread = ManifoldRanking(distance="cosine", combine="log", alpha=0.9, degree_correction=0.0)
    members = [("words", presuming), ("graph", spread), ("nearest", DistanceRanking("cosine"))]
    return Blend(members, weights=[0.5, "fading", 2])


Entered = tuple[Entries, dict[str, Any]]
"""Candidates by name, and what a catalogue says of them: usual, trusted, for_few, mix."""


def _for_texts(data: RankingDataset, thorough: bool, seed: int) -> Entered:
    entries: Entries = [
        ("words", WORDS),
        ("topics", LatentRanker(WORDS, N_TOPICS)),
        ("graph", GRAPH),
        ("graph of topics", LatentRanker(GRAPH, N_TOPICS)),
        ("screening", screening(seed)),
        ("nearest text", DistanceRanking("cosine")),
        ("words, margin", LinearSVMRanker()),
        ("presumed irrelevant", LogisticRanker(presumed_negatives=100, random_state=seed)),
    ]
    if thorough:
        boosted, smooth = SemiRankBoost(30, distance="cosine"), RayleighRanker(n_components=300)
        entries += [
            ("self-training", SelfTrainingLogistic()),
            ("transductive margin", TransductiveSVM()),
            ("boosted topics and neighbours", LatentRanker(boosted, N_TOPICS)),
            ("smooth kernel", LatentRanker(smooth, N_TOPICS)),
        ]
    if not _both_sides(data):
        return entries, {"usual": "nearest text", "trusted": ("screening",), "for_few": "screening"}
    few = "screening" if asked_from_top(data) else MIX_WITH_UNLABELLED
    mix = TEXTS | {"screening": NEAREST_FIRST * FADES_BY / (FADES_BY - 1 + (data.y > 0).sum())}
    trusted = (MIX_WITH_UNLABELLED, "screening")
    return entries, {"usual": MIX, "trusted": trusted, "for_few": few, "mix": mix}


def _for_vectors(data: RankingDataset, thorough: bool, seed: int) -> Entered:
    entries, known = _for_tables(data, thorough, seed)
    return entries, known | ({"mix": VECTORS, "for_few": MIX_WITH_UNLABELLED} if "mix" in known else {})


def _for_tables(data: RankingDataset, thorough: bool, seed: int) -> Entered:
    if not _both_sides(data):
        graph = ManifoldRanking(n_neighbors=5, sigma="local", combine="positive")
        near: Entries = [("nearest item", DistanceRanking()), ("graph", graph)]
        return near, {"usual": "nearest item", "trusted": ("graph",), "for_few": "graph"}
    entries: Entries = [
        ("linear", LogisticRanker(0.3)),
        ("wide kernel", _kernel(data, WIDE)),
        ("trees", _trees(data, seed)),
        ("graph", ManifoldRanking(n_neighbors=10, sigma="local", combine="ratio")),
        ("kernel", _kernel(data, NARROW)),
        ("boosted", RankBoost(30)),
        ("boosted neighbours", SemiRankBoost(30)),
    ]
    if thorough or np.diff(data.indptr).max() <= LARGE_LIST:
        entries.append(("smooth kernel", RayleighRanker(n_components=300)))
    if thorough:
        entries += [
            ("tuned graph", ManifoldRankingCV(combine="ratio", random_state=seed)),
            ("self-training", SelfTrainingLogistic(1.0)),
            ("transductive least squares", TransductiveRankRLS()),
        ]
    trusted = (MIX_WITH_UNLABELLED, "graph")
    few = MIX if asked_from_top(data) else MIX_WITH_UNLABELLED
    return entries, {"usual": MIX, "trusted": trusted, "for_few": few, "mix": TABLES}


def _for_grades(data: RankingDataset, thorough: bool, seed: int) -> Entered:
    entries: Entries = [
        ("linear", RankRLSCV()),
        ("kernel", _kernel(data, WIDE)),
        ("boosted", RankBoost(100)),
        ("trees", _trees(data, seed)),
    ]
    mix = dict.fromkeys(("linear", "kernel", "boosted", "trees"), 0.25)
    if thorough:
        entries.append(("transductive least squares", TransductiveRankRLS()))
    return entries, {"usual": MIX, "trusted": (), "for_few": MIX, "mix": mix}


def _for_lists(data: RankingDataset, thorough: bool, seed: int) -> Entered:
    boosted = RankBoost(30, balance="lists")
    strong = RankRLS(ridge=2.0 * _spread(data))
    entries: Entries = [
        ("linear", Blend([("chosen", RankRLSCV()), ("robust", strong)])),
        ("boosted", boosted),
        ("trees", ForestRanker(random_state=seed)),
        ("linear least squares", RankRLSCV()),
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
    mix = {"linear": 0.5, "boosted": 0.25, "trees": 0.25}
    return entries, {"usual": MIX, "trusted": (), "for_few": "linear", "mix": mix}


def _both_sides(data: RankingDataset) -> bool:
    """Tell whether relevant and irrelevant items have labels."""
    y = data.y[data.labelled]
    return bool((y > 0).any() and (y <= 0).any())


def _kernel(data: RankingDataset, width: float) -> RankRLSCV:
    """Return least squares with bells that are so wide, in units of the median distance of labelled items."""
    labelled = data.X[data.labelled]
    basis = BASIS if labelled.shape[0] > MANY_ITEMS else None
    return RankRLSCV("rbf", gamma=0.5 / (width * median_distance(labelled)) ** 2, n_components=basis)


def _trees(data: RankingDataset, seed: int) -> ForestRanker:
    """Return trees for a few labels: leaves of one item, and at a node the root of the number of features."""
    return ForestRanker(200, 1, max_features=data.n_features**-0.5, random_state=seed)


def _spread(data: RankingDataset) -> float:
    """Return the mean squared distance of two labelled items of a list, the natural unit of a ridge."""
    squares = []
    for first, last in zip(data.indptr[:-1], data.indptr[1:], strict=True):
        X = data.X[first:last][data.labelled[first:last]]
        X = X.toarray() if issparse(X) else X
        if len(X) > 1:
            squares.append(2.0 * float(X.var(axis=0, ddof=1).sum()))
    return float(np.mean(squares)) or 1.0 if squares else 1.0


_ENTRIES = {
    "texts": _for_texts,
    "vectors": _for_vectors,
    "tables": _for_tables,
    "grades": _for_grades,
    "lists": _for_lists,
}
