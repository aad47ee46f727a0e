"""Minimal valid documents with complements about real estate and works of art."""

from __future__ import annotations

from timbra.examples.complements.complement import Complement
from timbra.examples.complements.money import CURP
from timbra.examples.comprobante import CASAS, ROBOTICA
from timbra.examples.tree import ExampleNode


def _notarios(fecha: str) -> ExampleNode:
    place = {"Calle": "Primera", "Municipio": "PACHUCA", "Estado": "13", "Pais": "MEX", "CodigoPostal": "42501"}
    deed = {"NumInstrumentoNotarial": "1", "FechaInstNotarial": fecha[:10], "MontoOperacion": "1000000.00"}
    deed |= {"Subtotal": "1000000.00", "IVA": "0.00"}
    seller = {"Nombre": "XOCHILT", "ApellidoPaterno": "CASAS", "RFC": CASAS.rfc, "CURP": CURP}
    buyer = {"Nombre": ROBOTICA.name, "RFC": ROBOTICA.rfc}
    return ExampleNode(
        "notariospublicos:NotariosPublicos",
        {"Version": "1.0"},
        [
            _holding("DescInmuebles", {}, "DescInmueble", {"TipoInmueble": "03", **place}),
            ExampleNode("notariospublicos:DatosOperacion", deed),
            ExampleNode("notariospublicos:DatosNotario", {"CURP": CURP, "NumNotaria": "1", "EntidadFederativa": "13"}),
            _holding("DatosEnajenante", {"CoproSocConyugalE": "No"}, "DatosUnEnajenante", seller),
            _holding("DatosAdquiriente", {"CoproSocConyugalE": "No"}, "DatosUnAdquiriente", buyer),
        ],
    )


def _holding(name: str, attributes: dict[str, str], child: str, its: dict[str, str]) -> ExampleNode:
    return ExampleNode(f"notariospublicos:{name}", attributes, [ExampleNode(f"notariospublicos:{child}", its)])


def _obras(_fecha: str) -> ExampleNode:
    work = {"TipoBien": "01", "TituloAdquirido": "01", "FechaAdquisicion": "2020-01-15"}
    return ExampleNode(
        "obrasarte:obrasarteantiguedades", {"Version": "1.0", **work, "CaracterísticasDeObraoPieza": "01"}
    )


def _especie(_fecha: str) -> ExampleNode:
    donated = {"CvePIC": "CAC760510AB1-19760510-001", "FolioSolDon": "PE-26-00001"}
    piece = {"PzaArtNombre": "Nopal", "PzaArtTecn": "Óleo", "PzaArtAProd": "2020", "PzaArtDim": "1 m x 1 m"}
    return ExampleNode("pagoenespecie:PagoEnEspecie", {"Version": "1.0", **donated, **piece})


def _construccion(_fecha: str) -> ExampleNode:
    place = {"Calle": "Primera", "Municipio": "PACHUCA", "Estado": "13", "CodigoPostal": "42501"}
    head = {"Version": "1.0", "NumPerLicoAut": "1"}
    return ExampleNode("servicioparcial:parcialesconstruccion", head, [ExampleNode("servicioparcial:Inmueble", place)])


BUILT = "servicioparcialconstruccion"
notarios_publicos = Complement(
    "notariospublicos", "notariospublicos", "notariospublicos/notariospublicos.xsd", "1.0", _notarios
)
obras_de_arte = Complement("obrasarte", "arteantiguedades", "arteantiguedades/obrasarteantiguedades.xsd", "1.0", _obras)
pago_en_especie = Complement("pagoenespecie", "pagoenespecie", "pagoenespecie/pagoenespecie.xsd", "1.0", _especie)
servicio_parcial = Complement(BUILT, BUILT, f"{BUILT}/{BUILT}.xsd", "1.0", _construccion)

COMPLEMENTS = (notarios_publicos, obras_de_arte, pago_en_especie, servicio_parcial)
