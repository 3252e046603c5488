"""Tables as they are, against pandas and scikit-learn."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.impute import SimpleImputer

from semirank import RankingDataset, load_model
from semirank.dataset.table import RawTable
from semirank.features import TableFeatures
from semirank.features.columns import MOST_LEVELS, NumberColumn
from semirank.features.table import FEWEST_IDS, are_ids, encode

N = 40
SENTENCES = ["a red car drives fast", "the green apple tastes good", "an old man walks slowly"]


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "id": np.arange(N) + 100,
            "size": np.where(rng.random(N) < 0.3, np.nan, rng.normal(size=N) * 1e6),
            "town": rng.choice(["Bonn", "Jena", "Köln"], N),
            "sold": rng.choice([True, False], N),
            "day": pd.date_range("2020-01-30", periods=N),
            "note": [f"{SENTENCES[row % 3]} no{row}" for row in range(N)],
            "code": [f"x{row}" for row in range(N)],
            "unit": "cm",
            "nothing": [None] * N,
        }
    )


def test_every_column_becomes_what_pandas_and_scikit_learn_make_of_it(frame):
    features = TableFeatures().fit(frame)
    made = pd.DataFrame(features.transform(frame), columns=features.get_feature_names_out())
    imputed = SimpleImputer(strategy="median", add_indicator=True).fit_transform(frame[["size"]])
    np.testing.assert_allclose(made[["size", "size: missing"]], imputed)
    dummies = pd.get_dummies(frame["town"], prefix="town", prefix_sep="=").astype(float)
    pd.testing.assert_frame_equal(made[sorted(dummies)], dummies[sorted(dummies)])
    assert made["sold"].tolist() == frame["sold"].tolist()
    assert made["day: month"].tolist() == frame["day"].dt.month.tolist()
    assert made["day: weekday"].tolist() == frame["day"].dt.day_of_week.tolist()
    assert np.diff(made["day"]).tolist() == [1.0] * (N - 1)
    assert sum(name.startswith("note: topic") for name in made) == 3  # as many as there are sentences
    assert features.left_out_ == {
        "id": "it counts the rows",
        "code": "all different",
        "unit": "constant",
        "nothing": "empty",
    }


def test_the_summary_is_one_line_that_names_what_is_left_out(frame):
    assert TableFeatures().fit(frame).summary == (
        "2 numbers, 1 category of 3 levels, 1 date, 1 column of text; left out: `id` (it counts the rows), "
        "`code` (all different), `unit` (constant), `nothing` (empty)"
    )


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "arrow"])
def test_any_kind_of_frame_gives_the_same_features(frame, convert):
    expected = TableFeatures().fit(frame)
    found = TableFeatures().fit(convert(frame))
    assert found.summary == expected.summary
    np.testing.assert_allclose(found.transform(convert(frame)), expected.transform(frame))
    np.testing.assert_allclose(expected.transform(convert(frame)), expected.transform(frame))


def test_what_was_learned_is_saved_as_plain_data(frame, tmp_path):
    features = TableFeatures().fit(frame)
    features.save(tmp_path / "features")
    loaded = load_model(tmp_path / "features")
    assert loaded.summary == features.summary
    np.testing.assert_array_equal(loaded.transform(frame), features.transform(frame))


def test_new_rows_are_read_as_the_old_ones(frame):
    features = TableFeatures().fit(frame)
    np.testing.assert_allclose(features.transform(frame.iloc[[3]]), features.transform(frame)[[3]])
    shuffled = frame[sorted(frame.columns)].assign(more=1)
    np.testing.assert_array_equal(features.transform(shuffled), features.transform(frame))
    new = frame.iloc[[0]].assign(town="Ulm", size=np.nan)
    made = dict(zip(features.get_feature_names_out(), features.transform(new)[0], strict=True))
    assert [made[f"town={town}"] for town in ("Bonn", "Jena", "Köln")] == [0, 0, 0]
    assert made["size"] == frame["size"].median()
    with pytest.raises(ValueError, match="no column 'town', which was there in fit"):
        features.transform(frame.drop(columns="town"))


def test_commas_mean_in_new_rows_what_they_meant_in_fit():
    features = TableFeatures().fit(pd.DataFrame({"price": ["1,5", "2,25", "10"], "n": [1, 2, 4]}))
    assert features.transform(pd.DataFrame({"price": ["1,500"], "n": [1]}))[0, 0] == 1.5
    assert "`price`: read with decimal commas" in features.summary


def test_a_category_of_ten_thousand_levels():
    rng = np.random.default_rng(0)
    town = rng.zipf(1.3, 30_000) % 10_000
    frame = pd.DataFrame({"town": [f"t{number}" for number in town], "n": rng.random(30_000)})
    features = TableFeatures().fit(frame)
    made = features.transform(frame)
    assert made.shape == (30_000, MOST_LEVELS + 2)
    frequent = frame["town"].value_counts().head(MOST_LEVELS).sum()
    others = made[:, list(features.get_feature_names_out()).index("town=other")]
    assert others.sum() == 30_000 - frequent


def test_words_among_numbers_count_as_missing_and_are_said():
    frame = pd.DataFrame({"age": [*map(str, range(2, 60, 2)), "old"], "x": np.arange(30) % 3})
    features = TableFeatures().fit(frame)
    assert "`age`: 'old' is no number and counts as missing" in features.summary
    assert features.transform(frame)[-1, 1] == 1


def test_kinds_can_be_said():
    frame = pd.DataFrame({"zip": [1, 2, 3, 1], "nr": [1.0, 2.0, 3.0, 4.0]})
    features = TableFeatures({"zip": "category"}).fit(frame)
    assert features.get_feature_names_out().tolist() == ["zip=1", "zip=2", "zip=3", "nr"]
    declared = TableFeatures().fit(frame.astype({"zip": "category"}))
    assert declared.summary == features.summary
    with pytest.raises(ValueError, match="there is no column 'zap'"):
        TableFeatures({"zap": "category"}).fit(frame)
    with pytest.raises(ValueError, match="'zip' must be number, category, date, text; got 'colour'"):
        TableFeatures({"zip": "colour"}).fit(frame)
    words = pd.DataFrame({"a": ["x", "y", "z"]})
    with pytest.raises(
        ValueError, match="The column 'a' cannot be a number: most of its cells are no numbers"
    ):
        TableFeatures({"a": "number"}).fit(words)


def test_a_table_of_texts_alone_stays_texts(frame):
    features = TableFeatures().fit(frame[["note", "unit"]])
    assert features.summary == "1 column of text; left out: `unit` (constant)"
    assert features.transform(frame).tolist() == frame["note"].tolist()
    names = TableFeatures().fit(frame[["code"]])  # nothing else is there to rank by
    assert names.transform(frame).tolist() == frame["code"].tolist()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": ["x", "x"], "b": [1, 1]}, r"No column is left to rank by \('a': constant; 'b': constant\)"),
        ({"a": [1.0, np.inf], "b": ["x", "y"]}, "The column 'a' is infinite in row 1"),
        ({"a": [[1], [2]]}, "The column 'a' holds a list in each cell"),
        ({"a": []}, "The table has no rows"),
        ({}, "The table has no columns"),
    ],
)
def test_bad_tables_get_one_line_that_names_the_column(columns, message):
    with pytest.raises(ValueError, match=message):
        TableFeatures().fit(pd.DataFrame(columns))


def test_two_rows_are_a_table():
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["2020-01-01", "1.2.2020"], "c": [1, None]})
    assert np.isfinite(TableFeatures().fit_transform(frame)).all()


def test_data_keep_their_table_until_features_are_exchanged():
    table = RawTable({"town": np.array(["b", "a", "b"], dtype=object), "n": np.array([1.0, 2.0, np.nan])})
    data = RankingDataset(np.zeros((3, 0)), [1, np.nan, 0], ["q", "r", "q"], table=table)
    assert data.table["town"].tolist() == ["b", "b", "a"]
    assert data.take([2]).table["town"].tolist() == ["a"]
    assert data.hide_labels(keep=1, random_state=0).table is data.table
    encoded, features = encode(data)
    assert encoded.table is None
    assert encoded.feature_names == ("town=b", "n", "n: missing")
    np.testing.assert_array_equal(encoded.X, [[1, 1, 0], [1, 1.5, 1], [0, 2, 0]])
    assert features.summary == "1 number, 1 category of 2 levels"
    with pytest.raises(ValueError, match="one row for each of 2 items; got 3"):
        RankingDataset(np.zeros((2, 0)), [1, 0], table=table)


def test_numbers_without_gaps_are_left_alone():
    data = RankingDataset([[1.0], [2.0]], [1, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert encode(data) == (data, None)


def test_a_column_of_which_nothing_was_known_counts_as_zero_where_it_is_missing():
    column = NumberColumn().fit(np.array([np.nan, np.nan]))
    np.testing.assert_array_equal(column.transform(np.array([np.nan, 2.0])), [[0.0, 1.0], [2.0, 0.0]])


@pytest.mark.parametrize(
    ("name", "numbers", "expected"),
    [
        ("x", np.arange(5.0, 5.0 + FEWEST_IDS), True),
        ("x", np.arange(5.0, 5.0 + FEWEST_IDS)[::-1], True),
        ("x", np.append(np.arange(FEWEST_IDS - 1.0), FEWEST_IDS), False),  # one gap
        ("x", np.append(np.arange(FEWEST_IDS - 1.0), 0.0), False),
        ("x", np.arange(FEWEST_IDS) / 2, False),
        ("x", np.append(np.arange(FEWEST_IDS - 1.0), np.nan), False),
        ("x", np.arange(FEWEST_IDS - 1.0), False),  # too few to tell
        ("id", 7.0 * np.arange(FEWEST_IDS), True),
        ("id", np.append(7.0 * np.arange(FEWEST_IDS), 0.0), False),
    ],
)
def test_numbers_that_count_the_rows_are_ids(name, numbers, expected):
    assert are_ids(name, numbers) is expected
