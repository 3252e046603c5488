"""The rankers that a ranker is made of: their names, and how they learn again."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from semirank.rankers._base import Ranker


class Rankers:
    """Several rankers, each with a name of its own or not, or None."""

    def __contains__(self, value: object) -> bool:
        if value is None:
            return True
        if not isinstance(value, (list, tuple)) or len(value) == 0:
            return False
        if not all(isinstance(entry, Ranker) or _is_pair(entry) for entry in value):
            return False
        names = [name for name, _ in named(value)]
        return len(set(names)) == len(names) and not any("__" in name for name in names)

    def __str__(self) -> str:
        return "a sequence of rankers or of (name, ranker) pairs, no name twice, or None"

    def parse(self, text: str) -> Any:
        """Refuse: a ranker has no spelling."""
        raise ValueError("rankers cannot be given as text")


def _is_pair(entry: object) -> bool:
    return (
        isinstance(entry, tuple)
        and len(entry) == 2
        and isinstance(entry[0], str)
        and isinstance(entry[1], Ranker)
    )


def named(rankers: Sequence[Ranker | tuple[str, Ranker]]) -> list[tuple[str, Ranker]]:
    """Return (name, ranker) pairs; a ranker without a name is called after its class.

    Examples
    --------
    >>> from semirank import DistanceRanking, RankBoost
    >>> [name for name, _ in named([RankBoost(), ("near", DistanceRanking()), RankBoost(30)])]
    ['rankboost-1', 'near', 'rankboost-2']
    """
    kinds = [type(entry).__name__.lower() for entry in rankers if isinstance(entry, Ranker)]
    total, seen = Counter(kinds), Counter[str]()
    pairs = []
    for entry in rankers:
        if isinstance(entry, Ranker):
            kind = type(entry).__name__.lower()
            seen[kind] += 1
            pairs.append((kind if total[kind] == 1 else f"{kind}-{seen[kind]}", entry))
        else:
            pairs.append(entry)
    return pairs
