"""What AutoRanker tries on a kind of data, and what it does where labels cannot tell."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import issparse

from semirank.dataset import RankingDataset
from semirank.kernels import median_distance
from semirank.meta import Blend, FeatureGeneration, ImportanceWeighting, LatentRanker
from semirank.rankers import (
    DistanceRanking,
    ForestRanker,
    LinearSVMRanker,
    LogisticRanker,
    ManifoldRanking,
    ManifoldRankingCV,
    RankBoost,
    Ranker,
    RankRLS,
    RankRLSCV,
    RayleighRanker,
    SelfTrainingLogistic,
    SemiRankBoost,
    TransductiveRankRLS,
    TransductiveSVM,
)
from semirank.selection.auto.label_source import FEWEST, asked_from_top
from semirank.selection.auto.plan import is_binary
from semirank.selection.candidates import Candidate, Given, as_candidates
from semirank.selection.mixes import GRAPH, N_TOPICS, WORDS, screening, words_topics_and_graphs
from semirank.selection.protocols import choose_protocol, share_items

Kind = Literal["texts", "features", "grades", "lists", "given"]

MANY_ITEMS = 5_000  # labelled items from which a kernel is approximated
BASIS = 1_000
NARROW, WIDE = 0.35, 1.0
LARGE_LIST = 3_000  # items from which a smooth kernel takes long

KINDS: dict[Kind, str] = {
    "texts": "texts (or other sparse items), relevant or not",
    "features": "items with dense features, relevant or not",
    "grades": "items with dense features and labels of several levels",
    "lists": "lists whose features mean the same in each",
    "given": "data of any kind",
}


@dataclass(frozen=True, eq=False)
class Shortlist:
    """Candidates, and what is known about them from elsewhere.

    Attributes
    ----------
    kind : str
        The kind of data.
    candidates : tuple of Candidate
        In the order in which they are tried.
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

    @property
    def n_first(self) -> int:
        """How many candidates stand at the beginning because they are tried in any case."""
        return 1 + len(self.trusted)

    def named(self, name: str) -> Candidate:
        """Return the candidate of this name."""
        return next(each for each in self.candidates if each.name == name)

    def without_unlabelled(self) -> "Shortlist":
        """Leave out all that uses unlabelled data, for data that have none."""
        supervised = tuple(each for each in self.candidates if each.assumption is None)
        few = self.for_few if self.named(self.for_few) in supervised else self.usual
        return Shortlist(self.kind, supervised, self.usual, (), few)


class _Entry(NamedTuple):
    """A candidate to be: its name and the ranker."""

    name: str
    ranker: Ranker

    def candidate(self) -> Candidate:
        return Candidate(self.name, self.ranker, self.ranker.assumption)


def kind_of(data: RankingDataset) -> Kind:
    """Tell what kind of data this is by its features, its labels, and what remains to be ranked."""
    own_labels = choose_protocol(data).name == "items"
    if not own_labels:
        return "lists"
    if issparse(data.X):
        return "texts"
    return "features" if is_binary(data) else "grades"


def shortlist(data: RankingDataset, *, thorough: bool = False, random_state: int = 0) -> Shortlist:
    """Choose what to try on these data; `thorough` adds what takes long."""
    kind = kind_of(data)
    if kind == "lists":
        return _for_lists(data, thorough, random_state)
    if kind == "grades":
        return _for_grades(data, random_state)
    build = _for_texts if kind == "texts" else _for_features
    return build(data, thorough, random_state)


def _for_texts(data: RankingDataset, thorough: bool, seed: int) -> Shortlist:
    entries = [
        _Entry("words", WORDS),
        _Entry("words, topics and graphs", words_topics_and_graphs()),
        _Entry("screening", screening(seed)),
        _Entry("nearest text", DistanceRanking("cosine")),
        _Entry("words, margin", LinearSVMRanker()),
        _Entry("topics", LatentRanker(WORDS, N_TOPICS)),
        _Entry("graph of topics", LatentRanker(GRAPH, N_TOPICS)),
        _Entry("presumed irrelevant", LogisticRanker(presumed_negatives=100, random_state=seed)),
    ]
    if thorough:
        boosted, smooth = SemiRankBoost(30, distance="cosine"), RayleighRanker(n_components=300)
        entries += [
            _Entry("self-training", SelfTrainingLogistic()),
            _Entry("transductive margin", TransductiveSVM()),
            _Entry("boosted topics and neighbours", LatentRanker(boosted, N_TOPICS)),
            _Entry("smooth kernel", LatentRanker(smooth, N_TOPICS)),
            _Entry("transductive least squares", LatentRanker(TransductiveRankRLS(), N_TOPICS)),
        ]
    usual = "words" if _both_sides(data) else "nearest text"
    trusted = ("words, topics and graphs", "screening")
    few = trusted[0] if _are_a_sample(data) else trusted[1]
    return _shortlist("texts", entries, usual, trusted, few, data)


