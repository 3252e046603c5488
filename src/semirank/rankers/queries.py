"""Many queries against one collection: search by example over a fitted graph."""

from collections.abc import Iterator
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import Floats, Integers
from semirank.limits import Between
from semirank.rankers.diffusion import DiffusionRanker, power

LARGE = 50_000  # items from which "auto" answers queries locally
BATCH = 256


class QueryRanker(DiffusionRanker):
    """A ranker by diffusion that also answers queries: items of its collection, or points near them."""

    def score_queries(self, queries: Any) -> Floats:
        """Return the scores of all fitted items for each query: an array of shape (n_queries, n_items).

        Parameters
        ----------
        queries : sequence of row numbers, sequence of sequences of row numbers, or array of vectors
            A query is an item, several items, or a point that need not be among the items.
        """
        check_is_fitted(self, "graph_")
        return self._score_seeds(self._query_seeds(queries))[self._places()].T

    def rank_queries(self, queries: Any, top: int = 100) -> tuple[Integers, Floats]:
        """Return the best items for each query, without the query's own items.

        Parameters
        ----------
        queries : as in `score_queries`
            Items of the collection, or vectors.
        top : int
            How many items to return.

        Returns
        -------
        items, scores : arrays of shape (n_queries, top)
            Row numbers as given to `fit`, the best first, and their scores; -1 and NaN where there are
            no more.
        """
        check_is_fitted(self, "graph_")
        if top not in Between(1, kind=Integral):
            raise ValueError(f"top must be a whole number of at least 1; got {top!r}.")
        seeds = self._query_seeds(queries)
        own = [
            set() if _are_vectors(queries) else set(row)
            for row in np.split(seeds.indices, seeds.indptr[1:-1])
        ]
        local = self.solver == "push" or (self.solver == "auto" and len(self.order_) > LARGE)
        find = self._push_seeds if local else self._sort_seeds
        items = np.full((seeds.shape[0], top), -1, dtype=np.int64)
        scores = np.full((seeds.shape[0], top), np.nan)
        for i, (found, values) in enumerate(find(seeds, top + max(map(len, own)))):
            reached = found[values > 0]
            others = [place for place, item in enumerate(reached) if item not in own[i]][:top]
            items[i, : len(others)], scores[i, : len(others)] = self.order_[found[others]], values[others]
        return items, scores

    def _score_seeds(self, seeds: csr_array) -> Floats:
        """Solve for the rows of seeds; return one column of scores for each."""
        D = self._system.degrees[:, None]
        planted = power(D, self._seed_power) * seeds.T.toarray()
        f = self._system.solve(planted, self.alpha, **self._stopping).scores
        return power(D, self._score_power) * f

    def _sort_seeds(self, seeds: csr_array, top: int) -> Iterator[tuple[Integers, Floats]]:
        """Find the best items for each row of seeds by solving the whole system, some rows at a time."""
        for rows in gen_batches(seeds.shape[0], BATCH):
            for scores in self._score_seeds(seeds[rows]).T:
                best = np.argsort(-scores, kind="stable")[:top]
                yield best, scores[best]

    def _push_seeds(self, seeds: csr_array, top: int) -> Iterator[tuple[Integers, Floats]]:
        """Find the best items for each row of seeds by visiting only those near the seeds."""
        system = self._system
        for first, last in pairwise(seeds.indptr):
            items = seeds.indices[first:last]
            found = system.top(
                items,
                seeds.data[first:last] * power(system.degrees[items], self._seed_power),
                top,
                self.alpha,
                degree_correction=-self._score_power,
            )
            yield found.items, found.scores

    def _query_seeds(self, queries: Any) -> csr_array:
        """Return one row of seeds for each query."""
        if _are_vectors(queries):
            return self._vector_seeds(queries)
        n_items = len(self.order_)
        rows = [np.atleast_1d(np.asarray(query)) for query in queries]
        for row in rows:
            if row.dtype.kind not in "iu" or len(row) == 0 or row.min() < 0 or row.max() >= n_items:
                raise ValueError(
                    f"A query is a row number from 0 to {n_items - 1}, a list of them, or a vector of "
                    f"floats; got {row.tolist()!r:.60}."
                )
        indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        columns = self._places()[np.concatenate(rows)]
        return csr_array((np.ones(len(columns)), columns, indptr), shape=(len(rows), n_items))

    def _vector_seeds(self, vectors: Any) -> csr_array:
        """Let each point that is no item plant its seed in its neighbours, as one sweep would."""
        if len(self.list_ids_) > 1:
            raise ValueError("Vectors can be queries of one list only; this collection has several lists.")
        data = self._check_new(vectors, None)
        weights = self._attach(data.X, np.zeros(len(data), dtype=np.int64))
        degrees = np.asarray(weights.sum(axis=1)).ravel()
        scale = self.alpha * power(degrees, -0.5)
        return csr_array(weights.multiply(scale[:, None]).multiply(power(self._system.degrees, -0.5)))


def _are_vectors(queries: Any) -> bool:
    return bool(issparse(queries)) or (
        isinstance(queries, np.ndarray) and queries.ndim == 2 and queries.dtype.kind == "f"
    )
