"""Model files, damaged or forged with a right checksum: refused, or a model that scores items."""

import os
import struct
import tempfile
import warnings
from pathlib import Path

import numpy as np
from safetensors.numpy import load as arrays_of
from safetensors.numpy import save as bytes_of

from semirank import ForestRanker, ManifoldRanking, RankBoost, RankRLS, load_model, storage

INSTRUMENTED = ("semirank.storage", "semirank.learned", "semirank.limits", "semirank.registry")
X = np.random.default_rng(0).normal(size=(12, 3))
Y = np.array([1.0, 0, 1, 0, 2, 0, np.nan, np.nan, 1, 0, np.nan, 0])
RANKERS = [ForestRanker(2, random_state=0), RankBoost(3), RankRLS("rbf"), ManifoldRanking(n_neighbors=3)]


FOLDER = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
PLACE = Path(FOLDER.name) / "model"


def _saved() -> list[bytes]:
    saved = []
    for ranker in RANKERS:
        ranker.fit(X, Y, np.repeat([0, 1], 6)).save(PLACE)
        saved.append(PLACE.read_bytes())
    return saved


SEEDS = [b"D" + each for each in _saved()] + [b"F" + each for each in _saved()]


def check(data: bytes) -> None:
    """Load bytes after a letter: D as they are, F with their checksum made right."""
    kind, content = data[:1], data[1:]
    if kind == b"F":
        content = signed(content)
    PLACE.write_bytes(content)
    try:
        model = load_model(PLACE)
    except ValueError as error:
        assert str(PLACE) in str(error)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            scores = model.predict(X)
        except ValueError:
            return
    assert scores.shape == (12,)


def signed(content: bytes) -> bytes:
    """Give a file the checksum that it would have if it had been saved so."""
    try:
        size = struct.unpack("<Q", content[:8])[0]
        header = content[8 : 8 + size].decode()
        start = header.index('"semirank":"') + 12
        manifest = header[header.index(" ", start) + 1 : header.rindex('"}')]
        arrays = arrays_of(content)
        manifest = manifest.encode().decode("unicode_escape")
        return bytes_of(arrays, {"semirank": f"{storage._digest(manifest, arrays)} {manifest}"})
    except Exception:  # not even a file of arrays
        return content
