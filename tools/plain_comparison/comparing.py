"""Draws documents by seed and position, and compares both paths for each."""

from __future__ import annotations

import random
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from tests.support import cached_keys
from tests.support.plain_paths import ISSUE, LEFT_OUT, STAMP, BothPaths, Issued, Results

from timbra import examples
from timbra.catalogs.build import latest_catalogs
from timbra.cfdi.build import document_parser
from timbra.core.errors import ServiceError
from timbra.examples.codes.nodos import PAYMENT, TRANSFER
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.rsa_signature import Digest
from timbra.seals.signers.batches import SignatureBatches, SignatureRequest
from timbra.seals.signers.memory import MemorySigner, pair_key
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampingOperation
from timbra.stamping.sealing import UnsignedSeal, finish_seal, prepare_seal
from tools.plain_comparison.changes import Material, changed, written
from tools.plain_comparison.documents import EARLIER, copied, documents, text_of

KINDS = {
    (STAMP if name == "stamp" else ISSUE, tipo, f"{name} {tipo}"): weight
    for name, tipo, weight in (
        ("issue", "I", 28),
        ("stamp", "I", 26),
        ("issue", "E", 6),
        ("stamp", "E", 6),
        ("issue", "P", 9),
        ("stamp", "P", 9),
        ("issue", "N", 8),
        ("stamp", "N", 8),
    )
}
"""Operation, type and name of what is drawn, with how often."""
_ROWS = {
    "UsoCFDI": "c_UsoCFDI",
    "RegimenFiscal": "c_RegimenFiscal",
    "RegimenFiscalReceptor": "c_RegimenFiscal",
    "RegimenFiscalACuentaTerceros": "c_RegimenFiscal",
    "FormaPago": "c_FormaPago",
    "FormaDePagoP": "c_FormaPago",
    "MetodoPago": "c_MetodoPago",
    "Moneda": "c_Moneda",
    "MonedaP": "c_Moneda",
    "MonedaDR": "c_Moneda",
    "Exportacion": "c_Exportacion",
    "TipoRelacion": "c_TipoRelacion",
    "ObjetoImp": "c_ObjetoImp",
    "ObjetoImpDR": "c_ObjetoImp",
    "Impuesto": "c_Impuesto",
    "TipoFactor": "c_TipoFactor",
    "Periodicidad": "c_Periodicidad",
    "Meses": "c_Meses",
    "ClaveUnidad": "c_ClaveUnidad",
    "ClaveProdServ": "c_ClaveProdServ",
    "LugarExpedicion": "c_CodigoPostal",
    "DomicilioFiscalReceptor": "c_CodigoPostal",
    "Pais": "c_Pais",
    "ResidenciaFiscal": "c_Pais",
    "TipoDeComprobante": "c_TipoDeComprobante",
    "TipoContrato": "nomina12:c_TipoContrato",
    "TipoRegimen": "nomina12:c_TipoRegimen",
    "TipoPercepcion": "nomina12:c_TipoPercepcion",
    "TipoDeduccion": "nomina12:c_TipoDeduccion",
    "TipoOtroPago": "nomina12:c_TipoOtroPago",
    "PeriodicidadPago": "nomina12:c_PeriodicidadPago",
    "RiesgoPuesto": "nomina12:c_RiesgoPuesto",
    "TipoHoras": "nomina12:c_TipoHoras",
    "Banco": "nomina12:c_Banco",
}
"""Attributes of which a value may be any key of a catalog."""
_MOST_ROWS = 2_000
ORDINARY = 32
"""The ordinary path evaluates one in so many documents that are not plain, and all that are."""


class Drawn(NamedTuple):
    """A document that is drawn; the seal of one to stamp is made last."""

    position: int
    operation: StampingOperation
    kind: str
    text: str
    chance: random.Random


