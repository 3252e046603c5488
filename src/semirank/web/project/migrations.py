"""From one version of the project file to the next."""

import sqlite3
from collections.abc import Callable, Mapping


def _orders_of_reviewers(connection: sqlite3.Connection) -> None:
    """Version 2: blind reviewers have orders of their own."""
    connection.execute("ALTER TABLE order_digest RENAME TO order_digest_1")
    connection.execute(
        "CREATE TABLE order_digest (reviewer TEXT NOT NULL, number INTEGER NOT NULL, digest TEXT NOT NULL, "
        "first TEXT NOT NULL, PRIMARY KEY (reviewer, number)) WITHOUT ROWID"
    )
    connection.execute("INSERT INTO order_digest SELECT '', number, digest, first FROM order_digest_1")
    connection.execute("DROP TABLE order_digest_1")


MIGRATIONS: Mapping[int, Callable[[sqlite3.Connection], None]] = {1: _orders_of_reviewers}
"""What brings a file of a version to the next; the first version has none before it."""
