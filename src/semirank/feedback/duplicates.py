"""Copies: items that are the same, and items that are nearly the same."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from semirank.core.arrays import Integers
from semirank.feedback.items import Items
from semirank.graphs import NeighbourIndex

NEAR = 0.97
NEIGHBOURS = 5


class Copies(NamedTuple):
    """Groups of copies.

    Attributes
    ----------
    exact : list of arrays of int
        Rows with the same DOI or the same title, each group in order.
    near : list of arrays of int
        Rows that are nearly the same by their features, together with their exact copies; ask before these
        are read as one. Groups that are exact alone are not repeated here.
    """

    exact: list[Integers]
    near: list[Integers]


def find_copies(items: Items, vectors: Any = None, similarity: float = NEAR) -> Copies:
    """Find copies within each list.

    Parameters
    ----------
    items : Items
        Same DOI, or same title (case, accents and punctuation make no difference): exact copies.
    vectors : array or CSR matrix of shape (n_items, n_features), optional
        Items whose cosine is at least `similarity` are near copies of each other, looked for among the five
        nearest of each. None: exact copies alone.
    similarity : float
        The smallest cosine of near copies.

    Examples
    --------
    >>> from semirank.feedback import Items, find_copies
    >>> find_copies(Items(["1", "2", "3"], ["a", "b", "c"], titles=["Fête!", "Other", "fete"])).exact
    [array([0, 2])]
    """
    lists = items.list_numbers
    edges = [
        *_same([fold_doi(doi) for doi in items.dois or ()], lists),
        *_same([fold_title(title) for title in items.titles or ()], lists),
    ]
    exact = _groups(edges, len(items))
    if vectors is None:
        return Copies(exact, [])
    known = {tuple(group) for group in exact}
    near = _groups([*edges, *_alike(vectors, lists, similarity)], len(items))
    return Copies(exact, [group for group in near if tuple(group) not in known])


def fold_title(title: str) -> str:
    """Return a title without case, accents, punctuation and blanks.

    Examples
    --------
    >>> fold_title("Über die Fête: (I)")
    'uberdiefetei'
    """
    spelled = unicodedata.normalize("NFKD", title or "").casefold()
    return "".join(letter for letter in spelled if letter.isalnum())


def fold_doi(doi: str) -> str:
    """Return a DOI without the address before it and in lower case; "" for what is none.

    Examples
    --------
    >>> fold_doi("https://doi.org/10.1000/ABC.1")
    '10.1000/abc.1'
    """
    found = re.search(r"10\.\d+[^\s/]*/\S+", doi or "")
    return found.group().lower().rstrip(".,;") if found else ""


def _same(names: Sequence[str], lists: Integers) -> list[tuple[int, int]]:
    """Pair each row with the first one of its list that has the same name."""
    first: dict[tuple[int, str], int] = {}
    return [
        (first.setdefault((number, name), row), row)
        for row, (name, number) in enumerate(zip(names, lists.tolist(), strict=False))
        if name
    ]


def _alike(vectors: Any, lists: Integers, similarity: float) -> list[tuple[int, int]]:
    order = np.argsort(lists, kind="stable")
    indptr = np.append(np.searchsorted(lists[order], np.unique(lists)), len(order))
    index = NeighbourIndex(vectors[order], distance="cosine", indptr=indptr)
    found = index.neighbours(NEIGHBOURS)
    near = (found.indices >= 0) & (1.0 - found.distances**2 / 2.0 >= similarity)
    rows = np.broadcast_to(np.arange(len(order))[:, None], near.shape)[near]
    return list(zip(order[rows].tolist(), order[found.indices[near]].tolist(), strict=True))


def _groups(edges: list[tuple[int, int]], n_items: int) -> list[Integers]:
    """Return the components of more than one row."""
    if not edges:
        return []
    rows, columns = np.array(edges).T
    graph = csr_array((np.ones(len(rows)), (rows, columns)), shape=(n_items, n_items))
    _, parts = connected_components(graph, directed=False)
    order = np.argsort(parts, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(parts[order])) + 1)
    return sorted((group for group in groups if len(group) > 1), key=lambda group: int(group[0]))
