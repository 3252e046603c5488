"""Whatever takes a sparse matrix sends it through one gate: copied, put into order, its indices in range."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array, csr_matrix, dok_array, lil_array

from semirank import DistanceRanking, ForestRanker, ManifoldRanking, RankingDataset, RankRLS
from semirank.dataset import describe
from semirank.density_ratio import KLIEP
from semirank.features import LSA, GramSchmidt, RankLDA, Scaling
from semirank.graphs import Diffusion, NeighbourIndex, check_graph, join_components, list_kernel

Y = np.array([1.0, 0, 1, 0, np.nan, np.nan, 1, 0])
DENSE = np.random.default_rng(3).normal(size=(8, 6))

FITS = {
    "LSA": lambda X: LSA(2).fit_transform(X),
    "KLIEP": lambda X: KLIEP().fit(X, X).weights_,
    "GramSchmidt": lambda X: GramSchmidt("linear", n_components=2).fit_transform(X),
    "GramSchmidt.transform": lambda X: GramSchmidt("rbf", 1.0, 2).fit(DENSE).transform(X),
    "RankLDA": lambda X: RankLDA().fit(X, Y).transform(X),
    "Scaling": lambda X: np.asarray(Scaling().fit(DENSE).transform(X).sum(axis=1)),
    "NeighbourIndex": lambda X: NeighbourIndex(X).neighbours(2).distances,
    "list_kernel": lambda X: list_kernel([X, X]),
    "dataset": lambda X: RankingDataset(X, Y).X @ np.arange(6.0),
    "describe": lambda X: describe(RankingDataset(X, Y)).missing_values,
    "fit distances": lambda X: DistanceRanking().fit(X, Y).scores_,
    "fit a graph": lambda X: ManifoldRanking(n_neighbors=3).fit(X, Y).scores_,
    "fit lines": lambda X: RankRLS().fit(X, Y).scores_,
    "fit trees": lambda X: ForestRanker(5, 1, random_state=0).fit(X, Y).scores_,
    "predict distances": lambda X: DistanceRanking().fit(DENSE, Y).predict(X),
    "predict lines": lambda X: RankRLS().fit(DENSE, Y).predict(X),
    "predict trees": lambda X: ForestRanker(5, 1, random_state=0).fit(DENSE, Y).predict(X),
    "predict on a graph": lambda X: ManifoldRanking(n_neighbors=3).fit(DENSE, Y).predict(X),
}
GRAPHS = {
    "check_graph": lambda W: check_graph(W).toarray(),
    "Diffusion": lambda W: Diffusion(W).solve(np.nan_to_num(Y)).scores,
    "join_components": lambda W: join_components(W, DENSE).toarray(),
    "ManifoldRanking": lambda W: ManifoldRanking(graph=W).fit(DENSE, Y).scores_,
}


def untidy() -> csr_array:
    """Give rows that are out of order, one of which names a column twice."""
    rng = np.random.default_rng(0)
    columns = np.concatenate([rng.permutation(6)[:3] for _ in range(8)])
    columns[3:6] = 1, 1, 0
    return csr_array((rng.random(24), columns, np.arange(0, 25, 3)), shape=(8, 6))


def untidy_graph() -> csr_array:
    """Give a ring of eight items, each row in falling order of columns, the first edge in two parts."""
    rows = [[7, 1, 1], *([i + 1, i - 1] for i in range(1, 7)), [6, 0]]
    weights = [[1.0, 0.5, 0.5], *([1.0, 1.0] for _ in range(7))]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    return csr_array((np.concatenate(weights), np.concatenate(rows), indptr), shape=(8, 8))


def parts(X) -> tuple:
    return X.data, X.indices, X.indptr


CASES = [pytest.param(untidy, run, id=name) for name, run in FITS.items()] + [
    pytest.param(untidy_graph, run, id=name) for name, run in GRAPHS.items()
]


@pytest.mark.parametrize(("make", "run"), CASES)
def test_the_callers_matrix_is_not_rewritten_and_may_be_read_only(make, run):
    X = make()
    for part in parts(X):
        part.flags.writeable = False
    before = [part.copy() for part in parts(X)]
    found = run(X)
    for part, old in zip(parts(X), before, strict=True):
        np.testing.assert_array_equal(part, old)
    clean = csr_array(X.toarray())
    np.testing.assert_allclose(found, run(clean), atol=1e-12)


@pytest.mark.parametrize(("index", "message"), [(10**8, "100000000"), (8, "8"), (-1, "-1")])
@pytest.mark.parametrize(("make", "run"), CASES)
def test_an_index_out_of_range_is_an_error_that_names_the_place(make, run, index, message):
    X = make()
    X.indices[5] = index
    with pytest.raises(ValueError, match=f"is no CSR matrix: row [12] names column {message}; there are"):
        run(X)


def test_rows_that_end_before_they_start_are_an_error():
    X = untidy()
    X.indptr[2] = 1
    with pytest.raises(ValueError, match="row 1 ends before it starts"):
        RankingDataset(X, Y)


def test_more_entries_than_there_are_is_an_error():
    X = untidy()
    X.indptr[-1] = 10**8
    with pytest.raises(ValueError, match="X is no CSR matrix"):
        RankingDataset(X, Y)


@pytest.mark.parametrize("kind", [coo_array, csc_array, bsr_array, csr_matrix, lil_array, dok_array])
def test_every_format_is_read_alike(kind):
    X = untidy()
    np.testing.assert_array_equal(RankingDataset(kind(X), Y).X.toarray(), X.toarray())


@pytest.mark.parametrize("kind", [coo_array, csc_array, bsr_array])
def test_bad_indices_of_other_formats_are_an_error(kind):
    X = kind(untidy().toarray())
    (X.coords[1] if kind is coo_array else X.indices)[2] = 10**8
    with pytest.raises(ValueError, match=f"X is no {X.format.upper()} matrix"):
        RankingDataset(X, Y)


def test_a_dataset_has_its_own_arrays():
    X = csr_array(untidy().toarray())
    data = RankingDataset(X, Y)
    assert not any(np.shares_memory(mine, given) for mine, given in zip(parts(data.X), parts(X), strict=True))


def test_a_matrix_with_the_same_structure_stays_right():
    X = untidy()
    twin = csr_array((X.data * 2, X.indices, X.indptr), shape=X.shape)
    expected = twin.toarray()
    RankingDataset(X, Y)
    np.testing.assert_array_equal(twin.toarray(), expected)


def test_threads_may_build_datasets_from_one_matrix():
    rng = np.random.default_rng(0)
    columns = np.concatenate([rng.permutation(50)[:20] for _ in range(5000)])
    X = csr_array((rng.random(100_000), columns, np.arange(0, 100_001, 20)), shape=(5000, 50))
    expected, y = X.toarray(), np.zeros(5000)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: RankingDataset(X, y).X.toarray(), range(40)))
    assert all((each == expected).all() for each in found)


def test_memory_mapped_arrays_are_read(tmp_path):
    X = untidy()
    for number, part in enumerate(parts(X)):
        np.save(tmp_path / f"{number}.npy", part)
    mapped = [np.load(tmp_path / f"{number}.npy", mmap_mode="r") for number in range(3)]
    data = RankingDataset(csr_array(tuple(mapped), shape=X.shape), Y)
    np.testing.assert_array_equal(data.X.toarray(), X.toarray())


def test_weights_of_a_graph_are_finite():
    W = untidy_graph()
    W.data[4] = np.nan
    with pytest.raises(ValueError, match="weights must be finite"):
        ManifoldRanking(graph=W).fit(DENSE, Y)
