"""Folders of images: each picture is an item, ranked by a small picture of it."""

import os
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np

from semirank.dataset import DataWarning, RankingDataset, mark_unlabelled
from semirank.features.thumbnails import Thumbnails
from semirank.readers.loading import load_cells
from semirank.readers.table import read_labels
from semirank.spelling import option

ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")
LABELS = ("labels.csv", "labels.tsv", "labels.xlsx")


def read_images(
    folder: str | os.PathLike[str],
    *,
    labels: Any = None,
    unlabelled: float | Literal["auto"] | None = "auto",
    **columns: Any,
) -> RankingDataset:
    """Read all images below a folder, by name.

    Features are pixels and gradients of a small grey picture (`semirank.features.Thumbnails`), which is
    crude: it finds what looks alike in outline and brightness, not what shows the same thing. Vectors of a
    network, read by `read_arrays`, do better.

    Parameters
    ----------
    folder : path
        Items go by the path of their file inside it.
    labels : path or data frame, optional
        A table of items (their paths) and labels. None: ``labels.csv``, ``.tsv`` or ``.xlsx`` in the folder;
        without one, every image is unlabelled.
    unlabelled : float, "auto" or None
        The label that means "unlabelled"; see `read_table`.
    **columns
        Options of `read_table` for the table: label, item, relevant, encoding.
    """
    folder = Path(folder)
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS and path.is_file())
    if not paths:
        raise ValueError(f"{folder}: holds no image ({', '.join(ENDINGS)}).")
    names = [path.relative_to(folder).as_posix() for path in paths]
    X = Thumbnails().transform(paths)
    warnings.warn(
        f"{folder}: {len(paths)} images are ranked by pixels and gradients of a small picture, which is "
        "crude; vectors of a network (.npy) do better.",
        DataWarning,
        stacklevel=2,
    )
    labels = (
        next((path for name in LABELS if (path := folder / name).exists()), None)
        if labels is None
        else labels
    )
    y = np.full(len(names), np.nan) if labels is None else _labels(names, labels, unlabelled, columns)
    return RankingDataset(X, y, item_ids=np.array(names, dtype=object))


def _labels(names: list[str], table: Any, unlabelled: float | Literal["auto"] | None, columns: Any) -> Any:
    options: dict[str, Any] = dict.fromkeys(("label", "item", "format", "delimiter")) | {"encoding": "auto"}
    options |= {key: value for key, value in columns.items() if key in options}
    told, roles, cells = load_cells(table, qid=False, text=False, features=[], **options)
    if cells.item_ids is None:
        raise ValueError(f"{told}: has no column with the names of images (say {option('item', ...)}).")
    found = mark_unlabelled(read_labels(cells.labels, roles.label, columns.get("relevant")), unlabelled)[0]
    by_name = dict(zip(map(str, cells.item_ids), found, strict=True))
    if strange := [name for name in by_name if name not in set(names)]:
        raise ValueError(f"{told}: there is no image {strange[0]!r} in the folder.")
    return np.array([by_name.get(name, np.nan) for name in names])
