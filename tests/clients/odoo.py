"""The requests of Odoo's connector for this service, and how it handles the answers, written from observed behaviour.

Odoo has the addresses in its code: only the name resolution of its machine leads them elsewhere. What differs among its
releases is a `Release`.
"""

from __future__ import annotations

import json
import secrets
import string
from base64 import b64decode, b64encode, encodebytes
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import requests

HOST = "services.test.sw.com.mx"
ALPHABET = string.ascii_letters + string.digits
CANCELLED = frozenset({"201", "202"})


@dataclass(frozen=True)
class Release:
    """What a release of Odoo does differently.

    Attributes:
        number: Its main version.
        scheme: Of the addresses of the test service.
        wraps_base64: Whether it sends base64 in lines of 76 characters.
        sends_pem: Whether certificate and key are PEM, the key without encryption; else the files of the SAT, in DER.
        reads_codes: Whether a cancellation succeeds by the code of its folio; else by the status of the answer.
    """

    number: int
    scheme: str = "https"
    wraps_base64: bool = True
    sends_pem: bool = False
    reads_codes: bool = False

    def __str__(self) -> str:
        return f"odoo-{self.number}"


RELEASES = (
    Release(12, scheme="http", wraps_base64=False),
    Release(13, scheme="http", wraps_base64=False),
    Release(14),
    Release(15),
    Release(16),
    Release(17, reads_codes=True),
    Release(18, sends_pem=True, reads_codes=True),
    Release(19, sends_pem=True, reads_codes=True),
)


@dataclass(frozen=True)
class StoredCsd:
    """The CSD of the company as Odoo stores it.

    Attributes:
        certificate, key: The files.
        password: Of the key; False for none.
    """

    certificate: bytes = field(repr=False)
    key: bytes = field(repr=False)
    password: str | bool = field(repr=False)


@dataclass(frozen=True)
class Result:
    """What Odoo keeps of a request: the signed document, or the errors that it shows."""

    cfdi: bytes = b""
    errors: tuple[str, ...] = ()


class OdooConnector:
    """Logs in, stamps and cancels as a release of Odoo does.

    Args:
        release: The release.
        user: User of the test service; empty when `password` is a token.
        password: Its password.
    """

    def __init__(self, release: Release, user: str, password: str) -> None:
        self._release = release
        self._base = f"{release.scheme}://{HOST}"
        self._token = self._log_in(user, password) if user else password.strip()

    def _log_in(self, user: str, password: str) -> str:
        headers = {"user": user, "password": password, "Cache-Control": "no-cache"}
        answer = requests.post(f"{self._base}/security/authenticate", headers=headers, timeout=20)
        answer.raise_for_status()
        return str(answer.json()["data"]["token"])

    def stamp(self, sealed: bytes) -> Result:
        """Stamp a document that Odoo has sealed."""
        content = (encodebytes(sealed) if self._release.wraps_base64 else b64encode(sealed)).decode()
        boundary = "".join(secrets.choice(ALPHABET) for _ in range(30))
        lines = (
            f"--{boundary}",
            "Content-Type: text/xml",
            "Content-Transfer-Encoding: binary",
            'Content-Disposition: form-data; name="xml"; filename="xml"',
            "",
            content,
            f"--{boundary}--",
            "",
        )
        body = "\n".join(lines).replace("\n", "\r\n").encode()
        answer = self._post("/cfdi33/stamp/v3/b64", body, f'multipart/form-data; boundary="{boundary}"')
        data = answer.get("data")
        if isinstance(data, Mapping) and data.get("cfdi"):
            return Result(b64decode(data["cfdi"]))
        return Result(errors=_errors(answer))

    def cancel(self, csd: StoredCsd, rfc: str, uuid: str, motive: str = "", substitute: str = "") -> Result:
        """Cancel a document with the CSD of the company. Odoo sends no motive before its changes of 2022."""
        members: dict[str, object] = {
            "rfc": rfc,
            "b64Cer": b64encode(csd.certificate).decode(),
            "b64Key": b64encode(csd.key).decode(),
            "password": csd.password,
            "uuid": uuid,
        }
        members |= {"motivo": motive} if motive else {}
        members |= {"folioSustitucion": substitute} if substitute else {}
        answer = self._post("/cfdi33/cancel/csd", json.dumps(members).encode(), "application/json")
        if answer["status"] != "success":
            return Result(errors=_errors(answer))
        if self._release.reads_codes:
            code = next(iter(answer["data"]["uuid"].values()), "")
            return Result() if code in CANCELLED else Result(errors=(code,))
        return Result()

    def _post(self, path: str, body: bytes, content_type: str) -> dict[str, Any]:
        """Return the answer; a repeat is a success whose document, from `messageDetail`, is encoded as in `data`."""
        headers = {"Authorization": f"bearer {self._token}", "Content-Type": content_type}
        try:
            response = requests.post(self._base + path, data=body, headers=headers, timeout=20)
        except requests.exceptions.RequestException as error:
            return {"status": "error", "message": str(error)}
        answer = dict(response.json())
        if answer["status"] == "error" and answer["message"].startswith("307"):
            document = encodebytes(answer["messageDetail"].encode()).decode()
            return {"status": "success", "message": None, "messageDetail": None, "data": {"cfdi": document}}
        return answer


def _errors(answer: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(str(answer[name]) for name in ("message", "messageDetail") if answer.get(name))
