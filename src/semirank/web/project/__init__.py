"""A project in one SQLite file: items that stay, events that are only ever added."""

from semirank.web.project.file import Project, ProjectError
from semirank.web.project.items import ProjectItem, StoredItems
from semirank.web.project.lock import Lock

__all__ = ["Lock", "Project", "ProjectError", "ProjectItem", "StoredItems"]
