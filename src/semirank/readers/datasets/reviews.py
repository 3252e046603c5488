"""Systematic reviews: which of the records that a search found were included in the end."""

import csv
import io
from pathlib import Path

import numpy as np

from semirank.files import open_input
from semirank.readers.datasets.entry import Counts, Entry
from semirank.readers.datasets.items import Items, strings
from semirank.readers.fetch import RemoteFile

_REPOSITORY = "https://raw.githubusercontent.com/asreview/synergy-dataset"
_EARLY = "36eae72604f7211b07eb3fc6dd7e2b585521b401"
_LATER = "57d682e26bf8c167982a71de7cae24d332ff1ebe"
_REVIEWS = {  # name: (records, included, commit, path in the repository)
    "Cohen_ACEInhibitors": (2544, 41, _EARLY, "Cohen_2006/output/online/ACEInhibitors.csv"),
    "Cohen_ADHD": (851, 20, _LATER, "Cohen_2006/output/online/ADHD.csv"),
    "Cohen_Antihistamines": (310, 16, _EARLY, "Cohen_2006/output/online/Antihistamines.csv"),
    "Cohen_BetaBlockers": (2072, 42, _EARLY, "Cohen_2006/output/online/BetaBlockers.csv"),
    "Cohen_NSAIDS": (393, 41, _EARLY, "Cohen_2006/output/online/NSAIDS.csv"),
    "Cohen_Opiods": (1915, 15, _LATER, "Cohen_2006/output/online/Opiods.csv"),
    "Cohen_Triptans": (671, 24, _EARLY, "Cohen_2006/output/online/Triptans.csv"),
    "Nagtegaal_2019": (
        2019,
        101,
        "8a38342134efe1b6978fdafd3429c2f4b7db52fa",
        "Nagtegaal_2019/output/Nagtegaal_2019.csv",
    ),
}


def read_review(path: Path) -> Items:
    """Read the records of one review: title and abstract, and whether it was included."""
    with open_input(path) as stream:
        records = list(csv.DictReader(io.TextIOWrapper(stream, encoding="utf-8", newline="")))
    return Items(
        item_ids=np.array([int(record["record_id"]) for record in records]),
        texts=strings(f"{record['title']}\n{record['abstract']}".strip() for record in records),
        y=np.array([float(record["label_included"]) for record in records]),
    )


ENTRIES = (
    Entry(
        name="systematic-reviews",
        summary="titles and abstracts of medical and other articles; each part is a review and one list",
        labels="1 for the records that the review included",
        address="https://github.com/asreview/synergy-dataset",
        terms="Nagtegaal_2019: CC0; Cohen: custom open licence",
        parts={name: Counts(records, 1, included) for name, (records, included, _, _) in _REVIEWS.items()},
        read=read_review,
        files=tuple(
            RemoteFile(f"systematic-reviews/{name}.csv", f"{_REPOSITORY}/{commit}/datasets/{path}", part=name)
            for name, (_, _, commit, path) in _REVIEWS.items()
        ),
    ),
)
