"""What a package adds to the server, declared by its module `feature`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import timbra


@dataclass(frozen=True)
class Feature:
    """The contributions of one package. Each is in modules of the package, which are imported when they are needed.

    Attributes:
        package: Name of the package below `timbra`.
        position: Place among the features, in the order of the API document.
        operations: Modules with `OPERATIONS`, in the order of the API document.
        answers: Modules with `ANSWERS`, the answer type of each component schema.
        pages: Modules with `PAGES`.
        cards: Modules with `CARDS`, cards of the home page.
        filters: Modules with `FILTERS`, functions for templates by their names.
        commands: Modules with `COMMANDS`.
        companions: Modules with `COMPANIONS`, functions that open a server beside that of `timbra dev`, see
            `timbra.web.server.companions`.
        tables: Modules with `TABLES`, the tables that no other package reads, see `timbra.database.feature_tables`.
        services: Modules with `SERVICES`, the functions that build each group of services from the container.
        jobs: Modules with `JOBS`, see `timbra.web.server.feature_jobs`.
        consumers: Modules with `CONSUMERS`, functions that build consumers of the event log from the container, see
            `timbra.events.consumers.Consumer`.
        warnings: Modules with `WARNINGS`, functions that get the container and return what an operator must see to.
        diagnostics: Modules with `DIAGNOSTICS`, functions by the Spanish name of what they check. They get the
            container and the options (`timbra.core.checks.CheckOptions`) and yield the results of `timbra doctor`.
        bindings: Modules with `BINDINGS`, functions by the ports that they implement, as those of an environment.
        checks: Modules with `CHECKS`, see `timbra.fsck.check.FsckCheck`.
        check_sources: Modules with `SOURCES`, see `timbra.fsck.check.FsckSource`.
        rotations: Modules with `ROTATIONS`, functions that encrypt secrets again under the current master key. They get
            the database, the transaction and the envelope encryption, and return the number of secrets.
    """

    package: str
    position: int = 0
    operations: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    consumers: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    diagnostics: tuple[str, ...] = ()
    bindings: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    check_sources: tuple[str, ...] = ()
    rotations: tuple[str, ...] = ()

    def load(self, modules: tuple[str, ...], name: str) -> Iterator[Any]:
        """Import modules of the package and yield the members of their collection of a name."""
        for module in modules:
            yield from self.read(module, name)

    def read(self, module: str, name: str) -> Any:
        """Import a module of the package and return its value of a name."""
        return getattr(import_module(f"timbra.{self.package}.{module}"), name)


@cache
def features() -> tuple[Feature, ...]:
    """Find the features: the packages that have a module `feature`."""
    folders = [Path(folder) for folder in timbra.__path__]
    packages = sorted({file.parent.name for folder in folders for file in folder.glob("*/feature.py")})
    found = [import_module(f"timbra.{package}.feature").FEATURE for package in packages]
    return tuple(sorted(found, key=lambda feature: feature.position))
