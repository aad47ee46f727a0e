"""The tool `preview`: what a stamp in a sandbox would answer, of which nothing is stored."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Annotated, Self

import typer
from pydantic import Field

import timbra
from timbra.cfdi.header_reader import has_root_of_retenciones
from timbra.console.services_option import rejection_line
from timbra.core.caller import ACCOUNT, Caller
from timbra.core.errors import DocumentLocation
from timbra.mcp.answers import PreviewAnswer
from timbra.mcp.tools import Document, document_bytes
from timbra.sandbox.commands.ephemeral_services import open_ephemeral_services
from timbra.sandbox.example_sealing import ExampleSealer
from timbra.stamping.models import DocumentKind, StampRequest
from timbra.stamping.preview import is_sealed
from timbra.stamping.services import StampingServices

CALLER = Caller(0, "mcp", ACCOUNT)
"""A caller without an account: no stamp of the sandbox is its own, and no balance is taken."""


class Previewer:
    """Previews stamps in the sandbox of a data folder, which the first preview opens.

    Args:
        data: The folder; None for the example sandbox, see `ephemeral_data`.
    """

    def __init__(self, data: Path | None = None) -> None:
        self._data = data
        self._lock = Lock()
        self._opened = ExitStack()
        self._services: tuple[StampingServices, ExampleSealer] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def preview(
        self,
        document: Document,
        reseal: Annotated[
            bool, Field(description="Whether a sealed document is sealed again; without, its seal is checked.")
        ] = False,
    ) -> PreviewAnswer:
        """Preview the stamp of a document (CFDI 4.0, retenciones 2.0) in a sandbox: all checks, and nothing is stored.

        A document without seal is sealed with a test CSD of its issuer. Unlike `validate`, the first check that rejects
        the document ends the preview, and the checks include its age, the certificate and an earlier stamp.
        """
        xml = document_bytes(document)
        with self._lock:
            stamping, sealer = self._open()
            try:
                sealed = xml if is_sealed(xml, stamping.checks) and not reseal else _seal(sealer, xml)
                kind = DocumentKind.RETENCIONES if has_root_of_retenciones(sealed) else DocumentKind.CFDI
                request = StampRequest(CALLER, sealed, "preview", kind=kind, dry_run=True)
                asyncio.run(stamping.stamping.stamp(request))
            except timbra.Error as error:
                return _rejection(error)
        return PreviewAnswer(True)

    def _open(self) -> tuple[StampingServices, ExampleSealer]:
        if self._services is None:
            try:
                sandbox, stamping, _ = self._opened.enter_context(open_ephemeral_services(self._data))
            except typer.Exit as error:
                raise timbra.Error(
                    "CO1000", "El sandbox no se puede abrir; la salida de error dice por qué."
                ) from error
            self._services = stamping, ExampleSealer(sandbox.authority_ca, stamping.checks)
        return self._services


def _seal(sealer: ExampleSealer, xml: bytes) -> bytes:
    try:
        return sealer.seal(xml.decode("utf-8-sig"))
    except ValueError as error:  # no issuer or no date
        raise timbra.Error("301", "Para sellarlo faltan el emisor o la fecha.") from error


def _rejection(error: timbra.Error) -> PreviewAnswer:
    place = error.location or DocumentLocation()
    return PreviewAnswer(False, error.code, rejection_line(error), place.path, place.found, place.expected)
