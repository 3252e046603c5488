"""Files that become projects: read in the background, and what was understood of them."""

import re
import secrets
import shutil
import threading
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import DataWarning, mark_unlabelled
from semirank.feedback import Items, find_copies
from semirank.files import ending_of
from semirank.readers import read, read_records, records_of_arrays
from semirank.readers.encodings import choose_encoding
from semirank.readers.formats import format_of
from semirank.readers.images import ENDINGS as IMAGE_ENDINGS
from semirank.readers.record_files import format_of_records
from semirank.readers.records import Records, spell_cell
from semirank.readers.roles import USUAL_NAMES
from semirank.web.judged_lists import Kind, kind_of, read_lists, with_documents
from semirank.web.project import ProjectItem
from semirank.web.unpacking import holds_images, told, unpack_images

MOST_BYTES = 2 << 30
MOST_ROWS = 5_000_000
LONGEST_CELL = 1 << 20
PROJECT = ".semirank"
TEXT_FORMATS = ("csv", "tsv", "ris", "bibtex")
SAMPLES, EXAMPLES, LONGEST_EXAMPLE = 5, 3, 300
_USUAL = {
    "title": ("title", "primary_title"),
    "text": ("abstract", "text", "abstract note", "notes_abstract"),
    "id": USUAL_NAMES["item"],
    "label": USUAL_NAMES["label"],
    "list": USUAL_NAMES["qid"],
    "doi": ("doi",),
    "image": ("image", "file", "filename", "image_path"),
}
_YES = {"yes", "y", "true", "relevant", "include", "included", "positive"}
_NO = {"no", "n", "false", "irrelevant", "not relevant", "not", "exclude", "excluded", "negative"}


class UploadError(ValueError):
    """A file that cannot become a project; the message says why."""


