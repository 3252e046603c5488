"""Ohsumed abstracts of 1991 and their classes of diseases."""

from pathlib import Path

from semirank.readers.datasets.archives import read_archive
from semirank.readers.datasets.entry import Counts, Entry
from semirank.readers.datasets.items import Items, strings
from semirank.readers.fetch import RemoteFile

_CORPORA = "http://disi.unitn.it/moschitti/corpora"
_PARTS = {"training": "train", "test": "test"}


def read_ohsumed(path: Path) -> Items:
    """Read abstracts that stand once in the folder of each of their classes."""
    texts: dict[tuple[str, str], str] = {}
    classes: dict[tuple[str, str], list[str]] = {}
    for name, content in sorted(read_archive(path)):
        _, folder, disease, number = name.split("/")
        key = (_PARTS[folder], number)
        texts[key] = content.decode("latin-1")
        classes.setdefault(key, []).append(disease)
    return Items(
        item_ids=strings(number for _, number in texts),
        part=strings(part for part, _ in texts),
        classes=tuple(map(tuple, classes.values())),
        texts=strings(texts.values()),
    )


ENTRIES = (
    Entry(
        name="ohsumed-text",
        summary="medical abstracts with one or more of 23 classes of diseases",
        labels="the classes C01 to C23, such as C04 neoplasms, C14 cardiovascular diseases",
        address=f"{_CORPORA}.htm",
        terms="none stated",
        parts={"train": Counts(6286), "test": Counts(7643)},
        read=read_ohsumed,
        files=(
            RemoteFile(
                "ohsumed-text/ohsumed-first-20000-docs.tar.gz", f"{_CORPORA}/ohsumed-first-20000-docs.tar.gz"
            ),
        ),
        n_classes=23,
        relevant="C14",
    ),
)
