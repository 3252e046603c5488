"""From files to datasets and back: LETOR text, tables, TREC files and named public data."""

from semirank.readers import datasets
from semirank.readers.datasets import load
from semirank.readers.formats import read, read_ranking, write, write_ranking
from semirank.readers.letor import read_letor, write_letor
from semirank.readers.scores import Scores, rank_items, read_scores, write_scores
from semirank.readers.table import read_table, write_table
from semirank.readers.trec import add_unjudged, read_qrels, read_run, write_qrels, write_run

__all__ = [
    "Scores",
    "add_unjudged",
    "datasets",
    "load",
    "rank_items",
    "read",
    "read_letor",
    "read_qrels",
    "read_ranking",
    "read_run",
    "read_scores",
    "read_table",
    "write",
    "write_letor",
    "write_qrels",
    "write_ranking",
    "write_run",
    "write_scores",
    "write_table",
]
