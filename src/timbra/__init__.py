"""Timbra: seals, stamps and validates Mexican electronic invoices (CFDI).

`import timbra` is a library: `timbra.validate("invoice.xml").ok`. It has no server, no database and no data folder. The
names of `__all__` are its public interface; each is imported at its first use, so that the import of the package takes
no time. What is below other modules may change in every release, except `timbra.testing` and `timbra.pytest_plugin`.
"""

# Versions of Python that Timbra does not support parse this file too, before `timbra.cli` names the supported ones.
TYPE_CHECKING = False  # as checkers of types read it; `typing` is as slow as the rest of the import

if TYPE_CHECKING:
    from timbra.amounts.totals import LineTotal, Totals
    from timbra.core.errors import ServiceError as Error
    from timbra.library.catalogs import Catalog, catalog
    from timbra.library.documents import (
        Cfdi,
        cadena,
        example,
        explain,
        from_json,
        print_pdf,
        read,
        seal,
        to_json,
    )
    from timbra.library.report import Finding, Report, SealCheck
    from timbra.library.totals import totals
    from timbra.library.validation import validate, validate_async, validate_many, verify
    from timbra.rules.reference.explanation import Explanation

    __version__ = ""

__all__ = [
    "Catalog",
    "Cfdi",
    "Error",
    "Explanation",
    "Finding",
    "LineTotal",
    "Report",
    "SealCheck",
    "Totals",
    "__version__",
    "cadena",
    "catalog",
    "example",
    "explain",
    "from_json",
    "print_pdf",
    "read",
    "seal",
    "to_json",
    "totals",
    "validate",
    "validate_async",
    "validate_many",
    "verify",
]

_MODULES = {
    "Catalog": "timbra.library.catalogs",
    "Cfdi": "timbra.library.documents",
    "Explanation": "timbra.rules.reference.explanation",
    "Finding": "timbra.library.report",
    "LineTotal": "timbra.amounts.totals",
    "Report": "timbra.library.report",
    "SealCheck": "timbra.library.report",
    "Totals": "timbra.amounts.totals",
    "cadena": "timbra.library.documents",
    "catalog": "timbra.library.catalogs",
    "example": "timbra.library.documents",
    "explain": "timbra.library.documents",
    "from_json": "timbra.library.documents",
    "print_pdf": "timbra.library.documents",
    "read": "timbra.library.documents",
    "seal": "timbra.library.documents",
    "to_json": "timbra.library.documents",
    "totals": "timbra.library.totals",
    "validate": "timbra.library.validation",
    "validate_async": "timbra.library.validation",
    "validate_many": "timbra.library.validation",
    "verify": "timbra.library.validation",
}
"""Module of each name."""


if not TYPE_CHECKING:  # a checker would accept every name

    def __getattr__(name):  # type: (str) -> object
        """Import a public name at its first use."""
        from importlib import import_module

        if name == "__version__":
            from importlib.metadata import version

            found = version("timbra")  # type: object
        elif name == "catalogs":
            found = import_module("timbra.library").catalogs
        elif name == "Error":
            found = import_module("timbra.core.errors").ServiceError
        elif name in _MODULES:
            found = getattr(import_module(_MODULES[name]), name)
        else:
            raise AttributeError("module 'timbra' has no attribute " + repr(name))
        globals()[name] = found
        return found


def __dir__():  # type: () -> list[str]
    return sorted({*globals(), *__all__})
