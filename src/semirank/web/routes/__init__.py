"""The HTTP API, one file a noun. A route asks the session, and puts the answer into its shape."""

from semirank.web.routes import (
    events,
    evidence,
    exports,
    imports,
    items,
    maps,
    projects,
    rankers,
    reviewers,
    stream,
    why,
)

_MODULES = (projects, imports, items, events, why, evidence, rankers, maps, reviewers, exports, stream)
ROUTERS = tuple(module.router for module in _MODULES)
