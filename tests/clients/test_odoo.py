"""Odoo's connector, scripted, from login to cancellation over the vendor's host name and TLS, in its releases."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from tests.clients.odoo import HOST, RELEASES, OdooConnector, Release, StoredCsd
from tests.support.dev_server import DevServer, running_dev
from tests.support.key_forms import certificate_file, key_file
from tests.support.server import minted, sealed_invoice

from timbra import examples
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.seals.keys.private_key import load_private_key

USER, PASSWORD = "demo", "123456789"
"""What the first releases send to the test service, whatever the company has configured."""
UUID = re.compile(rb'UUID="([0-9A-Fa-f-]{36})"')
WITH_TLS = [release for release in RELEASES if release.scheme == "https"]


@dataclass(frozen=True)
class Vendor:
    """Servers behind the vendor's host name, for HTTP and HTTPS, and the CSD of a company."""

    data: Path
    plain: DevServer
    secure: DevServer
    credential: MintedCredential

    def port(self, port: int) -> int:
        server = {80: self.plain, 443: self.secure}[port]
        return int(urlsplit(server.printed["api"]).port or 0)

    def order_fault(self, name: str) -> None:
        answer = requests.post(
            f"{self.plain.printed['api']}/sandbox/faults",
            json={"name": name, "times": 1},
            headers={"Authorization": f"Bearer {self.plain.printed['token']}"},
            timeout=20,
        )
        assert answer.status_code == 200, answer.text

    def sealed(self, folio: str) -> bytes:
        return sealed_invoice(self.data, self.credential, folio=folio)


@pytest.fixture(scope="module")
def vendor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vendor]:
    data = tmp_path_factory.mktemp("odoo") / "data"
    variables = {"TIMBRA_DEV_USER": USER, "TIMBRA_DEV_PASSWORD": PASSWORD}
    with (
        running_dev("--data", str(data), variables=variables) as plain,
        running_dev("--https", "--data", str(data), variables=variables) as secure,
    ):
        yield Vendor(data, plain, secure, minted(data))


@pytest.fixture(autouse=True)
def name_resolution(vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lead the vendor's host to the servers, as the hosts file does, and let `requests` trust their authority."""
    resolve = socket.getaddrinfo

    def getaddrinfo(host: str, port: int, *arguments: Any, **options: Any) -> Any:
        return resolve(*(("127.0.0.1", vendor.port(port)) if host == HOST else (host, port)), *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", vendor.secure.printed["ca"])


def stored_csd(credential: MintedCredential, kept: str) -> StoredCsd:
    """Return the CSD as a release stores it.

    kept: `der`: the files of the SAT; `pem`: PEM with a key that is not encrypted and its former password; `pem,
    false`: without password; `pem, encrypted`: with a key that the password encrypts.
    """
    if kept == "der":
        return StoredCsd(credential.certificate_der, credential.key_der, credential.password)
    key, form = load_private_key(credential.key_der, credential.password), "pem pkcs8"
    if kept == "pem, encrypted":
        form = "pem pkcs8 encrypted"
    return StoredCsd(
        certificate_file("pem", credential.certificate_der),
        key_file(form, key, credential.password),
        False if kept == "pem, false" else credential.password,
    )


COMPANIES = [
    (release, kept)
    for release in RELEASES
    for kept in (("pem", "pem, false", "pem, encrypted") if release.sends_pem else ("der",))
]


@pytest.mark.parametrize(("release", "kept"), COMPANIES, ids=str)
def test_odoo_stamps_survives_a_lost_answer_and_cancels(vendor: Vendor, release: Release, kept: str) -> None:
    connector = OdooConnector(release, USER, PASSWORD)
    folio = f"{release.number}{kept}"
    first = connector.stamp(vendor.sealed(f"{folio}-1"[:40]))
    assert b"TimbreFiscalDigital" in first.cfdi, first.errors

    sealed = vendor.sealed(f"{folio}-2"[:40])
    vendor.order_fault("answer-lost")
    lost = connector.stamp(sealed)
    assert (lost.cfdi, len(lost.errors)) == (b"", 1)
    recovered = connector.stamp(sealed)
    assert b"TimbreFiscalDigital" in recovered.cfdi, recovered.errors
    assert connector.stamp(sealed) == recovered

    csd = stored_csd(vendor.credential, kept)
    folios = [found[1].decode() for cfdi in (first.cfdi, recovered.cfdi) if (found := UUID.search(cfdi))]
    for uuid in folios:
        for _ in range(2):  # a repeated cancellation is a success, too
            assert connector.cancel(csd, examples.KEMPER.rfc, uuid, "02").errors == ()
    assert len(set(folios)) == 2


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_odoo_with_a_token_in_the_place_of_the_password_stamps(vendor: Vendor, release: Release) -> None:
    connector = OdooConnector(release, "", f" {vendor.plain.printed['token']}\n")
    assert connector.stamp(vendor.sealed(f"token-{release.number}")).cfdi


@pytest.mark.parametrize(("release", "kept"), COMPANIES, ids=str)
def test_odoo_shows_why_a_cancellation_is_rejected(vendor: Vendor, release: Release, kept: str) -> None:
    """Without a motive, as Odoo sent before 2022, and with a wrong password of an encrypted key."""
    connector = OdooConnector(release, USER, PASSWORD)
    uuid = UUID.search(connector.stamp(vendor.sealed(f"no-{release.number}{kept}")).cfdi)
    assert uuid is not None
    csd = stored_csd(vendor.credential, kept)
    without_motive = connector.cancel(csd, examples.KEMPER.rfc, uuid[1].decode())
    assert without_motive.errors == (
        "CACFDI33 - Problemas con el xml.",
        "CR1310. Clave de motivo de cancelación no válida",
    )
    if kept in ("der", "pem, encrypted"):
        wrong = connector.cancel(
            StoredCsd(csd.certificate, csd.key, "otra"), examples.KEMPER.rfc, uuid[1].decode(), "02"
        )
        assert wrong.errors[-1] == "La contraseña no abre la llave privada."


@pytest.mark.parametrize("release", WITH_TLS, ids=str)
def test_odoo_reaches_no_server_whose_authority_it_does_not_trust(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with pytest.raises(requests.exceptions.SSLError):
        OdooConnector(release, USER, PASSWORD)


def test_odoo_fails_to_log_in_with_a_wrong_password() -> None:
    with pytest.raises(requests.exceptions.HTTPError, match=json.dumps(400)):
        OdooConnector(RELEASES[-1], USER, "otra")
