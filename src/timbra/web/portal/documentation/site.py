"""The files under /docs: the built site, the API reference, and their content types and entity tags."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

SITE_FOLDER = Path(__file__).parents[3] / "docs_site"
"""The site that `make docs-site` builds. The wheel has it; a checkout does not until it is built."""
API_REFERENCE = "api/index.html"
INDEX = "index.html"
CONTENT_TYPES: Mapping[str, str] = {
    ".bru": "text/plain; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
    ".yaml": "text/plain; charset=utf-8",
}
OTHER_CONTENT_TYPE = "application/octet-stream"

_HERE = Path(__file__).parent
_ASSETS = "assets/"


@dataclass(frozen=True, slots=True)
class SiteFile:
    """One file under /docs.

    Attributes:
        content_type: Its media type, from its name.
        is_unchanging: Whether its name changes with its content.
        is_generated_page: Whether it is a page of the generator of the site, whose scripts insert styles.
    """

    path: Path
    content_type: str
    is_unchanging: bool = False
    is_generated_page: bool = False


@dataclass(slots=True)
class Site:
    """The files under /docs by their paths there. A path of a request is looked up here, and never opened.

    Attributes:
        files: File by path below /docs/.
        is_built: Whether the folder has the built site.
    """

    files: Mapping[str, SiteFile]
    is_built: bool
    _tags: dict[str, str] = field(default_factory=dict)

    def find(self, path: str) -> SiteFile | None:
        """Return the file of a path below /docs/; a folder has the file `index.html`. None without one."""
        return self.files.get(f"{path}{INDEX}" if path == "" or path.endswith("/") else path)

    def has_folder(self, path: str) -> bool:
        """Whether a path without a slash at its end is that of a folder with a page."""
        return f"{path}/{INDEX}" in self.files

    def tag(self, file: SiteFile) -> str:
        """Return the entity tag of a file, from its content; it is the same on every node. Reads the file once."""
        name = str(file.path)
        if name not in self._tags:
            self._tags[name] = f'"{hashlib.sha256(file.path.read_bytes()).hexdigest()[:32]}"'
        return self._tags[name]


def open_site(folder: Path = SITE_FOLDER) -> Site:
    """Return the files of a folder, and the API reference, which needs no built site.

    Args:
        folder: The built site; it may be absent.
    """
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = {path.relative_to(folder).as_posix(): path for path in paths}
    is_built = INDEX in files
    if not is_built:
        files = {INDEX: _HERE / "not_built.html"}
    files[API_REFERENCE] = _HERE / "api_reference.html"
    return Site({name: _site_file(name, path) for name, path in files.items()}, is_built)


def _site_file(name: str, path: Path) -> SiteFile:
    has_digest = name.startswith(_ASSETS) and name.endswith((".min.css", ".min.js"))
    is_generated_page = path.suffix == ".html" and path.parent != _HERE
    return SiteFile(path, CONTENT_TYPES.get(path.suffix, OTHER_CONTENT_TYPE), has_digest, is_generated_page)
