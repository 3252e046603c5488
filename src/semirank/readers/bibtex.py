"""BibTeX: one entry a record, its key the name of the item."""

import logging
from typing import Any, BinaryIO

from semirank.files import Source, name_of, open_input
from semirank.readers.delimited import open_text
from semirank.readers.encodings import choose_encoding
from semirank.readers.records import Records, columns_of, fold_line, spell_cell

KEY, TYPE, DECISION = "item", "entry_type", "included"


def read_bibtex(source: Source, encoding: str) -> dict[str, list[Any]]:
    """Read the columns of a BibTeX file: its fields, the key as ``item``, and decisions in ``included``."""
    bibtexparser = import_bibtexparser(name_of(source))
    with open_input(source) as stream, open_text(stream, choose_encoding(source, encoding)) as text:
        content = text.read()
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
    for number, record in enumerate(records.each(), start=1):
        key = spell_cell(record.pop(KEY, None)) or f"item{number}"
        kind = spell_cell(record.pop(TYPE, None)) or "misc"
        fields = [model.Field(_name(column), _value(column, cell)) for column, cell in record.items()]
        library.add(model.Entry(kind, key, fields))
    encode = bibtexparser.middlewares.LatexEncodingMiddleware()
    stream.write(bibtexparser.write_string(library, prepend_middleware=[encode]).encode())


def _name(column: str) -> str:
    """Return the name of a field: letters, digits and what BibTeX takes between them."""
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in column.lower())


def _value(column: str, cell: Any) -> str:
    names = cell if isinstance(cell, (list, tuple)) else [cell]
    between = " and " if column.lower() in ("author", "authors", "editor") else "; "
    text = between.join(fold_line(spell_cell(name)) for name in names)
    return text if text.count("{") == text.count("}") else text.replace("{", "(").replace("}", ")")


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
