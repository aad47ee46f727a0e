"""The configuration file of the emulator: options and the script of faults, in JSON or YAML."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Literal

import structlog
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from timbra.core.errors import ServiceError
from timbra.emulator.bulk.options import BulkDownloadOptions
from timbra.emulator.faults import FaultRule, FaultScript

LOG = structlog.get_logger(__name__)
MAX_FILE_BYTES = 1024 * 1024


class EmulatorOptions(BaseModel):
    """What the public sources leave open, and the sizes of the simulation.

    Attributes:
        token_seconds: The life of a token.
        replayed_logins: Whether a login that was used before is rejected.
        repeated_deliveries: The answer to a UUID that was received before: its first acuse, or an Incidencia.
        stamps: Whether the seal of the stamp of a received document is verified.
        list_parts: The number of parts of LCO and l_RFC.
        bulk_download: Those of the bulk download.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    token_seconds: int = Field(default=600, ge=1, le=86_400)
    replayed_logins: Literal["reject", "accept"] = "reject"
    repeated_deliveries: Literal["first-acuse", "incidencia"] = "first-acuse"
    stamps: Literal["verify", "accept"] = "verify"
    list_parts: int = Field(default=2, ge=1, le=20)
    bulk_download: BulkDownloadOptions = BulkDownloadOptions()


class EmulatorFile(BaseModel):
    """The content of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    options: EmulatorOptions = EmulatorOptions()
    faults: tuple[FaultRule, ...] = ()


class EmulatorConfiguration:
    """The options and faults in force; a change of the file takes effect with the next request. Thread-safe.

    Attributes:
        faults: The script of faults; control endpoints change it too. A change of the file replaces all of it.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Read the file, if any. Raises ServiceError: "emulator-configuration" when it cannot be read."""
        self._path = path
        self._lock = Lock()
        self._version = _version(path)
        content = EmulatorFile() if path is None else _read(path)
        self._options = content.options
        self.faults = FaultScript(content.faults)

    @property
    def options(self) -> EmulatorOptions:
        return self._options

    def bulk_download(self) -> BulkDownloadOptions:
        """Return the options of the bulk download in force."""
        return self._options.bulk_download

    def change(self, options: EmulatorOptions) -> None:
        """Replace the options until the file changes."""
        self._options = options

    def refresh(self) -> None:
        """Read the file again after a change; one that cannot be read is logged, and nothing changes."""
        path = self._path
        if path is None:
            return
        with self._lock:
            version = _version(path)
            if version == self._version:
                return
            self._version = version
            try:
                content = _read(path)
            except ServiceError as error:
                LOG.error("configuration of the emulator not read", path=str(path), error=error.detail)  # noqa: TRY400
                return
            self._options = content.options
            self.faults.replace(content.faults)
        LOG.info("configuration of the emulator read", path=str(path), faults=len(content.faults))


def _version(path: Path | None) -> tuple[int, int] | None:
    try:
        found = None if path is None else path.stat()
    except OSError:
        return None
    return None if found is None else (found.st_mtime_ns, found.st_size)


def _read(path: Path) -> EmulatorFile:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise ServiceError("emulator-configuration", f"{path} pasa de {MAX_FILE_BYTES} bytes.")
        return EmulatorFile.model_validate(yaml.safe_load(data) or {})
    except OSError as error:
        raise ServiceError("emulator-configuration", f"{path}: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise ServiceError("emulator-configuration", f"{path} no es JSON ni YAML.") from error
    except ValidationError as error:
        raise ServiceError("emulator-configuration", f"{path}: {first_error(error)}") from error


def first_error(error: ValidationError) -> str:
    """Return the place and the text of the first error."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
