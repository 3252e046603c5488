"""Projects of ASReview LAB: records and decisions out of the database inside."""

import json
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

from semirank.files import Source, name_of, open_archive, open_input

DECISION = "included"


def read_asreview(source: Source) -> dict[str, list[Any]]:
    """Read the columns of an ``.asreview`` project (version 2 or 3), with the reviewers' labels and notes.

    Records that were labelled before, in the file that the project was made from, keep that label unless the
    project has another.
    """
    name = name_of(source)
    with tempfile.TemporaryDirectory() as folder, open_input(source) as stream:
        try:
            with open_archive(stream, name, "ASReview project") as archive:
                databases = _unpack(archive, Path(folder))
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            RuntimeError,
        ) as error:  # damaged, cut off, encrypted
            raise ValueError(f"{name}: is no ASReview project, or damaged ({error}).") from error
        tables: dict[str, list[dict[str, Any]]] = {}
        for path in databases:
            for table in ("record", "results"):
                tables.setdefault(table, []).extend(_rows(path, table, name))
    if not tables.get("record"):
        raise ValueError(f"{name}: holds no records. Projects of ASReview LAB 2 and 3 can be read.")
    if any("record_id" not in rows[0] for rows in tables.values() if rows):
        raise ValueError(
            f"{name}: its tables have no record_id. Projects of ASReview LAB 2 and 3 can be read."
        )
    decided = {row["record_id"]: row for row in tables["results"]}
    return _columns(tables["record"], decided)


def _unpack(archive: zipfile.ZipFile, folder: Path) -> list[Path]:
    """Write the databases of a project under names of our own; nothing else is unpacked."""
    found = []
    for number, member in enumerate(each for each in archive.infolist() if each.filename.endswith(".db")):
        path = folder / f"{number}.db"
        with archive.open(member) as inside, path.open("wb") as outside:
            shutil.copyfileobj(inside, outside)
        found.append(path)
    return found


def _rows(path: Path, table: str, name: str) -> list[dict[str, Any]]:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.row_factory = sqlite3.Row
            known = connection.execute(
                "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
            ).fetchone()
            rows = connection.execute(f"SELECT * FROM {table}").fetchall() if known else []
    except (sqlite3.DatabaseError, UnicodeDecodeError, MemoryError) as error:
        raise ValueError(f"{name}: the database inside is damaged ({error}).") from error
    return [dict(row) for row in rows]


def _columns(records: list[dict[str, Any]], decided: dict[Any, dict[str, Any]]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {
        column: [record.get(column) for record in records]
        for column in ("record_id", "title", "abstract", "authors", "keywords", "year", "doi", "url")
    }
    for column in ("authors", "keywords"):
        columns[column] = [_names(cell) for cell in columns[column]]
    results = [decided.get(record["record_id"], {}) for record in records]
    columns["note"] = [result.get("note") for result in results]
    columns[DECISION] = [
        result["label"] if result.get("label") in (0, 1) else _known(record.get("included"))
        for record, result in zip(records, results, strict=True)
    ]
    return columns


def _known(label: Any) -> int | None:
    return label if label in (0, 1) else None


def _names(cell: Any) -> list[str] | None:
    """Return names that are stored as JSON."""
    try:
        found = json.loads(cell) if isinstance(cell, str) else cell
    except ValueError:
        return [cell]
    return [str(name) for name in found] if isinstance(found, list) else None
