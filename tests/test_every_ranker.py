"""What every ranker promises. A new ranker is checked here as soon as it stands in the registry."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import semirank
from semirank.rankers import Ranker
from semirank.registry import RANKERS, ranker_class

nan = np.nan


@dataclass(frozen=True)
class Claims:
    """What a ranker claims beyond the promises that all keep.

    Attributes
    ----------
    make : how to build it, with settings that are quick on small data
    lists_apart : a list with labels of its own gets the same scores alone as among others
    pairwise : a constant added to a list's labels changes nothing
    supervised : the ranker it equals when no item is unlabelled, or the unlabelled weigh nothing
    uses_unlabelled : on the two moons, unlabelled items make the ranking better
    """

    make: Callable[[], Ranker]
    lists_apart: bool = True
    pairwise: bool = False
    supervised: Callable[[], tuple[Ranker, Ranker]] | None = None
    uses_unlabelled: bool = False


CLAIMS = {
    "distance-ranking": Claims(ranker_class("distance-ranking")),
    "manifold-ranking": Claims(lambda: ranker_class("manifold-ranking")(tol=1e-12), uses_unlabelled=True),
    "manifold-ranking-cv": Claims(
        lambda: ranker_class("manifold-ranking-cv")((5, 10), ("median",), tol=1e-12, random_state=0),
        lists_apart=False,
        uses_unlabelled=True,
    ),
    "personalized-pagerank": Claims(
        lambda: ranker_class("personalized-pagerank")(tol=1e-12), uses_unlabelled=True
    ),
    "rayleigh-ranker": Claims(ranker_class("rayleigh-ranker"), lists_apart=False, uses_unlabelled=True),
    "rayleigh-ranker-cv": Claims(
        lambda: ranker_class("rayleigh-ranker-cv")(
            widths=(1 / 3, 1.0), sizes=(20, 100), smoothnesses=(0.0, 30.0), n_folds=3
        ),
        lists_apart=False,
        uses_unlabelled=True,
    ),
    "rankrls": Claims(ranker_class("rankrls"), lists_apart=False, pairwise=True),
    "rankrls-cv": Claims(ranker_class("rankrls-cv"), lists_apart=False, pairwise=True),
    "transductive-rankrls": Claims(
        ranker_class("transductive-rankrls"),
        lists_apart=False,
        pairwise=True,
        supervised=lambda: (ranker_class("transductive-rankrls")(), ranker_class("rankrls")()),
    ),
    "rank-svm": Claims(lambda: ranker_class("rank-svm")(tol=1e-10), lists_apart=False, pairwise=True),
    "line-search-ranker": Claims(
        lambda: ranker_class("line-search-ranker")(n_restarts=2, random_state=0), lists_apart=False
    ),
    "rankboost": Claims(lambda: ranker_class("rankboost")(20), lists_apart=False, pairwise=True),
    "semi-rankboost": Claims(
        lambda: ranker_class("semi-rankboost")(20, n_neighbors=30),
        lists_apart=False,
        pairwise=True,
        uses_unlabelled=True,
        supervised=lambda: (ranker_class("semi-rankboost")(20), ranker_class("rankboost")(20)),
    ),
    "forest-ranker": Claims(lambda: ranker_class("forest-ranker")(20, random_state=0), lists_apart=False),
    "logistic-ranker": Claims(ranker_class("logistic-ranker"), lists_apart=False),
    "linear-svm-ranker": Claims(ranker_class("linear-svm-ranker"), lists_apart=False),
    "self-training-logistic": Claims(
        ranker_class("self-training-logistic"),
        lists_apart=False,
        supervised=lambda: (ranker_class("self-training-logistic")(), ranker_class("logistic-ranker")()),
    ),
    "transductive-svm": Claims(
        ranker_class("transductive-svm"),
        lists_apart=False,
        supervised=lambda: (ranker_class("transductive-svm")(), ranker_class("linear-svm-ranker")()),
    ),
    "blend": Claims(ranker_class("blend"), lists_apart=False, pairwise=True),
    "latent-ranker": Claims(ranker_class("latent-ranker"), lists_apart=False),
    "feature-generation": Claims(
        lambda: ranker_class("feature-generation")(ranker_class("rankboost")(20)),
        lists_apart=False,
        pairwise=True,
        supervised=lambda: (ranker_class("feature-generation")(), ranker_class("rankboost")()),
    ),
    "importance-weighting": Claims(
        lambda: ranker_class("importance-weighting")(ranker_class("rankboost")(20)),
        lists_apart=False,
        pairwise=True,
        supervised=lambda: (ranker_class("importance-weighting")(), ranker_class("rankboost")()),
    ),
    "pseudo-margin": Claims(
        lambda: ranker_class("pseudo-margin")(20),
        lists_apart=False,
        pairwise=True,
        supervised=lambda: (ranker_class("pseudo-margin")(), ranker_class("rankboost")()),
    ),
    "ranker-propagation": Claims(
        ranker_class("ranker-propagation"),
        lists_apart=False,
        pairwise=True,
        supervised=lambda: (ranker_class("ranker-propagation")(), ranker_class("rankrls-cv")()),
    ),
}

AN_ITEM_GIVEN_TWICE = "check_sample_weight_equivalence_on_{}_data"
EXPECTED_FAILURES = {
    "ForestRanker": {
        AN_ITEM_GIVEN_TWICE.format(kind): "other draws, and min_leaf counts items"
        for kind in ("dense", "sparse")
    },
    "RayleighRanker": {
        AN_ITEM_GIVEN_TWICE.format(kind): "an item given twice has itself for a neighbour in the graph"
        for kind in ("dense", "sparse")
    },
    "ImportanceWeighting": {
        "check_methods_subset_invariance": "the other items of a list decide what is learned for it"
    },
    "PseudoMargin": {
        "check_methods_subset_invariance": "items are scored with their list; a part of it is another list"
    },
}

every_ranker = pytest.mark.parametrize("name", RANKERS)


def lists(n_lists=4, n_items=14, n_features=3, labelled=0.6, seed=0):
    """Make lists in mixed order whose labels follow the features, some of them hidden."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat([f"list {i}" for i in range(n_lists)], n_items))
    X = rng.normal(size=(len(qid), n_features))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=len(qid)), [-0.5, 0.7]).astype(float)
    y[rng.random(len(qid)) > labelled] = nan
    return X, y, qid


