"""Graded quality instead of classes: translations by the effort to correct them, proteins by their error."""

from pathlib import Path

import numpy as np

from semirank.files import open_input
from semirank.readers.datasets.archives import read_archive
from semirank.readers.datasets.entry import Counts, Entry
from semirank.readers.datasets.items import Items, strings
from semirank.readers.fetch import RemoteFile

_QUEST = (
    "https://raw.githubusercontent.com/ghpaetzold/questplusplus/52cdfefc0d073aa55c47a8bf8251c60c910f7d1c"
    "/learning/data/features/wmt2012_qe_baseline"
)
_TASK = "https://raw.githubusercontent.com/lspecia/QualityEstimation/master"


def read_wmt12(features: Path, effort: Path, texts: Path) -> Items:
    """Read the 17 baseline features, the effort scores, and the translations out of an archive."""
    with open_input(features) as stream:
        X = np.loadtxt(stream, ndmin=2)
    with open_input(effort) as stream:
        y = np.loadtxt(stream)
    [(_, spanish)] = read_archive(texts, "target_system.spa")
    lines = spanish.decode("utf-8").removesuffix("\n").split("\n")
    if not len(X) == len(y) == len(lines):
        raise ValueError(f"{features}, {effort} and {texts} hold {len(X)}, {len(y)} and {len(lines)} lines.")
    return Items(item_ids=np.arange(1, len(y) + 1), X=X, y=y, texts=strings(lines))


def read_casp(path: Path) -> Items:
    """Read the error RMSD and nine measurements of each protein model; the label is the error, negated."""
    with open_input(path) as stream:
        names = stream.readline().decode().strip().split(",")
        table = np.loadtxt(stream, delimiter=",", ndmin=2)
    ids = np.arange(1, len(table) + 1)
    return Items(item_ids=ids, X=table[:, 1:], y=-table[:, 0], feature_names=tuple(names[1:]))


def _wmt12_files(prefix: str, part: str) -> tuple[RemoteFile, ...]:
    folder = "wmt12-qe"
    return (
        *(
            RemoteFile(f"{folder}/{name}", f"{_QUEST}/{name}", part=part)
            for name in (f"{prefix}.qe.baseline.tsv", f"{prefix}.effort")
        ),
        RemoteFile(f"{folder}/{prefix}_set.tar.gz", f"{_TASK}/{prefix}_set.tar.gz", part=part),
    )


ENTRIES = (
    Entry(
        name="wmt12-qe",
        summary="machine translations from English to Spanish with 17 features; one list a part",
        labels="1 (translate anew) to 5 (little to edit), mean of three people",
        address="https://www.statmt.org/wmt12/quality-estimation-task.html",
        terms="none stated",
        parts={"train": Counts(1832, 1), "test": Counts(422, 1)},
        read=read_wmt12,
        files=_wmt12_files("training", "train") + _wmt12_files("test", "test"),
        n_features=17,
    ),
    Entry(
        name="casp",
        summary="models of protein structures with 9 features; one list",
        labels="minus the error RMSD",
        address="https://archive.ics.uci.edu/dataset/265",
        terms="CC BY 4.0 (UCI)",
        parts={"all": Counts(45730, 1)},
        read=read_casp,
        files=(
            RemoteFile(
                "casp/CASP.csv",
                "https://archive.ics.uci.edu/ml/machine-learning-databases/00265/CASP.csv",
                "4277cfcb4e91a181746cbc654f001b57951c9e6a80f4f795fdb5c807e0848f40",
                part="all",
            ),
        ),
        n_features=9,
    ),
)
