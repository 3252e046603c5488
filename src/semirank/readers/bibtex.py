"""BibTeX: one entry a record, its key the name of the item."""

import logging
import re
from itertools import accumulate, chain, count
from typing import Any, BinaryIO

from semirank.files import Source, name_of
from semirank.readers.delimited import read_text
from semirank.readers.records import Records, columns_of, fold_line, spell_cell

_NO_KEY = re.compile(r"""[\s{}()\[\]",=#%~@\\\x00-\x1f\x7f]""")
_NO_NAME = re.compile(r"[^\w-]")
KEY, TYPE, DECISION = "item", "entry_type", "included"


def read_bibtex(source: Source, encoding: str) -> dict[str, list[Any]]:
    """Read the columns of a BibTeX file: its fields, the key as ``item``, and decisions in ``included``."""
    bibtexparser = import_bibtexparser(name_of(source))
    content = read_text(source, encoding)
    logging.getLogger("bibtexparser").setLevel(logging.ERROR + 1)  # what fails is told below
    decode = bibtexparser.middlewares.LatexDecodingMiddleware()
    library = bibtexparser.parse_string(content, append_middleware=[decode])
    for block in library.failed_blocks:
        raise ValueError(
            f"{name_of(source)}:{block.start_line + 1}: this entry cannot be read ({_reason(block)})."
        )
    if not library.entries:
        raise ValueError(f"{name_of(source)}: holds no entry. A BibTeX entry starts with '@article{{key,'.")
    return columns_of([_record(entry) for entry in library.entries])


def _reason(block: Any) -> str:
    return f"the key {block.key!r} is there twice" if hasattr(block, "key") else str(block.error)


def _record(entry: Any) -> dict[str, Any]:
    fields = {field.key.lower(): field.value for field in entry.fields}
    return {KEY: entry.key, TYPE: entry.entry_type, "title": None, "abstract": None, **fields} | {
        DECISION: fields.get(DECISION)
    }


def write_bibtex(stream: BinaryIO, records: Records) -> None:
    """Write records as BibTeX, each value on one line; without keys they are item1, item2, ..."""
    bibtexparser = import_bibtexparser(records.name)
    model = bibtexparser.model
    library = bibtexparser.Library()
    keys: set[str] = set()
    taken: set[str] = set()
    names = {column: _new_name(_NO_NAME.sub("_", column.lower()), taken) for column in records.columns}
    for number, record in enumerate(records.each(), start=1):
        item = spell_cell(record.pop(KEY, None)) or f"item{number}"
        key, kind = _new_name(_NO_KEY.sub("_", item), keys), spell_cell(record.pop(TYPE, None))
        record |= {} if key == item else {KEY: item}  # where a key cannot say it, a field does
        fields = [model.Field(names[column], _value(column, cell)) for column, cell in record.items()]
        library.add(model.Entry(kind if kind.isalpha() and kind.isascii() else "misc", key, fields))
    encode = bibtexparser.middlewares.LatexEncodingMiddleware()
    stream.write(bibtexparser.write_string(library, prepend_middleware=[encode]).encode())


def _new_name(name: str, taken: set[str]) -> str:
    """Return a name, with a number behind it if it is taken, and take it."""
    tries = chain([name], (f"{name}_{number}" for number in count(2)))
    free = next(each for each in tries if each not in taken)
    taken.add(free)
    return free


def _value(column: str, cell: Any) -> str:
    names = cell if isinstance(cell, (list, tuple)) else [cell]
    between = " and " if column.lower() in ("author", "authors", "editor") else "; "
    text = between.join(fold_line(spell_cell(name)) for name in names)
    safe = "$" not in text and _balanced(text)  # in formulas braces are encoded one by one
    return text if safe else text.replace("{", "(").replace("}", ")")


def _balanced(text: str) -> bool:
    depths = list(accumulate((letter == "{") - (letter == "}") for letter in text))
    return not depths or (min(depths) >= 0 and depths[-1] == 0)


def import_bibtexparser(name: str) -> Any:
    """Return bibtexparser, or say how to install it."""
    try:
        import bibtexparser
        import bibtexparser.middlewares
        import bibtexparser.model
    except ImportError as error:
        raise ValueError(
            f"{name}: BibTeX needs bibtexparser 2. Install it: pip install 'semirank[refs]'"
        ) from error
    return bibtexparser
