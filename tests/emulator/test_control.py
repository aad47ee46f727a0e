"""The control endpoints: state, registration of providers, and requests that are rejected."""

from __future__ import annotations

from base64 import b64decode
from urllib.parse import urlsplit

import pytest
from tests.emulator.emulator_support import PROVIDER, EmulatorRun, Holder

from timbra.sandbox.authority.build import sandbox_authority
from timbra.seals.certificates.certificate import CertificateKind, read_certificate
from timbra.seals.keys.private_key import load_private_key


def test_state_names_address_providers_and_counts(emulator: EmulatorRun) -> None:
    before = emulator.control("GET", "/state").json()
    assert before["address"] == emulator.running.address
    assert {PROVIDER, emulator.container.get(sandbox_authority).provider.rfc} <= set(before["providers"])
    xml, uuid = emulator.stamped()
    emulator.deliver(xml, uuid)
    assert emulator.control("GET", "/state").json()["received"] == before["received"] + 1
    assert uuid.lower() in emulator.control("GET", "/receptions").json()


def test_registration_returns_a_credential_that_logs_in_and_a_container_that_accepts(emulator: EmulatorRun) -> None:
    made = emulator.control("POST", "/providers", {"rfc": "nuv010101ab1"}).json()
    certificate = read_certificate(b64decode(made["certificate"]))
    assert (certificate.rfc, certificate.kind) == ("NUV010101AB1", CertificateKind.PROVIDER)
    holder = Holder(certificate, load_private_key(b64decode(made["key"]), made["password"]))
    assert emulator.login(holder=holder)
    address = f"{made['container']}/a.xml{made['access_signature']}"
    assert emulator.client.put(address, content=b"<a/>", headers={"x-ms-blob-type": "BlockBlob"}).status_code == 201
    assert emulator.control("POST", "/providers", {"rfc": "NUV010101AB1"}).json() == made


@pytest.mark.parametrize("body", [{"rfc": "x"}, {"rfc": "../../../../x"}, {}, {"rfc": PROVIDER, "x": 1}])
def test_registration_rejects_other_values(emulator: EmulatorRun, body: dict[str, object]) -> None:
    assert emulator.control("POST", "/providers", body).status_code == 400


def test_access_signature_of_an_unknown_provider_is_not_found(emulator: EmulatorRun) -> None:
    assert emulator.control("POST", "/providers/XYZ010101AB1/access-signature").status_code == 404


def test_unknown_reception_is_not_found(emulator: EmulatorRun) -> None:
    assert emulator.control("GET", "/receptions/0d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11").status_code == 404
    assert emulator.control("GET", "/receptions/..%2F..%2Ftoken").status_code == 404


@pytest.mark.parametrize("changes", [{"token_seconds": 0}, {"unknown": 1}, {"stamps": "maybe"}])
def test_options_reject_other_values(emulator: EmulatorRun, changes: dict[str, object]) -> None:
    assert emulator.control("PATCH", "/options", changes).status_code == 400
    assert emulator.control("GET", "/options").json()["stamps"] == "verify"


def test_change_needs_the_content_type_of_json(emulator: EmulatorRun) -> None:
    address = emulator.running.control_address + "/tokens/expire"
    for headers in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"}):
        assert emulator.client.post(address, content=b"{}", headers=headers).status_code == 400


def test_other_host_names_are_rejected(emulator: EmulatorRun) -> None:
    address = emulator.running.control_address + "/providers"
    assert emulator.client.get(address, headers={"Host": "attacker.example"}).status_code == 400


def test_control_listens_on_a_port_of_its_own(emulator: EmulatorRun) -> None:
    assert urlsplit(emulator.running.control_address).hostname == "127.0.0.1"
    assert emulator.client.get(emulator.url("/state")).status_code == 404


def test_body_over_the_limit_is_rejected(emulator: EmulatorRun) -> None:
    address = emulator.running.control_address + "/faults"
    response = emulator.client.post(address, content=b" " * 9_000_000, headers={"Content-Type": "application/json"})
    assert response.status_code == 413
