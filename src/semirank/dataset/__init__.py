"""Items in lists, some of them labelled: the one kind of data that every room understands."""

from semirank.dataset.checks import (
    DataWarning,
    Features,
    check_features,
    check_labels,
    check_qid,
    check_sparse,
    first_place,
    group_lists,
    mark_unlabelled,
    refuse_beyond,
)
from semirank.dataset.description import Description, describe
from semirank.dataset.ranking_dataset import RankingDataset

__all__ = [
    "DataWarning",
    "Description",
    "Features",
    "RankingDataset",
    "check_features",
    "check_labels",
    "check_qid",
    "check_sparse",
    "describe",
    "first_place",
    "group_lists",
    "mark_unlabelled",
    "refuse_beyond",
]
