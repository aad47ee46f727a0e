"""Autentica of the bulk download: the messages of programs in use are accepted, forged and stale ones are faults."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from lxml import etree
from tests.emulator.bulk_download_support import (
    AUTENTICA,
    CFDI,
    DownloadSandbox,
    canonical,
    new_download_sandbox,
    rsa_sha1,
    token_of,
)
from tests.emulator.emulator_support import BASE64, DSIG, SOAP, WSSE, WSU, X509, Holder, fault_of

EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#"
ADDRESSING = "http://schemas.microsoft.com/ws/2005/05/addressing/none"
FAULT = ("InvalidSecurity", "An error occurred when verifying security for the message.")


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DownloadSandbox]:
    with new_download_sandbox(tmp_path_factory.mktemp("authentication") / "data") as found:
        yield found


def message(
    holder: Holder,
    created: datetime | None = None,
    seconds: int | None = 300,
    *,
    prefix: str = "",
    transforms: bool = True,
    headers: str = "",
    identifier: str = "_0",
) -> bytes:
    """Return a signed message. seconds: until Expires; None for none. headers: before Security."""
    at = created or datetime.now(UTC)
    expires = "" if seconds is None else f"<u:Expires>{written(at + timedelta(seconds=seconds))}</u:Expires>"
    root = etree.fromstring(
        f'<s:Envelope xmlns:s="{SOAP}" xmlns:u="{WSU}"><s:Header>{headers}<o:Security xmlns:o="{WSSE}" '
        f's:mustUnderstand="1"><u:Timestamp u:Id="{identifier}"><u:Created>{written(at)}</u:Created>{expires}'
        f'</u:Timestamp><o:BinarySecurityToken u:Id="token" ValueType="{X509}" EncodingType="{BASE64}">'
        f"{b64encode(holder.certificate.der).decode()}</o:BinarySecurityToken></o:Security></s:Header>"
        f'<s:Body><Autentica xmlns="{AUTENTICA}"/></s:Body></s:Envelope>'
    )
    security = root[0][-1]
    p, namespace = (f"{prefix}:", f'xmlns:{prefix}="{DSIG}"') if prefix else ("", f'xmlns="{DSIG}"')
    transform = f'<{p}Transforms><{p}Transform Algorithm="{EXCLUSIVE}"/></{p}Transforms>' if transforms else ""
    digest = b64encode(hashlib.sha1(canonical(security[0])).digest()).decode()
    info = (
        f'<{p}SignedInfo {namespace}><{p}CanonicalizationMethod Algorithm="{EXCLUSIVE}"/>'
        f'<{p}SignatureMethod Algorithm="{DSIG}rsa-sha1"/><{p}Reference URI="#{identifier}">{transform}'
        f'<{p}DigestMethod Algorithm="{DSIG}sha1"/><{p}DigestValue>{digest}</{p}DigestValue></{p}Reference>'
        f"</{p}SignedInfo>"
    )
    value = b64encode(rsa_sha1(holder, canonical(etree.fromstring(info)))).decode()
    security.append(
        etree.fromstring(
            f"<{p}Signature {namespace}>{info}<{p}SignatureValue>{value}</{p}SignatureValue><{p}KeyInfo>"
            f'<o:SecurityTokenReference xmlns:o="{WSSE}"><o:Reference ValueType="{X509}" URI="#token"/>'
            f"</o:SecurityTokenReference></{p}KeyInfo></{p}Signature>"
        )
    )
    return etree.tostring(root)


def written(at: datetime) -> str:
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"seconds": None},
        {"seconds": 600},
        {"prefix": "ds", "transforms": False},
        {"identifier": "Timestamp"},
        {
            "headers": f'<To s:mustUnderstand="1" xmlns="{ADDRESSING}">x</To><Action s:mustUnderstand="1" '
            f'xmlns="{ADDRESSING}">y</Action><ActivityId xmlns="http://schemas.microsoft.com/a">z</ActivityId>'
        },
    ],
    ids=["usual", "no Expires", "ten minutes", "ds prefix, no Transforms", "other Id", "further headers"],
)
def test_message_of_a_program_in_use_gets_a_token(sandbox: DownloadSandbox, form: dict[str, object]) -> None:
    assert token_of(sandbox.client().login(message(sandbox.efirma(), **form)))  # type: ignore[arg-type]


@pytest.mark.parametrize("created", [timedelta(minutes=-30), timedelta(minutes=30)])
def test_message_of_another_time_is_a_fault(sandbox: DownloadSandbox, created: timedelta) -> None:
    answer = sandbox.client().login(message(sandbox.efirma(), datetime.now(UTC) + created))
    assert fault_of(answer) == FAULT


def test_changed_message_is_a_fault(sandbox: DownloadSandbox) -> None:
    whole = message(sandbox.efirma())
    start = whole.index(b"<u:Created>") + 11
    changed = whole[:start] + b"2027" + whole[start + 4 :]
    assert fault_of(sandbox.client().login(changed)) == FAULT
    assert fault_of(sandbox.client().login(message(sandbox.efirma(), seconds=900))) == FAULT
    answer = sandbox.client().login(whole)
    assert b'xml:lang="en-US"' not in answer.content


def test_namespace_of_the_other_services_is_not_supported(sandbox: DownloadSandbox) -> None:
    action = "http://DescargaMasivaTerceros.sat.gob.mx/IAutenticacion/Autentica"
    answer = sandbox.emulator.client.post(
        sandbox.emulator.url(f"{CFDI}/Autenticacion/Autenticacion.svc"),
        content=message(sandbox.efirma()),
        headers={"SOAPAction": action},
    )
    assert fault_of(answer)[0] == "ActionNotSupported"
    assert b'xml:lang="en-US"' in answer.content


def test_answer_is_compressed_for_a_client_that_accepts_it(sandbox: DownloadSandbox) -> None:
    headers = {"SOAPAction": f"{AUTENTICA}/IAutenticacion/Autentica", "Content-Type": "text/xml"}
    address = sandbox.emulator.url(f"{CFDI}/Autenticacion/Autenticacion.svc")
    for accepted, used in (("gzip", "gzip"), ("identity", None)):
        answer = sandbox.emulator.client.post(
            address, content=message(sandbox.efirma()), headers={**headers, "Accept-Encoding": accepted}
        )
        assert answer.headers.get("content-encoding") == used
        assert token_of(answer)
