"""What pages say for a code host, said for the site.

Links out of docs/ lead to files there, and to pages here: CHANGELOG.md and its like are included by pages of
their own, a script of examples/ is a page of the gallery, and the name that a page of methods begins with is
one of the reference. Examples end with an empty line there, which
doctest asks for, and without one here.
"""

import re

PAGES = {"CHANGELOG": "about/changelog", "CONTRIBUTING": "about/contributing", "SECURITY": "about/security"}


def _redirect(app, docname, source):
    text = re.sub(r"\]\((?:\.\./)+examples/(\w+/\w+)\.py\)", r"](/gallery/\1.rst)", source[0])
    if docname.startswith("methods/"):
        text = re.sub(r"\A(# .*\n\n)`((\w+)[^`]*)`", r"\1[`\2`](/reference/generated/semirank.\3.rst)", text)
    for name, page in PAGES.items():
        text = re.sub(rf"\]\((?:\.\./)+{name}\.md\)", f"](/{page}.md)", text)
    source[0] = re.sub(r"\n\n```\n", "\n```\n", text)


def setup(app):
    """Change pages as they are read."""
    app.connect("source-read", _redirect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
