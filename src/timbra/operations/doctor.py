"""The checks of all features, one after the other: a failure of one does not stop the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import structlog

from timbra.core.checks import CheckOptions, CheckResult, CheckState
from timbra.core.errors import ServiceError
from timbra.core.features import features

if TYPE_CHECKING:
    from timbra.container import Container

LOG = structlog.get_logger(__name__)


class Doctor:
    """Checks the settings and the data folder of one server, and the services that it needs."""

    def __init__(self, container: Container) -> None:
        self._container = container

    def run(self, options: CheckOptions) -> Iterator[CheckResult]:
        """Yield the result of every check, in the order of the features.

        What ends several checks, such as a wrong master key, is one result.
        """
        details: set[str] = set()
        for feature in features():
            for module in feature.diagnostics:
                for name, check in feature.read(module, "DIAGNOSTICS").items():
                    try:
                        for result in check(self._container, options):
                            if result.state is CheckState.ERROR:
                                details.add(result.detail)
                            yield result
                    except ServiceError as error:
                        detail = error.detail or error.code
                        if detail not in details:
                            details.add(detail)
                            yield CheckResult(name, CheckState.ERROR, detail)
                    except Exception as error:
                        LOG.exception("check failed because of a defect of the program", check=name)
                        yield CheckResult(name, CheckState.ERROR, f"Falla del programa: {error!r}.")


def doctor(container: Container) -> Doctor:
    """Build the checks; nothing is opened before they run."""
    return Doctor(container)


SERVICES = {Doctor: doctor}