@dataclass
class Upload:
    """A file on its way to a project.

    Attributes
    ----------
    path : Path
        Where it lies; chosen by the server.
    name : str
        What the user calls it.
    into : str, optional
        The project that it is added to.
    images : Path, optional
        A folder that pictures lie in; only from the command line.
    vectors_from : Path, optional
        Vectors that belong to the table; only from the command line.
    chosen : dict
        Columns that the user named on the command line, with their roles.
    target : Path, optional
        Where the project is to be; only from the command line.
    beside : mapping of Path to str
        Files that belong to it, with their names: the run, the qrels, the documents of judged lists.
    folder : Path, optional
        Where the images of a zip are put; chosen by the server.
    """

    path: Path
    name: str
    into: str | None = None
    images: Path | None = None
    vectors_from: Path | None = None
    chosen: Mapping[str, str] = field(default_factory=dict)
    target: Path | None = None
    beside: Mapping[Path, str] = field(default_factory=dict)
    folder: Path | None = None
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: str = "reading"
    error: str = ""
    format: str = ""
    encoding: str = ""
    kind: str = "texts"
    warnings: list[str] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    records: Records | None = None
    vectors: AnyArray | None = None

    def start(self) -> "Upload":
        """Read it in a thread of its own."""
        threading.Thread(target=self.read, name=f"import {self.id}", daemon=True).start()
        return self

    def read(self) -> None:
        """Read the file; what is wrong with it is kept, and said when asked."""
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self._read()
                self._check()
            said = (str(each.message) for each in caught if issubclass(each.category, DataWarning))
            self.warnings += [self._spoken(text) for text in dict.fromkeys(said)]
            self.roles = self._guess()
            self.state = "ready"
        except (ValueError, OSError, MemoryError, ImportError) as error:
            self.state, self.error = "failed", self._spoken(str(error)) or "There is not enough memory."
            if self.folder is not None:
                shutil.rmtree(self.folder, ignore_errors=True)

    def _spoken(self, message: str) -> str:
        """Call the files as the user does."""
        for path, name in {self.path: self.name, **self.beside}.items():
            message = message.replace(str(path), name)
        return message

    def _read(self) -> None:
        if self.images is not None and self.path.is_dir():
            return self._read_images()
        kinds = [kind_of(name) for name in (self.name, *self.beside.values())]
        if self.beside or kinds != ["documents"]:
            return self._read_lists(kinds)
        if self.name.lower().endswith(".zip") and holds_images(self.path):
            return self._read_zip()
        self.format = format_of_records(self.path.name) or ""
        if ending_of(self.path.name) == PROJECT:
            self.format = "project"
            return None
        if self.format:
            if self.format in TEXT_FORMATS:
                self.encoding = choose_encoding(self.path)
            self.records = read_records(self.path, format=self.format, encoding=self.encoding or "auto")
            if self.vectors_from is not None:
                self.vectors = _vectors(self.vectors_from)
            elif self._has_no_text():
                self._read_numbers()
        else:
            self._read_numbers()
        if self.vectors is not None:
            self.kind = "vectors"
        if self.images is not None:
            self.kind = "images"
            if self.vectors is None:
                self._draw_vectors(self.images)
        return None

    def _draw_vectors(self, folder: Path) -> None:
        """Make vectors of the pictures that a table names."""
        names = next((self.cells(name) for name in self._columns_called("image")), None)
        if names is None:
            raise UploadError(f"{self.name}: has no column `image` that names files in {folder}.")
        paths = [(folder / name).resolve() for name in names]
        for name, path in zip(names, paths, strict=True):
            if not path.is_relative_to(folder.resolve()) or not path.is_file():
                raise UploadError(f"{self.name}: there is no image {name!r} in {folder}.")
        self._use_thumbnails(paths)

    def _columns_called(self, role: str) -> list[str]:
        chosen = [name for name, each in self.chosen.items() if each == role]
        columns = self.records.columns if self.records is not None else {}
        return chosen or [name for name in columns if name.strip().lower() in _USUAL[role]]

    def _use_thumbnails(self, paths: Sequence[Path]) -> None:
        from semirank.features.thumbnails import Thumbnails

        self.vectors = Thumbnails().transform(paths)
        self.warnings.append(
            "Images are ranked by pixels and gradients of a small picture, which is crude; vectors of a "
            "network do better: --vectors FILE.npy."
        )

    def _has_no_text(self) -> bool:
        names = {name.strip().lower() for name in (self.records.columns if self.records else ())}
        named = "title" in self.chosen.values() or "text" in self.chosen.values()
        return not named and not names & {*_USUAL["title"], *_USUAL["text"]} and self.images is None

    def _read_numbers(self) -> None:
        """Read vectors, or a table whose columns are numbers; text in it is left to the reviewer to name."""
        try:
            data = read(self.path, columns={"text_features": False, **self._columns()})
        except ValueError:
            if self.records is not None:
                return
            raise
        X = data.restore(data.X) if data.X is not None else None
        if X is None or X.shape[1] == 0 or data.table is not None:
            if self.records is None:
                raise UploadError(f"{self.name}: holds neither texts nor numbers to rank by.")
            return
        self.vectors = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        if not np.isfinite(self.vectors).all():
            raise UploadError(f"{self.name}: vectors must be finite numbers, without gaps.")
        self.format = self.format or "vectors"
        beside = records_of_arrays(self.path) if format_of(self.path.name) == "arrays" else None
        if self.records is None:
            self.records = beside or _records_of(data, self.name)

    def _columns(self) -> dict[str, Any]:
        """Return what the reader of tables is told: there may be no labels at all."""
        if self.records is None:
            return {}
        names = {name.strip().lower() for name in self.records.columns}
        return {} if names & set(_USUAL["label"]) else {"label": False}

    def _read_images(self) -> None:
        folder = self.path.resolve()
        paths = sorted(each for each in folder.rglob("*") if each.suffix.lower() in IMAGE_ENDINGS)
        paths = [each for each in paths if each.is_file() and each.resolve().is_relative_to(folder)]
        if not paths:
            raise UploadError(f"{self.name}: holds no image ({', '.join(IMAGE_ENDINGS)}).")
        names = [each.relative_to(folder).as_posix() for each in paths]
        self.format, self.kind = "images", "images"
        if self.vectors_from is not None:
            self.vectors = _vectors(self.vectors_from)
        else:
            self._use_thumbnails(paths)
        self.records = Records(self.name, {"image": names}, range(1, len(names) + 1))

    def _read_zip(self) -> None:
        """Draw the images of a zip anew, and rank by small pictures of them."""
        if self.into is not None:
            raise UploadError(f"{self.name}: images make a project of their own; they cannot be added.")
        assert self.folder is not None
        self.folder.mkdir()
        found = unpack_images(self.path, self.folder)
        self.format, self.kind = "images", "images"
        self._use_thumbnails([self.folder / name for name in found.files])
        if found.left_out:
            self.warnings.append(told(found.left_out))
        columns = {"id": found.names, "title": found.names, "image": found.files}
        self.records = Records(self.name, columns, range(1, len(found.names) + 1))

    def _read_lists(self, kinds: Sequence[Kind]) -> None:
        """Read lists of documents: a run, qrels, or both, and what the documents say if there is a table."""
        named = {self.path: self.name, **self.beside}
        files = dict(zip(kinds, named, strict=True))
        lists = files.get("run") or files.get("qrels")
        if len(files) < len(kinds) or lists is None:
            raise UploadError(
                "Files that are read together are a run (.run, .trec), its judgements (.qrels) and a table "
                "of the documents, one of each. Others are added to a project one after the other."
            )
        self.path, self.name, self.beside = lists, named.pop(lists), named
        self.format = " + ".join(sorted(files))
        self.records, self.vectors = read_lists(files, self.name)
        if "documents" in files:
            self._read_documents(self.records, files["documents"])
        elif self.vectors is None:
            raise UploadError(
                f"{self.name}: judgements alone have nothing to rank by. Give the run (.run) or a table of "
                "the documents as well."
            )
        else:
            self.kind = "vectors"
            self.warnings.append("Items have ids only, and are ranked by the scores of the run.")

    def _read_documents(self, records: Records, path: Path) -> None:
        self.records, missing = with_documents(records, path)
        self.vectors = None
        if missing:
            self.warnings.append(f"{missing:,} of {len(records):,} items are not in the table.")

    def _check(self) -> None:
        if self.records is None:
            return
        n_rows = len(self.records)
        if n_rows == 0:
            raise UploadError(f"{self.name}: has no rows.")
        if n_rows > MOST_ROWS:
            raise UploadError(f"{self.name}: has {n_rows:,} rows; {MOST_ROWS:,} are allowed.")
        for name, cells in self.records.columns.items():
            for row, cell in zip(self.records.rows, cells, strict=True):
                if isinstance(cell, str) and len(cell) > LONGEST_CELL:
                    raise UploadError(
                        f"{self.name}:{row}: a cell of {name!r} has {len(cell):,} characters; "
                        f"{LONGEST_CELL:,} are allowed."
                    )
        if self.vectors is not None and len(self.vectors) != n_rows:
            raise UploadError(f"{self.name}: has {n_rows} rows, but there are {len(self.vectors)} vectors.")

    def _guess(self) -> dict[str, str]:
        """Give each column a part by its usual name; the first of several has it."""
        columns = list(self.records.columns) if self.records is not None else []
        roles = dict.fromkeys(columns, "meta")
        for column, role in self.chosen.items():
            if column not in roles:
                raise UploadError(f"{self.name}: there is no column {column!r}; there are {columns[:20]}.")
            roles[column] = role
        for role, names in _USUAL.items():
            if role in roles.values() or (role == "image" and self.kind != "images"):
                continue
            by_name = {
                column.strip().lower(): column for column in reversed(columns) if roles[column] == "meta"
            }
            found = next((by_name[name] for name in names if name in by_name), None)
            if found is not None:
                roles[found] = role
        if self.vectors is not None and self.format != "images":
            roles |= {
                name: "leave out" for name in columns if roles[name] == "meta" and self._is_number(name)
            }
        if self.kind == "texts" and columns and not {"title", "text"} & set(roles.values()):
            roles[self._longest(roles)] = "text"
        return roles

    def _is_number(self, column: str) -> bool:
        return all(isinstance(cell, float) or _number(cell) is not None for cell in self._cells(column)[:100])

    def _longest(self, roles: Mapping[str, str]) -> str:
        """Return the column with the longest cells, which probably is the text."""
        free = [name for name, role in roles.items() if role == "meta"] or list(roles)
        return max(free, key=lambda name: sum(len(cell) for cell in self.cells(name)[:200]))

    def _cells(self, column: str) -> list[Any]:
        return self.records.columns[column] if self.records is not None else []

    def cells(self, column: str) -> list[str]:
        """Return the cells of a column as text."""
        return [spell_cell(cell) for cell in self._cells(column)]

    # what becomes of it

    def column_of(self, role: str, roles: Mapping[str, str] | None = None) -> str | None:
        """Return the column that plays a part."""
        return next((name for name, each in (roles or self.roles).items() if each == role), None)

    def labels(self, roles: Mapping[str, str]) -> Floats:
        """Return the labels, NaN where there is none."""
        column = self.column_of("label", roles)
        n_rows = 0 if self.records is None else len(self.records)
        if column is None:
            return np.full(n_rows, np.nan)
        return mark_unlabelled(np.array([_grade(cell) for cell in self._cells(column)]), "auto")[0]

    def items(self, roles: Mapping[str, str]) -> list[ProjectItem]:
        """Return the items, named by their ids if these are good names, by their rows otherwise."""
        if self.records is None:
            return []
        columns = {role: self.column_of(role, roles) for role in ("id", "title", "list", "doi", "image")}
        texts = [name for name, role in roles.items() if role == "text"]
        meta = [name for name, role in roles.items() if role in ("meta",)]
        n_rows = len(self.records)
        empty = [""] * n_rows
        given = {role: empty if name is None else self.cells(name) for role, name in columns.items()}
        if len(set(given["list"])) == 1:  # one list needs no name
            given["list"] = empty
        ids = self._names(given["id"], given["list"], given["image"])
        title = given["title"]
        if columns["title"] is None and not texts:
            title = given["image"] if columns["image"] else ids
        joined = ["\n\n".join(filter(None, cells)) for cells in zip(*map(self.cells, texts), strict=True)]
        cells = [(name, self._cells(name)) for name in meta]
        made = []
        for row in range(n_rows):
            about = {name: _plain(column[row]) for name, column in cells if spell_cell(column[row]) != ""}
            for role in ("doi", "image"):
                if given[role][row]:
                    about[role] = given[role][row]
            if given["id"][row] and given["id"][row] != ids[row]:
                about.setdefault("id", given["id"][row])
            text = joined[row] if joined else ""
            made.append(ProjectItem(ids[row], title[row], text, given["list"][row], about))
        return made

    def _names(self, ids: Sequence[str], lists: Sequence[str], images: Sequence[str]) -> list[str]:
        for names in (ids, images):
            if all(names) and len(set(zip(lists, names, strict=True))) == len(names):
                return list(names)
        return [str(row) for row in range(1, len(ids) + 1)]

    def describe(self) -> dict[str, Any]:
        """Return what was understood, by the roles as they are now."""
        about: dict[str, Any] = {
            "id": self.id, "name": self.name, "state": self.state, "format": self.format, "kind": self.kind,
            "encoding": self.encoding, "warnings": self.warnings, "into": self.into,
        }  # fmt: skip
        if self.state == "failed":
            help = "Check the file, or save it as CSV in UTF-8."
            about["error"] = {"error": self.error, "where": self.name, "what_to_do": help}
        if self.state != "ready" or self.records is None:
            return about
        items, labels = self.items(self.roles), self.labels(self.roles)
        titles, dois = [each.title for each in items], [str(each.meta.get("doi", "")) for each in items]
        lists = [each.qid for each in items]
        named = Items([str(row) for row in range(len(items))], titles, lists, titles, dois)
        copies = find_copies(named).exact
        unnamed = self.column_of("id") is not None and "id" in (items[0].meta if items else ())
        more = ["The ids are not unique, so that items go by their row."] if unnamed else []
        return about | {
            "n_rows": len(items),
            "columns": [self._column(name) for name in self.records.columns],
            "samples": [self._sample(row) for row in range(min(SAMPLES, len(items)))],
            "labels": _counts(labels),
            "n_lists": len(set(lists)),
            "n_without_text": sum(not each.text and not each.title for each in items)
            if not self.column_of("text")
            else sum(not each.text for each in items),
            "n_duplicates": sum(len(group) - 1 for group in copies),
            "warnings": [*self.warnings, *more],
        }

    def _column(self, name: str) -> dict[str, Any]:
        cells = self.cells(name)
        filled = [cell for cell in cells if cell]
        examples = [cell[:LONGEST_EXAMPLE] for cell in dict.fromkeys(filled)][:EXAMPLES]
        return {
            "name": name,
            "role": self.roles[name],
            "examples": examples,
            "n_missing": len(cells) - len(filled),
            "n_distinct": len(set(filled)),
        }

    def _sample(self, row: int) -> dict[str, str]:
        return {name: spell_cell(self._cells(name)[row])[:LONGEST_EXAMPLE] for name in self.roles}


