"""One list of ten million items: manifold ranking over a graph on disk, and over anchors.

python benchmarks/scale/long_list.py FOLDER      all points, to FOLDER as JSON
python benchmarks/scale/long_list.py RANKER N    one point: manifold, anchors or memory

Every point is a process of its own that reads Parquet in parts, ranks, and writes scores. Two labels.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from processes import commands, measure, say_load, watched
from pyarrow import parquet

from semirank import AnchorRanking, ManifoldRanking, open_parts

N_FEATURES = 32
BLOCK = 500_000


def write_points(path: Path, n_items: int) -> None:
    """Write points of a hundred wide clouds in a sheet of ten dimensions, of which two are labelled."""
    shape = np.random.default_rng(0)
    centres, turn = shape.normal(size=(100, 10)), shape.normal(size=(10, N_FEATURES))
    writer = None
    for start in range(0, n_items, BLOCK):
        n, rng = min(BLOCK, n_items - start), np.random.default_rng(start + 1)
        sheet = centres[rng.integers(0, 100, n)] + 0.7 * rng.normal(size=(n, 10))
        X = (np.tanh(sheet @ turn / 3) + 0.1 * rng.normal(size=(n, N_FEATURES))).astype(np.float32)
        y = np.full(n, np.nan, dtype=np.float32)
        y[:2] = [1.0, 0.0] if start == 0 else np.nan
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), N_FEATURES)
        table = pa.table({"label": pa.array(y, from_pandas=True), "x": vectors})
        writer = writer or parquet.ParquetWriter(path, table.schema, compression="none")
        writer.write_table(table, row_group_size=100_000)
    assert writer is not None
    writer.close()


def scores_of(folder: Path) -> np.ndarray:
    return np.concatenate(
        [np.loadtxt(path, skiprows=1, usecols=2, delimiter="\t") for path in sorted(folder.glob("*.tsv"))]
    )


def manifold(n_items: str) -> dict[str, Any]:
    """Rank over a graph on disk; of few items, say how near that is to a graph in memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_points(folder / "items.parquet", int(n_items))
        with watched() as found:
            parts = open_parts(folder / "items.parquet")
            ManifoldRanking().rank_parts(parts, folder / "scores")
        result: dict[str, Any] = {"ranker": "ManifoldRanking, graph on disk", "items": int(n_items), **found}
        if int(n_items) <= 1_000_000:
            X = np.concatenate([part.read().X for part in parts])
            y = np.concatenate([part.read().y for part in parts])
            whole = ManifoldRanking().fit(X, y).scores_
            result["correlation"] = round(float(np.corrcoef(whole, scores_of(folder / "scores"))[0, 1]), 5)
        return result


def anchors(n_items: str) -> dict[str, Any]:
    """Rank over 500 anchors."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_points(folder / "items.parquet", int(n_items))
        with watched() as found:
            parts = open_parts(folder / "items.parquet")
            AnchorRanking().fit_parts(parts).rank_parts(parts, folder / "scores")
        return {"ranker": "AnchorRanking, 500 anchors", "items": int(n_items), **found}


def memory(n_items: str) -> dict[str, Any]:
    """Rank in memory."""
    with tempfile.TemporaryDirectory() as name:
        write_points(Path(name) / "items.parquet", int(n_items))
        with watched() as found:
            data = [part.read() for part in open_parts(Path(name) / "items.parquet")]
            X, y = np.concatenate([each.X for each in data]), np.concatenate([each.y for each in data])
            ManifoldRanking().fit(X, y)
        return {"ranker": "ManifoldRanking, in memory", "items": int(n_items), **found}


def main(folder: str) -> None:
    rows = []
    for n_items in (100_000, 1_000_000, 10_000_000):
        for kind in ("memory", "manifold", "anchors"):
            if kind != "memory" or n_items <= 1_000_000:
                rows.append(measure(kind, n_items, script=__file__))
                found = {"rows": rows, "load": say_load()}
                Path(folder, "long.json").write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) == 2 else commands(manifold=manifold, anchors=anchors, memory=memory)