def _are_a_sample(data: RankingDataset) -> bool:
    """Tell whether labels on both sides are some, and look like a sample of all items."""
    y = data.y[data.labelled]
    return min((y > 0).sum(), (y <= 0).sum()) >= FEWEST and not asked_from_top(data)


def _for_features(data: RankingDataset, thorough: bool, seed: int) -> Shortlist:
    both = _both_sides(data)
    combine = "ratio" if both else "positive"
    graph = ManifoldRanking(n_neighbors=10 if both else 5, sigma="local", combine=combine)
    kernel = _kernel(data, NARROW)
    entries = [
        _Entry("kernel", kernel),
        _Entry("graph", graph),
        _Entry("nearest item", DistanceRanking()),
        _Entry("wide kernel", _kernel(data, WIDE)),
        _Entry("linear", LogisticRanker()),
        _Entry("linear least squares", RankRLSCV()),
        _Entry("boosted", RankBoost(30)),
        _Entry("trees", ForestRanker(random_state=seed)),
        _Entry("kernel and graph", Blend([("kernel", kernel), ("graph", graph)])),
        _Entry("boosted neighbours", SemiRankBoost(30)),
    ]
    if thorough or np.diff(data.indptr).max() <= LARGE_LIST:
        entries.append(_Entry("smooth kernel", RayleighRanker(n_components=300)))
    if thorough:
        entries += [
            _Entry("tuned graph", ManifoldRankingCV(combine=combine, random_state=seed)),
            _Entry("self-training", SelfTrainingLogistic()),
            _Entry("transductive least squares", TransductiveRankRLS()),
        ]
    return _shortlist("features", entries, "kernel" if both else "nearest item", ("graph",), "graph", data)


def _for_grades(data: RankingDataset, seed: int) -> Shortlist:
    members = [
        ("linear", RankRLSCV()),
        ("kernel", _kernel(data, WIDE)),
        ("boosted", RankBoost(100)),
        ("trees", ForestRanker(random_state=seed)),
    ]
    entries = [
        _Entry("mix of all kinds", Blend(members)),
        *(_Entry(name, ranker) for name, ranker in members),
        _Entry("transductive least squares", TransductiveRankRLS()),
    ]
    return _shortlist("grades", entries, "mix of all kinds", (), "linear", data)


def _for_lists(data: RankingDataset, thorough: bool, seed: int) -> Shortlist:
    boosted = RankBoost(30, balance="lists")
    strong = RankRLS(ridge=2.0 * _spread(data))
    linear = [("linear", RankRLSCV()), ("robust", strong)]
    trees = ForestRanker(random_state=seed)
    entries = [
        _Entry("linear, boosted and trees", Blend([*linear, ("boosted", boosted), ("trees", trees)])),
        _Entry("linear and boosted", Blend([*linear, ("boosted", boosted)])),
        _Entry("linear", Blend(linear)),
        _Entry("linear least squares", RankRLSCV()),
        _Entry("boosted", boosted),
        _Entry("trees", trees),
        _Entry("logistic", LogisticRanker(1.0)),
        _Entry("transductive least squares", TransductiveRankRLS(ridge=strong.ridge)),
        _Entry("boosted neighbours", SemiRankBoost(30)),
    ]
    if thorough:
        entries += [
            _Entry("features of each list", FeatureGeneration(boosted)),
            _Entry("lists like the new one", ImportanceWeighting(boosted)),
        ]
    return _shortlist("lists", entries, "linear, boosted and trees", (), "linear", data)


def given_shortlist(given: Iterable[Given], random_state: int) -> Shortlist:
    """Make a shortlist of what a user gave; the first that learns from labels alone is the usual one."""
    candidates = as_candidates(given, random_state)
    usual = next((each.name for each in candidates if each.assumption is None), candidates[0].name)
    candidates.sort(key=lambda each: each.name != usual)
    return Shortlist("given", tuple(candidates), usual, (), usual)


def _shortlist(
    kind: Kind, entries: list[_Entry], usual: str, trusted: tuple[str, ...], few: str, data: RankingDataset
) -> Shortlist:
    """Leave out what cannot rank these lists, and put what is tried in any case first."""
    kept = [each for each in entries if not (_apart(data) and each.ranker.one_function)]
    names = [each.name for each in kept]
    if usual not in names:
        usual = next(each.name for each in kept if each.ranker.assumption is None)
    trusted = tuple(name for name in trusted if name in names)
    first = (usual, *trusted)
    kept.sort(key=lambda each: first.index(each.name) if each.name in first else len(first))
    few = few if few in names else usual
    return Shortlist(kind, tuple(each.candidate() for each in kept), usual, trusted, few)


def _apart(data: RankingDataset) -> bool:
    """Tell whether lists hold the same items, so that no one function can rank them all."""
    return data.n_lists > 1 and choose_protocol(data).name == "items" and share_items(data)


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
