"""Key items that a reader has already: pasted ids, DOIs or titles, found among the items."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from semirank.feedback.duplicates import fold_doi, fold_title
from semirank.feedback.items import Items


class Found(NamedTuple):
    """What was pasted, looked up.

    Attributes
    ----------
    rows : dict of str to int
        The row of each entry that was found.
    unknown : list of str
        Entries that no item has.
    """

    rows: dict[str, int]
    unknown: list[str]


def find_items(pasted: str | Iterable[str], items: Items) -> Found:
    r"""Find items by id, DOI or title, one a line; a title without regard to case, accents, punctuation.

    Examples
    --------
    >>> from semirank.feedback import Items, find_items
    >>> items = Items(["7", "8"], ["a", "b"], titles=["Hearts: a trial", "Kidneys"], dois=["10.1/x", ""])
    >>> find_items(["https://doi.org/10.1/X", "kidneys", "Liver"], items)
    Found(rows={'https://doi.org/10.1/X': 0, 'kidneys': 1}, unknown=['Liver'])
    """
    lines = pasted.splitlines() if isinstance(pasted, str) else list(pasted)
    entries = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    by_id = _first(items.ids, str.strip)
    by_doi = _first(items.dois or (), fold_doi)
    by_title = _first(items.titles or (), fold_title)
    rows: dict[str, int] = {}
    for entry in entries:
        places = (by_id.get(entry), by_doi.get(fold_doi(entry)), by_title.get(fold_title(entry)))
        found = next((place for place in places if place is not None), None)
        if found is not None:
            rows[entry] = found
    return Found(rows, [entry for entry in entries if entry not in rows])


def _first(names: Iterable[str], fold: Callable[[str], str]) -> dict[str, int]:
    known: dict[str, int] = {}
    for row, name in enumerate(names):
        if key := fold(name):
            known.setdefault(key, row)
    return known
