"""Dask data frames in parts."""

import numpy as np
import pandas as pd
import pytest
from tests.test_parts import joined, make_lists

from semirank import RankRLS, open_parts

dd = pytest.importorskip("dask.dataframe")


def make_frame(X, y, qid):
    frame = pd.DataFrame({f"f{number}": X[:, number] for number in range(X.shape[1])})
    return frame.assign(label=y, qid=qid, item=[f"d{row}" for row in range(len(y))])


@pytest.mark.parametrize("npartitions", [1, 4, 9])
def test_partitions_become_parts_of_whole_lists(npartitions):
    X, y, qid = make_lists(20, 4)
    frame = dd.from_pandas(make_frame(X, y, qid), npartitions=npartitions, sort=False)
    parts = open_parts(frame, part_bytes=12 * 12)
    found = joined(parts)
    for each, expected in zip(found, (X, y, qid), strict=False):
        np.testing.assert_array_equal(each, expected)
    assert sum(len(np.unique(part.read().qid)) for part in parts) == 20
    assert parts.n_labelled == int((~np.isnan(y)).sum())
    whole = RankRLS().fit(X, y, qid)
    np.testing.assert_allclose(RankRLS().fit_parts(parts).predict(X, qid), whole.scores_, atol=1e-10)
    np.testing.assert_allclose(
        RankRLS().fit_parts(parts, budget=0).predict(X, qid), whole.scores_, atol=1e-10
    )


def test_a_list_in_two_partitions_is_refused_with_both():
    X, y, qid = make_lists(12, 0)
    frame = dd.from_pandas(make_frame(X, y, qid % 3), npartitions=4, sort=False)
    with pytest.raises(ValueError, match=r"List \d stands in partition \d, and again in partition \d"):
        open_parts(frame)


def test_a_partition_that_cannot_be_computed_is_named():
    X, y, qid = make_lists(12, 0)
    frame = dd.from_pandas(make_frame(X, y, qid), npartitions=3, sort=False)

    def fail(part):
        if len(part) and part["qid"].iloc[0] > 0:
            raise RuntimeError("gone")
        return part

    with pytest.raises(ValueError, match=r"Dask data frame, partition \d: cannot be computed \(.*gone"):
        open_parts(frame.map_partitions(fail, meta=frame._meta))
    with pytest.raises(ValueError, match="the column 'item' holds"):
        open_parts(frame, item=False, features=["f0", "item"])
