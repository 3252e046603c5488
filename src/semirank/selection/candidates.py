"""Rankers that take part in a comparison: their names, their baselines, what they assume."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone

from semirank.dataset import Features, RankingDataset
from semirank.features import LSA, TfIdf
from semirank.meta import Blend, LatentRanker, TextRanker
from semirank.meta.members import named
from semirank.rankers import LogisticRanker, Ranker, as_ranker
from semirank.registry import name_of_class, ranker_class, ranker_names


@dataclass(frozen=True, eq=False)
class Candidate:
    """A ranker that takes part in a comparison.

    Attributes
    ----------
    name : str
        Unique in the comparison.
    ranker : Ranker
        Copies of it are fitted.
    assumption : str or None
        What it assumes about unlabelled data, in words; None: it learns from labels alone.
    baseline : str or None
        The name of the ranker that it is compared with: itself without unlabelled data.
    n_components : int or None
        For texts: it sees so many latent semantic features of all texts instead of tf-idf.
    each_list : bool
        A copy is fitted on each list by itself, because the lists ask for different things.
    """

    name: str
    ranker: Ranker
    assumption: str | None = None
    baseline: str | None = None
    n_components: int | None = None
    each_list: bool = False

    def model(self, data: RankingDataset) -> Ranker:
        """Return the ranker as a user fits it: one of texts where the data are texts."""
        if data.texts is None or isinstance(self.ranker, TextRanker):
            return self.ranker
        return TextRanker(self.ranker, n_components=self.n_components)


Given = str | Ranker | tuple[str, Ranker] | Candidate
"""How a user names a ranker: by its name in the registry, itself, with a name, or with all that is known."""


def as_candidates(given: Iterable[Given], random_state: int = 0) -> list[Candidate]:
    """Turn what a user gave into candidates, each with its supervised baseline beside it.

    Examples
    --------
    >>> from semirank import ManifoldRanking
    >>> for candidate in as_candidates([ManifoldRanking(n_neighbors=5), "rankboost"]):
    ...     print(candidate.name, "<-", candidate.baseline)
    distance-ranking <- None
    manifold-ranking(n_neighbors=5) <- distance-ranking
    rankboost <- None
    """
    found: dict[str, Candidate] = {}
    for entry in given:
        for candidate in _with_baselines(entry, random_state):
            if repr(found.setdefault(candidate.name, candidate).ranker) != repr(candidate.ranker):
                raise ValueError(f"Two rankers are called {candidate.name!r}: give one of them another name.")
    for candidate in found.values():
        if candidate.baseline is not None and candidate.baseline not in found:
            raise ValueError(f"{candidate.name}: its baseline {candidate.baseline!r} does not take part.")
    return list(found.values())


def _with_baselines(entry: Any, random_state: int) -> list[Candidate]:
    """Return the candidate last, its baseline before it."""
    if isinstance(entry, Candidate):
        return [entry]
    if isinstance(entry, str):
        entry = ranker_class(entry)()
    name, ranker = entry if isinstance(entry, tuple) else (None, entry)
    if not isinstance(ranker, Ranker):
        raise ValueError(
            f"A ranker is a name ({', '.join(ranker_names()[:3])} ...), a Ranker, or a pair of both; "
            f"got {entry!r:.80}. as_ranker turns other estimators into rankers."
        )
    ranker = _seeded(ranker, random_state)
    if ranker.assumption is None:
        return [_unwrapped(Candidate(name or name_of(ranker), ranker))]
    supervised = ranker.supervised()
    baselines = [] if supervised is None else _with_baselines(supervised, random_state)
    baseline = baselines[-1].name if baselines else None
    candidate = Candidate(name or name_of(ranker), ranker, ranker.assumption, baseline)
    return [*baselines, _unwrapped(candidate)]


def _unwrapped(candidate: Candidate) -> Candidate:
    """Let a ranker of texts take features that are computed once for all candidates, where it can."""
    ranker = candidate.ranker
    if not isinstance(ranker, TextRanker) or ranker.features is not None:
        return candidate
    inner = LogisticRanker() if ranker.ranker is None else ranker.ranker
    return replace(candidate, ranker=inner, n_components=ranker.n_components)


def _seeded(ranker: Ranker, random_state: int) -> Ranker:
    """Give a ranker that draws at random, and was given no seed, that of the comparison."""
    unset = [
        name
        for name, value in ranker.get_params().items()
        if name.rpartition("__")[2] == "random_state" and value is None
    ]
    return clone(ranker).set_params(**dict.fromkeys(unset, random_state)) if unset else ranker


def name_of(ranker: Ranker) -> str:
    """Name a ranker by the registry, with the parameters that are not the usual ones.

    Examples
    --------
    >>> from semirank import RankBoost
    >>> name_of(RankBoost(n_rounds=30))
    'rankboost(n_rounds=30)'
    """
    if isinstance(ranker, TextRanker):
        analysed = "" if ranker.n_components is None else f"lsa-{ranker.n_components} + "
        return analysed + name_of(LogisticRanker() if ranker.ranker is None else ranker.ranker)
    if isinstance(ranker, LatentRanker) and ranker.ranker is not None:
        return f"lsa-{ranker.n_components} + {name_of(as_ranker(ranker.ranker))}"
    if isinstance(ranker, Blend) and ranker.rankers is not None:
        return " & ".join(name_of(member) for _, member in named(ranker.rankers))
    changed = ", ".join(f"{key}={_spell(value)}" for key, value in _unusual(ranker).items())
    name = name_of_class(type(ranker))
    return f"{name}({changed})" if changed else name


def _unusual(ranker: Ranker) -> dict[str, Any]:
    params = ranker.get_params(deep=False)
    try:
        usual = type(ranker)().get_params(deep=False)
    except TypeError:
        usual = {}
    return {
        key: value
        for key, value in params.items()
        if key not in ("random_state", "n_jobs") and repr(value) != repr(usual.get(key))
    }


def _spell(value: Any) -> str:
    if isinstance(value, Ranker):
        return name_of(value)
    return f"{value:g}" if isinstance(value, float) else f"{value!s:.40}"


def features_for(data: RankingDataset, candidates: Sequence[Candidate]) -> Mapping[int | None, Features]:
    """Compute the features that candidates need, once for all: labels have no part in them.

    Texts become tf-idf, and latent semantic features of it, learned from all texts, labelled or not.
    """
    if data.texts is None:
        return {None: data.X}
    tfidf = TfIdf().fit_transform(data.texts)
    sizes = sorted({each.n_components for each in candidates if each.n_components is not None})
    return {None: tfidf, **{size: LSA(size).fit(tfidf).transform(tfidf) for size in sizes}}
