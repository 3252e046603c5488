"""Vectors in NumPy and safetensors files, with a table of the same items beside them."""

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from safetensors.numpy import load

from semirank.core.arrays import AnyArray
from semirank.dataset import RankingDataset, mark_unlabelled
from semirank.files import ending_of, name_of, open_archive, open_input
from semirank.readers.loading import load_cells
from semirank.readers.record_files import ENDINGS, read_records
from semirank.readers.records import Records
from semirank.readers.table import read_labels

_NAMES = {"X": ("X", "vectors", "embeddings", "features"), "y": ("y", "label", "labels"), "qid": ("qid",)}
_ITEMS = ("item_ids", "item", "ids")


def read_arrays(
    source: str | os.PathLike[str],
    *,
    table: Any = None,
    unlabelled: float | Literal["auto"] | None = "auto",
    **columns: Any,
) -> RankingDataset:
    """Read vectors, one row an item, from a ``.npy``, ``.npz`` or ``.safetensors`` file.

    Labels, lists and names of the items come from a table with the same rows, or from arrays of the file (X,
    y, qid, item_ids). Nothing in the file is executed: arrays of objects are refused.

    Parameters
    ----------
    source : path
        The vectors. An ``.npz`` or ``.safetensors`` file has one array of two dimensions, or one called X,
        vectors, embeddings or features.
    table : path or data frame, optional
        Records of the same items in the same order. None: a file of the same name beside the vectors that
        ends in .csv, .tsv, .parquet or .xlsx, if there is one.
    unlabelled : float, "auto" or None
        The label that means "unlabelled"; see `read_table`.
    **columns
        Options of `read_table` for the table: label, qid, item, relevant, encoding.
    """
    name = name_of(source)
    arrays = _load(source, name)
    X = _vectors(arrays, name)
    table = beside(source) if table is None else table
    if table is None:
        y = _one_of(arrays, _NAMES["y"])
        y = np.full(len(X), np.nan) if y is None else np.asarray(y, dtype=np.float64)
        try:
            y = mark_unlabelled(y, unlabelled)[0]
            return RankingDataset(X, y, _one_of(arrays, _NAMES["qid"]), _one_of(arrays, _ITEMS))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return _with_table(X, name, table, unlabelled, columns)


def beside(source: str | os.PathLike[str]) -> Path | None:
    """Find the table that stands beside vectors under the same name; None if there is none."""
    path = Path(source)
    endings = [ending for ending, format in ENDINGS.items() if format in ("csv", "tsv", "parquet", "xlsx")]
    return next((found for ending in endings if (found := path.with_suffix(ending)).exists()), None)


def _with_table(
    X: AnyArray, name: str, table: Any, unlabelled: float | Literal["auto"] | None, columns: Mapping[str, Any]
) -> RankingDataset:
    options: dict[str, Any] = dict.fromkeys(("label", "qid", "item", "format", "delimiter")) | {
        "encoding": "auto"
    }
    relevant = columns.get("relevant")
    options |= {key: value for key, value in columns.items() if key in options}
    told, roles, cells = load_cells(table, text=False, features=[], **options)
    if len(cells.labels) != len(X):
        raise ValueError(f"{told}: has {len(cells.labels)} rows, but {name} has {len(X)} vectors.")
    labels = mark_unlabelled(read_labels(cells.labels, roles.label, relevant), unlabelled)[0]
    return RankingDataset(X, labels, cells.qid, cells.item_ids)


def _load(source: str | os.PathLike[str], name: str) -> dict[str, AnyArray]:
    with open_input(source) as stream:
        if ending_of(name) == ".safetensors":
            return _load_tensors(stream.read(), name)
        if zipfile.is_zipfile(stream):
            open_archive(stream, name, "NumPy file")
        stream.seek(0)
        try:
            loaded = np.load(stream, allow_pickle=False)
            named = loaded.items() if isinstance(loaded, np.lib.npyio.NpzFile) else [("X", loaded)]
            return {key: array for key, array in named if isinstance(array, np.ndarray)}
        except Exception as error:  # a dozen kinds: headers are parsed as Python, arrays claim any size
            raise ValueError(f"{name}: is no NumPy file of numbers, or damaged ({error}).") from error


def _load_tensors(content: bytes, name: str) -> dict[str, AnyArray]:
    try:
        return load(content)
    except Exception as error:  # those of another language have no common name
        raise ValueError(f"{name}: is no safetensors file, or damaged ({error}).") from error


def _vectors(arrays: Mapping[str, AnyArray], name: str) -> AnyArray:
    flat = [key for key, array in arrays.items() if array.ndim == 2 and array.dtype.kind in "fiub"]
    named = next((key for key in _NAMES["X"] if key in arrays), flat[0] if len(flat) == 1 else None)
    if named is None or named not in flat:
        shapes = ", ".join(f"{key} {array.shape} {array.dtype}" for key, array in arrays.items())
        raise ValueError(f"{name}: vectors are an array of numbers with two dimensions; it holds {shapes}.")
    return arrays[named]


def _one_of(arrays: Mapping[str, AnyArray], names: tuple[str, ...]) -> AnyArray | None:
    return next((arrays[name] for name in names if name in arrays), None)


def records_of_arrays(source: str | os.PathLike[str]) -> Records | None:
    """Read the table that stands beside vectors, with all its columns; None if there is none."""
    table = beside(source)
    return None if table is None else read_records(table)
