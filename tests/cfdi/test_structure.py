"""The structure check: messages, places, and what it leaves to the rules."""

from __future__ import annotations

from threading import Thread

import pytest
from lxml import etree
from tests.cfdi.oracle import filled

from timbra.cfdi.structure import Structure, StructureFault
from timbra.errors import ServiceError
from timbra.examples import ingreso, pago
from timbra.examples.tree import Change
from timbra.snapshot import Snapshot

CFDI = "{http://www.sat.gob.mx/cfd/4}"
TFD = "http://www.sat.gob.mx/TimbreFiscalDigital"
INE = "http://www.sat.gob.mx/ine"
IEDU = (
    '<iedu:instEducativas xmlns:iedu="http://www.sat.gob.mx/iedu" version="1.0" nombreAlumno="Ana"'
    ' CURP="XEXX010101HNEXXXA4" nivelEducativo="Primaria" autRVOE="1"/>'
)
STAMP_10 = (
    f'<tfd:TimbreFiscalDigital xmlns:tfd="{TFD}" version="1.0" UUID="ad662d33-6934-459c-a128-bdf0393f0f44"'
    ' FechaTimbrado="2017-01-01T00:00:00" selloCFD="YQ==" noCertificadoSAT="20001000000100005761" selloSAT="YQ=="/>'
)
STAMP_11 = (
    f'<tfd:TimbreFiscalDigital xmlns:tfd="{TFD}" Version="1.1" UUID="ad662d33-6934-459c-a128-bdf0393f0f44"'
    ' FechaTimbrado="2026-01-01T00:00:00" RfcProvCertif="SAT970701NN3" SelloCFD="YQ=="'
    ' NoCertificadoSAT="20001000000100005761" SelloSAT="YQ=="/>'
)


def document(text: str) -> etree._Element:
    return filled(etree.fromstring(text.encode()))


def changed(changes: dict[str, Change]) -> etree._Element:
    return document(ingreso(changes))


def with_complement(*complements: str) -> etree._Element:
    root = document(ingreso())
    holder = etree.SubElement(root, f"{CFDI}Complemento")
    holder.extend(etree.fromstring(xml) for xml in complements)
    return root


def paths(faults: list[StructureFault]) -> list[str]:
    return [fault.path for fault in faults]


def test_check_accepts_valid_invoice(structure: Structure) -> None:
    assert structure.check(document(ingreso())) == []
    assert structure.check(document(pago())) == []


@pytest.mark.parametrize(
    ("changes", "path", "sentence"),
    [
        ({"@Exportacion": None}, "/@Exportacion", "Falta el atributo requerido Exportacion."),
        ({"@Serie": "A|B"}, "/@Serie", "Serie: el valor 'A|B' no cumple el patrón [^|]{1,25}."),
        ({"@Confirmacion": "123456"}, "/@Confirmacion", "el valor '123456' tiene 6 caracteres y deben ser 5."),
        ({"@Total": "x"}, "/@Total", "Total: el valor 'x' no es del tipo que el esquema exige"),
        ({"@Total": "-1"}, "/@Total", "Total: el valor '-1' es menor que el mínimo 0.000000."),
        ({"@rfc": "X"}, "/@rfc", "El atributo rfc no está permitido en Comprobante."),
        ({"Emisor": None}, "/cfdi:Receptor", "El elemento Receptor no se esperaba aquí; se esperaba alguno de: "),
        ({"Conceptos": None}, "/cfdi:Impuestos", "El elemento Impuestos no se esperaba aquí; se esperaba cfdi:Conc"),
        ({"Receptor/@Rfc": "XAXX01"}, "/cfdi:Receptor/@Rfc", "Rfc: el valor 'XAXX01' tiene 6 caracteres y el mínimo"),
        ({"Emisor/@Nombre": "Ñ" * 301}, "/cfdi:Emisor/@Nombre", f"el valor '{'Ñ' * 80}…' tiene 301 caracteres y el"),
        ({"Conceptos/Concepto": None}, "/cfdi:Conceptos", "Al elemento Conceptos le faltan elementos; se esperaba"),
        (
            {"Conceptos/Concepto/@Cantidad": "0.0000001"},
            "/cfdi:Conceptos/cfdi:Concepto/@Cantidad",
            "Cantidad: el valor '0.0000001' tiene más de 6 decimales.",
        ),
    ],
)
def test_check_reports_path_and_cause(
    structure: Structure, changes: dict[str, Change], path: str, sentence: str
) -> None:
    faults = structure.check(changed(changes))
    assert any(f.path == "/cfdi:Comprobante" + path and sentence in f.message for f in faults), faults


