"""Models in one safe file: a JSON manifest and plain arrays, never code.

The file is a safetensors file. Its arrays are what was learned; its one metadata entry, ``semirank``, is a
SHA-256 over everything and, after a blank, the manifest: which ranker, which parameters, which attributes.
Reading it allocates no more than the file is long, imports nothing that the file names, and refuses what
does not fit together.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as safetensors_bytes
from scipy.sparse import csr_array, issparse

from semirank.core.arrays import AnyArray
from semirank.core.threads import count_workers
from semirank.files import open_output
from semirank.learned import Table, check_learned, check_names, learned_by

FORMAT = "semirank model"
VERSION = 1
_BAD_CONTENT = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, OverflowError)


class Storable:
    """An estimator whose parameters and learned attributes (those that end in ``_``) go into a model file.

    `learned` is the table of what these attributes are; what is saved or read has to agree with it.
    """

    learned: ClassVar[Table] = {}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to one file; `semirank.load_model` reads it back."""
        if not learned_by(self):
            raise ValueError(f"This {type(self).__name__} is not fitted yet: there is nothing to save.")
        save(self, path)

    def _check_state(self) -> None:
        """Raise ValueError when learned attributes, read from a file, do not fit together."""


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write anything made of Storable models, plain values and arrays to one file, whole or not at all."""
    manifest, arrays = _describe(model)
    signed = f"{_digest(manifest, arrays)} {manifest}"
    with open_output(path) as stream:
        stream.write(safetensors_bytes(arrays, {"semirank": signed}))


def digest_of(model: Any) -> str:
    """Return what tells a fitted model from any other: the checksum of its file."""
    return _digest(*_describe(model))


def _describe(model: Any) -> tuple[str, dict[str, AnyArray]]:
    arrays: dict[str, AnyArray] = {}
    content = _encode(model, arrays)
    return json.dumps({"format": FORMAT, "version": VERSION, "content": content}, allow_nan=False), arrays


def load(path: str | os.PathLike[str], kinds: Mapping[str, type]) -> Any:
    """Read what `save` has written; `kinds` maps the names of classes that may appear to the classes."""
    try:
        with safe_open(path, framework="np") as stream:
            metadata = stream.metadata() or {}
            arrays = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118 (no mapping)
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: no such file.") from None
    except (SafetensorError, ValueError, TypeError) as error:
        raise ValueError(f"{path}: is no semirank model, or is damaged ({error}).") from error
    return _read_manifest(str(path), metadata, arrays, kinds)


def _read_manifest(
    path: str, metadata: Mapping[str, str], arrays: dict[str, AnyArray], kinds: Mapping[str, type]
) -> Any:
    if "semirank" not in metadata:
        raise ValueError(f"{path}: is a safetensors file, but no semirank model.")
    digest, _, manifest = metadata["semirank"].partition(" ")
    if digest != _digest(manifest, arrays):
        raise ValueError(f"{path}: the model file is damaged (its checksum does not match).")
    try:
        content = json.loads(manifest)
        if content["format"] != FORMAT:
            raise ValueError(f"the format is {content['format']!r}")
        if content["version"] != VERSION:
            raise ValueError(f"the format has version {content['version']!r}; this semirank reads {VERSION}")
        return _decode(content["content"], arrays, kinds)
    except _BAD_CONTENT as error:
        raise ValueError(f"{path}: the model file cannot be used: {error}.") from error


def _digest(manifest: str, arrays: Mapping[str, AnyArray]) -> str:
    digest = hashlib.sha256(manifest.encode())
    for name in sorted(arrays):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(arrays[name]).data)
    return digest.hexdigest()


def _encode(value: Any, arrays: dict[str, AnyArray]) -> Any:
    """Turn a value into JSON; arrays go into `arrays` and leave their name behind."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else {"float": repr(value)}
    if isinstance(value, (list, tuple)):
        return {type(value).__name__: [_encode(entry, arrays) for entry in value]}
    if isinstance(value, dict):
        return {"dict": [[_encode(key, arrays), _encode(entry, arrays)] for key, entry in value.items()]}
    if isinstance(value, np.ndarray):
        return _encode_array(value, arrays)
    if issparse(value):
        csr = csr_array(value)
        parts = [_encode_array(part, arrays) for part in (csr.data, csr.indices, csr.indptr)]
        return {"csr": {"shape": list(csr.shape), "parts": parts}}
    if isinstance(value, Storable):
        params, state = value.get_params(deep=False), learned_by(value)  # type: ignore[attr-defined]
        if state:
            check_names(value)
        return {
            "model": type(value).__name__,
            "params": {name: _encode(entry, arrays) for name, entry in params.items()},
            "state": {name: _encode(entry, arrays) for name, entry in state.items()},
        }
    raise ValueError(f"A {type(value).__name__} cannot be saved in a model file: {value!r:.60}.")


def _encode_array(array: AnyArray, arrays: dict[str, AnyArray]) -> Any:
    if array.dtype.kind in "biuf":
        name = f"a{len(arrays)}"
        arrays[name] = np.ascontiguousarray(array)
        return {"array": name}
    if array.ndim == 1 and all(isinstance(entry, (str, int, float)) for entry in array.tolist()):
        return {"objects": [_encode(entry, arrays) for entry in array.tolist()]}
    raise ValueError(f"An array of {array.dtype} cannot be saved in a model file.")


def _decode(value: Any, arrays: Mapping[str, AnyArray], kinds: Mapping[str, type]) -> Any:
    if not isinstance(value, dict):
        if isinstance(value, list):
            raise ValueError("a bare list stands in the manifest")
        return value
    if "model" in value:
        return _decode_model(value, arrays, kinds)
    [(kind, content)] = value.items()
    match kind:
        case "float":
            return float(content)
        case "list" | "tuple":
            entries = [_decode(entry, arrays, kinds) for entry in content]
            return entries if kind == "list" else tuple(entries)
        case "dict":
            return {_decode(key, arrays, kinds): _decode(entry, arrays, kinds) for key, entry in content}
        case "array":
            return arrays[content]
        case "objects":
            return np.array([_decode(entry, arrays, kinds) for entry in content], dtype=object)
        case "csr":
            rows, columns = content["shape"]
            matrix = csr_array(
                tuple(_decode(part, arrays, kinds) for part in content["parts"]), shape=(rows, columns)
            )
            matrix.check_format(full_check=True)
            return matrix
    raise ValueError(f"an entry is of the unknown kind {kind!r}")


def _decode_model(value: dict[str, Any], arrays: Mapping[str, AnyArray], kinds: Mapping[str, type]) -> Any:
    if value["model"] not in kinds:
        raise ValueError(f"it holds a {value['model']!r}, which this semirank does not know")
    params = {name: _decode(entry, arrays, kinds) for name, entry in value["params"].items()}
    if isinstance(params.get("n_jobs"), int):  # a file does not decide how many processes run here
        params["n_jobs"] = min(params["n_jobs"], count_workers(-1))
    model = kinds[value["model"]](**params)
    for name, entry in value["state"].items():
        if not name.isidentifier() or not name.endswith("_") or name.startswith("_"):
            raise ValueError(f"{name!r} is no name for a learned attribute")
        setattr(model, name, _decode(entry, arrays, kinds))
    if value["state"]:  # a parameter may be a model that is not fitted
        check_learned(model)
        model._check_state()
    return model
