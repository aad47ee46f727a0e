"""Spanish texts of the command line: the catalogs `es.po` of the packages, which the build compiles to `es.mo`."""

from __future__ import annotations

from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

import timbra


@cache
def spanish_texts() -> NullTranslations:
    """Return the texts of all packages.

    Raises:
        FileNotFoundError: A catalog was not compiled, as in a checkout without `make setup`.
    """
    texts = NullTranslations()
    for folder in timbra.__path__:
        for catalog in sorted(Path(folder).glob("*/es.po")):
            with catalog.with_suffix(".mo").open("rb") as compiled:
                texts.add_fallback(GNUTranslations(compiled))
    return texts
