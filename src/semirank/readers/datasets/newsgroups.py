"""20 Newsgroups, sorted by date: the bodies of articles, one class for each group."""

from functools import partial
from pathlib import Path

from semirank.readers.datasets.archives import read_archive
from semirank.readers.datasets.entry import Counts, Entry
from semirank.readers.datasets.items import EACH, Items, strings
from semirank.readers.fetch import RemoteFile

_ADDRESS = "http://qwone.com/~jason/20Newsgroups/"
_FILE = RemoteFile(
    "newsgroups/20news-bydate.tar.gz",
    f"{_ADDRESS}20news-bydate.tar.gz",
    "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
    mirrors=("https://ndownloader.figshare.com/files/5975967",),
)


def read_newsgroups(path: Path, hierarchy: str = "") -> Items:
    """Read the articles of the groups whose name begins with `hierarchy`, without their headers."""
    names, texts = [], []
    for name, content in read_archive(path):
        folder, group, number = name.split("/")
        if group.startswith(hierarchy):
            names.append((folder.removeprefix("20news-bydate-"), group, number))
            texts.append(content.decode("latin-1").partition("\n\n")[2])
    return Items(
        item_ids=strings(f"{group}/{number}" for _, group, number in names),
        part=strings(part for part, _, _ in names),
        classes=tuple((group,) for _, group, _ in names),
        texts=strings(texts),
    )


ENTRIES = (
    Entry(
        name="newsgroups-rec",
        summary="articles on cars, motorcycles, baseball and hockey, without headers",
        labels="the groups rec.autos, rec.motorcycles, rec.sport.baseball, rec.sport.hockey",
        address=_ADDRESS,
        terms="none stated",
        parts={"train": Counts(2389), "test": Counts(1590)},
        read=partial(read_newsgroups, hierarchy="rec."),
        files=(_FILE,),
        n_classes=4,
        relevant=EACH,
    ),
    Entry(
        name="newsgroups",
        summary="articles of 20 newsgroups, without headers",
        labels="the 20 groups",
        address=_ADDRESS,
        terms="none stated",
        parts={"train": Counts(11314), "test": Counts(7532)},
        read=read_newsgroups,
        files=(_FILE,),
        n_classes=20,
        relevant="rec.autos",
    ),
)
