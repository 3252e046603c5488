"""From files to datasets and back: tables, references, vectors, images, LETOR and TREC files, public data."""

from semirank.readers import datasets
from semirank.readers.arrays import read_arrays, records_of_arrays
from semirank.readers.datasets import available, load
from semirank.readers.formats import RECORDS, format_of, is_run, read, read_ranking, write, write_ranking
from semirank.readers.images import read_images
from semirank.readers.letor import read_letor, write_letor
from semirank.readers.reading_list import merge_decisions, order_items, reading_list
from semirank.readers.record_files import format_to_write, read_records, write_records
from semirank.readers.records import Records
from semirank.readers.scores import Scores, item_names, rank_items, read_scores, write_scores
from semirank.readers.sorting import sort_by_list
from semirank.readers.table import read_table, write_table
from semirank.readers.trec import add_unjudged, read_qrels, read_run, write_qrels, write_run

__all__ = [
    "RECORDS",
    "Records",
    "Scores",
    "add_unjudged",
    "available",
    "datasets",
    "format_of",
    "format_to_write",
    "is_run",
    "item_names",
    "load",
    "merge_decisions",
    "order_items",
    "rank_items",
    "read",
    "read_arrays",
    "read_images",
    "read_letor",
    "read_qrels",
    "read_ranking",
    "read_records",
    "read_run",
    "read_scores",
    "read_table",
    "reading_list",
    "records_of_arrays",
    "sort_by_list",
    "write",
    "write_letor",
    "write_qrels",
    "write_ranking",
    "write_records",
    "write_run",
    "write_scores",
    "write_table",
]
