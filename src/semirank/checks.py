"""What every ranker promises, as checks that run on anybody's ranker."""

import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold
from threadpoolctl import threadpool_limits

from semirank import metrics, storage
from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import DataWarning
from semirank.rankers._base import Ranker
from semirank.rankers.assumptions import CHOSEN
from semirank.registry import model_classes

Check = Callable[[Ranker], None]

WORDS = np.array(["heart", "engine", "river", "bread", "glass", "violin", "stone", "letter", "window"])


class Lists(NamedTuple):
    """Items, labels (NaN: none) and lists, as `fit` takes them."""

    X: Any
    y: Floats
    qid: AnyArray


def check_ranker(ranker: Ranker) -> None:
    """Run every promise of semirank's own rankers on a ranker; the first that is broken raises an error.

    Parameters
    ----------
    ranker : Ranker
        Unfitted, with settings that are quick on some sixty items, and a seed if it draws at random. Copies
        of it are fitted.

    Raises
    ------
    AssertionError
        With the name of the check that failed, and what was found.

    See Also
    --------
    semirank.Ranker : the base of rankers.

    Notes
    -----
    Items are dense features, sparse ones where the ranker takes them, or texts for a ranker of texts.
    scikit-learn's own `check_estimator` looks at the rest of its grammar.

    Examples
    --------
    >>> from semirank import DistanceRanking
    >>> from semirank.checks import check_ranker
    >>> check_ranker(DistanceRanking())
    """
    for check in checks_of(ranker):
        try:
            check(clone(ranker))
        except Exception as error:
            name = check.__name__
            raise AssertionError(f"{type(ranker).__name__} fails {name}: {error}") from error


def checks_of(ranker: Ranker) -> Iterator[Check]:
    """Yield the checks that a ranker has to pass, by what it takes."""
    yield from _FOR_ALL
    if not reads_only_texts(ranker):
        yield from _FOR_FEATURES
        if ranker.takes_sparse:
            yield from _FOR_SPARSE


def reads_only_texts(ranker: Ranker) -> bool:
    """Tell whether X has to be a sequence of texts."""
    return ranker.takes_texts and not ranker.__sklearn_tags__().input_tags.two_d_array


