"""From one version of the project file to the next."""

import sqlite3
from collections.abc import Callable, Mapping

MIGRATIONS: Mapping[int, Callable[[sqlite3.Connection], None]] = {}
"""What brings a file of a version to the next; the first version has none before it."""