def test_check_reports_text_and_foreign_elements(structure: Structure) -> None:
    root = document(ingreso())
    root[0].text = "texto"
    root[2].text = "texto"
    etree.SubElement(root[1], "{urn:otro}Cosa")
    faults = {(fault.path, fault.message) for fault in structure.check(root)}
    assert faults == {
        ("/cfdi:Comprobante/cfdi:Emisor", "El elemento Emisor no puede contener texto."),
        ("/cfdi:Comprobante/cfdi:Conceptos", "El elemento Conceptos no puede contener texto."),
        ("/cfdi:Comprobante/cfdi:Receptor", "El elemento Receptor no puede contener otros elementos."),
    }


def test_check_reports_position_and_line_of_every_fault(structure: Structure) -> None:
    lines = etree.tostring(document(ingreso(concepts=3)), pretty_print=True)
    root = etree.fromstring(lines)
    third = root.findall(f".//{CFDI}Concepto")[2]
    third.set("Importe", "1,00")
    del third.attrib["Descripcion"]
    faults = structure.check(root)
    where = "/cfdi:Comprobante/cfdi:Conceptos/cfdi:Concepto[3]"
    assert set(paths(faults)) == {f"{where}/@Importe", f"{where}/@Descripcion"}
    (line,) = {fault.line for fault in faults}
    assert lines.decode().splitlines()[line - 1].strip().startswith("<cfdi:Concepto ")


def test_check_reports_paths_with_sat_prefixes(structure: Structure) -> None:
    text = ingreso({"Receptor/@Rfc": "no"})
    for same in (text.replace("cfdi:", "").replace("xmlns:cfdi", "xmlns"), text.replace("cfdi", "otro")):
        root = filled(etree.fromstring(same.replace("/otro/4", "/cfdi/4").replace("mx/otrov40", "mx").encode()))
        assert set(paths(structure.check(root))) == {"/cfdi:Comprobante/cfdi:Receptor/@Rfc"}


def test_check_accepts_facets_owned_by_rules(structure: Structure) -> None:
    changes: dict[str, Change] = {
        "@Fecha": "16-03-2022T00:00:00",
        "@FormaPago": "ZZ",
        "@Moneda": "PESO",
        "@SubTotal": "200.000000000",
        "@TipoCambio": "uno",
        "@LugarExpedicion": "MEXICO",
        "Conceptos/Concepto/@ClaveProdServ": "X",
        "Conceptos/Concepto/Impuestos/Traslados/Traslado/@Base": "-200.00",
    }
    assert structure.check(changed(changes)) == []


def test_check_ignores_addenda_and_does_not_change_the_tree(structure: Structure) -> None:
    root = document(ingreso())
    addenda = etree.SubElement(root, f"{CFDI}Addenda", Cualquiera="1")
    addenda.text = "texto"
    addenda.append(etree.fromstring(f'<x y="1">{STAMP_11.replace("UUID", "Uuid")}<cfdi xmlns="urn:z"/></x>'))
    before = etree.tostring(root)
    assert structure.check(root) == []
    assert structure.unknown_complements(root) == []
    assert etree.tostring(root) == before


def test_check_rejects_elements_after_addenda(structure: Structure) -> None:
    root = with_complement(STAMP_11)
    root.insert(len(root) - 1, etree.Element(f"{CFDI}Addenda"))
    assert paths(structure.check(root)) == ["/cfdi:Comprobante/cfdi:Complemento"]


def test_check_supports_both_versions_of_a_namespace(structure: Structure) -> None:
    assert structure.check(with_complement(STAMP_10)) == []
    assert structure.check(with_complement(STAMP_11)) == []
    stamp = "/cfdi:Comprobante/cfdi:Complemento/tfd:TimbreFiscalDigital"
    ten, eleven = STAMP_10.replace("selloSAT", "SelloSAT"), STAMP_11.replace("SelloSAT", "selloSAT")
    assert set(paths(structure.check(with_complement(ten, eleven)))) == {
        f"{stamp}[{number}]/@{name}SAT" for number in (1, 2) for name in ("sello", "Sello")
    }


def test_check_reports_missing_version_of_complement(structure: Structure) -> None:
    root = with_complement(STAMP_11.replace('Version="1.1"', ""))
    stamp = "/cfdi:Comprobante/cfdi:Complemento/tfd:TimbreFiscalDigital"
    assert paths(structure.check(root)) == [f"{stamp}/@Version"]
    assert structure.unknown_complements(root) == []


def test_unknown_complements_are_reported_separately(structure: Structure) -> None:
    root = with_complement('<a xmlns="urn:a" Version="3"><b/></a>', STAMP_11.replace('"1.1"', '"1.2"'), STAMP_11)
    assert structure.check(root) == []
    first, second = structure.unknown_complements(root)
    holder = "/cfdi:Comprobante/cfdi:Complemento"
    assert (first.namespace, first.name, first.version, first.path) == ("urn:a", "a", "3", f"{holder}/a")
    assert (second.version, second.path) == ("1.2", f"{holder}/tfd:TimbreFiscalDigital[1]")


