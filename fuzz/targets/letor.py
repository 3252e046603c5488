"""LETOR text, beside the plain parser of its tests: values, lists, ids, row counts and lines of faults."""

from tests.readers.test_letor import LINES, assert_read_as_slowly

INSTRUMENTED = ("semirank.readers.letor", "semirank.readers.letor_blocks")
SEEDS = [
    LINES.encode(),
    b"\xef\xbb\xbf1 1:2",
    b"1 qid:1 1:2#a\r0 qid:1 1:3\r",
    b"0 qid:b 5:0.1234567890123456789 # x",
]


def check(data: bytes) -> None:
    """Read bytes both ways."""
    assert_read_as_slowly(data)
