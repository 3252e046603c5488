"""What is in a dataset, and what a ranker could stumble over."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse

from semirank.dataset.ranking_dataset import RankingDataset

MOST_LEVELS = 20


@dataclass(frozen=True)
class Description:
    """Counts of a dataset, and warnings in words."""

    lists: int
    items: int
    labelled: int
    unlabelled: int
    features: int
    items_per_list: str
    labels_per_list: str
    sparse: bool
    missing_values: int
    label_histogram: dict[str, int]
    warnings: tuple[str, ...]


def describe(data: RankingDataset) -> Description:
    """Count lists, items, labels and features, and name what a ranker could stumble over.

    See Also
    --------
    RankingDataset : what it describes.

    Examples
    --------
    >>> from semirank import RankingDataset
    >>> from semirank.dataset import describe
    >>> summary = describe(RankingDataset([[1.0], [2.0], [3.0]], [1, 0, float("nan")]))
    >>> summary.labelled, summary.label_histogram, summary.warnings
    (2, {'0': 1, '1': 1}, ())
    """
    labelled = int(data.labelled.sum())
    values = data.X.data if issparse(data.X) else data.X
    return Description(
        lists=data.n_lists,
        items=data.n_items,
        labelled=labelled,
        unlabelled=data.n_items - labelled,
        features=data.n_features,
        items_per_list=_spread(data.sizes),
        labels_per_list=_spread(data.labelled_per_list),
        sparse=bool(issparse(data.X)),
        missing_values=int(np.isnan(values).sum()),
        label_histogram=_histogram(data),
        warnings=tuple(_warnings(data)),
    )


def _spread(counts: np.ndarray) -> str:
    return f"{counts.min()} to {counts.max()}, median {np.median(counts):g}"


def _histogram(data: RankingDataset) -> dict[str, int]:
    """Count each label, or ten equal ranges of them where there are many."""
    y = data.y[data.labelled]
    levels, counts = np.unique(y, return_counts=True)
    if len(levels) <= MOST_LEVELS:
        return {f"{level:g}": int(count) for level, count in zip(levels, counts, strict=True)}
    counts, edges = np.histogram(y, bins=10)
    ranges = zip(edges[:-1], edges[1:], counts, strict=True)
    return {f"{low:.4g} to {high:.4g}": int(count) for low, high, count in ranges}


def _warnings(data: RankingDataset) -> list[str]:
    found = []
    bare = int((data.labelled_per_list == 0).sum())
    if bare == data.n_lists:
        found.append("no item has a label")
    elif bare:
        found.append(f"{bare} of {data.n_lists} lists have no label")
    equal = int(((data.labelled_per_list >= 2) & ~data.labels_differ).sum())
    if equal:
        found.append(f"{equal} lists have two or more labels that are all equal: they show no order")
    single = int((data.sizes == 1).sum())
    if single:
        found.append(f"{single} lists have only one item")
    constant = _constant_features(data)
    if constant:
        found.append(f"{constant} features have the same value for every item")
    missing = data.X.data if issparse(data.X) else data.X
    if np.isnan(missing).any():
        found.append("some features are missing (NaN): fill them before ranking")
    return found


def _constant_features(data: RankingDataset) -> int:
    if data.n_features == 0:
        return 0
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    if issparse(data.X):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    return int((low == high).sum())
