"""Which labels to hide."""

from typing import TYPE_CHECKING, Any

import numpy as np

from semirank.core.arrays import Booleans, Floats

if TYPE_CHECKING:
    from semirank.dataset.ranking_dataset import RankingDataset


def check_one_given(**options: Any) -> None:
    """Refuse none or several of the ways to say how many labels to hide, and amounts that make no sense."""
    given = {name: value for name, value in options.items() if value is not None}
    if len(given) != 1:
        raise ValueError(f"Give exactly one of {', '.join(options)}; got {len(given)}.")
    [(name, value)] = given.items()
    if name == "fraction" and not 0 <= value <= 1:
        raise ValueError(f"fraction must be a number in [0, 1]; got {value!r}.")
    if name != "fraction" and (value != int(value) or value < 0):
        raise ValueError(f"{name} must be a whole number of at least 0; got {value!r}.")


def protected_labels(data: "RankingDataset", keys: Floats, keep_one: bool, keep_levels: bool) -> Booleans:
    """Mark the labelled items that must keep their label: of each list (or level in it) the largest key."""
    protected = np.zeros(data.n_items, dtype=bool)
    if not (keep_one or keep_levels):
        return protected
    level = data.y if keep_levels else np.zeros(data.n_items)
    items = np.flatnonzero(data.labelled)
    items = items[np.lexsort((keys[items], level[items], data.list_of_item[items]))]
    group = np.column_stack([data.list_of_item[items], level[items]])
    last_of_group = np.ones(len(items), dtype=bool)
    last_of_group[:-1] = (group[1:] != group[:-1]).any(axis=1)
    protected[items[last_of_group]] = True
    return protected


def hide_within(
    data: "RankingDataset",
    keys: Floats,
    protected: Booleans,
    fraction: float | None,
    per_list: int | None,
    keep: int | None,
) -> Booleans:
    """Mark the labels to hide in each list, those with the smallest keys first and protected ones never."""
    available = data.labelled_per_list
    if fraction is not None:
        wanted = np.floor(fraction * available + 0.5).astype(np.int64)
    elif per_list is not None:
        wanted = np.full(data.n_lists, per_list)
    else:
        wanted = available - int(keep or 0)
    items = np.flatnonzero(data.labelled & ~protected)
    items = items[np.lexsort((keys[items], data.list_of_item[items]))]
    lists = data.list_of_item[items]
    place = np.arange(len(items)) - np.searchsorted(lists, lists)
    hidden = np.zeros(data.n_items, dtype=bool)
    hidden[items[place < wanted[lists]]] = True
    return hidden


def hide_lists(
    data: "RankingDataset", keys: Floats, fraction: float | None, keep: int | None, keep_one: bool
) -> Booleans:
    """Mark all labels of some of the labelled lists."""
    lists = np.flatnonzero(data.labelled_per_list > 0)
    wanted = len(lists) - int(keep) if keep is not None else int((fraction or 0) * len(lists) + 0.5)
    wanted = min(wanted, len(lists) - 1) if keep_one else wanted
    chosen = lists[np.argsort(keys[data.indptr[lists]])[: max(wanted, 0)]]
    return data.labelled & np.isin(data.list_of_item, chosen)
