"""Workbooks, projects of ASReview, NumPy files, images: whole files, and parts inside sound ones."""

import ast
import io
import math
import sqlite3
import tempfile
import warnings
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np
from openpyxl import Workbook
from PIL import Image

from semirank.readers.arrays import read_arrays
from semirank.readers.images import read_images
from semirank.readers.record_files import read_records

INSTRUMENTED = ("semirank.readers", "semirank.features.thumbnails")
FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))
SHEET, DATABASE = "xl/worksheets/sheet1.xml", "reviews/results.db"


def _zip(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _workbook() -> dict[str, bytes]:
    book, stream = Workbook(), io.BytesIO()
    book.active.append(["title", "label"])
    book.active.append(["heart", 1])
    book.save(stream)
    with zipfile.ZipFile(stream) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _database() -> bytes:
    path = FOLDER / "seed.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("CREATE TABLE record (record_id, title, abstract, authors, included)")
        connection.execute("CREATE TABLE results (record_id, label, note)")
        connection.execute("INSERT INTO record VALUES (0, 'heart', 'failure', '[\"Smith\"]', -1)")
        connection.execute("INSERT INTO results VALUES (0, 1, 'seen')")
        connection.commit()
    content = path.read_bytes()
    path.unlink()
    return content


def _saved(kind: str) -> bytes:
    stream = io.BytesIO()
    if kind == "npy":
        np.save(stream, np.arange(6.0).reshape(3, 2))
    elif kind == "npz":
        np.savez(stream, X=np.eye(2, dtype=np.float32), y=np.array([1, 0]))
    else:
        Image.new("RGB", (3, 2), "red").save(stream, kind)
    return stream.getvalue()


BOOK = _workbook()
SEEDS = [
    b"X" + _zip(BOOK),
    b"S" + BOOK[SHEET],
    b"A" + _zip({DATABASE: _database()}),
    b"D" + _database(),
    b"N" + _saved("npy"),
    b"Z" + _saved("npz"),
    b"I" + _saved("png"),
    b"I" + _saved("gif"),
    b"I" + _saved("tiff"),
]
ENDINGS = {"X": "xlsx", "S": "xlsx", "A": "asreview", "D": "asreview", "N": "npy", "Z": "npz", "I": "png"}


def check(data: bytes) -> None:
    """Read bytes after a letter that says what they are; where that works, look at what was found."""
    kind, content = data[:1].decode("latin-1"), data[1:]
    if kind not in ENDINGS:
        return
    content = _zip(BOOK | {SHEET: content}) if kind == "S" else content
    content = _zip({DATABASE: content}) if kind == "D" else content
    path = FOLDER / f"input.{ENDINGS[kind]}"
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            {"N": _vectors, "Z": _vectors, "I": _image}.get(kind, _records)(path)
        except ValueError as error:
            assert path.stem in str(error), error
        finally:
            path.unlink()


def _records(path: Path) -> None:
    records = read_records(path)
    assert len({len(cells) for cells in records.columns.values()}) == 1


def _vectors(path: Path) -> None:
    found = read_arrays(path)
    assert not np.isinf(found.X).any()
    if path.suffix == ".npy":
        assert np.array_equal(found.restore(found.X), plain_vectors(path.read_bytes()), equal_nan=True)


def _image(path: Path) -> None:
    found = read_images(path.parent)
    assert len(found) == 1
    assert np.isfinite(found.X).all()


def plain_vectors(content: bytes) -> object:
    """Read an array by its header alone."""
    wide = content[6] > 1
    length = int.from_bytes(content[8 : 12 if wide else 10], "little")
    start = (12 if wide else 10) + length
    header = ast.literal_eval(content[start - length : start].decode("utf-8").strip())
    count = math.prod(header["shape"])
    flat = np.frombuffer(content, header["descr"], count=count, offset=start)
    return flat.reshape(header["shape"], order="F" if header["fortran_order"] else "C")
