"""Why an item stands where it stands: contributions in a sentence, for lists that people read."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from semirank.core.arrays import Floats
from semirank.rankers._base import CONSTANT, Contributions, Ranker
from semirank.selection.auto_ranker import AutoRanker

SHORTENED = 60  # characters of a title in a sentence
SHARE = 0.05  # of the largest contribution, below which none is worth a word


class Reason(NamedTuple):
    """A labelled item or a word, and how much it has added to a score."""

    name: str
    amount: float
    label: float | None = None


def reasons(ranker: Ranker, row: int, names: Sequence[str], y: Floats, n: int = 2) -> list[Reason]:
    """Return the labelled items that speak most for an item, and the one that speaks most against it.

    Parameters
    ----------
    ranker : Ranker
        Fitted on the items.
    row : int
        The item, by its row as given to `fit`.
    names : sequence of str
        What each item is called.
    y : array of shape (n_items,)
        The labels given to `fit`.
    n : int
        How many speak for it at most; those that matter hardly are left out.
    """
    found = [(item, amount) for item, amount in strongest(ranker.explain(row)) if item != row]
    chosen = [each for each in found if each[1] > 0][:n] + [each for each in found if each[1] < 0][:1]
    return [Reason(names[item], amount, float(y[item])) for item, amount in chosen]


def strongest(found: Contributions, n: int | None = None) -> list[tuple[int, float]]:
    """Return the largest contributions (all: None), without the constant and those that matter hardly."""
    items, amounts = found.items[found.items != CONSTANT], found.amounts[found.items != CONSTANT]
    order = np.argsort(-np.abs(amounts), kind="stable")[:n]
    least = SHARE * np.abs(amounts).max(initial=0.0)
    return [(int(items[at]), float(amounts[at])) for at in order if np.abs(amounts[at]) > least]


def nearest_labelled(ranker: AutoRanker, row: int, names: Sequence[str], y: Floats) -> list[Reason]:
    """Return the relevant and the irrelevant item nearest to an item, by the features that it is ranked by.

    Amounts are minus the distances.
    """
    X, _ = ranker._given
    found = []
    for side in (y > 0, y <= 0):
        rows = np.flatnonzero(side)
        if len(rows):
            distances = euclidean_distances(X[[row]], X[rows])[0]
            at = int(np.argmin(distances))
            found.append(Reason(names[rows[at]], -float(distances[at]), float(y[rows[at]])))
    return found


def sentence(ranker: Ranker, row: int, names: Sequence[str], y: Floats) -> str:
    """Say in one line which labelled items, and which words, put an item where it is.

    Where the ranker cannot split its scores, the nearest labelled items are named instead, and called that.
    """
    try:
        parts = [_told(each) for each in reasons(ranker, row, names, y)]
        return "; ".join(parts + _words(ranker, row))
    except ValueError:
        if not isinstance(ranker, AutoRanker):
            return ""
    near = nearest_labelled(ranker, row, names, y)
    return "nearest labelled: " + ", ".join(f"{_title(each.name)} ({_side(each)})" for each in near)


def _told(reason: Reason) -> str:
    return f"{reason.amount:+.2g} like {_title(reason.name)} ({_side(reason)})"


def _side(reason: Reason) -> str:
    if reason.label is None or reason.label in (0, 1):
        return "relevant" if reason.label else "not"
    return f"label {reason.label:g}"


def _title(name: str) -> str:
    line = " ".join(name.split())
    return f'"{line}"' if len(line) <= SHORTENED else f'"{line[: SHORTENED - 1]}…"'


def _words(ranker: Any, row: int, n: int = 3) -> list[str]:
    """Return the words that matter most, as one part of a sentence; nothing where words are not weighed."""
    told = ", ".join(f'"{word}" {amount:+.2g}' for word, amount in strongest_words(ranker, row, n))
    return [f"words {told}"] if told else []


def strongest_words(ranker: Any, row: int, n: int) -> list[tuple[str, float]]:
    """Return the words of a text that have moved its score most; none where words are not weighed.

    A word of several views counts once; pieces of words are left out.
    """
    try:
        found = ranker.explain_words(row)
    except (AttributeError, ValueError):
        return []
    amounts: Counter[str] = Counter()
    for word, amount in zip(found.words, found.amounts.tolist(), strict=True):
        view, _, term = word.rpartition(": ")
        if word and view != "letters":
            amounts[term] += amount
    return [each for each in sorted(amounts.items(), key=lambda each: -abs(each[1]))[:n] if each[1]]
