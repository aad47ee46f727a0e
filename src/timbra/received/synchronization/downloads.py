"""Packages of requests: each is written to the disk once, its documents are stored, and its file is removed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

import structlog

from timbra.core.errors import ServiceError
from timbra.received.synchronization.calls import UNANSWERED, BulkCalls
from timbra.received.synchronization.models import BulkPackage, BulkPackageState, BulkRequest, Values
from timbra.received.synchronization.packages import PackageStorage, open_package
from timbra.received.synchronization.requests import RequestWork
from timbra.received.synchronization.store import SyncRepository
from timbra.sat.bulk_download import ACCEPTED

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.received")

MAX_DOWNLOADS: Final = 5
"""Calls of the download of a package. The SAT delivers it twice, and may not count an answer that did not arrive."""
GONE: Final = ("5004", "5007", "5008")
"""Answers after which a package is not delivered."""
DAMAGED: Final = "damaged"


@dataclass(frozen=True, slots=True)
class PackageWork:
    """Downloads packages and stores their documents.

    Attributes:
        folder: Files of packages until their documents are stored.
    """

    repository: SyncRepository
    calls: BulkCalls
    requests: RequestWork
    storage: PackageStorage
    folder: Path

    def sweep(self) -> None:
        """Remove the files that a process which ended did not need any more, or did not write wholly."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files = [path for path in self.folder.iterdir() if path.stem.isdigit()]
        waiting = self.repository.waiting_packages([int(path.stem) for path in files])
        for path in files:
            if int(path.stem) not in waiting:
                path.unlink(missing_ok=True)

    def download(self, package: BulkPackage) -> None:
        """Download a package to a file; that it is downloaded is stored first."""
        request = self.repository.request(package.request)
        if package.downloads >= MAX_DOWNLOADS:
            self._lose(request, package, package.message)
            return
        failure = self.calls.authenticate(request, package.failures)
        if failure is not None:
            self._postpone(package, failure)
            return
        with self.repository.write() as connection:
            self.repository.change_package(connection, package.id, {"downloads": package.downloads + 1})
            self.calls.record(connection, "received.downloaded", request, package.package_id)
        code, message = self._fetch(request, package)
        self.calls.count("download", code)
        if code in GONE:
            self._lose(request, package, f"{code} {message}")
        elif code != ACCEPTED:
            self._postpone(package, message)
            self.calls.require_accepted(code, message, package.failures)

    def unpack(self, package: BulkPackage) -> None:
        """Store the documents of a package, and end its request with its last one."""
        request, path = self.repository.request(package.request), self._path(package)
        try:
            content = self.storage.store(request, path)
        except FileNotFoundError:
            # On the disk of another node.
            self._change(package, {"state": BulkPackageState.WAITING})
            return
        except BadZipFile as error:
            self._change(package, {"state": BulkPackageState.WAITING})
            self._postpone(package, f"El paquete está dañado: {error}")
            path.unlink(missing_ok=True)
            return
        with self.repository.write() as connection:
            self.repository.finish_package(connection, package.id, content)
        if content.broken:
            log.warning("broken documents in a package", package=package.package_id, broken=content.broken)
        self.end(request)
        path.unlink(missing_ok=True)

    def end(self, request: BulkRequest) -> None:
        """End a request whose packages are all processed or lost."""
        states = self.repository.states_of_packages(request.id)
        if BulkPackageState.WAITING in states or BulkPackageState.STORED in states:
            return
        if BulkPackageState.LOST in states:
            self.requests.replace_packages(request, "El SAT ya no entrega un paquete, o está dañado.")
        else:
            self.requests.finish(request)

    def _fetch(self, request: BulkRequest, package: BulkPackage) -> tuple[str, str]:
        """Write a package to its file; return code and message of the answer."""
        part = self._path(package, ".part")
        try:
            with part.open("w+b") as file:
                receipt = self.calls.client(request).download(request.rfc, package.package_id, file)
                if receipt.code != ACCEPTED:
                    return receipt.code, receipt.message
                file.flush()
                os.fsync(file.fileno())
                open_package(file, receipt.size)
            os.replace(part, self._path(package))
        except ServiceError as error:
            return UNANSWERED, error.detail or error.code
        except BadZipFile as error:
            return DAMAGED, f"El paquete está dañado: {error}"
        finally:
            part.unlink(missing_ok=True)
        self._change(package, {"state": BulkPackageState.STORED, "size": receipt.size, "failures": 0, "message": ""})
        return receipt.code, receipt.message

    def _lose(self, request: BulkRequest, package: BulkPackage, message: str) -> None:
        self._change(package, {"state": BulkPackageState.LOST, "message": message})
        log.warning("package lost", package=package.package_id, reason=message)
        self.end(request)

    def _postpone(self, package: BulkPackage, message: str) -> None:
        failures = package.failures + 1
        due = self.calls.after_failures(failures)
        self._change(package, {"failures": failures, "due_at": due, "message": message})

    def _change(self, package: BulkPackage, values: Values) -> None:
        with self.repository.write() as connection:
            self.repository.change_package(connection, package.id, values)

    def _path(self, package: BulkPackage, suffix: str = ".zip") -> Path:
        return self.folder / f"{package.id}{suffix}"
