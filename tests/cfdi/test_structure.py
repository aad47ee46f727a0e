"""The structure check: messages, places, and what it leaves to the rules."""

from __future__ import annotations

from threading import Thread

import pytest
from lxml import etree
from tests.cfdi.oracle import filled

from timbra.cfdi.structure import Structure, StructureFault
from timbra.core.errors import ServiceError
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
    ("changes", "path", "found", "expected"),
    [
        ({"@Exportacion": None}, "@Exportacion", None, "un texto, porque es obligatorio"),
        ({"@Serie": "A|B"}, "@Serie", "A|B", "de 1 a 25 caracteres, sin «|»"),
        ({"@Confirmacion": "123456"}, "@Confirmacion", "123456", "5 letras sin acento o dígitos"),
        ({"@Total": "x"}, "@Total", "x", "un número de hasta 18 enteros, no negativo"),
        ({"@Total": "-1"}, "@Total", "-1", "un número de hasta 18 enteros, no negativo"),
        ({"@rfc": "X"}, "@rfc", "X", "que no exista: el nodo Comprobante no tiene ese atributo"),
        ({"Emisor": None}, "Receptor", "presente", "en su lugar InformacionGlobal, CfdiRelacionados o Emisor"),
        ({"Conceptos": None}, "Impuestos", "presente", "en su lugar Conceptos"),
        (
            {"Receptor/@Rfc": "XAXX01"},
            "Receptor/@Rfc",
            "XAXX01",
            "un RFC: 3 o 4 letras, una fecha AAMMDD y 3 caracteres de homoclave",
        ),
        ({"Emisor/@Nombre": "Ñ" * 301}, "Emisor/@Nombre", "Ñ" * 301, "de 1 a 300 caracteres, sin «|»"),
        ({"Conceptos/Concepto": None}, "Conceptos/Concepto", None, "el nodo, porque es obligatorio"),
        (
            {"Conceptos/Concepto/@Cantidad": "0.0000001"},
            "Conceptos/Concepto[1]/@Cantidad",
            "0.0000001",
            "un número de hasta 6 decimales, desde 0.000001",
        ),
    ],
)
def test_check_reports_one_fault_with_path_and_values(
    structure: Structure, changes: dict[str, Change], path: str, found: str | None, expected: str
) -> None:
    faults = structure.check(changed(changes))
    assert [(f.path, f.found, f.expected) for f in faults] == [(path, found, expected)]


def test_check_reports_required_value_for_programs(structure: Structure) -> None:
    root = with_complement(STAMP_11.replace('RfcProvCertif="SAT970701NN3"', 'RfcProvCertif="X"'))
    assert [fault.expected_value for fault in structure.check(root)] == [None]
    text = pago().replace('Version="2.0"', 'Version=" 2.0 x"')
    (unknown,) = structure.unknown_complements(document(text))
    assert unknown.path == "Complemento/Pagos"


def test_check_reports_text_and_foreign_elements(structure: Structure) -> None:
    root = document(ingreso())
    root[0].text = "texto"
    root[2].text = "texto"
    etree.SubElement(root[1], "{urn:otro}Cosa")
    faults = {(fault.path, fault.message) for fault in structure.check(root)}
    assert faults == {
        ("Emisor", "Emisor: se encontró «texto»; se esperaba ningún texto en el nodo."),
        ("Conceptos", "Conceptos: se encontró «texto»; se esperaba ningún texto en el nodo."),
        ("Receptor", "Receptor: se encontró «con otros nodos»; se esperaba ningún nodo en su contenido."),
    }


def test_check_reports_position_and_line_of_every_fault(structure: Structure) -> None:
    lines = etree.tostring(document(ingreso(concepts=3)), pretty_print=True)
    root = etree.fromstring(lines)
    third = root.findall(f".//{CFDI}Concepto")[2]
    third.set("Importe", "1,00")
    del third.attrib["Descripcion"]
    faults = structure.check(root)
    where = "Conceptos/Concepto[3]"
    assert set(paths(faults)) == {f"{where}/@Importe", f"{where}/@Descripcion"}
    (line,) = {fault.line for fault in faults}
    assert lines.decode().splitlines()[line - 1].strip().startswith("<cfdi:Concepto ")


