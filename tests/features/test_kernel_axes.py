import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.decomposition import PCA, KernelPCA

from semirank.features.kernel_axes import KernelAxes


def items(n_items=40, n_features=6, seed=0):
    return np.random.default_rng(seed).normal(size=(n_items, n_features)) @ np.diag(
        np.arange(n_features) + 1.0
    )


def same_up_to_sign(ours, theirs):
    signs = np.sign(np.sum(ours * theirs, axis=0))
    np.testing.assert_allclose(ours * signs, theirs, atol=1e-8)


@pytest.mark.parametrize(
    ("kernel", "options"),
    [("linear", {}), ("rbf", {"gamma": 0.02}), ("polynomial", {"gamma": 0.1}), ("cosine", {})],
)
def test_coordinates_are_those_of_scikit_learns_kernel_pca(kernel, options):
    X, others = items(), items(15, seed=1)
    peer = KernelPCA(4, kernel="poly" if kernel == "polynomial" else kernel, **options).fit(X)
    axes = KernelAxes.of(X, kernel, options.get("gamma"), 4)
    same_up_to_sign(axes.coordinates(X), peer.transform(X))
    same_up_to_sign(axes.coordinates(others), peer.transform(others))
    np.testing.assert_allclose(axes.variances, peer.eigenvalues_ / len(X))


def test_explained_variance_is_that_of_pca():
    axes = KernelAxes.of(items(), "linear", None, 3)
    assert axes.explained == pytest.approx(PCA(3).fit(items()).explained_variance_ratio_.sum())


def test_a_share_of_the_variance_takes_as_many_axes_as_pca():
    axes = KernelAxes.of(items(), "linear", None, 0.9)
    assert len(axes.variances) == PCA(0.9).fit(items()).n_components_


def test_many_items_give_the_axes_that_few_steps_find():
    X = items(700)
    quick, whole = KernelAxes.of(X, "rbf", 0.02, 5), KernelAxes.of(X, "rbf", 0.02, 71)
    same_up_to_sign(quick.coordinates(X), whole.coordinates(X)[:, :5])


def test_diffusion_coordinates_are_eigenvectors_of_the_normalised_kernel():
    X = items(25)
    K = np.exp(-0.03 * ((X[:, None] - X) ** 2).sum(axis=2))
    K /= np.sqrt(np.outer(K.sum(axis=1), K.sum(axis=1)))
    centre = np.eye(25) - 1 / 25
    values, vectors = np.linalg.eigh(centre @ K @ centre)
    axes = KernelAxes.of(X, "diffusion", 0.03, 3)
    same_up_to_sign(axes.coordinates(X), (vectors * np.sqrt(np.maximum(values, 0)))[:, :-4:-1])


def test_an_item_beyond_the_reach_of_the_kernel_has_coordinates():
    X = items(25)
    far = np.full((1, X.shape[1]), 1e9)
    coordinates = KernelAxes.of(X, "diffusion", 0.03, 3).coordinates(far)
    assert np.isfinite(coordinates).all()


def test_sparse_items_give_the_axes_of_dense_ones():
    X = np.where(np.abs(items()) < 1, 0.0, items())
    for kernel in ("linear", "rbf", "diffusion"):
        dense, sparse = KernelAxes.of(X, kernel, None, 3), KernelAxes.of(csr_array(X), kernel, None, 3)
        np.testing.assert_allclose(sparse.coordinates(csr_array(X)), dense.coordinates(X), atol=1e-8)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "diffusion"])
@pytest.mark.parametrize("X", [np.ones((5, 2)), np.ones((1, 3))])
@pytest.mark.parametrize("n_components", [3, 0.9])
def test_items_that_are_all_alike_have_no_axes(kernel, X, n_components):
    axes = KernelAxes.of(X, kernel, None, n_components)
    assert axes.coordinates(X).shape == (len(X), 0)
    assert axes.explained == 0.0


def test_directions_that_are_rounding_are_left_out():
    """Items of a plane in six dimensions have two axes, however many are asked for."""
    X = items(40, 2) @ np.random.default_rng(1).normal(size=(2, 6))
    for n_components in (5, 0.999999):
        axes = KernelAxes.of(X, "linear", None, n_components)
        assert len(axes.variances) == 2
        assert axes.explained == pytest.approx(1.0)
    assert np.abs(axes.coordinates(X + 1e-6)).max() < 10 * np.abs(X).max()


def test_no_more_axes_than_directions():
    assert len(KernelAxes.of(items(4, 6), "linear", None, 5).variances) == 3