def test_check_does_not_accept_invoice_as_complement(structure: Structure) -> None:
    root = with_complement(ingreso().partition("?>")[2])
    assert [unknown.name for unknown in structure.unknown_complements(root)] == ["Comprobante"]


def test_check_validates_complements_of_conceptos(structure: Structure) -> None:
    root = document(ingreso())
    concept = root.find(f".//{CFDI}Concepto")
    assert concept is not None
    holder = etree.SubElement(concept, f"{CFDI}ComplementoConcepto")
    holder.append(etree.fromstring(IEDU))
    assert structure.check(root) == []
    holder[0].set("nivelEducativo", "Kinder")
    (fault,) = structure.check(root)
    where = "/cfdi:Comprobante/cfdi:Conceptos/cfdi:Concepto/cfdi:ComplementoConcepto/iedu:instEducativas"
    assert fault.path == f"{where}/@nivelEducativo"
    assert "el valor 'Kinder' no es uno de los permitidos: 'Preescolar', 'Primaria'" in fault.message


def test_iter_complements_ignores_elements_elsewhere(structure: Structure) -> None:
    root = document(ingreso())
    addenda = etree.SubElement(root, f"{CFDI}Addenda")
    for name in ("Complemento", "ComplementoConcepto"):
        etree.SubElement(etree.SubElement(addenda, f"{CFDI}Concepto"), CFDI + name).append(etree.Element("x"))
    assert structure.check(root) == []
    assert structure.unknown_complements(root) == []


def test_check_rejects_unknown_element_of_a_standard(structure: Structure) -> None:
    (fault,) = structure.check(with_complement(f'<tfd:Timbre xmlns:tfd="{TFD}" Version="1.1"/>'))
    assert fault.path == "/cfdi:Comprobante/cfdi:Complemento/tfd:Timbre"
    assert fault.message == "El elemento Timbre no existe en su estándar."


@pytest.mark.parametrize(
    "xml",
    [
        '<Comprobante xmlns="http://www.sat.gob.mx/cfd/3" version="3.2"/>',
        '<Comprobante xmlns="http://www.sat.gob.mx/cfd/4" Version="4.1"/>',
        "<Comprobante/>",
        STAMP_11,
    ],
)
def test_check_reports_document_without_schema(structure: Structure, xml: str) -> None:
    (fault,) = structure.check(etree.fromstring(xml))
    assert fault.message.startswith("No hay esquema para ")


def test_snapshot_schemas_compile(structure: Structure) -> None:
    supported = {(standard.namespace, standard.version) for standard in structure.supported}
    assert {(TFD, "1.0"), (TFD, "1.1"), (INE, "1.0"), (INE, "1.1")} < supported
    assert len(supported) == len(structure.supported) == 49
    for standard in structure.supported:
        root = etree.Element(f"{{{standard.namespace}}}{standard.element}")
        structure._standards.schema(standard).errors(root)


def test_catalogs_maps_paths_to_catalog_types(structure: Structure) -> None:
    (invoice,) = [
        standard for standard in structure.supported if (standard.prefix, standard.version) == ("cfdi", "4.0")
    ]
    catalogs = structure.catalogs(invoice)
    assert catalogs["Comprobante"]["FormaPago"] == "c_FormaPago"
    assert catalogs["Comprobante/Receptor"]["RegimenFiscalReceptor"] == "c_RegimenFiscal"
    assert catalogs["Comprobante/Conceptos/Concepto/Impuestos/Traslados/Traslado"]["Impuesto"] == "c_Impuesto"
    (stamp,) = [standard for standard in structure.supported if (standard.prefix, standard.version) == ("tfd", "1.1")]
    assert structure.catalogs(stamp) == {}


def test_check_is_thread_safe(structure: Structure) -> None:
    good, bad = document(ingreso()), changed({"@Exportacion": None})
    seen: list[int] = []

    def many(root: etree._Element) -> None:
        seen.extend(len(structure.check(root)) for _ in range(200))

    threads = [Thread(target=many, args=(root,)) for root in (good, bad, good, bad)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen.count(0) == seen.count(1) == 400


def test_check_rejects_damaged_schema(sat_snapshot: Snapshot) -> None:
    damaged = sat_snapshot.path("xsd/tdCFDI.xsd")
    content = damaged.read_bytes()
    try:
        damaged.write_bytes(content + b" ")
        with pytest.raises(ServiceError, match="snapshot-damaged"):
            Structure(sat_snapshot).check(document(ingreso()))
    finally:
        damaged.write_bytes(content)
    assert Structure(sat_snapshot).check(document(ingreso())) == []