def fitted(name, *data):
    return CLAIMS[name].make().fit(*data)


def test_every_ranker_states_its_claims():
    assert list(CLAIMS) == list(RANKERS)


@parametrize_with_checks(
    [claims.make() for claims in CLAIMS.values()],
    expected_failed_checks=lambda ranker: EXPECTED_FAILURES.get(type(ranker).__name__, {}),
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@every_ranker
def test_clone_params_and_repr(name):
    ranker = CLAIMS[name].make()
    assert repr(clone(ranker).get_params()) == repr(ranker.get_params())
    assert type(ranker).__name__ in repr(ranker)
    assert set(vars(ranker)) == set(ranker.get_params(deep=False))
    assert set(ranker.limits) == set(ranker.get_params(deep=False))


@every_ranker
def test_inputs_are_not_modified(name):
    given = lists()
    copies = [array.copy() for array in given]
    fitted(name, *given).predict(given[0], given[2])
    for array, copy in zip(given, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@every_ranker
def test_a_second_fit_forgets_the_first(name):
    first, second = lists(seed=1, n_features=5), lists(seed=2)
    twice = fitted(name, *first).fit(*second)
    once = fitted(name, *second)
    np.testing.assert_array_equal(twice.scores_, once.scores_)
    assert vars(twice).keys() == vars(once).keys()


@every_ranker
def test_same_seed_same_bits(name):
    once, again = (fitted(name, *lists()) for _ in range(2))
    np.testing.assert_array_equal(once.scores_, again.scores_)


@every_ranker
def test_scores_are_finite_float64_one_per_item(name):
    X, y, qid = lists()
    ranker = fitted(name, X, y, qid)
    for scores in (ranker.scores_, ranker.predict(X, qid)):
        assert scores.dtype == np.float64
        assert scores.shape == y.shape
        assert np.isfinite(scores).all()


@every_ranker
def test_items_permuted_scores_permuted(name):
    X, y, qid = lists()
    order = np.random.default_rng(5).permutation(len(y))
    np.testing.assert_allclose(
        fitted(name, X[order], y[order], qid[order]).scores_,
        fitted(name, X, y, qid).scores_[order],
        atol=1e-8,
    )


@every_ranker
def test_lists_together_equal_lists_apart(name):
    if not CLAIMS[name].lists_apart:
        pytest.skip("not claimed: lists learn from each other")
    X, y, qid = lists()
    together = fitted(name, X, y, qid).scores_
    for each in np.unique(qid):
        rows = qid == each
        np.testing.assert_array_equal(fitted(name, X[rows], y[rows], qid[rows]).scores_, together[rows])


@every_ranker
def test_sparse_equals_dense(name):
    X, y, qid = lists()
    X = np.where(np.abs(X) < 0.5, 0, X)
    dense, sparse = fitted(name, X, y, qid), fitted(name, csr_array(X), y, qid)
    np.testing.assert_allclose(sparse.scores_, dense.scores_, atol=1e-8)
    np.testing.assert_allclose(sparse.predict(csr_array(X), qid), dense.predict(X, qid), atol=1e-8)


@every_ranker
def test_frames_carry_names_and_lists(name):
    X, y, qid = lists()
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(qid=qid)
    ranker = fitted(name, frame, y)
    np.testing.assert_array_equal(ranker.scores_, fitted(name, X, y, qid).scores_)
    assert ranker.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="names should match"):
        ranker.predict(frame.rename(columns={"a": "z"}))


def odd_list(kind):
    X, y, qid = lists(labelled=1.0)
    extra = {
        "one item": ([[0.1, 0.2, 0.3]], [1]),
        "no label": (X[:5], [nan] * 5),
        "one label": (X[:5], [nan, nan, 1, nan, nan]),
        "equal labels": (X[:5], [1] * 5),
        "only irrelevant": (X[:5], [0, 0, 0, nan, nan]),
        "duplicates": (X[[0, 0, 0, 1, 1]], [1, 1, nan, 0, nan]),
    }[kind]
    return np.vstack([X, extra[0]]), np.append(y, extra[1]), np.append(qid, ["odd"] * len(extra[1]))


@every_ranker
@pytest.mark.parametrize(
    "kind", ["one item", "no label", "one label", "equal labels", "only irrelevant", "duplicates"]
)
@pytest.mark.filterwarnings("ignore::semirank.dataset.DataWarning")
def test_odd_lists_get_finite_scores(name, kind):
    assert np.isfinite(fitted(name, *odd_list(kind)).scores_).all()


@every_ranker
def test_constant_feature(name):
    X, y, qid = lists()
    X[:, 1] = 7.0
    assert np.isfinite(fitted(name, X, y, qid).scores_).all()


@every_ranker
@pytest.mark.filterwarnings("ignore::semirank.dataset.DataWarning")
def test_new_lists_are_ranked(name):
    X, y, qid = lists()
    new = np.full(len(X), "never seen")
    assert np.isfinite(fitted(name, X, y, qid).predict(X, new)).all()


@every_ranker
def test_no_label_at_all_says_what_to_do(name):
    X, y, qid = lists()
    with pytest.raises(ValueError, match="needs at least one label"):
        fitted(name, X, np.full_like(y, nan), qid)


@every_ranker
def test_bad_data_are_refused(name):
    X, y, qid = lists()
    with pytest.raises(ValueError, match="infinite"):
        fitted(name, X, np.where(np.isnan(y), np.inf, y), qid)
    X[3, 1] = nan
    with pytest.raises(ValueError, match=r"NaN in row 3, feature 1.*fill_missing"):
        fitted(name, X, y, qid)


@every_ranker
def test_parameters_outside_their_limits(name):
    for parameter, limit in RANKERS[name].limits.items():
        outside = [
            value for value in (-1e9, -1, 0, 1, 2.5, 1e9, "nonsense", nan, object()) if value not in limit
        ]
        assert outside
        for value in outside:
            with pytest.raises(ValueError, match=f"^{parameter} must be ") as caught:
                CLAIMS[name].make().set_params(**{parameter: value}).fit(*lists())
            assert str(limit) in str(caught.value)
            assert repr(value) in str(caught.value)


@every_ranker
def test_a_constant_added_to_the_labels_of_a_list(name):
    if not CLAIMS[name].pairwise:
        pytest.skip("not claimed: the method reads labels as they are")
    X, y, qid = lists()
    shifted = y + 3.0 * (qid == "list 1")
    np.testing.assert_allclose(
        fitted(name, X, shifted, qid).scores_, fitted(name, X, y, qid).scores_, rtol=1e-7, atol=1e-9
    )


@every_ranker
def test_without_unlabelled_items_it_is_the_supervised_method(name):
    if CLAIMS[name].supervised is None:
        pytest.skip("not claimed")
    semi, supervised = CLAIMS[name].supervised()
    data = lists(labelled=1.0)
    np.testing.assert_array_equal(semi.fit(*data).scores_, supervised.fit(*data).scores_)


@every_ranker
def test_unlabelled_items_help_on_two_moons(name):
    if not CLAIMS[name].uses_unlabelled:
        pytest.skip("not claimed")
    data = semirank.load("moons", noise=0.05, random_state=0)
    few = data.hide_labels(keep=4, keep_levels=True, random_state=0)
    alone = fitted(name, few.X[few.labelled], few.y[few.labelled]).predict(few.X)
    with_all = fitted(name, few.X, few.y).scores_
    [without], [better] = (semirank.metrics.auc(data.y, scores) for scores in (alone, with_all))
    assert better > without + 0.01


@every_ranker
def test_a_saved_model_gives_the_same_bits(name, tmp_path):
    X, y, qid = lists()
    ranker = fitted(name, X, y, qid)
    ranker.save(tmp_path / "model")
    again = semirank.load_model(tmp_path / "model")
    assert type(again) is type(ranker)
    assert repr(again) == repr(ranker)
    np.testing.assert_array_equal(again.scores_, ranker.scores_)
    np.testing.assert_array_equal(again.predict(X, qid), ranker.predict(X, qid))


@every_ranker
@pytest.mark.filterwarnings("ignore::semirank.dataset.DataWarning")
def test_grid_search_and_pipelines_route_qid(name):
    X, y, qid = lists(labelled=1.0)
    parameter, value = next(iter(CLAIMS[name].make().get_params().items()))
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            CLAIMS[name].make(), {parameter: [value]}, cv=GroupKFold(2), error_score="raise"
        )
        search.fit(X, y, qid=qid, groups=qid)
        pipeline = make_pipeline(StandardScaler(), CLAIMS[name].make())
        values = cross_val_score(
            pipeline, X, y, cv=GroupKFold(2), params={"qid": qid, "groups": qid}, error_score="raise"
        )
    assert 0 <= search.best_score_ <= 1
    assert ((values >= 0) & (values <= 1)).all()


@every_ranker
def test_score_is_the_mean_over_lists_and_cannot_ignore_them(name):
    X, y, qid = lists(labelled=1.0)
    ranker = fitted(name, X, y, qid)
    expected = np.nanmean(semirank.metrics.ndcg(y, ranker.predict(X, qid), qid))
    assert ranker.score(X, y, qid) == pytest.approx(expected)
    weights = np.where(qid == "list 0", 1.0, 0.0)
    only = qid == "list 0"
    assert ranker.score(X, y, qid, sample_weight=weights) == ranker.score(X[only], y[only], qid[only])
    with pytest.raises(ValueError, match="score needs qid"):
        ranker.score(X, y)