def test_check_reports_same_paths_for_any_prefix(structure: Structure) -> None:
    text = ingreso({"Receptor/@Rfc": "no"})
    for same in (text.replace("cfdi:", "").replace("xmlns:cfdi", "xmlns"), text.replace("cfdi", "otro")):
        root = filled(etree.fromstring(same.replace("/otro/4", "/cfdi/4").replace("mx/otrov40", "mx").encode()))
        assert set(paths(structure.check(root))) == {"Receptor/@Rfc"}


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
    assert paths(structure.check(root)) == ["Complemento"]


def test_check_supports_both_versions_of_a_namespace(structure: Structure) -> None:
    assert structure.check(with_complement(STAMP_10)) == []
    assert structure.check(with_complement(STAMP_11)) == []
    stamp = "Complemento/TimbreFiscalDigital"
    ten, eleven = STAMP_10.replace("selloSAT", "SelloSAT"), STAMP_11.replace("SelloSAT", "selloSAT")
    assert set(paths(structure.check(with_complement(ten, eleven)))) == {
        f"{stamp}[{number}]/@{name}SAT" for number in (1, 2) for name in ("sello", "Sello")
    }


def test_check_reports_missing_version_of_complement(structure: Structure) -> None:
    root = with_complement(STAMP_11.replace('Version="1.1"', ""))
    stamp = "Complemento/TimbreFiscalDigital"
    assert paths(structure.check(root)) == [f"{stamp}/@Version"]
    assert structure.unknown_complements(root) == []


def test_unknown_complements_are_reported_separately(structure: Structure) -> None:
    root = with_complement('<a xmlns="urn:a" Version="3"><b/></a>', STAMP_11.replace('"1.1"', '"1.2"'), STAMP_11)
    assert structure.check(root) == []
    first, second = structure.unknown_complements(root)
    holder = "Complemento"
    assert (first.namespace, first.name, first.version, first.path) == ("urn:a", "a", "3", f"{holder}/a")
    assert (second.version, second.path) == ("1.2", f"{holder}/TimbreFiscalDigital[1]")


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
    where = "Conceptos/Concepto[1]/ComplementoConcepto/instEducativas"
    assert fault.path == f"{where}/@nivelEducativo"
    assert fault.found == "Kinder"
    assert fault.expected is not None
    assert fault.expected.startswith("uno de estos valores: Preescolar, Primaria, ")


def test_iter_complements_ignores_elements_elsewhere(structure: Structure) -> None:
    root = document(ingreso())
    addenda = etree.SubElement(root, f"{CFDI}Addenda")
    for name in ("Complemento", "ComplementoConcepto"):
        etree.SubElement(etree.SubElement(addenda, f"{CFDI}Concepto"), CFDI + name).append(etree.Element("x"))
    assert structure.check(root) == []
    assert structure.unknown_complements(root) == []


def test_check_rejects_unknown_element_of_a_standard(structure: Structure) -> None:
    (fault,) = structure.check(with_complement(f'<tfd:Timbre xmlns:tfd="{TFD}" Version="1.1"/>'))
    assert fault.path == "Complemento/Timbre"
    assert fault.message == "Complemento/Timbre: está presente; se esperaba un nodo que exista en su estándar."


@pytest.mark.parametrize(
    "xml",
    [
        '<Comprobante xmlns="http://www.sat.gob.mx/cfd/3" version="3.0"/>',
        '<Comprobante xmlns="http://www.sat.gob.mx/cfd/4" Version="4.1"/>',
        "<Comprobante/>",
        STAMP_11,
    ],
)
def test_check_reports_document_without_schema(structure: Structure, xml: str) -> None:
    (fault,) = structure.check(etree.fromstring(xml))
    assert fault.expected == "un Comprobante 4.0, 3.3 o 3.2, que son los que tienen esquema"


def test_snapshot_schemas_compile(structure: Structure) -> None:
    supported = {(standard.namespace, standard.version) for standard in structure.supported}
    assert {(TFD, "1.0"), (TFD, "1.1"), (INE, "1.0"), (INE, "1.1")} < supported
    assert len(supported) == len(structure.supported) == 65
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
