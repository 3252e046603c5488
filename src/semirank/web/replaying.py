"""Every order of a project, computed again: of all reviewers together, and of blind ones."""

from collections.abc import Iterator

from semirank.feedback import Engine, Replay, replay
from semirank.web.project import Project
from semirank.web.views import Openness


def replays(project: Project) -> Iterator[tuple[str, Replay]]:
    """Compute all orders that are kept again; yield for whom ("" for all together), and what came of it."""
    items, events = project.items.as_items(), project.events()
    n_items = int(project.settings.get("n_items", len(items)))
    for reviewer in project.ordered_for():
        openness = Openness(reviewer or None)
        seen = [event for event in events if openness.shows(event)]
        yield reviewer, replay(Engine(items), seen, project.orders(reviewer), n_items)
