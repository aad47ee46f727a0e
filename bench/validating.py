"""Validation compared with its minimum: parse, reduced schema, two stylesheets and two verified signatures.

The same stamped invoices are used for all: the minimum with plain lxml and cryptography, the service in process, over
HTTP, and `satcfdi`, a widely used library that only reads them.
"""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import Callable
from importlib.metadata import distribution
from itertools import cycle
from pathlib import Path
from typing import Any

from bench import cpu_affinity
from bench.fixtures import request, unsealed
from bench.in_process import finished, run_here
from bench.interleaved_rounds import Figure, Speed, timed
from bench.load import Load
from bench.measure import Bench
from bench.server_process import Served
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from lxml import etree

from timbra.cfdi.snapshot_xml import trusted_document
from timbra.cfdi.tfd import TFD_TAG
from timbra.sandbox.build import sandbox_services
from timbra.snapshot.build.stylesheets import DOCUMENTS, STAMPS
from timbra.snapshot.opening import opened_snapshot
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest
from timbra.validation.build import validation_services

FLOOR, OURS, HTTP, READ = "floor", "in process", "over HTTP", "satcfdi reads it"
SAT = "http://www.sat.gob.mx/"
CFD = f"{SAT}sitio_internet/cfd/"
DIFFERENT = 200
"""Different documents of a size."""
PATH = "/validate/cfdi?validatestatus=false"


def stamped(bench: Bench, concepts: int, count: int) -> list[bytes]:
    """Return sealed and stamped invoices."""
    container, caller = bench.container, bench.prepared.caller
    documents = unsealed(container, concepts)
    orders = (StampRequest(caller, next(documents), "bench") for _ in range(count))
    with asyncio.Runner() as runner:
        return [runner.run(container.get(stamping_services).stamping.issue(order)).cfdi.encode() for order in orders]


class Floor:
    """The minimum work of a validation, with the libraries themselves."""

    def __init__(self, bench: Bench) -> None:
        container = bench.container
        package = Path(str(distribution("satcfdi").locate_file("")))
        self._parser = etree.XMLParser(resolve_entities=False, no_network=True)
        self._schema = etree.XMLSchema(trusted_document(container.get(opened_snapshot), "xsd", "cfdv40.xsd"))
        self._cadena = etree.XSLT(etree.parse(package / DOCUMENTS["4.0"]))
        self._stamp = etree.XSLT(etree.parse(package / STAMPS["1.1"]))
        self._issuer = bench.prepared.csd_key.public_key()
        provider = container.get(sandbox_services).authority_ca.provider.certificate.public_key
        if not isinstance(provider, RSAPublicKey):
            raise TypeError("the provider's key is RSA")
        self._provider = provider
        self._padding, self._digest = PKCS1v15(), SHA256()

    def use_full_schema(self) -> Floor:
        """Validate with the published schema of the invoice, its catalogs and the stamp, and return this object."""
        parser = etree.XMLParser(no_network=True, huge_tree=True)
        parser.resolvers.add(_PublishedSchemas())
        imports = (
            f'<xs:import namespace="{SAT}{namespace}" schemaLocation="{CFD}{file}"/>'
            for namespace, file in (
                ("cfd/4", "4/cfdv40.xsd"),
                ("TimbreFiscalDigital", "TimbreFiscalDigital/TimbreFiscalDigitalv11.xsd"),
            )
        )
        text = f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{"".join(imports)}</xs:schema>'
        self._schema = etree.XMLSchema(etree.fromstring(text, parser))
        return self

    def validate(self, xml: bytes) -> None:
        """Validate a document; RuntimeError or InvalidSignature when it has errors."""
        root = etree.fromstring(xml, self._parser)
        (tfd,) = root.iter(TFD_TAG)
        if not self._schema.validate(root):
            raise RuntimeError("the document has faults")
        self._verify(self._issuer, str(root.get("Sello")), str(self._cadena(root)))
        self._verify(self._provider, str(tfd.get("SelloSAT")), str(self._stamp(etree.ElementTree(tfd))))

    def _verify(self, key: RSAPublicKey, sello: str, cadena: str) -> None:
        key.verify(b64decode(sello), cadena.encode(), self._padding, self._digest)


