"""The sandbox application over a temporary folder: mints, seals and stamps at a fixed fiscal time."""

from __future__ import annotations

import asyncio
import re
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from uuid import uuid4

from tests.support.cached_keys import holder_key, other_keys
from tests.support.databases import prepare_sqlite
from tests.support.sealing import sealed

from timbra import examples
from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.app.composition import build_container
from timbra.container import Bindings
from timbra.container.build import fiscal_clock
from timbra.core.caller import Caller
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamping.models import DocumentKind, StampRequest, StampResult

NOW = "2026-11-17T12:00:00"
FECHA = "2026-11-17T11:00:00"


class SandboxApp:
    """One account and one container. Everything that it creates is dated around `NOW` in central Mexico."""

    def __init__(
        self,
        data: Path,
        *,
        own_keys: bool = False,
        wall: Clock | None = None,
        bindings: Bindings = MappingProxyType({}),
        **settings: object,
    ) -> None:
        """own_keys: its authority has another key than that of other sandboxes, whose credentials it does not trust.

        wall: wall time; the clock of the machine when None.
        bindings: functions by those that they replace.
        """
        if "database_url" not in settings:
            prepare_sqlite(data)
        chosen = Settings(data=data, clock=NOW, **settings)  # type: ignore[arg-type]
        self.container = build_container(chosen, wall, bindings=bindings)
        self._minted = 0
        if own_keys:
            with other_keys():
                self.container.get(sandbox_services).authority_ca  # noqa: B018 - made at first use
        self.caller = self.account("ana@example.com")

    def account(self, user: str) -> Caller:
        made = self.container.get(account_services).accounts.create(user, "una contraseña larga")
        return Caller(made.account_id, made.user, made.role)

    @property
    def now(self) -> datetime:
        return self.container.get(fiscal_clock).now()

    def mint(
        self,
        rfc: str = examples.KEMPER.rfc,
        kind: CertificateKind = CertificateKind.CSD,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
    ) -> MintedCredential:
        """Mint a credential that is valid from 30 days ago to 30 days ahead by default."""
        starts, ends = valid_from or self.now - timedelta(days=30), valid_to or self.now + timedelta(days=30)
        self._minted += 1
        with holder_key(self._minted):
            return self.container.get(sandbox_services).authority_ca.mint(rfc, kind, examples.KEMPER.name, starts, ends)

    def store(self, credential: MintedCredential, caller: Caller | None = None) -> None:
        account = (caller or self.caller).account_id
        self.container.get(certificate_services).vault.save(
            account, credential.certificate_der, credential.key_der, credential.password
        )

    def sealed(self, text: str, credential: MintedCredential) -> bytes:
        """Return the document with the credential's certificate and a valid seal."""
        return sealed(self.container, text, credential)

    def issue(
        self,
        xml: bytes,
        custom_id: str | None = None,
        caller: Caller | None = None,
        kind: DocumentKind = DocumentKind.CFDI,
    ) -> StampResult:
        return asyncio.run(
            self.container.get(stamping_services).stamping.issue(self._order(xml, custom_id, caller, kind))
        )

    def stamp(
        self,
        xml: bytes,
        custom_id: str | None = None,
        caller: Caller | None = None,
        kind: DocumentKind = DocumentKind.CFDI,
    ) -> StampResult:
        return asyncio.run(
            self.container.get(stamping_services).stamping.stamp(self._order(xml, custom_id, caller, kind))
        )

    def rejection(self, xml: bytes, *, issue: bool = False, kind: DocumentKind = DocumentKind.CFDI) -> ServiceError:
        """Return the error that rejects the document; AssertionError when none does."""
        try:
            (self.issue if issue else self.stamp)(xml, kind=kind)
        except ServiceError as error:
            return error
        raise AssertionError("the document was stamped")

    def _order(
        self, xml: bytes, custom_id: str | None, caller: Caller | None, kind: DocumentKind = DocumentKind.CFDI
    ) -> StampRequest:
        return StampRequest(caller or self.caller, xml, str(uuid4()), custom_id, kind=kind)


def without_attribute(xml: bytes, name: str) -> bytes:
    """Return the document without the first attribute of that name."""
    return re.sub(rf' {name}="[^"]*"'.encode(), b"", xml, count=1)


def with_attribute(xml: bytes, name: str, value: str) -> bytes:
    """Return the document with another value of the first attribute of that name and unchanged seals."""
    return re.sub(rf' {name}="[^"]*"'.encode(), f' {name}="{value}"'.encode(), xml, count=1)
