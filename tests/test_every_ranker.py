"""What every ranker promises. A new ranker is checked here as soon as it stands in the registry."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import semirank
from semirank import Ranker
from semirank.checks import checks_of, reads_only_texts, sample_lists
from semirank.registry import ranker_class, ranker_names

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
    "auto-ranker": Claims(
        lambda: ranker_class("auto-ranker")(candidates=["logistic-ranker", "manifold-ranking"]),
        lists_apart=False,
    ),
    "distance-ranking": Claims(ranker_class("distance-ranking")),
    "manifold-ranking": Claims(lambda: ranker_class("manifold-ranking")(tol=1e-12), uses_unlabelled=True),
    "manifold-ranking-cv": Claims(
        lambda: ranker_class("manifold-ranking-cv")((5, 10), ("median",), tol=1e-12, random_state=0),
        lists_apart=False,
        uses_unlabelled=True,
    ),
    "anchor-ranking": Claims(lambda: ranker_class("anchor-ranking")(60), uses_unlabelled=True),
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
    "estimator-ranker": Claims(ranker_class("estimator-ranker"), lists_apart=False),
    "labelled-only": Claims(lambda: ranker_class("labelled-only")(ranker_class("manifold-ranking")())),
    "each-list": Claims(ranker_class("each-list")),
    "screening-ranker": Claims(ranker_class("screening-ranker"), lists_apart=False),
    "text-ranker": Claims(ranker_class("text-ranker"), lists_apart=False),
    "latent-ranker": Claims(ranker_class("latent-ranker"), lists_apart=False),
    "blend": Claims(ranker_class("blend"), lists_apart=False, pairwise=True),
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
OF_LABELS = {
    AN_ITEM_GIVEN_TWICE.format(kind): "a weight is the confidence of a label; an item given twice, or left "
    "out, makes another graph"
    for kind in ("dense", "sparse")
}
EXPECTED_FAILURES = {
    "ForestRanker": {
        AN_ITEM_GIVEN_TWICE.format(kind): "other draws, and min_leaf counts items"
        for kind in ("dense", "sparse")
    },
    "RayleighRanker": {
        AN_ITEM_GIVEN_TWICE.format(kind): "an item given twice has itself for a neighbour in the graph"
        for kind in ("dense", "sparse")
    },
    "ManifoldRanking": OF_LABELS,
    "PersonalizedPageRank": OF_LABELS,
    "ImportanceWeighting": {
        "check_methods_subset_invariance": "the other items of a list decide what is learned for it"
    },
    "PseudoMargin": {
        "check_methods_subset_invariance": "items are scored with their list; a part of it is another list"
    },
}

every_ranker = pytest.mark.parametrize("name", ranker_names())


def lists(**options):
    return sample_lists(semirank.DistanceRanking(), **options)


def fitted(name, *data):
    return CLAIMS[name].make().fit(*data)


def test_every_ranker_states_its_claims():
    assert sorted(CLAIMS) == sorted(ranker_names())


def promises():
    for name, claims in CLAIMS.items():
        for check in checks_of(claims.make()):
            yield pytest.param(claims.make, check, id=f"{name}-{check.__name__}")


@pytest.mark.parametrize(("make", "check"), list(promises()))
def test_promises(make, check):
    check(make())


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
@parametrize_with_checks(
    [claims.make() for claims in CLAIMS.values()],
    expected_failed_checks=lambda ranker: EXPECTED_FAILURES.get(type(ranker).__name__, {}),
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


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
def test_frames_carry_names_and_lists(name):
    if reads_only_texts(CLAIMS[name].make()):
        pytest.skip("a ranker of texts takes no features")
    X, y, qid = lists()
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(qid=qid)
    ranker = fitted(name, frame, y)
    np.testing.assert_array_equal(ranker.scores_, fitted(name, X, y, qid).scores_)
    assert ranker.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="names should match"):
        ranker.predict(frame.rename(columns={"a": "z"}))


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
@pytest.mark.filterwarnings("ignore::semirank.dataset.DataWarning")
def test_grid_search_and_pipelines_route_qid(name):
    if reads_only_texts(CLAIMS[name].make()):
        pytest.skip("a ranker of texts takes no features")
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
