"""AutoRanker and compare on tables as they are, and on a candidate that was asked for."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from semirank import AutoRanker, RankingDataset, compare, load, load_model
from semirank.dataset import DataWarning
from semirank.dataset.table import as_table

nan = np.nan


@pytest.fixture
def houses():
    """A table where town and size decide, with gaps, dates and a column of row numbers."""
    rng = np.random.default_rng(0)
    n = 120
    frame = pd.DataFrame(
        {
            "nr": np.arange(n),
            "town": rng.choice(["Bonn", "Jena", "Ulm"], n),
            "size": rng.normal(size=n) * 1e5,
            "built": pd.date_range("1990-01-01", periods=n, freq="W"),
        }
    )
    truth = ((frame["town"] == "Bonn") + (frame["size"] > 0) >= 1).to_numpy(float)
    frame.loc[rng.permutation(n)[:20], "size"] = nan
    y = np.where(rng.random(n) < 0.3, truth, nan)
    return frame, y, truth


def test_a_frame_is_ranked_as_it_is_and_the_model_keeps_how(houses, tmp_path):
    frame, y, truth = houses
    auto = AutoRanker().fit(frame, y)
    hidden = np.isnan(y)
    assert roc_auc_score(truth[hidden], auto.scores_[hidden]) > 0.85
    assert auto.table_.summary == (
        "1 number, 1 category of 3 levels, 1 date; left out: `nr` (it counts the rows)"
    )
    assert auto.feature_names_in_.tolist() == list(frame.columns)
    auto.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(pl.from_pandas(frame)), auto.predict(frame))
    np.testing.assert_allclose(auto.predict(frame.iloc[5:7]), auto.predict(frame)[5:7])
    with pytest.raises(ValueError, match="no column 'town'"):
        auto.predict(frame[["size", "built"]])
    assert 0 <= auto.score(frame, truth) <= 1


def test_scores_are_in_the_order_of_the_caller_when_lists_are_mixed(houses):
    frame, y, _ = houses
    qid = np.arange(len(y)) % 2
    apart = np.argsort(qid, kind="stable")
    mixed = AutoRanker(choice="linear").fit(frame.assign(qid=qid), y).scores_
    sorted_first = AutoRanker(choice="linear").fit(frame.iloc[apart], y[apart], qid[apart]).scores_
    np.testing.assert_allclose(mixed[apart], sorted_first)


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
def test_a_column_of_text_is_ranked_as_texts():
    texts = [f"{word} {word}s are here number{row}" for row in range(30) for word in ("cat", "dog")]
    y = np.full(60, nan)
    y[:8] = [1, 0] * 4
    expected = AutoRanker().fit(texts, y)
    for items in (
        pd.DataFrame({"note": texts, "unit": "m"}),
        pl.Series(texts),
        np.array(texts, dtype=object),
    ):
        auto = AutoRanker().fit(items, y)
        np.testing.assert_array_equal(auto.scores_, expected.scores_)
        np.testing.assert_array_equal(auto.predict(items), expected.predict(texts))
    assert auto.scores_[20] > auto.scores_[21]
    np.testing.assert_array_equal(expected.predict(pd.DataFrame({"note": texts})), expected.predict(texts))
    with pytest.raises(ValueError, match="ranks texts"):
        expected.predict(np.zeros((2, 3)))


def test_numbers_without_gaps_are_as_before(houses):
    frame, y, _ = houses
    numbers = frame[["size"]].fillna(0.0).assign(half=frame["nr"] / 2)
    plain = AutoRanker(choice="linear").fit(numbers.to_numpy(), y)
    framed = AutoRanker(choice="linear").fit(numbers, y)
    assert framed.table_ is None
    np.testing.assert_allclose(framed.scores_, plain.scores_, rtol=1e-9)


def test_ids_among_numbers_are_left_out(houses):
    frame, y, _ = houses
    numbers = frame[["size"]].fillna(0.0)
    plain = AutoRanker(choice="linear").fit(numbers, y)
    numbered = numbers.assign(nr=frame["nr"], house_id=np.random.default_rng(0).permutation(len(y)) * 7)
    auto = AutoRanker(choice="linear").fit(numbered, y)
    assert auto.table_.left_out_ == dict.fromkeys(["nr", "house_id"], "it counts the rows")
    np.testing.assert_array_equal(auto.scores_, plain.scores_)


def test_missing_numbers_are_their_median_and_a_feature(houses):
    frame, y, _ = houses
    gaps = frame[["size"]].to_numpy()
    filled = np.column_stack([np.where(np.isnan(gaps), np.nanmedian(gaps), gaps), np.isnan(gaps)])
    auto = AutoRanker(choice="linear").fit(gaps, y)
    np.testing.assert_allclose(auto.scores_, AutoRanker(choice="linear").fit(filled, y).scores_)


def test_compare_takes_a_table_and_agrees_with_auto_ranker(houses):
    frame, y, _ = houses
    data = RankingDataset(np.zeros((len(y), 0)), y, table=as_table(frame))
    found = compare(data, budget=False, detailed=False)
    assert found.data.features > 0
    assert found.recommended == AutoRanker().fit(frame, y).choice_["name"]


def test_a_candidate_can_be_asked_for(houses):
    frame, y, _ = houses
    auto = AutoRanker(choice="trees").fit(frame, y)
    assert (auto.verdict_, auto.choice_["reason"]) == ("trees: it was asked for.", "asked for")
    assert type(auto.ranker_).__name__ == "ForestRanker"
    mixed = AutoRanker(choice="mix").fit(frame, y)
    assert type(mixed.ranker_).__name__ == "Blend"
    given = AutoRanker(candidates=["rankboost"], choice="rankboost").fit(frame, y)
    assert type(given.ranker_).__name__ == "RankBoost"
    with pytest.raises(ValueError, match=r"no candidate 'tree' for these data. There are .*'trees'.*'mix'"):
        AutoRanker(choice="tree").fit(frame, y)
    with pytest.raises(ValueError, match="choice must be None or a name; got 3"):
        AutoRanker(choice=3).fit(frame, y)


def test_every_name_of_a_leaderboard_can_be_asked_for(houses):
    frame, _, truth = houses
    y = np.where(np.arange(len(truth)) % 3, truth, nan)
    board = AutoRanker().fit(frame, y).leaderboard_
    assert len(board) > 5
    for row in board:
        assert AutoRanker(choice=row["name"]).fit(frame, y).choice_["name"] == row["name"]


@pytest.mark.parametrize(
    ("y", "warned"),
    [
        ([1, 0, -1, -1], True),
        ([1, 1, -1, -1], True),
        ([1, -1, nan, nan], False),
        ([1, 0, -1, nan], True),
        ([1, -1, -2, nan], False),
        ([1, 0, nan, nan], False),
    ],
)
def test_minus_one_is_never_silently_a_label(y, warned):
    X = np.random.default_rng(0).normal(size=(12, 2))
    auto = AutoRanker(candidates=["rankrls"], choice="rankrls")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        auto.fit(X, np.tile(y, 3))
    said = [str(each.message) for each in caught if issubclass(each.category, DataWarning)]
    assert any("np.where(y == -1, np.nan, y)" in message for message in said) == warned


def test_advice_names_no_parameter_that_auto_ranker_lacks():
    moons = load("moons", noise=0.05, random_state=0)
    y = np.full(moons.n_items, nan)
    y[np.flatnonzero(moons.y == 1)[0]] = 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        AutoRanker(choice="graph").fit(moons.X, y)
    said = [str(each.message) for each in caught]
    assert any("cannot be reached" in message for message in said)
    assert not any("n_neighbors" in message for message in said)
