import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils.estimator_checks import parametrize_with_checks

import semirank
from semirank.dataset import DataWarning
from semirank.features import RankLDA

nan = np.nan


def levels(means, seed=0, n_items=40):
    """Make items of one list around the mean of their level."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(means)), n_items)
    X = np.asarray(means, dtype=float)[y] + rng.normal(size=(len(y), len(means[0]))) * np.linspace(
        0.5, 2, len(means[0])
    )
    return X, y


def quotient(a, X, y, ridge=1e-3, omega=lambda i, j: 1.0):
    """Evaluate the definition: scatter between every two levels over the scatter within."""
    X = X - X.mean(axis=0)
    means = {level: X[y == level].mean(axis=0) for level in np.unique(y)}
    within = sum((X[y == level] - means[level]).T @ (X[y == level] - means[level]) for level in means)
    within += ridge * np.trace(within) / len(within) * np.eye(len(within))
    between = sum(
        omega(i, j) * (y == i).sum() * (y == j).sum() / len(y) * (a @ (means[i] - means[j])) ** 2
        for i in means
        for j in means
        if i < j
    )
    return between / (a @ within @ a)


def gaps(a, X, y):
    return np.diff([(X[y == level] @ a).mean() for level in np.unique(y)])


def best_by_search(X, y):
    """Maximise the definition under the constraint from many starts."""
    constraint = {"type": "ineq", "fun": lambda a: gaps(a, X, y)}
    rng, best = np.random.default_rng(0), 0.0
    for _ in range(20):
        found = minimize(
            lambda a: -quotient(a / np.linalg.norm(a), X, y),
            rng.normal(size=X.shape[1]),
            constraints=[constraint],
            method="SLSQP",
        )
        if (gaps(found.x, X, y) >= -1e-6 * np.linalg.norm(found.x)).all():
            best = max(best, -found.fun)
    return best


def test_two_levels_are_linear_discriminant_analysis():
    X, y = levels([[0, 0, 0], [1, 2, -1]])
    ours = RankLDA(ridge=1e-12).fit(X, y).components_[0]
    theirs = LinearDiscriminantAnalysis().fit(X, y).coef_[0]
    assert ours @ theirs / np.linalg.norm(ours) / np.linalg.norm(theirs) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "means",
    [
        [[0, 0], [1, 0.2], [2, -0.1]],  # the order holds by itself
        [[0, 0], [3, 0.2], [0.5, 1]],  # it does not: the middle level lies outside
        [[0, 0, 0], [2, 1, 0], [1, 2, 0], [3, 0, 1]],
        [[0, 0, 0], [-1, 1, 2], [3, 0, 1], [0, 1, 1], [1, 1, 3]],
        [[-1, -2, -1], [-1, 0, 3], [3, -1, 3], [1, 0, 0], [3, 0, 0]],  # two gaps are closed at the best
    ],
)
def test_the_first_direction_is_the_best_that_keeps_the_order(means):
    X, y = levels(means)
    lda = RankLDA().fit(X, y)
    direction = lda.components_[0]
    assert (gaps(direction, X, y) >= -1e-9).all()
    assert quotient(direction, X, y) == pytest.approx(lda.values_[0])
    assert lda.values_[0] == pytest.approx(best_by_search(X, y), rel=1e-4)


def test_three_levels_satisfy_the_constraint_of_the_source():
    X, y = levels([[0, 0], [3, 0.2], [0.5, 1]])
    a = RankLDA(1).fit(X, y).components_[0]
    one, two, three = ((X[y == level] @ a).mean() for level in range(3))
    assert (one - three) ** 2 >= (one - two) ** 2 - 1e-9
    assert (one - three) ** 2 >= (two - three) ** 2 - 1e-9


def test_weights_by_the_gap_of_labels():
    X, y = levels([[0, 0], [1, 0.5], [0, 3]])
    lda = RankLDA(1, weights="gap").fit(X, y)
    expected = quotient(lda.components_[0], X, y, omega=lambda i, j: j - i)
    assert lda.values_[0] == pytest.approx(expected)


def test_directions_are_orthogonal_within_levels_and_keep_the_order():
    X, y = levels([[0, 0, 0], [2, 1, 0], [1, 2, 0], [3, 0, 1]])
    lda = RankLDA().fit(X, y)
    around = X - np.stack([X[y == level].mean(axis=0) for level in range(4)])[y]
    within = around.T @ around / len(X)
    within += 1e-3 * np.trace(within) / 3 * np.eye(3)
    inner = lda.components_ @ within @ lda.components_.T
    np.testing.assert_allclose(inner, np.eye(lda.n_components_), atol=1e-8)
    assert 1 <= lda.n_components_ <= 3
    assert all((gaps(each, X, y) >= -1e-9).all() for each in lda.components_)
    assert (np.diff(lda.values_) <= 1e-9).all()


@pytest.mark.filterwarnings("ignore::semirank.dataset.DataWarning")
@given(st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=2, max_size=5))
def test_the_order_always_holds(means):
    X, y = levels(means, n_items=6)
    lda = RankLDA().fit(X, y)
    for direction in lda.components_:
        assert (gaps(direction, X, y) >= -1e-7 * np.abs(X @ direction).max()).all()


def test_no_direction_in_order_is_a_warning():
    with pytest.warns(DataWarning, match="No direction keeps the 3 levels of labels in order"):
        lda = RankLDA().fit([[0.0], [2.0], [1.0], [0.0], [2.0], [1.1]], [0, 1, 2, 0, 1, 2])
    assert lda.n_components_ == 0


def test_what_all_items_of_a_list_share_does_not_count():
    X, y = levels([[0, 0, 0], [1, 2, -1], [2, 3, 1]])
    qid = np.random.default_rng(1).integers(0, 4, len(y))
    shift = np.random.default_rng(2).normal(scale=100, size=(4, 3))[qid]
    np.testing.assert_allclose(
        RankLDA().fit(X + shift, y, qid).components_, RankLDA().fit(X, y, qid).components_, atol=1e-8
    )


def test_unlabelled_items_teach_nothing():
    X, y = levels([[0, 0], [1, 1], [2, 1]])
    more, labels = np.vstack([X, X + 50]), np.append(y, np.full(len(y), nan))
    np.testing.assert_allclose(RankLDA().fit(more, labels).components_, RankLDA().fit(X, y).components_)


def test_real_labels_are_cut_into_ten_levels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    y = X @ [1.0, 2.0, 0.0] + 0.1 * rng.normal(size=500)
    direction = RankLDA(1).fit(X, y).components_[0]
    assert direction @ [1, 2, 0] / np.linalg.norm(direction) / np.sqrt(5) > 0.99


def test_sparse_items():
    X, y = levels([[0, 0], [1, 1], [2, 1]])
    np.testing.assert_allclose(RankLDA().fit_transform(csr_array(X), y), RankLDA().fit_transform(X, y))


def test_labels_that_are_all_the_same_are_refused():
    with pytest.raises(ValueError, match="different labels; all labels are 2"):
        RankLDA().fit([[0.0], [1.0]], [2, 2])
    with pytest.raises(ValueError, match="different labels; no item has a label"):
        RankLDA().fit([[0.0], [1.0]], [nan, nan])


def test_a_saved_model_gives_the_same_bits(tmp_path):
    X, y = levels([[0, 0], [1, 1], [2, 1]])
    lda = RankLDA().fit(X, y)
    lda.save(tmp_path / "model")
    np.testing.assert_array_equal(semirank.load_model(tmp_path / "model").transform(X), lda.transform(X))


@parametrize_with_checks([RankLDA()])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)
