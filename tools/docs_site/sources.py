"""The sources of the site: the pages of docs/ and of the rule sets, with links between pages of the site."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from tools.docs_site.diagrams import with_tables

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RULESETS = ROOT / "src" / "timbra" / "rules" / "rulesets"
WIDE_PAGES = "rules/"
"""Folder of the pages with wide tables, which use the place of the table of contents."""
WITHOUT_CONTENTS = "---\nhide:\n  - toc\n---\n\n"
EXCLUDED = ("decisions",)
"""Folders of docs/ that are not in the site: the decision records are for readers of the source code."""

_CODE_BLOCK = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?P<mark>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)")


def site_files(docs: Path = DOCS, rulesets: Path = RULESETS) -> dict[Path, str]:
    """Return the path in the site of every source file, pages and other files.

    Args:
        docs: The documentation folder.
        rulesets: The folder of the rule sets, each with a page README.md.
    """
    files = [path for path in sorted(docs.rglob("*")) if path.is_file()]
    found = {path: path.relative_to(docs).as_posix() for path in files if _included(path.relative_to(docs))}
    found |= {page: f"rules/{page.parent.name}.md" for page in sorted(rulesets.glob("*/README.md"))}
    return found


def _included(path: Path) -> bool:
    return path.parts[0] not in EXCLUDED and not any(part.startswith(".") for part in path.parts)


def copy_sources(files: Mapping[Path, str], target: Path) -> list[str]:
    """Copy the source files, with the links of their pages rewritten.

    Args:
        files: Path in the site by source file.
        target: A new folder.

    Returns:
        The paths of the pages in the site.

    Raises:
        DiagramError: A page has a Mermaid diagram that cannot be a table.
    """
    for source, name in files.items():
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.suffix == ".md":
            text = with_site_links(with_tables(source.read_text("utf-8"), name), source, files)
            place.write_text(f"{WITHOUT_CONTENTS}{text}" if name.startswith(WIDE_PAGES) else text, "utf-8")
        else:
            shutil.copyfile(source, place)
    return [name for name in files.values() if name.endswith(".md")]


def with_site_links(text: str, source: Path, files: Mapping[Path, str]) -> str:
    """Rewrite the relative links of a page; a link to a file outside of the site becomes its text and its path.

    Links to files that do not exist stay, so that the strict build reports them.

    Args:
        text: The page as Markdown.
        source: Its file.
        files: Path in the site by source file.
    """
    folder = Path(files[source]).parent

    def rewrite(link: re.Match[str]) -> str:
        linked = Path(os.path.normpath(source.parent / link["target"]))
        if linked in files:
            place = Path(os.path.relpath(files[linked], folder)).as_posix()
            return f"{link['mark']}[{link['text']}]({place}{link['anchor'] or ''})"
        if not linked.exists() or not linked.is_relative_to(ROOT):
            return link[0]
        path = linked.relative_to(ROOT).as_posix()
        return f"`{path}`" if link["text"].strip("`") == path else f"{link['text']} (`{path}`)"

    parts = _CODE_BLOCK.split(text)
    return "".join(part if number % 2 else _LINK.sub(rewrite, part) for number, part in enumerate(parts))
