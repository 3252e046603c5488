"""A model file whose checksum is right and whose content is not is refused, or harmless: it never crashes."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from tests.test_every_ranker import CLAIMS

from semirank import ForestRanker, load_model
from semirank.checks import sample_lists
from semirank.core.threads import count_workers
from semirank.learned import AnyOf, Array, Names, Number, Optional, Part, Sizes, Value, count, learned_by
from semirank.registry import model_classes
from semirank.storage import Storable

SAVED = [name for name in CLAIMS if name != "estimator-ranker"]


def forgeries(value):
    """Yield values that look like a learned one, or like nothing."""
    yield from (
        np.empty(0),
        np.empty((0, 3)),
        np.array(3),
        None,
        "text",
        [],
        {},
        -1,
        2**40,
        float("nan"),
        True,
    )
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.size:
        yield value[:-1]
        yield np.concatenate([value, value])
        yield value.astype(np.float32 if value.dtype.kind == "f" else np.float64)
        yield np.full_like(value, 10**8)
        yield np.full_like(value, -5) if value.dtype.kind in "if" else ~value
        yield value[::-1].copy()
        if value.dtype.kind == "f":
            yield np.full_like(value, np.nan)
            yield np.full_like(value, np.inf)
    if issparse(value):
        yield csr_array((value.shape[0], value.shape[1] + 1))
        yield csr_array((0, 0))
        yield value * np.nan


def parts(model):
    """Yield the model and those inside it."""
    yield model
    for value in learned_by(model).values():
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
        for each in inside:
            if isinstance(each, Storable):
                yield from parts(each)


@pytest.mark.parametrize("name", SAVED)
def test_forged_attributes_are_refused_or_harmless(name, tmp_path):
    ranker = clone(CLAIMS[name].make())
    given, path = sample_lists(ranker), tmp_path / "model"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranker.fit(*given)
        refused = 0
        for model in parts(ranker):
            for attribute, value in learned_by(model).items():
                for forged in forgeries(value):
                    setattr(model, attribute, forged)
                    refused += not is_harmless(ranker, path, given)
                setattr(model, attribute, value)
    assert refused > 20
    assert is_harmless(ranker, path, given)


def is_harmless(ranker, path, given) -> bool:
    ranker.save(path)
    try:
        scores = load_model(path).predict(given.X, given.qid)
    except ValueError:
        return False
    return scores.shape == (len(given.y),)


def test_an_empty_array_is_no_number_of_features(tmp_path):
    ranker = ForestRanker(3, random_state=0).fit([[0.0], [1.0], [2.0], [3.0]] * 3, [0, 0, 1, 1] * 3)
    ranker.n_features_in_ = np.empty(0, dtype=np.int64)
    ranker.save(tmp_path / "model")
    with pytest.raises(ValueError, match=r"n_features_in_ must be whole number.*it is a ndarray"):
        load_model(tmp_path / "model")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_scores_are_finite(tmp_path, value):
    ranker = ForestRanker(3, random_state=0).fit([[0.0], [1.0], [2.0], [3.0]] * 3, [0, 0, 1, 1] * 3)
    ranker.scores_[2] = value
    ranker.save(tmp_path / "model")
    with pytest.raises(ValueError, match="scores_ must be float64 array"):
        load_model(tmp_path / "model")


def test_a_file_does_not_decide_how_many_processes_run(tmp_path):
    ranker = ForestRanker(3, random_state=0).fit([[0.0], [1.0], [2.0], [3.0]] * 3, [0, 0, 1, 1] * 3)
    ranker.set_params(n_jobs=10**6).save(tmp_path / "model")
    assert load_model(tmp_path / "model").n_jobs == count_workers(-1)


def test_attributes_that_a_class_does_not_learn_are_refused(tmp_path):
    ranker = ForestRanker(3, random_state=0).fit([[0.0], [1.0], [2.0], [3.0]] * 3, [0, 0, 1, 1] * 3)
    ranker.coef_ = np.ones(1)
    with pytest.raises(ValueError, match="coef_ is nothing that a ForestRanker learns"):
        ranker.save(tmp_path / "model")
    del ranker.coef_, ranker.roots_
    with pytest.raises(ValueError, match="roots_ is missing"):
        ranker.save(tmp_path / "model")


def test_every_class_that_a_file_may_name_has_a_table():
    kinds = model_classes()
    assert all(kinds[name].learned for name in kinds)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Array("n", 2), [np.zeros((3, 2))], [np.zeros((4, 2)), np.zeros((3, 1)), np.zeros(6), 1.0, [0.0]]),
        (Array("n", dtype="int64", low=0, high="n"), [np.arange(3)], [np.arange(3) + 1, np.zeros(3)]),
        (Array("n", gaps=True), [np.array([1.0, np.nan, 2.0])], [np.array([1.0, np.inf, 2.0])]),
        (Array("n", dtype="float"), [np.zeros(3, np.float32)], [np.zeros(3, np.float16), np.zeros(3, int)]),
        (Array("n", "n", sparse=True, dense=False), [csr_array((3, 3))], [np.zeros((3, 3))]),
        (Array("m + 1"), [np.zeros(5), np.zeros(5)], [np.zeros(4)]),
        (Number(0, 1), [0, 0.5, np.float64(1)], [True, -0.1, 1.1, "1", None, np.nan, np.array(0.5)]),
        (count("n"), [3], [4, -1, 3.0, np.array(3), np.empty(0)]),
        (Names("n"), [np.array(["a", "b", "c"]), np.arange(3)], [np.arange(2), ["a", "b", "c"], np.array(3)]),
        (AnyOf(None, Number()), [None, 1.0], ["x"]),
        (Optional(Value(str, choices=("a", "b"))), ["a"], ["c", 1]),
        (Part("ForestRanker"), [], [ForestRanker(), None]),
    ],
)
def test_what_an_attribute_may_be(kind, good, bad):
    sizes = Sizes(n=3, m=4)
    assert [kind.problem(value, sizes) for value in good] == [None] * len(good)
    assert all(kind.problem(value, sizes) for value in bad)
    assert str(kind)
