"""Parameters in the reference say their default, taken from the signature: it is written once."""

import inspect
import re


def _add_defaults(app, what, name, obj, options, lines):
    """Put ``default=...`` behind the type of every parameter that has one; "optional" says None already."""
    try:
        parameters = inspect.signature(obj).parameters
    except (TypeError, ValueError):
        return
    inside = False
    for i, line in enumerate(lines):
        if i + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[i + 1]):
            inside = line == "Parameters"
        found = re.fullmatch(r"(\w+) : (.*)", line)
        if not inside or not found or found[1] not in parameters:
            continue
        default = parameters[found[1]].default
        if default is not inspect.Parameter.empty and not re.search("optional$|default", found[2]):
            lines[i] = f"{line}, default={default!r}"


def setup(app):
    """Change docstrings before numpydoc reads them."""
    app.connect("autodoc-process-docstring", _add_defaults, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
