"""Each check of certificate, seal and stamp is necessary: without it the report of a document has fewer findings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp, with_attribute
from tests.support.stamped import stamped

from timbra.examples import ingreso
from timbra.examples.cfdi33 import ingreso33
from timbra.rules.rulesets.certificates import evaluation as seals
from timbra.sandbox.authority.build import sandbox_registry
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.certificates.trust_store import TrustStore
from timbra.stamping.build import stamping_services
from timbra.validation.models import ReportEntryKind
from timbra.validation.validation import ValidationService

MAKERS: dict[str, Callable[..., str]] = {"4.0": ingreso, "3.3": ingreso33}

UNKNOWN = "00001000000599999999"


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    sandbox_app = SandboxApp(tmp_path_factory.mktemp("sandbox") / "data")
    sandbox_app.store(sandbox_app.mint())
    yield sandbox_app
    sandbox_app.container.close()


@dataclass(frozen=True)
class Bench:
    """Documents of one version and their validation."""

    sandbox_app: SandboxApp
    version: str

    def document(self) -> bytes:
        """Return a valid document of a listed certificate."""
        credential = self.sandbox_app.mint()
        self.sandbox_app.container.get(sandbox_registry).register_certificate(credential.certificate)
        return stamped(self.sandbox_app, MAKERS[self.version](fecha=FECHA), FECHA, credential)

    def codes(self, xml: bytes, trust: TrustStore | None = None) -> set[str | None]:
        tools = self.sandbox_app.container.get(stamping_services).checks
        tools = tools if trust is None else replace(tools, trust=trust)
        entries = asyncio.run(ValidationService(tools, None).validate(xml, with_status=False)).entries
        return {entry.code for entry in entries if entry.kind is ReportEntryKind.ERROR}


def _other_number(bench: Bench) -> bytes:
    return with_attribute(bench.document(), "NoCertificado", UNKNOWN)


def _other_issuer(bench: Bench) -> bytes:
    return with_attribute(bench.document(), "Rfc", "ZZZ010101ZZ1")


def _efirma(bench: Bench) -> bytes:
    return stamped(
        bench.sandbox_app,
        MAKERS[bench.version](fecha=FECHA),
        FECHA,
        bench.sandbox_app.mint(kind=CertificateKind.EFIRMA),
    )


def _expired(bench: Bench) -> bytes:
    ended = bench.sandbox_app.now - timedelta(days=1)
    return stamped(bench.sandbox_app, MAKERS[bench.version](fecha=FECHA), FECHA, bench.sandbox_app.mint(valid_to=ended))


def _revoked(bench: Bench) -> bytes:
    credential = bench.sandbox_app.mint()
    registry = bench.sandbox_app.container.get(sandbox_registry)
    registry.register_certificate(credential.certificate)
    registry.revoke(credential.certificate.number)
    registry.refresh()
    return stamped(bench.sandbox_app, MAKERS[bench.version](fecha=FECHA), FECHA, credential)


def _two_stamps(bench: Bench) -> bytes:
    xml = bench.document()
    start = xml.index(b"<tfd:")
    stamp = xml[start : xml.index(b"/>", start) + 2]
    return xml.replace(stamp, stamp + stamp)


def _changed(name: str, value: str) -> Callable[[Bench], bytes]:
    return lambda bench: with_attribute(bench.document(), name, value)


def _stamp_changed(name: bytes, value: bytes) -> Callable[[Bench], bytes]:
    def change(bench: Bench) -> bytes:
        head, tfd, tail = bench.document().partition(b"<tfd:")
        at = tail.index(b" " + name + b'="') + len(name) + 3
        return head + tfd + tail[:at] + value + tail[tail.index(b'"', at) :]

    return change


BREAKERS: dict[str, Callable[[Bench], bytes]] = {
    "CFDI40106": _other_number,
    "CFDI33105": _other_number,
    "308": Bench.document,
    "303": _other_issuer,
    "306": _efirma,
    "402": _other_issuer,
    "305": _expired,
    "304": _revoked,
    "CFDI40102": _changed("Sello", "AAAA"),
    "CFDI33102": _changed("Sello", "AAAA"),
    "302": _changed("Sello", "AAAA"),
    "TFD-UNICO": _two_stamps,
    "TFD-VERSION": _stamp_changed(b"Version", b"1.0"),
    "TFD-SELLO-CFD": _stamp_changed(b"SelloCFD", b"AAAA"),
    "TFD-PROVEEDOR": _stamp_changed(b"NoCertificadoSAT", UNKNOWN.encode()),
    "TFD11303": _stamp_changed(b"UUID", b"5b64ada3-aa4c-40b4-a2f5-572ced52be32"),
    "TFD-FECHA": _stamp_changed(b"FechaTimbrado", b"2026-11-10T00:00:00"),
}
ASKED = [
    (version, rule.code) for version in MAKERS for rule in chain(seals.ISSUER[version], seals.TIMBRE)
]  # fmt: skip


@pytest.mark.parametrize("version", MAKERS)
def test_valid_document_violates_no_check(sandbox_app: SandboxApp, version: str) -> None:
    bench = Bench(sandbox_app, version)
    assert not bench.codes(bench.document()) & {code for _, code in ASKED}


@pytest.mark.parametrize(("version", "code"), ASKED)
def test_report_changes_without_each_check(
    sandbox_app: SandboxApp, version: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(sandbox_app, version)
    xml = BREAKERS[code](bench)
    trust = TrustStore((), ()) if code == "308" else None
    with_it = bench.codes(xml, trust)
    assert code in with_it
    others = {version: tuple(rule for rule in rules if rule.code != code) for version, rules in seals.ISSUER.items()}
    monkeypatch.setattr(seals, "ISSUER", others)
    monkeypatch.setattr(seals, "TIMBRE", tuple(rule for rule in seals.TIMBRE if rule.code != code))
    assert bench.codes(xml, trust) == with_it - {code}
