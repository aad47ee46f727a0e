"""Lists of the SAT that are imported into a sandbox, and the cures that findings about the lists name."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.lists.signing import importer, lco, lrfc, published, seal, taxpayer
from tests.support.sandbox_app import FECHA, SandboxApp, with_attribute

from timbra.container.build import data_folder
from timbra.examples import exportacion, ingreso
from timbra.lists.sources.part_names import ListKind
from timbra.rules.ports import reference_source
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.taxpayers import TaxpayerChange
from timbra.validation.build import validation_services
from timbra.validation.models import ReportEntry

KEMPER, NEW = "EKU9003173C9", "TIN130215QR7"


def import_lco(sandbox_app: SandboxApp, folder: Path, *taxpayers: str) -> None:
    part = published(folder, "LCO_2026-11-20_1.XML.gz", lco(*taxpayers))
    importer(sandbox_app.container.get(data_folder) / "lists").run(ListKind.LCO, [part])


def import_lrfc(sandbox_app: SandboxApp, folder: Path, text: bytes, columns: str = "") -> None:
    part = published(folder, "l_RFC_2026_11_19_1.txt.gz", text)
    importer(sandbox_app.container.get(data_folder) / "lists", columns=columns).run(ListKind.LRFC, [part])


def finding(sandbox_app: SandboxApp, xml: bytes, code: str) -> ReportEntry:
    validation = sandbox_app.container.get(validation_services).validation
    report = asyncio.run(validation.validate(xml, with_status=False))
    return next(entry for entry in report.entries if entry.code == code)


def sealed(sandbox_app: SandboxApp, credential: MintedCredential) -> bytes:
    return sandbox_app.sealed(ingreso(fecha=FECHA), credential)


def test_certificate_that_imported_list_revokes_is_rejected(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    credential, other = sandbox_app.mint(), sandbox_app.mint()
    assert sandbox_app.stamp(sealed(sandbox_app, other)).uuid
    import_lco(sandbox_app, tmp_path, taxpayer(KEMPER, seal(int(credential.number), "R")))
    xml = sealed(sandbox_app, credential)
    assert sandbox_app.rejection(xml).code == "304"
    assert "estatus R (revocado)" in (finding(sandbox_app, xml, "304").found or "")


def test_certificates_and_taxpayers_of_the_sandbox_stay_beside_an_imported_list(
    sandbox_app: SandboxApp, tmp_path: Path
) -> None:
    import_lco(sandbox_app, tmp_path, taxpayer(KEMPER, seal(1)), taxpayer("XIA190128J61", seal(2)))
    import_lrfc(sandbox_app, tmp_path, lrfc(f"{KEMPER}|0|0"))
    assert sandbox_app.stamp(sealed(sandbox_app, sandbox_app.mint())).uuid
    lists = sandbox_app.container.get(reference_source).current()
    assert lists.lists_version.endswith(", LCO 2026-11-20, l_RFC 2026-11-19")
    assert lists.taxpayers is not None
    row = lists.taxpayers.taxpayer(KEMPER)
    assert row is not None
    assert (row.name, row.postal_code) == ("ESCUELA KEMPER URGATE", "42501"), "columns that the list does not have"


def test_obligations_of_imported_list_have_priority(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    credential = sandbox_app.mint()
    import_lco(sandbox_app, tmp_path, taxpayer(KEMPER, seal(int(credential.number), obligations="0")))
    assert sandbox_app.rejection(sealed(sandbox_app, credential)).code == "402"


def test_taxpayer_of_imported_list_is_registered(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    lookup = sandbox_app.container.get(validation_services).taxpayer_lookup
    import_lrfc(sandbox_app, tmp_path, lrfc(f"{NEW}|1|0"))
    assert lookup.lrfc(NEW).sncf


def test_names_of_imported_list_and_of_the_sandbox_are_registered(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    rows = (f"{NEW}|TALLERES INDUSTRIALES DEL NORTE", f"{KEMPER}|OTRO NOMBRE DE KEMPER")
    import_lrfc(sandbox_app, tmp_path, lrfc(*rows, header="RFC|NOMBRE"), columns="nombre=name")
    names = sandbox_app.container.get(reference_source).current().names
    assert names is not None
    assert names.is_registered("TALLERES INDUSTRIALES DEL NORTE")
    assert names.is_registered("UNIVERSIDAD ROBOTICA ESPAÑOLA"), "a taxpayer of the sandbox alone"
    assert names.is_registered("OTRO NOMBRE DE KEMPER")
    assert not names.is_registered("ESCUELA KEMPER URGATE"), "the imported row has priority"


def test_hint_of_unlisted_certificate_names_the_commands_for_certificates(tmp_path: Path) -> None:
    other = SandboxApp(tmp_path / "other")
    credential = other.mint()
    other.container.close()
    trusting = SandboxApp(tmp_path / "trusting", trust_dir=tmp_path / "other" / "certificates")
    xml = sealed(trusting, credential)
    entry, rejection = finding(trusting, xml, "305"), trusting.rejection(xml)
    trusting.container.close()
    assert rejection.code == "305"
    for text in (entry.hint or "", rejection.detail or ""):
        assert "timbra csd mint" in text
        assert "timbra csd add" in text
        assert "taxpayer add" not in text


def test_hint_of_unregistered_issuer_names_the_command_for_taxpayers(sandbox_app: SandboxApp) -> None:
    xml = with_attribute(sealed(sandbox_app, sandbox_app.mint()), "Rfc", NEW)
    assert "timbra sandbox taxpayer add" in (finding(sandbox_app, xml, "402").hint or "")
    assert "timbra sandbox taxpayer add" in (finding(sandbox_app, xml, "305").hint or "")
    sandbox_app.container.get(sandbox_services).registry.add(NEW, TaxpayerChange(name="TINTORERIA DEL NORTE"))
    assert "timbra csd mint" in (finding(sandbox_app, xml, "305").hint or "")


def test_exchange_rate_of_a_foreign_trade_complement_is_decided_with_imported_rates(
    sandbox_app: SandboxApp, tmp_path: Path
) -> None:
    def cce121(rate: str) -> tuple[list[str], list[str]]:
        changes = {"Complemento/ComercioExterior/@TipoCambioUSD": rate}
        report = asyncio.run(validation.validate(exportacion(changes, fecha=FECHA).encode(), with_status=False))
        found = [entry.expected or "" for entry in report.entries if entry.code == "CCE121"]
        return found, [rule.missing for rule in report.not_evaluated if rule.code == "CCE121"]

    validation = sandbox_app.container.get(validation_services).validation
    assert cce121("18.50") == ([], ["tipos de cambio publicados"])
    rates = tmp_path / "tipos-de-cambio.csv"
    rates.write_text(f"fecha,moneda,pesos\n{FECHA[:10]},USD,18.50\n")
    importer(sandbox_app.container.get(data_folder) / "lists").run(ListKind.EXCHANGE_RATES, [rates])
    assert cce121("18.50") == ([], [])
    assert cce121("18.5001") == ([f"18.50, el publicado para el {FECHA[:10]}"], [])
