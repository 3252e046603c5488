"""Rankers that take part in a comparison: their names and their baselines."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from semirank.meta.blend import Blend
from semirank.meta.each_list import EachList
from semirank.meta.latent import LatentRanker
from semirank.meta.members import named
from semirank.meta.text import TextRanker
from semirank.rankers._base import Ranker
from semirank.rankers.estimator import as_ranker
from semirank.rankers.labelled_only import LabelledOnly
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
        The name of the candidate that it is compared with: itself without unlabelled data.

    See Also
    --------
    compare : takes them.
    """

    name: str
    ranker: Ranker
    assumption: str | None = None
    baseline: str | None = None


Given = str | Ranker | tuple[str, Ranker] | Candidate
"""How a user names a ranker: by its name in the registry, itself, with a name, or with all that is known."""


def as_candidates(given: Iterable[Given], random_state: int = 0) -> list[Candidate]:
    """Turn what a user gave into candidates, each with itself on labels alone before it.

    Examples
    --------
    >>> from semirank import SemiRankBoost
    >>> for candidate in as_candidates([SemiRankBoost(n_rounds=30), "rankrls"]):
    ...     print(candidate.name, "<-", candidate.baseline)
    rankboost(n_rounds=30) <- None
    semi-rankboost(n_rounds=30) <- rankboost(n_rounds=30)
    rankrls <- None
    """
    found: dict[str, Candidate] = {}
    for entry in given:
        if isinstance(entry, Candidate):
            _add(found, entry)
        else:
            _add_with_baseline(found, *_name_and_ranker(entry), random_state)
    for candidate in found.values():
        if candidate.baseline is not None and candidate.baseline not in found:
            raise ValueError(f"{candidate.name}: its baseline {candidate.baseline!r} does not take part.")
    return list(found.values())


def _name_and_ranker(entry: Any) -> tuple[str | None, Ranker]:
    if isinstance(entry, str):
        entry = ranker_class(entry)()
    name, ranker = entry if isinstance(entry, tuple) else (None, entry)
    if not isinstance(ranker, Ranker):
        raise ValueError(
            f"A ranker is a name ({', '.join(ranker_names()[:3])} ...), a Ranker, or a pair of both; "
            f"got {entry!r:.80}. as_ranker turns other estimators into rankers."
        )
    return name, ranker


def _add_with_baseline(
    found: dict[str, Candidate], name: str | None, ranker: Ranker, random_state: int
) -> None:
    """Enter a ranker, and before it what it is on labels alone, which may be there already."""
    given, ranker = name, _seeded(ranker, random_state)
    name = given or name_of(ranker)
    alone = None if ranker.assumption is None else ranker.supervised()
    if alone is None:
        return _add(found, Candidate(name, ranker, ranker.assumption))
    alone = _seeded(alone, random_state)
    same = next((each.name for each in found.values() if repr(each.ranker) == repr(alone)), None)
    unnamed = given is None and not isinstance(alone, LabelledOnly)
    baseline = same or (name_of(alone) if unnamed else f"{name}, labels alone")
    _add(found, Candidate(baseline, alone))
    return _add(found, Candidate(name, ranker, ranker.assumption, baseline))


def _add(found: dict[str, Candidate], candidate: Candidate) -> None:
    if repr(found.setdefault(candidate.name, candidate).ranker) != repr(candidate.ranker):
        raise ValueError(f"Two rankers are called {candidate.name!r}: give one of them another name.")


def _seeded(ranker: Ranker, random_state: int) -> Ranker:
    """Give a ranker that draws at random, and was given no seed, that of the comparison."""
    unset = [
        name
        for name, value in ranker.get_params().items()
        if name.rpartition("__")[2] == "random_state" and value is None
    ]
    return clone(ranker).set_params(**dict.fromkeys(unset, random_state)) if unset else ranker


def without_texts(ranker: Ranker) -> Ranker:
    """Return what ranks the words of texts, for words that are counted once for all candidates."""
    if isinstance(ranker, TextRanker) and ranker.features is None:
        return ranker._base()
    return ranker


def name_of(ranker: Ranker) -> str:
    """Name a ranker by the registry, with the parameters that are not the usual ones.

    Examples
    --------
    >>> from semirank import RankBoost
    >>> name_of(RankBoost(n_rounds=30))
    'rankboost(n_rounds=30)'
    """
    if isinstance(ranker, TextRanker):
        return name_of(ranker._base())
    if isinstance(ranker, LatentRanker) and ranker.ranker is not None:
        return f"lsa-{ranker.n_components} + {name_of(as_ranker(ranker.ranker))}"
    if isinstance(ranker, Blend) and ranker.rankers is not None:
        return " & ".join(name_of(member) for _, member in named(ranker.rankers))
    if isinstance(ranker, EachList):
        return f"{name_of(ranker._base())}, each list"
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
