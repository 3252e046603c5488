"""Semi-supervised RankBoost against its two losses over all pairs, and found labels one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.rankers.oracle_boosting import dense_boost, dense_pairs, pseudo_labels

from semirank import RankBoost, SemiRankBoost
from semirank.dataset import DataWarning, RankingDataset
from semirank.rankers.pairs.pseudo_labels import nearest_labels
from semirank.storage import load

nan = np.nan
CONFLICTS = ["nearest", "both", "drop"]


def lists(seed=0, n_lists=2, n_items=14, n_features=3, levels=2, labelled=0.5):
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(n_lists), n_items))
    X = rng.normal(size=(len(qid), n_features))
    y = X[:, 0] - 0.5 * X[:, -1] + rng.normal(size=len(qid))
    y = np.floor(np.clip(y + levels / 2, 0, levels - 1))
    y[rng.random(len(y)) > labelled] = nan
    for each in range(n_lists):  # every list shows two levels
        y[np.flatnonzero(qid == each)[:2]] = 0, levels - 1
    return X, y, qid


def pseudo_labels_by_definition(X, y, qid, n_neighbors, distance, conflict):
    found = pseudo_labels(X, y, qid, n_neighbors, distance, conflict)
    pseudo = [(item, label, d) for item, labels in found.items() for label, d in sorted(labels.items())]
    items, labels, distances = np.array(pseudo).reshape(-1, 3).T
    return items.astype(int), labels, distances


def boost_by_definition(X, y, qid, pseudo, discount, n_rounds, balance="pairs", similarity=None):
    """Boost over the pairs of own and of found labels; also return how many pairs have own labels."""
    known = np.flatnonzero(~np.isnan(y))
    own = dense_pairs(y[known], qid[known], None, balance, 1.0, known)
    items, labels, _ = pseudo
    found = dense_pairs(labels, qid[items], None, balance, discount)
    count = len(own.weights) + len(found.weights)
    if similarity is not None:
        found.weights *= similarity[found.better] * similarity[found.worse]
    found.better, found.worse = items[found.better], items[found.worse]
    pairs = own.join(found)
    taught = np.unique(np.concatenate([pairs.better, pairs.worse]))
    return dense_boost(X, pairs, n_rounds, count, "bound", taught), len(own.weights)


def assert_same_rounds(ranker, rounds, n_own, discount):
    A = [each.pair_weights[:n_own].sum() for each in rounds]
    B = [each.pair_weights[n_own:].sum() / discount for each in rounds]
    np.testing.assert_allclose(ranker.log_losses_, np.log(np.column_stack([A, B])), atol=1e-9)
    np.testing.assert_allclose(ranker.losses_, np.column_stack([A, B]), rtol=1e-9)
    for t, each in enumerate(rounds):
        if each.clear:
            assert ranker.features_[t] == each.feature
            assert ranker.thresholds_[t] == pytest.approx(each.threshold)


def has_pairs(labels, qid):
    return any(len(np.unique(labels[qid == each])) > 1 for each in np.unique(qid))


@pytest.mark.parametrize("conflict", CONFLICTS)
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**20),
    n_neighbors=st.sampled_from([1, 3, 50]),
    discount=st.sampled_from([0.1, 1.0, 7.0]),
    levels=st.sampled_from([2, 4]),
    balance=st.sampled_from(["pairs", "lists"]),
    distance=st.sampled_from(["euclidean", "cosine"]),
)
def test_equals_boosting_over_pairs(conflict, seed, n_neighbors, discount, levels, balance, distance):
    X, y, qid = lists(seed, levels=levels)
    pseudo = pseudo_labels_by_definition(X, y, qid, n_neighbors, distance, conflict)
    if not has_pairs(pseudo[1], qid[pseudo[0]]):
        return
    rounds, n_own = boost_by_definition(X, y, qid, pseudo, discount, 10, balance)
    ranker = SemiRankBoost(10, n_neighbors, discount, distance, conflict=conflict, balance=balance)
    ranker.fit(X, y, qid)
    assert ranker.discount_ == discount
    assert_same_rounds(ranker, rounds, n_own, discount)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**20), balance=st.sampled_from(["pairs", "lists"]))
def test_similarity_discounts_each_pair_of_pseudo_labels_by_its_distances(seed, balance):
    X, y, qid = lists(seed)
    pseudo = pseudo_labels_by_definition(X, y, qid, 2, "euclidean", "nearest")
    if not has_pairs(pseudo[1], qid[pseudo[0]]):
        return
    similarity = np.exp(-(pseudo[2] ** 2) / (2 * np.mean(pseudo[2] ** 2)))
    rounds, n_own = boost_by_definition(X, y, qid, pseudo, 1.0, 10, balance, similarity)
    ranker = SemiRankBoost(10, 2, "similarity", balance=balance).fit(X, y, qid)
    assert_same_rounds(ranker, rounds, n_own, 1.0)


def test_the_sum_of_both_losses_keeps_below_its_bound():
    X, y, qid = lists(3, n_items=40)
    ranker = SemiRankBoost(60, 2, 0.5).fit(X, y, qid)
    losses = np.concatenate([[1.5], ranker.losses_ @ [1.0, 0.5]])
    assert (losses[1:] <= losses[:-1] / np.cosh(ranker.alphas_) * (1 + 1e-12)).all()


@pytest.mark.parametrize("make", [np.asarray, csr_array])
@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
@pytest.mark.parametrize("conflict", CONFLICTS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**20), n_neighbors=st.integers(1, 6))
def test_labels_are_given_to_the_nearest_unlabelled_items_of_the_list(
    make, distance, conflict, seed, n_neighbors
):
    X, y, qid = lists(seed, levels=3)
    data = RankingDataset(make(X), y, qid)
    items, labels, distances = nearest_labels(data, n_neighbors, distance, conflict)
    expected = pseudo_labels_by_definition(X[data.order], data.y, data.qid, n_neighbors, distance, conflict)
    np.testing.assert_array_equal(items, expected[0])
    np.testing.assert_array_equal(labels, expected[1])
    np.testing.assert_allclose(distances, expected[2], atol=1e-7)


def contested():
    """Two labelled items at 0 and 10 both reach for the items between them, at 4 and exactly halfway."""
    X = np.array([[0.0], [10.0], [4.0], [5.0], [-9.0], [19.0]])
    return X, np.array([0, 1, nan, nan, nan, nan])


@pytest.mark.parametrize(
    ("conflict", "items", "labels"),
    [
        ("nearest", [2, 4, 5], [0, 0, 1]),
        ("both", [2, 2, 3, 3, 4, 5], [0, 1, 0, 1, 0, 1]),
        ("drop", [4, 5], [0, 1]),
    ],
)
def test_an_item_that_is_given_two_labels(conflict, items, labels):
    ranker = SemiRankBoost(5, 3, conflict=conflict).fit(*contested())
    assert ranker.pseudo_items_.tolist() == items
    assert ranker.pseudo_labels_.tolist() == labels


def test_pseudo_items_are_rows_of_the_data_as_given():
    X, y, qid = lists(5, n_lists=3)
    ranker = SemiRankBoost(5, 2).fit(X, y, qid)
    assert np.isnan(y[ranker.pseudo_items_]).all()
    expected = pseudo_labels_by_definition(X, y, qid, 2, "euclidean", "nearest")
    assert sorted(zip(ranker.pseudo_items_, ranker.pseudo_labels_, strict=True)) == sorted(
        zip(*expected[:2], strict=True)
    )


def test_without_a_discount_it_is_rankboost():
    data = lists(6, n_items=30)
    semi, plain = SemiRankBoost(30, 3, 0.0).fit(*data), RankBoost(30).fit(*data)
    np.testing.assert_array_equal(semi.scores_, plain.scores_)
    assert semi.discount_ == 0
    assert len(semi.pseudo_items_) == 0
    np.testing.assert_array_equal(semi.losses_[:, 0], plain.losses_)
    assert np.isnan(semi.losses_[:, 1]).all()


def test_pseudo_labels_of_one_class_teach_nothing_and_say_so():
    X, y = np.array([[0.0], [5.0], [9.0], [10.0]]), [0, nan, 1, nan]
    with pytest.warns(DataWarning, match="discount is 0.*larger n_neighbors"):
        semi = SemiRankBoost(3, 1, conflict="drop").fit(np.append(X, [[9.5]], axis=0), [*y, 0])
    plain = RankBoost(3).fit(np.append(X, [[9.5]], axis=0), [*y, 0])
    assert semi.discount_ == 0
    np.testing.assert_array_equal(semi.scores_, plain.scores_)


def test_more_neighbours_than_unlabelled_items_take_them_all():
    X, y, qid = lists(7)
    few, many = (SemiRankBoost(10, k, conflict="both").fit(X, y, qid) for k in (14, 10**6))
    np.testing.assert_array_equal(few.scores_, many.scores_)
    assert set(many.pseudo_items_) == set(np.flatnonzero(np.isnan(y)))


def test_weights_count_for_own_and_pseudo_labels():
    X, y, qid = lists(8, n_items=20)
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    ranker = SemiRankBoost(5, 2).fit(X, y, qid, sample_weight=weights)
    items, labels, _ = pseudo_labels_by_definition(X, y, qid, 2, "euclidean", "nearest")
    known = np.flatnonzero(~np.isnan(y))
    for column, rows, values in ((0, known, y[known]), (1, items, labels)):
        pairs = dense_pairs(values, qid[rows], weights[rows], rows=rows)
        loss = pairs.weights @ np.exp(ranker.scores_[pairs.worse] - ranker.scores_[pairs.better])
        assert ranker.losses_[-1, column] == pytest.approx(loss, rel=1e-9)


def test_early_stopping_takes_no_pseudo_labels_from_lists_held_out():
    X, y, qid = lists(9, n_lists=8, n_items=20, n_features=6)
    ranker = SemiRankBoost(50, 2, patience=5, random_state=0).fit(X, y, qid)
    plain = SemiRankBoost(ranker.n_rounds_, 2).fit(X, y, qid)
    assert ranker.n_rounds_ == np.argmin(ranker.validation_losses_) + 1
    np.testing.assert_array_equal(ranker.scores_, plain.scores_)


def test_unlabelled_neighbours_help_where_classes_are_clouds():
    rng = np.random.default_rng(0)
    centres = np.repeat(np.eye(20)[:2] * 3, 200, axis=0)
    X, truth = centres + rng.normal(size=(400, 20)), np.repeat([0.0, 1.0], 200)
    y = np.where(np.arange(400) % 100 == 0, truth, nan)
    semi, plain = SemiRankBoost(50, 20).fit(X, y), RankBoost(50).fit(X, y)

    def wrong(scores):
        return np.mean(scores[truth == 0][:, None] >= scores[truth == 1][None, :])

    assert wrong(semi.scores_) < 0.5 * wrong(plain.scores_)


def test_a_model_file_that_does_not_fit_together_is_refused(tmp_path):
    ranker = SemiRankBoost(5, 3).fit(*lists(3))
    ranker.pseudo_labels_ = ranker.pseudo_labels_[1:]
    ranker.save(tmp_path / "model")
    with pytest.raises(ValueError, match=r"pseudo_labels_ must be .*; it has shape"):
        load(tmp_path / "model", {"SemiRankBoost": SemiRankBoost})
