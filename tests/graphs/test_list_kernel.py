"""Similarity of lists: the laws, brute force over all matchings, and the counter-example to Mercer."""

from itertools import permutations

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.stats import ortho_group

from semirank import RankingDataset, list_kernel
from semirank.graphs import list_neighbours
from semirank.graphs.list_axes import list_axes
from semirank.graphs.list_neighbours import nearest_lists

KINDS = ["matching", "psd"]


def some_lists(n_lists, n_features, seed=0, longest=12):
    rng = np.random.default_rng(seed)
    stretched = (rng.normal(size=(n_features, n_features)) for _ in range(n_lists))
    return [rng.normal(size=(rng.integers(2, longest), n_features)) @ each for each in stretched]


def principal_axes(X):
    """Variances and axes (rows) by the eigenvectors of the covariance."""
    covariance = np.atleast_2d(np.cov(X, rowvar=False))
    variances, columns = np.linalg.eigh(covariance)
    return np.maximum(variances, 0), columns.T, covariance


def by_definition(X, Z, kind):
    """Try every matching of axes; or compare the covariances entry by entry."""
    (lam, u, S), (mu, v, T) = principal_axes(X), principal_axes(Z)
    if kind == "psd":
        return (S * T).sum() / np.sqrt((S**2).sum() * (T**2).sum())
    gains = np.outer(lam, mu) * np.abs(u @ v.T)
    best = max(sum(gains[i, a[i]] for i in range(len(a))) for a in permutations(range(len(lam))))
    return best / (np.linalg.norm(lam) * np.linalg.norm(mu))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_it_is_its_definition(kind, n_features):
    lists = some_lists(7, n_features)
    expected = [[by_definition(X, Z, kind) for Z in lists] for X in lists]
    np.testing.assert_allclose(list_kernel(lists, kind), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=25)
