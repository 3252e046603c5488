"""A project in one SQLite file: items that stay, events that are only ever added."""

from semirank.web.project.file import Project, ProjectError
from semirank.web.project.items import ProjectItem, StoredItems

__all__ = ["Project", "ProjectError", "ProjectItem", "StoredItems"]
