"""Command of `make docs-site`: build the site into the folder of the package."""

from __future__ import annotations

from rich.console import Console

from timbra.web.portal.documentation.site import SITE_FOLDER
from tools.docs_site.builder import SiteBuildError, build_site
from tools.docs_site.diagrams import DiagramError
from tools.docs_site.search import SearchError


def main() -> None:
    """Build the site; exit code 1 with the reasons when it has an error."""
    console = Console()
    try:
        build_site(SITE_FOLDER)
    except (SiteBuildError, DiagramError, SearchError) as error:
        console.print(str(error), markup=False)
        raise SystemExit(1) from error
    files = [path for path in SITE_FOLDER.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    console.print(f"{SITE_FOLDER}: {len(files)} files, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
