"""Check a built site: it needs no network, and every link inside it leads somewhere.

python .ci/site.py site
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page loads, where it links to, and what can be linked to in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of a tag."""
        found = {name: value for name, value in attrs if value}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "link" and found.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(found.get("href", ""))
        if tag != "a" and "src" in found:
            self.loads.append(found["src"])
        self.loads += [part.split()[0] for part in found.get("srcset", "").split(",") if part.strip()]


def is_remote(address: str) -> bool:
    """Tell whether an address is outside the site."""
    return bool(urlsplit(address).scheme) or address.startswith("//")


def faults(site: Path) -> list[str]:
    """Return a line for everything that is wrong."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}
    found = []
    for path, page in pages.items():
        here = path.relative_to(site)
        found += [
            f"{here} loads {load}" for load in page.loads if is_remote(load) and not load.startswith("data:")
        ]
        for link in {*page.links, *page.loads}:
            if is_remote(link) or link.startswith("#!"):
                continue
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{here} links to {link}, which is not there")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{here} links to {link}, where nothing has that name")
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(errors="replace")
        found += [
            f"{sheet.relative_to(site)} loads from {host}"
            for host in ("url(http", "@import url(//")
            if host in text
        ]
    return found


if __name__ == "__main__":
    problems = faults(Path(sys.argv[1]).resolve())
    print("\n".join(problems) or "every link leads somewhere, and nothing is loaded from elsewhere")
    sys.exit(bool(problems))
