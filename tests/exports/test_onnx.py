"""What is exported scores new items as `predict` does, in another program."""

import sys

import numpy as np
import onnx
import onnxruntime
import pytest

import semirank
from semirank import (
    AutoRanker,
    Blend,
    ForestRanker,
    LabelledOnly,
    LinearSVMRanker,
    LineSearchRanker,
    LogisticRanker,
    RankBoost,
    RankRLS,
    RankRLSCV,
    RankSVM,
    SelfTrainingLogistic,
    SemiRankBoost,
    TransductiveRankRLS,
    TransductiveSVM,
    export_onnx,
)
from semirank.exports.onnx import _rounded_down
from semirank.rankers.formulas import Scaled

nan = np.nan


def lists(seed=0, n_lists=6, size=30):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_lists * size, 5)) * [1.0, 100.0, 1e-3, 1.0, 3.0] + [0, 1e4, 0, 5, 0]
    wanted = X[:, 0] + (X[:, 1] - 1e4) / 100 + rng.normal(size=len(X)) > 0.5
    y = np.where(rng.random(len(X)) < 0.5, wanted.astype(float), nan)
    return X, y, np.repeat(np.arange(n_lists), size)


def run(path, X):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(["scores"], {"X": np.asarray(X, dtype=np.float64)})[0]


EXPORTED = [
    RankRLS(), RankRLS("rbf", gamma=1e-4), RankRLSCV(), RankSVM(), TransductiveRankRLS(),
    LogisticRanker(shared=True), LinearSVMRanker(shared=True), SelfTrainingLogistic(shared=True),
    TransductiveSVM(shared=True), LineSearchRanker(n_restarts=1), LabelledOnly(RankSVM()),
    RankBoost(20), RankBoost(20, n_bins=None), SemiRankBoost(20), ForestRanker(30, random_state=0),
    Blend([RankRLS(), RankBoost(10), ForestRanker(10, random_state=0)]),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ranker", EXPORTED, ids=lambda each: each.in_words())
def test_scores_are_those_of_predict(ranker, tmp_path):
    X, y, qid = lists()
    new = lists(1)[0]
    path = str(tmp_path / "model.onnx")
    export_onnx(ranker.fit(X, y, qid), path)
    expected = ranker.predict(new, np.full(len(new), 99))
    np.testing.assert_allclose(run(path, new), expected, rtol=1e-5, atol=1e-5 * np.ptp(expected))
    assert run(path, new[:0]).shape == (0,)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("choice", ["linear", "wide kernel", "boosted", "trees"])
def test_a_choice_of_auto_ranker_comes_with_its_scaling(choice, tmp_path):
    X, y, _ = lists(2, n_lists=1, size=150)
    ranker = AutoRanker(choice=choice).fit(X, y)
    path = str(tmp_path / "model.onnx")
    export_onnx(ranker, path)
    assert isinstance(ranker.formula(), Scaled)
    expected = ranker.predict(lists(3)[0])
    np.testing.assert_allclose(run(path, lists(3)[0]), expected, rtol=1e-5, atol=1e-5 * np.ptp(expected))


def test_thresholds_part_numbers_of_single_precision_as_before():
    X = np.nextafter(np.float32(0.1), np.float32([1.0, -1.0])).astype(float)
    X = np.append(X, np.float32(0.1))[:, None]
    trees = ForestRanker(20, 1, max_features=1.0, random_state=0).fit(X, [1.0, 0.0, 0.5])
    single = X.astype(np.float32)
    for threshold in trees.thresholds_[trees.features_ == 0]:
        np.testing.assert_array_equal(single <= _rounded_down(np.array([threshold])), single <= threshold)


def test_the_file_says_what_it_is(tmp_path):
    import pandas as pd

    X, y, qid = lists()
    frame = pd.DataFrame(X, columns=["price", "size", "age", "rooms", "floor"])
    export_onnx(RankRLS().fit(frame, y, qid), tmp_path / "model.onnx")
    model = onnx.load(tmp_path / "model.onnx")
    about = {each.key: each.value for each in model.metadata_props}
    assert about["features"] == "price,size,age,rooms,floor"
    assert about["in_words"] == "RankRLS, linear kernel"
    assert (model.producer_name, model.producer_version) == ("semirank", semirank.__version__)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("ranker", "message"),
    [
        (semirank.ManifoldRanking(), "ManifoldRanking ranks by more than a formula.*fit a linear ranker"),
        (semirank.DistanceRanking(), "DistanceRanking ranks by more than a formula"),
        (
            RankRLS("polynomial", 1e-9, ridge=1e3),
            "no formula for the kernel 'polynomial': take 'linear' or 'rbf'",
        ),
        (LogisticRanker(shared=False), "a model for each of 6 lists.*shared=True"),
        (Blend([RankRLS(), semirank.ManifoldRanking()]), "ManifoldRanking ranks by more"),
    ],
)
def test_what_cannot_be_exported_says_what_to_do_and_writes_nothing(ranker, message, tmp_path):
    X, y, qid = lists()
    with pytest.raises(ValueError, match=message):
        export_onnx(ranker.fit(X, y, qid), tmp_path / "model.onnx")
    assert list(tmp_path.iterdir()) == []


def test_texts_have_no_formula(tmp_path):
    ranker = AutoRanker(choice="words").fit(["a cat", "a dog", "a cow", "cats"] * 5, [1, 0, 0, nan] * 5)
    with pytest.raises(ValueError, match="The model ranks texts, and a formula takes numbers alone"):
        export_onnx(ranker, tmp_path / "model.onnx")


def test_without_onnx_the_extra_is_named(monkeypatch, tmp_path):
    X, y, qid = lists()
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'semirank\[onnx\]'"):
        export_onnx(RankRLS().fit(X, y, qid), tmp_path / "model.onnx")
