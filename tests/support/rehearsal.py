"""A provider in rehearsal: settings, lists and an issuer, against an emulator of the SAT."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

from lxml import etree
from tests.emulator.emulator_support import PROVIDER, EmulatorRun
from tests.support.cached_keys import holder_key
from tests.support.databases import prepare_sqlite

from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.app.composition import Container, build_container
from timbra.container.build import fiscal_clock
from timbra.core.caller import Caller
from timbra.core.clock import CENTRAL_MEXICO
from timbra.delivery.build import delivery_state
from timbra.delivery.receptions import DeliveryState
from timbra.examples import KEMPER, ingreso
from timbra.lists.importing import list_importer
from timbra.lists.sources.part_names import ListKind
from timbra.sandbox.authority.build import sandbox_authority
from timbra.sandbox.build import sandbox_services
from timbra.sat.port import RequestOrigin
from timbra.seals.certificates.certificate import CertificateKind
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamping.models import DocumentKind, StampRequest, StampResult

COLUMNS = ("NOMBRE=name", "CODIGO_POSTAL=postal_code", "REGIMENES=regimes")
PASSWORD = "una frase Larga y rara 99"


def rehearsal_settings(emulator: EmulatorRun, folder: Path, **values: object) -> Settings:
    """Return the settings of a provider that the emulator has registered; its key is in the file of the emulator."""
    registered = emulator.emulator.providers.register(PROVIDER)
    files = registered.folder / PROVIDER
    authority = folder / "authority.cer"
    authority.write_bytes(emulator.container.get(sandbox_authority).certificate.der)
    return Settings.model_validate(
        {
            "environment": "rehearsal",
            "data": folder / "data",
            "rehearsal_authority": authority,
            "rehearsal_sat_url": emulator.running.address,
            "provider_rfc": PROVIDER,
            "provider_certificate": files.with_suffix(".cer"),
            "provider_key_storage": "file",
            "provider_key_file": files.with_suffix(".key"),
            "provider_key_password": files.with_suffix(".password").read_text(),
            "sat_access_signature": registered.access_signature,
        }
        | values
    )


def import_lists(emulator: EmulatorRun, container: Container, folder: Path) -> None:
    """Download the emulator's lists and import them; their signatures are verified as in production."""
    listing = emulator.client.get(emulator.url("/lco?restype=container&comp=list")).content
    names = [str(name.text) for name in etree.fromstring(listing).iter("Name")]
    for kind, start in ((ListKind.LCO, "LCO_"), (ListKind.LRFC, "l_RFC_")):
        paths = []
        for name in names:
            if name.startswith(start):
                paths.append(folder / name)
                paths[-1].write_bytes(emulator.client.get(emulator.url(f"/lco/{name}")).content)
        list_importer(container, COLUMNS).run(kind, paths)


class RehearsedProvider:
    """A provider in rehearsal with one account, whose vault has the CSD of an issuer."""

    def __init__(self, emulator: EmulatorRun, folder: Path, **values: object) -> None:
        """values: settings."""
        now = emulator.container.get(fiscal_clock).now()
        start, end = now - timedelta(days=1), now + timedelta(days=30)
        with holder_key(1):
            csd = emulator.container.get(sandbox_authority).mint(
                KEMPER.rfc, CertificateKind.CSD, KEMPER.name, start, end
            )
        emulator.container.get(sandbox_services).refresh()
        folder.mkdir(exist_ok=True)
        self.settings = rehearsal_settings(emulator, folder, **values)
        prepare_sqlite(self.settings.data)
        self.container = build_container(self.settings)
        import_lists(emulator, self.container, folder)
        made = self.container.get(account_services).accounts.create("ana@example.com", PASSWORD, unlimited=True)
        self.caller = Caller(made.account_id, made.user, made.role)
        self.container.get(certificate_services).vault.save(
            made.account_id, csd.certificate_der, csd.key_der, csd.password
        )
        self.csd = csd

    def request(self, text: str | None = None, kind: DocumentKind = DocumentKind.CFDI) -> StampRequest:
        fecha = (datetime.now(CENTRAL_MEXICO) - timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%S")
        xml = text or ingreso({"@Folio": uuid4().hex[:12]}, fecha=fecha)
        return StampRequest(self.caller, xml.encode(), str(uuid4()), kind=kind)

    def issue(self, text: str | None = None, kind: DocumentKind = DocumentKind.CFDI) -> StampResult:
        return asyncio.run(self.container.get(stamping_services).stamping.issue(self.request(text, kind)))

    def state(self, uuid: str) -> DeliveryState:
        return self.container.get(delivery_state)(uuid)

    def origin(self) -> RequestOrigin:
        return RequestOrigin(self.caller.account_id, str(uuid4()))

    def close(self) -> None:
        self.container.close()
