"""A model file brings back what was saved, and a bad one is refused with its name."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save as safetensors_bytes
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator

from semirank import storage
from semirank.storage import Storable


class Model(Storable, BaseEstimator):
    def __init__(self, size=1, inner=None):
        self.size = size
        self.inner = inner

    def fit(self, **learned):
        vars(self).update(learned)
        return self


KINDS = {"Model": Model}
plain = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.tuples(inner, inner), st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=10,
)


def same(left, right) -> bool:
    if issparse(left):
        return issparse(right) and left.shape == right.shape and (left != right).nnz == 0
    if isinstance(left, np.ndarray):
        return left.dtype == right.dtype and np.array_equal(left, right, equal_nan=left.dtype.kind == "f")
    if isinstance(left, float) and left != left:
        return isinstance(right, float) and right != right
    if isinstance(left, (list, tuple)):
        return type(left) is type(right) and len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    return type(left) is type(right) and left == right


def round_trip(model, path: Path):
    model.save(path)
    return storage.load(path, KINDS)


@given(value=plain)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_plain_values_come_back_equal_and_of_the_same_type(tmp_path, value):
    again = round_trip(Model(size=value).fit(learned_=value), tmp_path / "m")
    assert same(again.size, value)
    assert same(again.learned_, value)


@pytest.mark.parametrize(
    "value",
    [
        np.array([1.5, np.nan, -np.inf]),
        np.arange(6, dtype=np.int32).reshape(2, 3),
        np.arange(6.0).reshape(2, 3).T,
        np.zeros((0, 3)),
        np.float32([1, 2]),
        np.array([True, False]),
        np.array(["a", "list 7"], dtype=object),
        np.array(["a", 3], dtype=object),
        csr_array([[0, 1.0], [2.0, 0]]),
        {"a": [np.arange(3), {"b": csr_array((2, 5))}]},
    ],
)
def test_arrays_come_back_bit_for_bit(tmp_path, value):
    assert same(round_trip(Model().fit(learned_=value), tmp_path / "m").learned_, value)


def test_models_nest(tmp_path):
    inner = Model(size=3).fit(learned_=np.arange(4))
    again = round_trip(Model(inner=Model(size=2)).fit(inner_=inner), tmp_path / "m")
    assert again.inner.size == 2
    np.testing.assert_array_equal(again.inner_.learned_, np.arange(4))


def test_same_model_same_bytes(tmp_path):
    for name in ("a", "b"):
        Model().fit(learned_=np.arange(3), x_=[1, "two"]).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_unfitted_and_unstorable_models_are_refused_and_leave_no_file(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        Model().save(tmp_path / "m")
    for value in (object(), np.array([object()]), {1, 2}, 1j):
        with pytest.raises(ValueError, match="cannot be saved"):
            Model().fit(learned_=value).save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def written(tmp_path: Path) -> Path:
    path = tmp_path / "m"
    Model(size=2).fit(learned_=np.arange(20.0), matrix_=csr_array(np.eye(3))).save(path)
    return path


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_damaged_byte_is_noticed(tmp_path, data):
    path = written(tmp_path)
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    before, content[at] = content[at], content[at] ^ data.draw(st.integers(1, 255))
    assume(bytes([before, content[at]]) not in (b" \t", b" \n", b" \r"))  # one blank for another: no damage
    path.write_bytes(content)
    with pytest.raises(ValueError, match=str(path)):
        storage.load(path, KINDS)


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_cut_is_noticed(tmp_path, data):
    path = written(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(ValueError, match="damaged"):
        storage.load(path, KINDS)


@given(content=st.binary(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_arbitrary_bytes_are_refused(tmp_path, content):
    path = tmp_path / "m"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="no semirank model"):
        storage.load(path, KINDS)


def forged(path: Path, manifest: str, **arrays) -> Path:
    """Write a file with a right checksum and any manifest, as an attacker would."""
    signed = f"{storage._digest(manifest, arrays)} {manifest}"
    path.write_bytes(safetensors_bytes(arrays, {"semirank": signed}))
    return path


def envelope(content) -> str:
    return json.dumps({"format": storage.FORMAT, "version": storage.VERSION, "content": content})


def model_with(state) -> dict:
    return {"model": "Model", "params": {}, "state": state}


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("[1]", "cannot be used"),
        ("{", "cannot be used"),
        ("[" * 100_000, "cannot be used"),
        ('{"format": "other", "version": 1, "content": null}', "format is 'other'"),
        ('{"format": "semirank model", "version": 99, "content": null}', "version 99"),
        (envelope({"model": "os.system", "params": {}, "state": {}}), "does not know"),
        (envelope({"model": "Model", "params": {"colour": 1}, "state": {}}), "colour"),
        (envelope(model_with({"fit": 1})), "no name for a learned attribute"),
        (envelope(model_with({"__class__": 1})), "no name for a learned attribute"),
        (envelope(model_with({"x_": {"array": "missing"}})), "missing"),
        (envelope(model_with({"x_": {"pickle": "gASV"}})), "unknown kind 'pickle'"),
        (envelope(model_with({"x_": [1, 2]})), "bare list"),
        (envelope(model_with({"x_": {"csr": {"shape": [2], "parts": []}}})), "cannot be used"),
    ],
)
def test_hostile_manifests_are_refused(tmp_path, manifest, message):
    with pytest.raises(ValueError, match=message):
        storage.load(forged(tmp_path / "m", manifest), KINDS)


def test_csr_that_points_outside_its_shape_is_refused(tmp_path):
    state = {"x_": {"csr": {"shape": [1, 2], "parts": [{"array": "d"}, {"array": "i"}, {"array": "p"}]}}}
    arrays = {"d": np.ones(1), "i": np.array([7], dtype=np.int32), "p": np.array([0, 1], dtype=np.int32)}
    with pytest.raises(ValueError, match="cannot be used"):
        storage.load(forged(tmp_path / "m", envelope(model_with(state)), **arrays), KINDS)


def test_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere: no such file"):
        storage.load(tmp_path / "nowhere", KINDS)
