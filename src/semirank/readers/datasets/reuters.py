"""Reuters-21578: newswire stories and their topics, in the ModApte split."""

import re
from html import unescape
from pathlib import Path

from semirank.readers.datasets.archives import read_archive
from semirank.readers.datasets.entry import Counts, Entry
from semirank.readers.datasets.items import Items, strings
from semirank.readers.fetch import RemoteFile

_STORY = re.compile(
    r'<REUTERS TOPICS="(?P<judged>[^"]*)" LEWISSPLIT="(?P<split>[^"]*)"[^>]* NEWID="(?P<number>\d+)">'
    r".*?<TOPICS>(?P<topics>.*?)</TOPICS>.*?<TEXT[^>]*>(?P<text>.*?)</TEXT>",
    re.DOTALL,
)
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_TOPIC = re.compile("<D>(.*?)</D>")
_TITLE_OR_BODY = re.compile(r"<(TITLE|BODY)>(.*?)</\1>", re.DOTALL)
_MODAPTE = {("YES", "TRAIN"): "train", ("YES", "TEST"): "test"}


def read_reuters(path: Path) -> Items:
    """Read the stories of all SGML files: title and body, or the whole text where it has neither.

    The ModApte split is that of the collection's README: "train" and "test" are the stories with
    ``TOPICS="YES"`` of those Lewis splits, and all the rest is "unused".
    """
    pages = (content.decode("latin-1") for _, content in read_archive(path, ".sgm"))
    stories = [story for page in pages for story in _STORY.finditer(page)]
    return Items(
        item_ids=strings(story["number"] for story in stories),
        part=strings(_MODAPTE.get((story["judged"], story["split"]), "unused") for story in stories),
        classes=tuple(tuple(_TOPIC.findall(story["topics"])) for story in stories),
        texts=strings(_text(story["text"]) for story in stories),
    )


def _text(markup: str) -> str:
    pieces = [piece for _, piece in _TITLE_OR_BODY.findall(markup)]
    return unescape("\n".join(pieces) if pieces else markup).strip()


ENTRIES = (
    Entry(
        name="reuters21578",
        summary="newswire stories of 1987 with any number of topics; parts as in the ModApte split",
        labels="the 120 topics, such as earn, acq, money-fx, crude, grain",
        address="https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.html",
        terms="research only; may not be redistributed",
        parts={"train": Counts(9603), "test": Counts(3299), "unused": Counts(8676)},
        read=read_reuters,
        files=(
            RemoteFile(
                "reuters21578/reuters21578.tar.gz",
                "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
                "3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30",
                mirrors=(f"{_UCI}/reuters21578-mld/reuters21578.tar.gz",),
            ),
        ),
        n_classes=120,
        relevant="earn",
    ),
)
