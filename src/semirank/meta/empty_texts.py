"""Empty texts: nothing is known of them, so they are ranked last."""

import warnings
from typing import Any

import numpy as np

from semirank.core.arrays import Booleans, Floats
from semirank.dataset import DataWarning
from semirank.features.tfidf import check_texts


def find_empty(texts: Any) -> Booleans:
    """Tell which texts are empty or missing; a warning counts them.

    Examples
    --------
    >>> find_empty(["a word", "another"])
    array([False, False])
    """
    empty = np.array([not text.strip() for text in check_texts(texts)], dtype=bool)
    if empty.any():
        warnings.warn(
            f"{int(empty.sum())} of {len(empty)} texts are empty: they are ranked last.",
            DataWarning,
            stacklevel=3,
        )
    return empty


def lowest(scores: Floats) -> float:
    """Return a score as far below all others as these are apart, for what is ranked last.

    Examples
    --------
    >>> lowest(np.array([1.0, 4.0, 2.0]))
    -2.0
    """
    return float(scores.min() - max(np.ptp(scores), 1.0))
