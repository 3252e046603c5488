"""Estimators that take a matrix themselves send sparse ones through the same gate as datasets."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from semirank.density_ratio import KLIEP
from semirank.features import LSA

FITS = {"LSA": lambda X: LSA(2).fit_transform(X), "KLIEP": lambda X: KLIEP().fit(X, X).weights_}


def untidy() -> csr_array:
    """Give rows that are out of order, one of which names a column twice."""
    rng = np.random.default_rng(0)
    columns = np.concatenate([rng.permutation(6)[:3] for _ in range(8)])
    columns[3:6] = 1, 1, 0
    return csr_array((rng.random(24), columns, np.arange(0, 25, 3)), shape=(8, 6))


@pytest.mark.parametrize("name", FITS)
def test_the_callers_matrix_is_not_rewritten_and_may_be_read_only(name):
    X = untidy()
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    before = [part.copy() for part in (X.data, X.indices, X.indptr)]
    found = FITS[name](X)
    for part, old in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(part, old)
    np.testing.assert_allclose(found, FITS[name](X.toarray()), atol=1e-8)


@pytest.mark.parametrize("name", FITS)
def test_an_index_out_of_range_is_an_error_not_a_crash(name):
    X = untidy()
    X.indices[2] = 10**7
    with pytest.raises(ValueError, match="row 0 names column 10000000"):
        FITS[name](X)
