"""Learning-to-rank collections that come as lists with features."""

from pathlib import Path

import numpy as np

from semirank.files import open_input
from semirank.readers.datasets.entry import Counts, Entry
from semirank.readers.datasets.items import Items, strings
from semirank.readers.fetch import RemoteFile
from semirank.readers.letor import read_letor

_LETOR = "https://www.microsoft.com/en-us/research/project/letor-learning-rank-information-retrieval/"
_LIGHTGBM = "https://raw.githubusercontent.com/microsoft/LightGBM/v4.5.0/examples/lambdarank"
_OHSUMED_PARTS = {
    "S1": Counts(2570, 21),
    "S2": Counts(3076, 21),
    "S3": Counts(3573, 21),
    "S4": Counts(3538, 21),
    "S5": Counts(3383, 22),
}


def read_letor_part(path: Path) -> Items:
    """Read one part in LETOR text; a feature written NULL is missing (NaN)."""
    data = read_letor(path, unlabelled=None, sparse=False)
    ids = np.arange(1, len(data) + 1) if data.item_ids is None else data.item_ids
    return Items(item_ids=ids, X=data.X, y=data.y, qid=data.qid)


def read_lambdarank(rows: Path, sizes: Path) -> Items:
    """Read SVMlight rows and, from the file beside them, how many belong to each list."""
    data = read_letor(rows, unlabelled=None, sparse=True, n_features=300)
    with open_input(sizes) as stream:
        lengths = np.loadtxt(stream, dtype=np.int64)
    if lengths.sum() != len(data):
        raise ValueError(f"{sizes}: the lists have {lengths.sum()} items, but {rows} has {len(data)} rows.")
    part = rows.name.split(".")[1]
    names = strings(f"{part}-{number}" for number in range(1, len(lengths) + 1))
    ids = np.arange(1, len(data) + 1)
    return Items(item_ids=ids, X=data.X, y=data.y, qid=np.repeat(names, lengths))


def _letor_files(folder: str) -> tuple[RemoteFile, ...]:
    return tuple(RemoteFile(f"{folder}/S{i}.txt", part=f"S{i}") for i in range(1, 6))


def _lambdarank_files(part: str) -> tuple[RemoteFile, ...]:
    names = (f"rank.{part}", f"rank.{part}.query")
    return tuple(
        RemoteFile(f"lightgbm-lambdarank/{name}", f"{_LIGHTGBM}/{name}", part=part) for name in names
    )


def _ohsumed(name: str, folder: str, summary: str) -> Entry:
    return Entry(
        name=name,
        summary=summary,
        labels="0 not relevant, 1 partially, 2 definitely",
        address=_LETOR,
        terms="Microsoft, for research",
        parts=_OHSUMED_PARTS,
        read=read_letor_part,
        files=_letor_files(f"ohsumed-letor/{folder}"),
        n_features=45,
        by_hand=f"Get LETOR 3.0 through its web page, unpack OHSUMED and take {folder}/S1.txt to S5.txt.",
        folds=True,
    )


ENTRIES = (
    _ohsumed(
        "ohsumed-letor", "QueryLevelNorm", "LETOR 3.0: medical abstracts, features scaled within each list"
    ),
    _ohsumed("ohsumed-letor-null", "Feature-null", "the same, features as measured, missing ones as NaN"),
    Entry(
        name="mq2008",
        summary="LETOR 4.0: web pages, features scaled within each list",
        labels="0 not relevant, 1 relevant, 2 highly relevant",
        address=_LETOR,
        terms="Microsoft, for research",
        parts={
            "S1": Counts(2933, 157),
            "S2": Counts(3635, 157),
            "S3": Counts(3062, 157),
            "S4": Counts(2707, 157),
            "S5": Counts(2874, 156),
        },
        read=read_letor_part,
        files=_letor_files("mq2008"),
        n_features=46,
        by_hand="Get LETOR 4.0 through its web page, unpack MQ2008 and take S1.txt to S5.txt.",
        folds=True,
    ),
    Entry(
        name="lightgbm-lambdarank",
        summary="the ranking example of LightGBM: sparse features without names",
        labels="relevance from 0 to 4",
        address="https://github.com/microsoft/LightGBM/tree/master/examples/lambdarank",
        terms="MIT",
        parts={"train": Counts(3005, 201), "test": Counts(768, 50)},
        read=read_lambdarank,
        files=_lambdarank_files("train") + _lambdarank_files("test"),
        n_features=300,
    ),
)