def _counts(labels: Floats) -> dict[str, Any]:
    known = labels[~np.isnan(labels)]
    grades = Counter(f"{value:g}" for value in known.tolist())
    relevant = int((known > 0).sum())
    return {
        "relevant": relevant,
        "irrelevant": len(known) - relevant,
        "unlabelled": len(labels) - len(known),
        "grades": dict(sorted(grades.items(), key=lambda each: float(each[0]))),
    }


def _grade(cell: Any) -> float:
    """Return a label as a number; NaN for an empty cell, and for a word that says neither yes nor no."""
    text = spell_cell(cell).strip().lower()
    number = _number(text)
    if number is not None:
        return number
    return 1.0 if text in _YES else 0.0 if text in _NO else float("nan")


def _number(cell: Any) -> float | None:
    try:
        number = float(spell_cell(cell))
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _plain(cell: Any) -> Any:
    """Return a cell as JSON can say it."""
    if isinstance(cell, (list, tuple)):
        return [spell_cell(each) for each in cell]
    return cell if isinstance(cell, (str, int, float, bool)) and cell == cell else spell_cell(cell)


def _vectors(path: Path) -> AnyArray:
    return np.asarray(read(path, format="arrays", columns={}).X, dtype=np.float64)


def _records_of(data: Any, name: str) -> Records:
    columns: dict[str, list[Any]] = {}
    if data.item_ids is not None:
        columns["id"] = [str(each) for each in data.restore(data.item_ids)]
    if data.n_lists > 1:
        columns["list"] = [str(each) for each in data.restore(data.qid)]
    columns["label"] = [None if each != each else each for each in data.restore(data.y).tolist()]
    return Records(name, columns, range(1, data.n_items + 1))


def safe_name(name: str) -> str:
    """Return the name of a file in letters, digits, "-", "_" and ".", without a folder.

    Examples
    --------
    >>> safe_name("../../etc/päss wd.csv")
    'p_ss_wd.csv'
    """
    last = re.split(r"[/\\\\]", name)[-1]
    return re.sub(r"[^A-Za-z0-9._-]+", "_", last).lstrip(".")[-100:] or "data"