class _PublishedSchemas(etree.Resolver):
    """The schemas of the SAT, from the package satcfdi."""

    _folder = Path(str(distribution("satcfdi").locate_file("satcfdi/transform/schemas")))

    def resolve(self, system_url: str, public_id: str, context: Any) -> Any:  # type: ignore[override] # noqa: ARG002
        """See `etree.Resolver.resolve`."""
        file = self._folder / system_url.partition("://")[2]
        return self.resolve_filename(str(file), context) if file.is_file() else None  # type: ignore[attr-defined]


def ours(bench: Bench) -> Callable[[bytes], object]:
    """Return a function that validates without an event loop: a server's loop runs once for many documents."""

    def validate(xml: bytes) -> None:
        report = finished(
            bench.container.get(validation_services).validation.validate(xml, False, run_in_thread=run_here)
        )
        if report.wrong:
            raise RuntimeError(f"the document is wrong: {[entry.code for entry in report.entries]}")

    return validate


def satcfdi_reader() -> Callable[[bytes], object]:
    """Return the function of satcfdi that reads a document into its objects."""
    from satcfdi.cfdi import CFDI

    def read(xml: bytes) -> object:
        return CFDI.from_string(xml)

    return read


def growth(bench: Bench) -> dict[int, dict[str, Figure]]:
    """Return the microseconds of processor time of one document, by number of concepts, in interleaved rounds."""
    floor, validate, read = Floor(bench), ours(bench), satcfdi_reader()
    found: dict[int, dict[str, Figure]] = {}
    for concepts, repeats in bench.plan.validations.items():
        documents = stamped(bench, concepts, min(DIFFERENT, repeats))
        spent: dict[str, list[float]] = {FLOOR: [], OURS: [], READ: []}
        for number in range(bench.plan.rounds + 1):
            for name, work in ((FLOOR, floor.validate), (OURS, validate), (READ, read)):
                each = once(work, documents, repeats)
                if number:
                    spent[name].append(1e6 / each.cpu_rate)
        found[concepts] = {name: Figure.of(values) for name, values in spent.items()}
    return found


def once(work: Callable[[bytes], object], documents: list[bytes], repeats: int) -> Speed:
    """Call the work for documents in turn, on the core of the server."""
    turn = cycle(documents)
    with cpu_affinity.running_on(cpu_affinity.SERVER):
        return timed(lambda: work(next(turn)), repeats)


def rates(bench: Bench, server: Served) -> dict[str, list[Speed]]:
    """Measure documents of three concepts per second: the minimum, in process and over HTTP."""
    plan, documents = bench.plan, stamped(bench, 3, DIFFERENT)
    floor, validate, read = Floor(bench), ours(bench), satcfdi_reader()
    found: dict[str, list[Speed]] = {FLOOR: [], OURS: [], HTTP: [], READ: []}
    with Load(server.address, plan.connections) as load:
        for number in range(plan.rounds + 1):
            speeds = {
                FLOOR: once(floor.validate, documents, plan.calls),
                OURS: once(validate, documents, plan.calls),
                HTTP: _over_http(bench, server, load, documents),
                READ: once(read, documents, plan.calls),
            }
            if number:
                for name, speed in speeds.items():
                    found[name].append(speed)
    return found


def _over_http(bench: Bench, server: Served, load: Load, documents: list[bytes]) -> Speed:
    turn = cycle(documents)
    with cpu_affinity.running_on(cpu_affinity.LOAD):
        requests = [request(PATH, bench.prepared.token, next(turn)) for _ in range(bench.plan.requests)]
        before = server.cpu_seconds()
        seconds, _ = load.run(requests)
        return Speed(len(requests), seconds, server.cpu_seconds() - before)
