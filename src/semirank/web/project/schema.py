"""The tables of a project file, and what makes it one."""

APPLICATION_ID = 0x53524E4B  # "SRNK"
VERSION = 2

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE item (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, list TEXT NOT NULL,
    title TEXT NOT NULL, text TEXT NOT NULL, meta TEXT NOT NULL, UNIQUE (list, id)
);
CREATE TABLE vector (block INTEGER PRIMARY KEY, width INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE event (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, time TEXT NOT NULL, reviewer TEXT NOT NULL,
    kind TEXT NOT NULL, item TEXT, list TEXT, value TEXT NOT NULL, via TEXT, order_no INTEGER, mode TEXT
);
CREATE TABLE order_digest (
    reviewer TEXT NOT NULL, number INTEGER NOT NULL, digest TEXT NOT NULL, first TEXT NOT NULL,
    PRIMARY KEY (reviewer, number)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE item_words USING fts5 (title, text, content='item', content_rowid='row');
"""

TRIGGERS = """
CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT RAISE (ABORT, 'events are never changed'); END;
CREATE TRIGGER event_kept BEFORE DELETE ON event BEGIN SELECT RAISE (ABORT, 'events are never deleted'); END;
CREATE TRIGGER item_stays BEFORE UPDATE ON item BEGIN SELECT RAISE (ABORT, 'items are never changed'); END;
CREATE TRIGGER item_kept BEFORE DELETE ON item BEGIN SELECT RAISE (ABORT, 'items are never deleted'); END;
"""

COPIED = {
    "meta": ("key", "value"),
    "item": ("row", "id", "list", "title", "text", "meta"),
    "vector": ("block", "width", "data"),
    "event": (
        "seq", "id", "time", "reviewer", "kind", "item", "list", "value", "via", "order_no", "mode",
    ),
    "order_digest": ("reviewer", "number", "digest", "first"),
}  # fmt: skip
"""What is taken over from a stranger's file: these columns, and nothing else of it."""