def sample_lists(
    ranker: Ranker, *, n_lists: int = 4, n_features: int = 3, labelled: float = 0.6, seed: int = 0
) -> Lists:
    """Return lists of fourteen items in mixed order, whose labels follow the features or the words."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat([f"list {i}" for i in range(n_lists)], 14))
    X = rng.normal(size=(len(qid), n_features))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=len(qid)), [-0.5, 0.7]).astype(float)
    y[rng.random(len(qid)) > labelled] = np.nan
    return Lists(_as_texts(X, rng) if reads_only_texts(ranker) else X, y, qid)


def _as_texts(X: Floats, rng: np.random.Generator) -> AnyArray:
    """Turn each row into words: which half of the vocabulary they come from follows the first feature."""
    half = (X[:, 0] > 0).astype(int) * 4
    places = half[:, None] + rng.integers(0, 5, size=(len(X), 6))
    return np.array([" ".join(row) for row in WORDS[places]], dtype=object)


def check_it_knows_itself(ranker: Ranker) -> None:
    """What it assumes is a phrase or None; without unlabelled items it is a ranker that assumes nothing."""
    assert ranker.assumption is None or (isinstance(ranker.assumption, str) and ranker.assumption)
    alone = ranker.supervised()
    if ranker.assumption is None:
        assert repr(alone) == repr(ranker), "a ranker of labels alone is its own supervised()"
    elif alone is not None:
        assert isinstance(alone, Ranker)
        assert alone.assumption is None, f"supervised() assumes {alone.assumption!r}"


def check_params_clone_and_repr(ranker: Ranker) -> None:
    """`__init__` stores its parameters and nothing else; each of them has limits."""
    assert repr(clone(ranker).get_params()) == repr(ranker.get_params())
    assert type(ranker).__name__ in repr(ranker)
    names = set(ranker.get_params(deep=False))
    assert set(vars(ranker)) == names, "__init__ must store its parameters and nothing else"
    assert set(ranker.limits) == names, "limits must name every parameter, and no other"


def check_inputs_are_not_modified(ranker: Ranker) -> None:
    """`fit` and `predict` leave X, y and qid as they were."""
    given = sample_lists(ranker)
    copies = [array.copy() for array in given]
    ranker.fit(*given).predict(given.X, given.qid)
    for array, copy in zip(given, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def check_a_fitted_ranker_is_its_own(ranker: Ranker) -> None:
    """What the caller does to X, y and qid after `fit` changes no answer."""
    mixed, new = sample_lists(ranker), sample_lists(ranker, seed=1)
    order = np.argsort(mixed.qid, kind="stable")  # a ranker need not copy what is in order
    given = Lists(*(each[order] for each in mixed))
    ranker.fit(*given)
    expected = ranker.scores_.copy(), ranker.predict(new.X, new.qid)
    given.X[:] = given.X[::-1].copy()
    given.y[:] = 0.0
    given.qid[:] = given.qid[0]
    np.testing.assert_array_equal(ranker.scores_, expected[0])
    np.testing.assert_array_equal(ranker.predict(new.X, new.qid), expected[1])


def check_a_second_fit_forgets_the_first(ranker: Ranker) -> None:
    """Fitted on other data before or not, the answer and the attributes are the same."""
    first, second = sample_lists(ranker, seed=1, n_features=5), sample_lists(ranker, seed=2)
    once, twice = clone(ranker).fit(*second), ranker.fit(*first).fit(*second)
    np.testing.assert_array_equal(twice.scores_, once.scores_)
    assert vars(twice).keys() == vars(once).keys()


def check_same_bits_again_and_on_any_number_of_threads(ranker: Ranker) -> None:
    """The same seed gives the same bits, on one thread or several, in one job or two."""
    given = sample_lists(ranker)
    expected = clone(ranker).fit(*given).scores_
    n_threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        with threadpool_limits(1):
            np.testing.assert_array_equal(clone(ranker).fit(*given).scores_, expected)
    finally:
        numba.set_num_threads(n_threads)
    if "n_jobs" in ranker.get_params(deep=False):
        np.testing.assert_array_equal(ranker.set_params(n_jobs=2).fit(*given).scores_, expected)


def check_scores_are_finite_float64_one_per_item(ranker: Ranker) -> None:
    """Both answers are one finite float64 for each item."""
    X, y, qid = sample_lists(ranker)
    ranker.fit(X, y, qid)
    for scores in (ranker.scores_, ranker.predict(X, qid)):
        assert scores.dtype == np.float64
        assert scores.shape == y.shape
        assert np.isfinite(scores).all()


def check_items_permuted_scores_permuted(ranker: Ranker) -> None:
    """The order of items makes no difference."""
    X, y, qid = sample_lists(ranker)
    order = np.random.default_rng(5).permutation(len(y))
    expected = clone(ranker).fit(X, y, qid).scores_[order]
    np.testing.assert_allclose(ranker.fit(X[order], y[order], qid[order]).scores_, expected, atol=1e-8)


def check_odd_lists_get_finite_scores(ranker: Ranker) -> None:
    """A list with one item, no label, one label, equal labels, duplicates: finite scores for all."""
    nan = np.nan
    X, y, qid = sample_lists(ranker, labelled=1.0)
    for kind, rows, labels in (
        ("one item", [0], [1.0]),
        ("no label", [0, 1, 2, 3, 4], [nan] * 5),
        ("one label", [0, 1, 2, 3, 4], [nan, nan, 1, nan, nan]),
        ("equal labels", [0, 1, 2, 3, 4], [1.0] * 5),
        ("only irrelevant", [0, 1, 2, 3, 4], [0, 0, 0, nan, nan]),
        ("duplicates", [0, 0, 0, 1, 1], [1, 1, nan, 0, nan]),
    ):
        given = np.concatenate([X, X[rows]]), np.append(y, labels), np.append(qid, ["odd"] * len(rows))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            scores = clone(ranker).fit(*given).scores_
        assert np.isfinite(scores).all(), kind


def check_new_lists_are_ranked(ranker: Ranker) -> None:
    """Items of a list that was not there in `fit` get finite scores."""
    X, y, qid = sample_lists(ranker)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        scores = ranker.fit(X, y, qid).predict(X, np.full(len(y), "never seen"))
    assert np.isfinite(scores).all()


def check_no_label_at_all_is_refused(ranker: Ranker) -> None:
    """Data without any label are refused, and the message says what is missing."""
    X, y, qid = sample_lists(ranker)
    _refuses(lambda: ranker.fit(X, np.full_like(y, np.nan), qid), "at least one label")


def check_infinite_labels_are_refused(ranker: Ranker) -> None:
    """An infinite label is refused."""
    X, y, qid = sample_lists(ranker)
    _refuses(lambda: ranker.fit(X, np.where(np.isnan(y), np.inf, y), qid), "infinite")


def check_parameters_outside_their_limits_are_refused(ranker: Ranker) -> None:
    """A parameter outside its limits: its name, what it may be, and what it was."""
    given = sample_lists(ranker)
    for name, limit in ranker.limits.items():
        values = (-1e9, -1, 0, 1, 2.5, 1e9, "nonsense", np.nan, object())
        outside = [value for value in values if value not in limit]
        assert outside, f"the limits of {name} hold every value"
        for value in outside:
            broken = clone(ranker).set_params(**{name: value})
            _refuses(lambda: broken.fit(*given), f"{name} must be ", str(limit), repr(value))  # noqa: B023


def check_an_unfitted_or_half_fitted_ranker_says_so(ranker: Ranker) -> None:
    """Before `fit`, and after one that broke off, `predict` raises NotFittedError."""
    X, _, qid = sample_lists(ranker)
    half = clone(ranker)
    half.n_features_in_, half.n_lists_ = 3, 4
    for unfitted in (ranker, half):
        try:
            unfitted.predict(X, qid)
        except NotFittedError:
            continue
        raise AssertionError("predict before fit must raise NotFittedError")


def check_a_saved_model_gives_the_same_bits(ranker: Ranker) -> None:
    """A model that was saved and loaded predicts and explains as before, or `save` says why not."""
    X, y, qid = sample_lists(ranker)
    ranker.fit(X, y, qid)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        try:
            ranker.save(path)
        except ValueError as refusal:
            assert "cannot be saved" in str(refusal), refusal
            return
        again = storage.load(path, model_classes(type(ranker)))
    assert type(again) is type(ranker)
    assert repr(again) == repr(ranker)
    np.testing.assert_array_equal(again.scores_, ranker.scores_)
    np.testing.assert_array_equal(again.predict(X, qid), ranker.predict(X, qid))
    _same_explanation(ranker, again, int(np.flatnonzero(np.isnan(y))[0]))


def _same_explanation(ranker: Ranker, again: Ranker, item: int) -> None:
    try:
        items, amounts = ranker.explain(item)
    except ValueError:
        _refuses(lambda: again.explain(item), "")
        return
    try:
        found = again.explain(item)
    except ValueError as refusal:
        assert "fit again" in str(refusal), refusal  # a file need not hold the items given to `fit`
        return
    np.testing.assert_array_equal(found.items, items)
    np.testing.assert_allclose(found.amounts, amounts, rtol=1e-9, atol=1e-12)


def check_score_is_the_mean_over_lists_and_cannot_ignore_them(ranker: Ranker) -> None:
    """`score` is the mean nDCG over lists, takes weights of items, and needs qid."""
    X, y, qid = sample_lists(ranker, labelled=1.0)
    ranker.fit(X, y, qid)
    expected = np.nanmean(metrics.ndcg(y, ranker.predict(X, qid), qid))
    np.testing.assert_allclose(ranker.score(X, y, qid), expected)
    only = qid == "list 0"
    weighted = ranker.score(X, y, qid, sample_weight=np.where(only, 1.0, 0.0))
    np.testing.assert_allclose(weighted, ranker.score(X[only], y[only], qid[only]))
    _refuses(lambda: ranker.score(X, y), "score needs qid")


def check_rerank_is_a_new_fit(ranker: Ranker) -> None:
    """Other labels give the bits of a new fit, where it can `rerank`; one that chooses keeps its choice."""
    X, y, qid = sample_lists(ranker)
    other = np.where(np.random.default_rng(3).random(len(y)) < 0.3, np.nan, y)
    ranker.fit(X, y, qid)
    if hasattr(ranker, "rerank") and ranker.assumption != CHOSEN:
        np.testing.assert_array_equal(ranker.rerank(other).scores_, clone(ranker).fit(X, other, qid).scores_)


def check_explanations_add_up(ranker: Ranker) -> None:
    """Where a ranker can explain a score, by labelled items or by features, the amounts add up to it."""
    X, y, qid = sample_lists(ranker)
    ranker.fit(X, y, qid)
    item = int(np.flatnonzero(np.isnan(y))[0])
    for explain in (
        ranker.explain,
        ranker.explain_features,
        getattr(ranker, "explain_words", ranker.explain),
    ):
        try:
            parts = explain(item)
        except ValueError:
            continue
        np.testing.assert_allclose(parts[1].sum(), ranker.scores_[item], rtol=1e-4, atol=1e-6)


def check_grid_search_routes_qid(ranker: Ranker) -> None:
    """Grid search hands qid to `fit` and `score`."""
    X, y, qid = sample_lists(ranker, labelled=1.0)
    grid = {name: [value] for name, value in list(ranker.get_params().items())[:1]}
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        search = GridSearchCV(ranker, grid, cv=GroupKFold(2), error_score="raise")
        search.fit(X, y, qid=qid, groups=qid)
    assert 0 <= search.best_score_ <= 1


def check_a_constant_feature_does_no_harm(ranker: Ranker) -> None:
    """A feature that is the same everywhere leaves scores finite."""
    X, y, qid = sample_lists(ranker)
    X[:, 1] = 7.0
    assert np.isfinite(ranker.fit(X, y, qid).scores_).all()


def check_missing_features_are_refused(ranker: Ranker) -> None:
    """A missing feature is named by its row and column, or does no harm to a ranker that takes it."""
    X, y, qid = sample_lists(ranker)
    X[3, 1] = np.nan
    if ranker.__sklearn_tags__().input_tags.allow_nan:
        assert np.isfinite(ranker.fit(X, y, qid).scores_).all()
        return
    _refuses(lambda: ranker.fit(X, y, qid), "row 3, feature 1", "fill_missing")


def check_sparse_equals_dense(ranker: Ranker) -> None:
    """A sparse matrix gives the scores of the dense one."""
    X, y, qid = sample_lists(ranker)
    X = np.where(np.abs(X) < 0.5, 0, X)
    dense, sparse = clone(ranker).fit(X, y, qid), ranker.fit(csr_array(X), y, qid)
    np.testing.assert_allclose(sparse.scores_, dense.scores_, atol=1e-8)
    np.testing.assert_allclose(sparse.predict(csr_array(X), qid), dense.predict(X, qid), atol=1e-8)


def check_sparse_inputs_are_not_modified(ranker: Ranker) -> None:
    """A sparse matrix whose columns are in no order, with an entry in two parts, stays as it is."""
    X, y, qid = sample_lists(ranker)
    n_items, n_features = X.shape
    data = np.concatenate([X[:, ::-1], 0.5 * X[:, -1:]], axis=1)
    data[:, 0] *= 0.5
    indices = np.tile([*range(n_features)[::-1], n_features - 1], n_items)
    indptr = np.arange(n_items + 1) * (n_features + 1)
    given = csr_array((data.ravel(), indices, indptr), shape=X.shape)
    copies = [array.copy() for array in (given.data, given.indices, given.indptr)]
    ranker.fit(given, y, qid).predict(given, qid)
    for array, copy in zip((given.data, given.indices, given.indptr), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def _refuses(act: Callable[[], Any], *words: str) -> None:
    """Demand a ValueError whose message has all these words."""
    try:
        act()
    except ValueError as error:
        missing = [word for word in words if word not in str(error)]
        assert not missing, f"the message {str(error)!r} lacks {missing[0]!r}"
        return
    raise AssertionError(f"no ValueError with {words[0]!r}")


_FOR_ALL: tuple[Check, ...] = (
    check_it_knows_itself,
    check_params_clone_and_repr,
    check_inputs_are_not_modified,
    check_a_fitted_ranker_is_its_own,
    check_a_second_fit_forgets_the_first,
    check_same_bits_again_and_on_any_number_of_threads,
    check_scores_are_finite_float64_one_per_item,
    check_items_permuted_scores_permuted,
    check_odd_lists_get_finite_scores,
    check_new_lists_are_ranked,
    check_no_label_at_all_is_refused,
    check_infinite_labels_are_refused,
    check_parameters_outside_their_limits_are_refused,
    check_an_unfitted_or_half_fitted_ranker_says_so,
    check_a_saved_model_gives_the_same_bits,
    check_rerank_is_a_new_fit,
    check_explanations_add_up,
    check_score_is_the_mean_over_lists_and_cannot_ignore_them,
    check_grid_search_routes_qid,
)
_FOR_FEATURES: tuple[Check, ...] = (
    check_a_constant_feature_does_no_harm,
    check_missing_features_are_refused,
)
_FOR_SPARSE: tuple[Check, ...] = (
    check_sparse_equals_dense,
    check_sparse_inputs_are_not_modified,
)
