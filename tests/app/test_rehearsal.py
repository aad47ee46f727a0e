"""A provider in rehearsal against the emulator over HTTP: identity, deliveries, cancellation, and what it rejects."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from tests.emulator.emulator_support import PROVIDER, EmulatorRun, running_emulator
from tests.support.rehearsal import RehearsedProvider
from tests.support.softhsm import soft_token

from timbra.app.composition import Container, build_all, open_container
from timbra.app.production import DeliveryQueue
from timbra.cancellation.build import cancellation_outcomes, cancellation_services
from timbra.cancellation.cancelling import CancellationRequest
from timbra.container.build import data_folder, fiscal_clock
from timbra.core.checks import CheckOptions, CheckResult, CheckState
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.delivery.build import authority_outbox, delivery_backlog
from timbra.delivery.outages import outage_warnings
from timbra.delivery.ports import authority_work
from timbra.documents.ports import cancellation_acuses
from timbra.events.build import dispatch_events, use_counter
from timbra.events.event_log import cancellation_events
from timbra.examples import KEMPER
from timbra.examples.retenciones20 import retencion
from timbra.operations.doctor import Doctor
from timbra.operations.ports import health_conditions
from timbra.provider.address_checks import OPERATIONS
from timbra.provider.build import provider_services
from timbra.provider.checks import LOGINS
from timbra.provider.parts import sat_delivery
from timbra.sat.addresses import sat_addresses
from timbra.sat.ports import stamping_provider
from timbra.seals.ports import trust_store
from timbra.settings import Settings
from timbra.stamping.models import DocumentKind

STAMP, DELIVERY, CANCELLATION = "timbre de prueba", "entrega de prueba", "cancelación de prueba"
LATE = "late"
RECEIVED = "received"
WAITING = "waiting"
WITH_INCIDENCIA = "received-with-incidencia"


@pytest.fixture(scope="module")
def module_emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatorRun]:
    """An emulator in real time: a provider logs in and stamps now."""
    with running_emulator(tmp_path_factory.mktemp("emulator"), clock="") as run:
        yield run


@pytest.fixture(scope="module")
def module_provider(
    module_emulator: EmulatorRun, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RehearsedProvider]:
    provider = RehearsedProvider(module_emulator, tmp_path_factory.mktemp("provider"), delivery_late_after_seconds=600)
    yield provider
    provider.close()


@pytest.fixture
def emulator(module_emulator: EmulatorRun) -> Iterator[EmulatorRun]:
    yield module_emulator
    module_emulator.emulator.configuration.faults.replace(())


@pytest.fixture
def provider(module_provider: RehearsedProvider) -> RehearsedProvider:
    return module_provider


def received(emulator: EmulatorRun, uuid: str) -> bool:
    return emulator.control("GET", f"/receptions/{uuid}").status_code == 200


def test_stamp_is_delivered_and_its_acuse_kept(emulator: EmulatorRun, provider: RehearsedProvider) -> None:
    stamped = provider.issue()
    assert provider.state(stamped.uuid).state == WAITING
    provider.container.get(authority_work).deliver()
    found = provider.state(stamped.uuid)
    assert found.state == RECEIVED
    assert found.reception is not None
    acuse = etree.fromstring(found.reception.acuse)
    assert acuse[0].get("UUID") == stamped.uuid
    assert received(emulator, stamped.uuid)


def test_retencion_is_delivered_to_its_own_service(emulator: EmulatorRun, provider: RehearsedProvider) -> None:
    fecha = provider.container.get(fiscal_clock).now() - timedelta(hours=8)
    text = retencion({"@FechaExp": fecha.strftime("%Y-%m-%dT%H:%M:%S")})
    stamped = provider.issue(text, DocumentKind.RETENCIONES)
    provider.container.get(authority_work).deliver()
    assert provider.state(stamped.uuid).state == RECEIVED
    assert received(emulator, stamped.uuid)


@pytest.mark.parametrize(
    ("fault", "state"),
    [
        ({"fault": "incidencia", "code": "999", "message": "Nombre distinto"}, WITH_INCIDENCIA),
        ({"fault": "incidencia", "code": "999", "message": "Recepción extemporánea"}, LATE),
        ({"fault": "answer-lost", "times": 1}, RECEIVED),
        ({"fault": "other-uuid", "times": 1}, RECEIVED),
        ({"fault": "truncated", "times": 1}, RECEIVED),
    ],
    ids=lambda value: value["fault"] if isinstance(value, dict) else value,
)
def test_faults_of_the_reception_lose_nothing(
    emulator: EmulatorRun, provider: RehearsedProvider, fault: dict[str, object], state: str
) -> None:
    emulator.fault(service="reception", **fault)  # type: ignore[arg-type]
    stamped = provider.issue()
    provider.container.get(authority_work).deliver()
    assert provider.state(stamped.uuid).state == state


def test_stamps_wait_while_the_sat_is_away_and_stamping_goes_on(
    emulator: EmulatorRun, provider: RehearsedProvider
) -> None:
    emulator.fault("status", service="upload", status=503)
    uuids = [provider.issue().uuid for _ in range(3)]
    provider.container.get(authority_work).deliver()
    assert {provider.state(uuid).state for uuid in uuids} == {WAITING}
    emulator.emulator.configuration.faults.replace(())
    provider.container.get(authority_outbox).requeue(uuids[0])
    provider.container.get(authority_work).deliver()
    assert provider.state(uuids[0]).state == RECEIVED


def test_cancellation_logs_in_again_when_its_token_dies(emulator: EmulatorRun, provider: RehearsedProvider) -> None:
    services = provider.container.get(cancellation_services)
    stamped = provider.issue()
    provider.container.get(authority_outbox).requeue(stamped.uuid)
    provider.container.get(authority_work).deliver()
    request = CancellationRequest(KEMPER.rfc, stamped.uuid, "02", "")
    for expected in ("201", "202"):
        result = services.cancelling.by_uuid(provider.caller, request, "request")
        assert result.codes == {stamped.uuid.upper(): expected}
        emulator.control("POST", "/tokens/expire")
    acuse = provider.container.get(cancellation_acuses).of_cancellation(stamped.uuid, KEMPER.rfc)
    assert acuse is not None
    assert stamped.uuid.upper() in acuse.decode()
    assert list(services.authority.pendings(KEMPER.rfc)) == []
    emulator.control("POST", "/tokens/expire")
    assert list(services.authority.pendings(KEMPER.rfc)) == []


def test_outcome_of_a_cancellation_becomes_an_event(
    emulator: EmulatorRun, provider: RehearsedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    container = provider.container
    dispatch_events(container)
    stamped = provider.issue()
    container.get(authority_outbox).requeue(stamped.uuid)
    container.get(authority_work).deliver()
    request = CancellationRequest(KEMPER.rfc, stamped.uuid, "02", "")
    container.get(cancellation_services).cancelling.by_uuid(provider.caller, request, "request")
    dispatch_events(container)
    outcomes, later = container.get(cancellation_outcomes), container.wall.now() + timedelta(seconds=61)
    assert outcomes is not None
    monkeypatch.setattr(container.wall, "now", lambda: later)
    assert outcomes.run() >= 1
    [*_, event] = cancellation_events(container.get(opened_database), stamped.uuid)
    assert (event.kind, event.body["estatuscancelacion"]) == ("cancellation.cancelled", "Cancelado sin aceptación")


def test_cancellation_waits_for_the_delivery_of_its_stamp(
    emulator: EmulatorRun, provider: RehearsedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    container = provider.container
    emulator.fault("status", service="upload", status=503)
    stamped = provider.issue()
    container.get(authority_work).deliver()
    request = CancellationRequest(KEMPER.rfc, stamped.uuid, "02", "")
    cancelling = container.get(cancellation_services).cancelling
    with pytest.raises(ServiceError, match="aún no se entrega"):
        cancelling.by_uuid(provider.caller, request, "request")
    emulator.emulator.configuration.faults.replace(())
    container.get(authority_outbox).requeue(stamped.uuid)
    container.get(authority_work).deliver()
    assert provider.state(stamped.uuid).state == RECEIVED
    later = container.wall.now() + timedelta(seconds=6)
    monkeypatch.setattr(container.wall, "now", lambda: later)
    container.get(authority_work).resend()
    kinds = [event.kind for event in cancellation_events(container.get(opened_database), stamped.uuid)]
    assert kinds == ["cancellation.received"]


def test_queue_limit_stops_stamping_until_the_queue_is_shorter(
    emulator: EmulatorRun, provider: RehearsedProvider
) -> None:
    container = provider.container
    container.get(DeliveryQueue).is_full = True
    with pytest.raises(ServiceError, match="demasiados comprobantes sin entregar") as caught:
        provider.issue()
    assert caught.value.retry_after
    container.get(authority_work).deliver()
    assert provider.issue().uuid


def run_checks(container: Container, *, online: bool = False, deliver: bool = False) -> dict[str, CheckResult]:
    """Return the results of all checks, by condition."""
    options = CheckOptions(online=online, deliver=deliver)
    return {result.name: result for result in Doctor(container).run(options)}


def test_check_reports_every_condition(emulator: EmulatorRun, provider: RehearsedProvider) -> None:
    results = run_checks(provider.container, online=True)
    without_source = {f"fuente de {name}" for name in ("LCO", "l_RFC", "L_CNE", "69-B")}
    warnings = {name for name, result in results.items() if result.state is CheckState.WARNING}
    assert warnings - {"reloj"} == without_source | {
        *("lista L_CNE", "lista 69-B", "proxy", "dirección pública", "métricas", "correo")
    }
    assert {result.state for result in results.values()} == {CheckState.OK, CheckState.WARNING}, results
    assert results["proveedor"].detail == PROVIDER
    assert results["autenticación de cancelación"].detail.startswith(emulator.running.address)


def test_check_goes_on_after_a_condition_failed(emulator: EmulatorRun, provider: RehearsedProvider) -> None:
    emulator.fault("soap-fault", service="authentication", message="Certificado revocado")
    settings = provider.settings.model_copy(update={"sat_access_signature": "", "provider_key_password": "otra"})
    with open_container(settings) as container:
        results = run_checks(container, online=True)
    assert results["proveedor"].state is CheckState.ERROR
    assert results["entrega al SAT"].detail == "Falta TIMBRA_SAT_ACCESS_SIGNATURE."
    assert results["lista LCO"].state is CheckState.OK


def checked(provider: RehearsedProvider, *, online: bool = True, **changes: object) -> dict[str, CheckResult]:
    """Return the results of the check with other settings, by condition."""
    settings = Settings.model_validate({**provider.settings.model_dump(exclude_unset=True), **changes})
    with open_container(settings) as container:
        return run_checks(container, online=online)


def test_check_reports_all_conditions_at_once(emulator: EmulatorRun, provider: RehearsedProvider) -> None:
    dead = "http://127.0.0.1:9/dead"
    results = checked(
        provider,
        sat_access_signature="?sv=2020&se=2099-01-01&sig=wrong",
        sat_cancel_url=dead,
        sat_relations_url="",
        sat_acceptance_url=emulator.url("/absent.svc"),
        lists_source=f"container:{dead}",
        article_69b_source=f"{dead}.csv",
        master_key="bm90IHRoZSBrZXkgb2YgdGhpcyBkYXRhYmFzZSEhISE=",
    )
    errors = {name for name, result in results.items() if result.state is CheckState.ERROR}
    assert errors == {
        "llave maestra",
        "la cancelación de CFDI",
        "la aceptación de cancelaciones y las solicitudes pendientes",
        "carga al contenedor",
        *(f"fuente de {name}" for name in ("LCO", "l_RFC", "L_CNE", "69-B")),
    }
    assert "TIMBRA_SAT_ACCESS_SIGNATURE" in results["carga al contenedor"].detail
    assert dead in results["la cancelación de CFDI"].detail
    assert results["la consulta de CFDI relacionados"] == CheckResult(
        "la consulta de CFDI relacionados", CheckState.WARNING, "Falta TIMBRA_SAT_RELATIONS_URL: está desactivada."
    )
    assert results["autenticación de cancelación"].state is CheckState.OK


def test_check_names_misspelt_settings(provider: RehearsedProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIMBRA_SAT_ACCESS_SIGNATUR", "?sig=x")
    found = checked(provider, online=False)["ajustes"]
    assert found.state is CheckState.ERROR
    assert found.detail == "TIMBRA_SAT_ACCESS_SIGNATUR no es un ajuste. ¿Es TIMBRA_SAT_ACCESS_SIGNATURE?"


def test_check_goes_on_without_the_database(provider: RehearsedProvider) -> None:
    found = checked(provider, database_url="postgresql+psycopg://timbra@127.0.0.1:9/absent")
    assert found["base de datos"].state is CheckState.ERROR
    assert "llave maestra" not in found
    assert found["carga al contenedor"].state is CheckState.OK


def test_check_queries_the_public_address(emulator: EmulatorRun, provider: RehearsedProvider) -> None:
    found = checked(provider, public_url=emulator.running.address)["dirección pública"]
    assert found.state is CheckState.ERROR
    assert emulator.running.address in found.detail


def test_check_queries_a_file_of_the_source_of_lists(emulator: EmulatorRun, provider: RehearsedProvider) -> None:
    source = f"container:{emulator.url('/lco')}"
    assert checked(provider, lists_source=source)["fuente de LCO"].state is CheckState.OK
    emulator.fault("status", service="lists", status=403, skip=1)
    found = checked(provider, lists_source=source)["fuente de LCO"]
    assert (found.state, "403" in found.detail) == (CheckState.ERROR, True)


def test_check_delivers_and_cancels_an_example(emulator: EmulatorRun, provider: RehearsedProvider) -> None:
    found = run_checks(provider.container, deliver=True)
    results = {name: found.get(name, found[STAMP]) for name in (STAMP, DELIVERY, CANCELLATION)}
    assert {result.state for result in results.values()} == {CheckState.OK}, results
    uuid = results[STAMP].detail.partition(",")[0]
    assert received(emulator, uuid)
    assert results[CANCELLATION].detail == "el SAT respondió 201"


def test_check_says_which_step_of_the_example_failed(emulator: EmulatorRun, provider: RehearsedProvider) -> None:
    emulator.fault("reject", service="reception", code="999", message="No admitido")
    found = run_checks(provider.container, deliver=True)
    assert (found[STAMP].state, found[DELIVERY].state) == (CheckState.OK, CheckState.ERROR)
    assert "rejected" in found[DELIVERY].detail
    assert CANCELLATION not in found


@pytest.mark.parametrize("name", [*OPERATIONS, *LOGINS])
def test_check_names_each_address_that_is_unset_or_dead(provider: RehearsedProvider, name: str) -> None:
    label = OPERATIONS.get(name) or f"autenticación de {LOGINS.get(name)}"
    unset = checked(provider, online=name in LOGINS, **dict[str, Any]({name: ""}))[label]
    assert unset.state is CheckState.WARNING
    assert f"TIMBRA_{name.upper()}" in unset.detail
    assert checked(provider, **dict[str, Any]({name: "http://127.0.0.1:9/dead"}))[label].state is CheckState.ERROR


def test_check_stores_nothing_in_the_container(emulator: EmulatorRun, provider: RehearsedProvider) -> None:
    folder = provider.settings.data.parent
    assert checked(provider)["carga al contenedor"].state is CheckState.OK
    assert not list(emulator.container.get(data_folder).rglob("timbra-check*")), folder


@pytest.mark.parametrize(
    ("signature", "state", "text"),
    [
        ("?sv=1&se=2020-01-01T00:00:00Z&sig=x", CheckState.ERROR, "venció el 2020-01-01"),
        ("?sv=1|se=2099-01-01|sig=x", CheckState.OK, "vigente hasta 2099-01-01"),
        ("?sv=1", CheckState.ERROR, "parámetro sig"),
    ],
)
def test_check_reads_the_expiry_of_the_access_signature(
    provider: RehearsedProvider, signature: str, state: CheckState, text: str
) -> None:
    found = checked(provider, online=False, sat_access_signature=signature)["firma de acceso"]
    assert found.state is state
    assert text in found.detail


def test_everything_is_delivered_after_an_outage_of_the_emulator(
    emulator: EmulatorRun, provider: RehearsedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    container = provider.container
    container.get(authority_work).deliver()
    earlier = container.get(delivery_backlog)().waiting  # a delivery of another test may wait for its time
    emulator.fault("status", service="upload", status=503)
    uuids = [provider.issue().uuid for _ in range(12)]
    container.get(authority_work).deliver()
    [outage] = container.get(delivery_backlog)().outages
    assert (outage.service, outage.code) == ("cfdi", "authority-down")
    assert (
        f"{12 + earlier} entregas en espera"
        in outage_warnings(container.get(delivery_backlog)(), container.wall.now())[0]
    )
    emulator.emulator.configuration.faults.replace(())
    after, monotonic = container.wall.now() + timedelta(seconds=40), time.monotonic() + 40
    monkeypatch.setattr(container.wall, "now", lambda: after)
    delivery: Any = container.get(sat_delivery)
    monkeypatch.setattr(delivery._authority._cfdi._breaker, "_now", lambda: monotonic)
    container.get(authority_work).deliver()
    assert {provider.state(uuid).state for uuid in uuids} == {RECEIVED}
    assert not container.get(delivery_backlog)().outages


def test_provider_stamps_with_several_tokens(emulator: EmulatorRun, tmp_path: Path) -> None:
    """The key is imported into two tokens; one of them disappears, and stamping goes on."""
    holder = emulator.provider()
    with soft_token(tmp_path / "softhsm", "pac") as soft:
        soft.import_key(holder.key, "pac-key")
        provider = RehearsedProvider(
            emulator,
            tmp_path / "provider",
            provider_key_storage="pkcs11",
            provider_pkcs11_module=soft.module,
            provider_pkcs11_tokens=f"{soft.label}, absent",
            provider_pkcs11_pin=soft.pin,
            provider_key_label="pac-key",
        )
        try:
            container = provider.container
            uuids = [provider.issue().uuid for _ in range(3)]
            soft.restart()
            uuids.append(provider.issue().uuid)
            container.get(authority_work).deliver()
            assert {provider.state(uuid).state for uuid in uuids} == {RECEIVED}
            results = run_checks(container)
            assert "absent" in results["llave del certificado"].detail
            container.get(use_counter).flush()
            today = container.wall.now().date()
            [use] = container.get(provider_services).key_uses.between(today, today)
            assert (use.number, use.signatures >= 5) == (holder.certificate.number, True)
        finally:
            provider.close()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"provider_rfc": "OTR010101AB1"}, "no de OTR010101AB1"),
        ({"provider_rfc": "DAL050601L35"}, "es de un proveedor autorizado"),
    ],
)
def test_rehearsal_does_not_stamp_for_another_provider(
    provider: RehearsedProvider, changes: dict[str, object], expected: str
) -> None:
    settings = provider.settings.model_copy(update=changes)
    with open_container(settings) as container:
        failing = dict(container.get(health_conditions))
        with pytest.raises(ServiceError, match=expected):
            container.get(stamping_provider)()
        [check] = failing.values()
        with pytest.raises(ServiceError, match=expected):
            check()


def test_production_does_not_stamp_with_the_certificate_of_an_emulator(
    provider: RehearsedProvider, tmp_path: Path
) -> None:
    values = provider.settings.model_dump() | {
        "environment": "production",
        "data": tmp_path,
        "rehearsal_authority": None,
        "rehearsal_sat_url": "",
        "sat_container_url": "https://cfdipac01.blob.core.windows.net/pac",
    }
    with open_container(Settings.model_validate(values)) as container, pytest.raises(ServiceError) as caught:
        container.get(stamping_provider)()
    assert "no es de un proveedor de certificación" in str(caught.value)
    assert "no fue expedido por una autoridad de este ambiente" in str(caught.value)


def test_csd_of_a_taxpayer_does_not_become_a_trusted_provider(provider: RehearsedProvider, tmp_path: Path) -> None:
    path = tmp_path / "csd.cer"
    path.write_bytes(provider.csd.certificate_der)
    own = provider.container.get(stamping_provider)()
    assert own is not None
    with open_container(provider.settings.model_copy(update={"provider_certificate": path})) as container:
        assert container.get(trust_store).provider(provider.csd.number) is None
    assert provider.container.get(trust_store).provider(own.certificate.number) is not None


def test_plain_key_file_is_rejected(provider: RehearsedProvider, tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    from timbra.seals.keys.private_key import load_private_key

    stored = provider.settings.provider_key_file
    assert stored is not None
    key = load_private_key(stored.read_bytes(), provider.settings.provider_key_password)
    plain = tmp_path / "plain.key"
    plain.write_bytes(key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))
    settings = provider.settings.model_copy(update={"provider_key_file": plain})
    with open_container(settings) as container, pytest.raises(ServiceError, match="no está cifrada"):
        container.get(stamping_provider)()


@pytest.mark.parametrize("missing", ["provider_rfc", "provider_certificate", "sat_access_signature"])
def test_server_does_not_start_with_an_incomplete_provider(provider: RehearsedProvider, missing: str) -> None:
    settings = provider.settings.model_copy(update={missing: None if missing.endswith("certificate") else ""})
    with open_container(settings) as container, pytest.raises(ServiceError, match=missing.upper()):
        build_all(container)


@pytest.mark.parametrize("name", ["sat_reception_url", "sat_status_url", "sat_cancel_url", "sat_container_url"])
@pytest.mark.parametrize("host", ["recepcion.facturaelectronica.sat.gob.mx", "CFDIPAC01.blob.core.windows.net."])
def test_rehearsal_rejects_addresses_of_the_sat(name: str, host: str) -> None:
    settings = Settings(environment="rehearsal", **{name: f"https://{host}/x"})  # type: ignore[arg-type]
    with pytest.raises(ServiceError, match=name.upper()):
        sat_addresses(settings)


def test_production_rejects_a_delivery_without_https() -> None:
    settings = Settings(environment="production", sat_container_url="http://127.0.0.1:8090/blob/pac")
    with pytest.raises(ServiceError, match="no es HTTPS"):
        sat_addresses(settings)


def test_rehearsal_addresses_follow_from_the_emulator() -> None:
    settings = Settings(environment="rehearsal", rehearsal_sat_url="http://127.0.0.1:8090/", provider_rfc=PROVIDER)
    found = sat_addresses(settings)
    assert found.sat_container_url == "http://127.0.0.1:8090/blob/pac010101ab1"
    assert found.sat_cancel_login_url == "http://127.0.0.1:8090/Autenticacion/Autenticacion.svc"
    assert all(getattr(found, name).startswith("http://127.0.0.1:8090/") for name in found.__dataclass_fields__)