@dataclass
class Compared:
    """The results of some positions: counts by kind, and the differences."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    differences: list[dict[str, object]] = field(default_factory=list)

    def add(self, seed: int, drawn: Drawn, xml: bytes, results: Results) -> None:
        """Count the results of a document."""
        ordinary, plain = results
        counts = self.counts.setdefault(drawn.kind, Counter())
        counts["drawn"] += 1
        counts["evaluated"] += ordinary != LEFT_OUT
        counts["accepted"] += isinstance(ordinary, Issued)
        counts["plain"] += plain is not None
        if plain is not None and plain != ordinary:
            counts["different"] += 1
            self.differences.append(
                {
                    "seed": seed,
                    "position": drawn.position,
                    "kind": drawn.kind,
                    "ordinary": "another stamp" if isinstance(ordinary, Issued) else ordinary,
                    "document": b64encode(xml).decode(),
                }
            )


class Comparison:
    """Compares both paths in a folder of its own. Signatures of the server are hashes; those of clients are real.

    Args:
        folder: an empty folder.
    """

    def __init__(self, folder: Path) -> None:
        cached_keys.install()
        self.paths = BothPaths(folder)
        container = self.paths.app.container
        self._parser, self._cadena = container.get(document_parser), container.get(stamping_services).checks.cadena
        credential = self.paths.credential
        self._certificate = credential.certificate
        key = load_private_key(credential.key_der, credential.password)
        self._signer, self._batches = pair_key(credential.certificate, key), SignatureBatches()
        self._sign = MemorySigner.sign
        for folio, text in ((EARLIER, examples.ingreso()), (PAYMENT, examples.pago()), (TRANSFER, examples.traslado())):
            with mock.patch("timbra.stamping.stamp_factory.random_uuid", return_value=folio):
                self.paths.app.issue(text.encode())
        self._documents = documents()
        catalogs = container.get(latest_catalogs)
        rows = {name: list(catalogs.keys(catalog))[:_MOST_ROWS] for name, catalog in _ROWS.items()}
        self._material = Material([root for roots in self._documents.values() for root in roots], rows)

    def close(self) -> None:
        """Close the sandbox."""
        self.paths.close()

    def run(self, seed: int, positions: Sequence[int], kind: str | None = None) -> Compared:
        """Compare the documents of some positions.

        Args:
            seed: what all positions are drawn with.
            positions: numbers from 0.
            kind: only documents of this kind; the others are skipped.
        """
        found = Compared()
        drawn = [each for place in positions if kind in (None, (each := self.draw(seed, place)).kind)]
        with mock.patch.object(MemorySigner, "sign", _hashed):
            sealed = self.sealed(drawn)
            documents = [(xml, each.operation) for each, xml in zip(drawn, sealed, strict=True)]
            compared = self.paths.compare_all(documents, leave_out=lambda place: place % ORDINARY > 0)
            for each, xml, results in zip(drawn, sealed, compared, strict=True):
                found.add(seed, each, xml, results)
        return found

    def draw(self, seed: int, position: int) -> Drawn:
        """Return the document of a position before it is sealed and written."""
        chance = random.Random(f"{seed} {position}")
        operation, tipo, kind = chance.choices(tuple(KINDS), tuple(KINDS.values()))[0]
        root = copied(chance.choice(self._documents[tipo]))
        changed(root, self._material, chance)
        return Drawn(position, operation, kind, '<?xml version="1.0" encoding="UTF-8"?>\n' + text_of(root), chance)

    def sealed(self, drawn: Sequence[Drawn]) -> list[bytes]:
        """Return the documents as they are sent: those to stamp with a seal, all written in some way."""
        prepared = [self._prepared(each) for each in drawn]
        unsigned = [each for each in prepared if isinstance(each, UnsignedSeal)]
        requests = [SignatureRequest(self._signer, each.cadena.encode()) for each in unsigned]
        with mock.patch.object(MemorySigner, "sign", self._sign):
            signatures = iter(self._batches.sign(requests) if requests else ())
        found = []
        for each, seal in zip(drawn, prepared, strict=True):
            text = seal
            if isinstance(seal, UnsignedSeal):
                signature = next(signatures)
                assert isinstance(signature, bytes)  # noqa: S101 - a key in memory signs
                text = finish_seal(seal, b64encode(signature).decode()).source.decode()
            found.append(written(str(text), each.chance))
        return found

    def _prepared(self, drawn: Drawn) -> UnsignedSeal | str:
        """Return what is signed of a document to stamp; its text when it has no cadena original."""
        if drawn.operation is ISSUE:
            return drawn.text
        try:
            document = self._parser.parse(drawn.text.encode("utf-8", "surrogatepass"))
            return prepare_seal(document, self._certificate, self._signer, self._cadena)
        except (ServiceError, KeyError, ValueError):
            return drawn.text


def _hashed(signer: MemorySigner, data: bytes, digest: Digest = "sha256") -> bytes:
    """Return in the place of a signature what depends on key and data alone."""
    return random.Random(b"%d %b %b" % (id(signer), digest.encode(), data)).randbytes(256)
