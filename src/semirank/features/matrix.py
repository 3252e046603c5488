"""The matrix that a transformer is given: scikit-learn's checks, behind the gate for sparse input."""

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from semirank.dataset import Features, check_sparse


def check_matrix(transformer: Any, X: Any, *, reset: bool = True) -> Features:
    """Return X as a float array or CSR matrix; remember its columns, or (reset=False) compare with them."""
    X = check_sparse(X) if issparse(X) else X
    return validate_data(transformer, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=reset)
