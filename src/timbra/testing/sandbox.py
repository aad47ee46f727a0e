"""A running sandbox server as tests use it."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from timbra.testing.connection import SandboxConnection, SandboxError
from timbra.testing.controls import FaultControl, SandboxClock

__all__ = ["Credential", "Sandbox", "SandboxAccount", "SandboxError", "StoredStamp"]

AGE = timedelta(minutes=5)
"""Time between Fecha of an example document and the present."""
PAGE = "200"


@dataclass(frozen=True, slots=True)
class SandboxAccount:
    """The account of a sandbox server: an administrator, with CSDs of test taxpayers in its vault.

    Attributes:
        token: An infinite token.
        rfcs: The RFCs with a CSD in its vault; empty when they are not known.
    """

    user: str
    password: str = field(repr=False)
    token: str = field(repr=False)
    rfcs: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Credential:
    """A CSD or e.firma with its private key, in the SAT's file forms.

    Attributes:
        number: Number of the certificate, 20 digits.
        cer: The certificate: the bytes of the `.cer` file.
        key: The encrypted private key: the bytes of the `.key` file.
        password: Password of `key`.
    """

    rfc: str
    number: str
    cer: bytes = field(repr=False)
    key: bytes = field(repr=False)
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class StoredStamp:
    """A stamp of the account.

    Attributes:
        stamped: FechaTimbrado, local time of central Mexico without a zone.
        kind: TipoDeComprobante.
        request_id: `X-Request-Id` of the request.
    """

    uuid: str
    stamped: datetime
    kind: str
    series: str
    folio: str
    issuer_rfc: str
    receiver_rfc: str
    total: Decimal
    request_id: str


class Sandbox:
    """A running sandbox server.

    Attributes:
        url: Base URL, without a slash at its end.
        user: User name of the account.
        password: Password of the account; empty when it is not known.
        token: Infinite token of the account.
        rfcs: The RFCs with a CSD in the vault of the account, for the requests that seal.
        clock: Fiscal time.
        faults: Faults on demand.
    """

    def __init__(self, url: str, account: SandboxAccount, connection: SandboxConnection) -> None:
        self.url = url
        self.user = account.user
        self.password = account.password
        self.token = account.token
        self.rfcs = tuple(account.rfcs)
        self.clock = SandboxClock(connection)
        self.faults = FaultControl(connection)
        self._connection = connection

    def __repr__(self) -> str:
        return f"Sandbox({self.url!r})"

    def mint_csd(
        self,
        rfc: str,
        *,
        name: str = "",
        postal_code: str = "",
        regimes: Sequence[str] = (),
        kind: str = "csd",
        password: str = "",
    ) -> Credential:
        """Issue a test CSD, with which a client seals; the server does not keep its key.

        Args:
            rfc: The holder.
            name: Name of a taxpayer whom the sandbox does not know; registers it.
            postal_code: DomicilioFiscal of that taxpayer.
            regimes: Keys of c_RegimenFiscal of that taxpayer.
            kind: `csd` or `efirma`.
            password: Password of the key; a random one when empty.

        Raises:
            SandboxError: The taxpayer is unknown and `name`, `postal_code` or `regimes` is missing.
        """
        given = {"name": name, "postalCode": postal_code, "password": password}
        body: dict[str, object] = {"rfc": rfc, "kind": kind, **{key: text for key, text in given.items() if text}}
        if regimes:
            body["regimes"] = list(regimes)
        answer = self._connection.send("POST", "/sandbox/certificates", body)
        return Credential(
            answer["rfc"],
            answer["certificateNumber"],
            b64decode(answer["b64Cer"]),
            b64decode(answer["b64Key"]),
            answer["password"],
        )

    def stamps(self) -> Sequence[StoredStamp]:
        """Return the stamps of the account since the last reset, newest first."""
        found: list[StoredStamp] = []
        query = {"limit": PAGE}
        while True:
            page = self._connection.send("GET", "/stamps", query=query)
            found += [_stamp(record) for record in page["records"]]
            if page["cursor"] is None:
                return found
            query["cursor"] = page["cursor"]

    def example(self, name: str = "ingreso") -> str:
        """Return a minimal valid document that can be issued now, unsealed.

        Args:
            name: One of the names of `timbra example --list`.

        Raises:
            SandboxError: There is no example of that name.
        """
        from timbra.core.clock import to_central_mexico
        from timbra.examples import DOCUMENTS

        if name not in DOCUMENTS:
            raise SandboxError(f"There is no example {name}; `timbra example --list` lists all names.")
        return DOCUMENTS[name].make(fecha=to_central_mexico(self.clock.now() - AGE))

    def reset(self) -> None:
        """Remove stamps, cancellations, faults and changes of taxpayers, and reset the clock.

        Accounts, tokens and certificates stay.
        """
        self._connection.send("POST", "/sandbox/reset", {})

    def close(self) -> None:
        """Close the connection; the server goes on."""
        self._connection.close()


def _stamp(record: dict[str, str]) -> StoredStamp:
    return StoredStamp(
        uuid=record["uuid"],
        stamped=datetime.fromisoformat(record["fechaTimbrado"]),
        kind=record["tipoDeComprobante"],
        series=record["serie"],
        folio=record["folio"],
        issuer_rfc=record["rfcEmisor"],
        receiver_rfc=record["rfcReceptor"],
        total=Decimal(record["total"]),
        request_id=record["requestId"],
    )