@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_it_is_symmetric_from_0_to_1_and_1_on_the_diagonal(kind, n_features, seed):
    kernel = list_kernel(some_lists(6, n_features, seed), kind)
    np.testing.assert_array_equal(kernel, kernel.T)
    np.testing.assert_allclose(np.diagonal(kernel), 1.0, rtol=1e-12)
    assert (kernel >= 0).all()
    assert (kernel <= 1).all()


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=25)
@given(st.integers(2, 6), st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_neither_shifts_nor_stretches_nor_a_common_rotation_matter(kind, n_features, seed, factor, shift):
    lists = some_lists(5, n_features, seed)
    rotation = ortho_group.rvs(n_features, random_state=seed)
    moved = [X @ rotation for X in lists]
    moved[2] = factor * moved[2] + shift
    np.testing.assert_allclose(list_kernel(moved, kind), list_kernel(lists, kind), atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("longest", [4, 30])
@pytest.mark.parametrize("factor", [1e-170, 1e170])
def test_units_that_are_tiny_or_huge_do_not_matter(kind, longest, factor):
    """The squares of such numbers are no numbers any more."""
    lists = some_lists(4, 5, longest=longest)
    scaled = [lists[0], factor * lists[1], *lists[2:]]
    np.testing.assert_allclose(list_kernel(scaled, kind), list_kernel(lists, kind), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_rotating_one_list_lowers_its_similarity(kind):
    X = np.random.default_rng(0).normal(size=(50, 2)) * [5.0, 1.0]
    turned = X @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    assert list_kernel([X, turned], kind)[0, 1] < 0.2


def test_matching_is_no_mercer_kernel_and_psd_is():
    angles = np.deg2rad([0, 45, 90, 135])
    lines = [np.outer([-1.0, 0.0, 1.0], [np.cos(a), np.sin(a)]) for a in angles]
    smallest = {kind: np.linalg.eigvalsh(list_kernel(lines, kind))[0] for kind in KINDS}
    assert smallest["matching"] == pytest.approx(1 - np.sqrt(2))
    assert smallest["psd"] >= -1e-12


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_psd_has_no_negative_eigenvalue(seed):
    assert np.linalg.eigvalsh(list_kernel(some_lists(15, 4, seed), "psd"))[0] > -1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_lists_without_extent_are_like_nothing(kind):
    lists = [np.full((4, 3), 0.1), np.ones((1, 3)), *some_lists(3, 3)]
    kernel = list_kernel(lists, kind)
    assert not kernel[:2].any()
    assert (kernel[2:, 2:] > 0).all()
    graph = list_kernel(lists, kind, n_neighbors=2)
    assert graph[:2].nnz == 0


@pytest.mark.parametrize("kind", KINDS)
def test_lists_shorter_than_the_features(kind):
    lists = some_lists(5, 30, longest=6)
    assert list_axes(lists).shape[1] < 6
    for X, Z in ((lists[0], lists[1]), (lists[3], lists[4])):
        (lam, u), (mu, v) = (np.linalg.svd(each - each.mean(axis=0))[1:] for each in (X, Z))
        lam, mu = lam**2, mu**2
        cosines = np.abs(u[: len(lam)] @ v[: len(mu)].T)
        norm = np.linalg.norm(lam) * np.linalg.norm(mu)
        gains = np.zeros((6, 6))
        gains[: len(lam), : len(mu)] = np.outer(lam, mu) * cosines
        matched = max(sum(gains[i, a[i]] for i in range(6)) for a in permutations(range(6)))
        expected = matched if kind == "matching" else (np.outer(lam, mu) * cosines**2).sum()
        assert list_kernel([X, Z], kind)[0, 1] == pytest.approx(expected / norm)


@pytest.mark.parametrize("kind", KINDS)
def test_some_axes_are_those_of_projected_lists(kind):
    lists = some_lists(6, 5, longest=20)
    flat = []
    for X in lists:
        _, u, _ = principal_axes(X)
        flat.append((X - X.mean(axis=0)) @ u[-2:].T @ u[-2:])
    np.testing.assert_allclose(list_kernel(lists, kind, n_axes=2), list_kernel(flat, kind), atol=1e-10)


def union_of_the_most_similar(kernel, k):
    kernel = kernel - np.diag(np.diagonal(kernel))
    nearest = np.argsort(-kernel, axis=1, kind="stable")[:, :k]
    chosen = np.zeros(kernel.shape, dtype=bool)
    np.put_along_axis(chosen, nearest, True, axis=1)
    return np.where(chosen | chosen.T, kernel, 0.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_neighbors", [1, 4, 300])
@pytest.mark.parametrize("wide", [False, True])
def test_the_graph_joins_the_most_similar(kind, n_neighbors, wide, monkeypatch):
    if wide:
        monkeypatch.setattr(list_neighbours, "WIDE", 1)
    lists = some_lists(300, 6)
    expected = union_of_the_most_similar(list_kernel(lists, kind), n_neighbors)
    graph = list_kernel(lists, kind, n_neighbors=n_neighbors)
    np.testing.assert_allclose(graph.toarray(), expected, rtol=1e-12)
    assert (graph != graph.T).nnz == 0


def test_most_pairs_are_not_compared(monkeypatch):
    compared = []

    def counting(own, others, enough=-1.0, match=list_neighbours.match):
        compared.append(len(others))
        return match(own, others, enough)

    monkeypatch.setattr(list_neighbours, "match", counting)
    rng = np.random.default_rng(0)
    shapes = 4.0 ** -np.abs(np.arange(8) - rng.uniform(0, 7, size=(400, 1)))
    list_kernel([rng.normal(size=(30, 8)) * shape for shape in shapes], n_neighbors=5)
    assert sum(compared) < 400 * 399 / 4


@pytest.mark.parametrize("kind", KINDS)
def test_other_lists_find_their_nearest(kind):
    lists = some_lists(40, 4, longest=9)
    short, others = [X[:3] for X in lists[:10]], lists[10:]
    found = nearest_lists(list_axes(short), list_axes(others), 3, kind)
    across = list_kernel(short + others, kind)[:10, 10:]
    order = np.argsort(-across, axis=1)[:, :3]
    np.testing.assert_array_equal(found.indices, order)
    np.testing.assert_allclose(found.similarities, np.take_along_axis(across, order, axis=1), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_any_number_of_threads_gives_the_same_bits(kind):
    lists, answers = some_lists(80, 5), []
    for n_threads in (1, 2):
        before = numba.get_num_threads()
        numba.set_num_threads(n_threads)
        answers.append((list_kernel(lists, kind), list_kernel(lists, kind, n_neighbors=3).toarray()))
        numba.set_num_threads(before)
    for one, two in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, two)


def test_data_sets_and_sparse_lists_are_lists_too():
    lists = some_lists(4, 3)
    data = RankingDataset(
        np.vstack(lists), np.zeros(sum(map(len, lists))), np.repeat(range(4), list(map(len, lists)))
    )
    expected = list_kernel(lists)
    np.testing.assert_array_equal(list_kernel(data), expected)
    np.testing.assert_array_equal(list_kernel([csr_array(X) for X in lists]), expected)


def test_progress_is_reported():
    reports = []
    list_kernel(some_lists(5, 2), progress=lambda done, total: reports.append((done, total)))
    list_kernel(some_lists(5, 2), n_neighbors=2, progress=lambda done, total: reports.append((done, total)))
    assert reports == [(5, 5), (5, 5)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "mercer"}, "kind must be 'matching' or 'psd'; got 'mercer'"),
        ({"n_axes": 0}, "n_axes must be a whole number of at least 1 or None; got 0"),
        ({"n_neighbors": 0.5}, "n_neighbors must be a whole number of at least 1; got 0.5"),
        ({"lists": []}, "no lists"),
        ({"lists": 7}, "a sequence of matrices, one a list; got int"),
        ({"lists": [np.ones((2, 3)), np.ones((2, 4))]}, "List 1 has 4 features, but list 0 has 3"),
        ({"lists": [np.ones((2, 3)), np.ones((0, 3))]}, "List 1 has no items"),
        ({"lists": [np.array([[1.0, np.nan]])]}, "List 0 has a missing feature"),
    ],
)
def test_what_cannot_be_compared_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        list_kernel(**({"lists": some_lists(2, 2)} | change))
