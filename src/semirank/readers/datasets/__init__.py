"""Public datasets by name: found, downloaded or generated, checked, and made into rankings."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any

from semirank.dataset import RankingDataset
from semirank.features import TfIdf
from semirank.readers.datasets import (
    digits,
    letor_sets,
    moons,
    newsgroups,
    ohsumed_text,
    quality,
    reuters,
    reviews,
    suite,
    translations,
)
from semirank.readers.datasets.entry import Counts, Entry
from semirank.readers.datasets.items import Items
from semirank.readers.fetch import Progress, cache_folder

__all__ = ["Counts", "Entry", "Items", "available", "cache_folder", "fetch", "load", "load_items"]

_FAMILIES = (
    digits,
    moons,
    reuters,
    newsgroups,
    ohsumed_text,
    reviews,
    letor_sets,
    quality,
    translations,
    suite,
)
_CATALOGUE: Mapping[str, Entry] = MappingProxyType(
    {entry.name: entry for family in _FAMILIES for entry in family.ENTRIES}
)


def available() -> Mapping[str, Entry]:
    """Return the catalogue: what each named dataset holds, where it comes from, on what terms.

    Examples
    --------
    >>> from semirank.readers.datasets import available
    >>> available()["mq2008"].n_lists
    784
    """
    return _CATALOGUE


def load(
    name: str,
    *,
    relevant: str | int | Iterable[str | int] | None = None,
    part: str | Sequence[str] | None = None,
    fold: int | None = None,
    variant: str | None = None,
    text_features: Any = None,
    progress: Progress | None = None,
    **options: Any,
) -> RankingDataset:
    """Load a named dataset as a ranking, with all its labels.

    Files are looked for in the folder that the environment variable ``SEMIRANK_DATA`` names, then in
    the cache (`cache_folder`), and are otherwise downloaded from their public address and checked.

    Parameters
    ----------
    name : str
        One of `available()`.
    relevant : str, several of them, or "each", optional
        For sets of classes. One or several classes make one list: their items have label 1, all
        others 0. "each" makes such a list for every class; the items are copied, so this is for small
        sets. The default is the set's own.
    part : str or sequence of str, optional
        Parts to load, such as "train" or "S1"; all by default.
    fold : int, optional
        For LETOR sets, 1 to 5; `part` is then "train", "validation" or "test".
    variant : str, optional
        Another form of the set, such as "null" for OHSUMED with missing features.
    text_features : transformer, optional
        What turns texts into features, ``TfIdf()`` by default. A fitted one is used as it is, which is how
        a test part gets the features of the training part; any other is fitted on the chosen parts.
    progress : callable, optional
        Called as ``progress(done, total)`` with numbers of bytes while a file is downloaded.
    **options
        ``size``, ``noise`` and ``random_state`` for the generated "moons".

    See Also
    --------
    read : a file of yours.
    semirank.readers.available : the names.

    Examples
    --------
    >>> import semirank
    >>> semirank.load("digits")
    RankingDataset(10 lists, 17970 items, 64 features, 17970 labelled, 0 unlabelled)
    >>> semirank.load("moons", size=100, relevant="lower").hide_labels(keep=2, random_state=0)
    RankingDataset(1 lists, 100 items, 2 features, 2 labelled, 98 unlabelled)
    """
    entry = _entry(name, variant)
    if entry.relevant is None and relevant is not None:
        raise ValueError(f"{entry.name} comes as lists with labels: relevant cannot be chosen.")
    if text_features is False:
        raise ValueError("A ranking needs features: give a transformer, or use load_items for bare texts.")
    items = load_items(
        entry.name, part=part, fold=fold, text_features=text_features, progress=progress, **options
    )
    return items.ranking(entry.relevant if relevant is None else relevant)


def load_items(
    name: str,
    *,
    part: str | Sequence[str] | None = None,
    fold: int | None = None,
    variant: str | None = None,
    text_features: Any = None,
    progress: Progress | None = None,
    **options: Any,
) -> Items:
    """Load the items of a named dataset with their classes, texts and parts, before any choice of labels.

    The parameters are those of `load`; with ``text_features=False`` texts are left as they are and X is None.

    Examples
    --------
    >>> from semirank.readers.datasets import load_items
    >>> load_items("moons").class_names
    ('lower', 'upper')
    """
    entry = _entry(name, variant)
    items = entry.items(entry.choose_parts(part, fold), progress, **options)
    if items.X is not None or text_features is False:
        return items
    return items.with_text_features(TfIdf() if text_features is None else text_features)


def fetch(
    name: str, *, part: str | Sequence[str] | None = None, progress: Progress | None = None
) -> list[Path]:
    """Download what a named dataset needs, check it, and return where its files are."""
    entry = _entry(name, None)
    parts = entry.choose_parts(part, None)
    entry.items(parts, progress)
    return [path for _, paths in entry.paths(parts) for path in paths]


def _entry(name: str, variant: str | None) -> Entry:
    full = name if variant is None else f"{name}-{variant}"
    if full in _CATALOGUE:
        return _CATALOGUE[full]
    close = get_close_matches(full, _CATALOGUE, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"There is no dataset {full!r}.{hint} Known: {', '.join(_CATALOGUE)}.")
