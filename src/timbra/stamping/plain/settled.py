"""Which rules a plain invoice satisfies by its keys alone, and which are evaluated for each document.

The rules of a key are evaluated with nodes that have what the key says (`nodes`), and with reference data that have the
catalogs and neither lists nor time. A rule that finds nothing is settled for every document with that key, on that day
and by those catalogs. Of the rules that are left, those that read no time are settled for an issuer and a receiver as
long as the lists are the same. A rule that reads more is evaluated for each document. No rule is written twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from timbra.cfdi.nodes import (
    ACuentaTerceros,
    CfdiRelacionados,
    ComplementNode,
    Comprobante,
    Concepto,
    Emisor,
    InformacionGlobal,
    Node,
    Receptor,
)
from timbra.cfdi.nodes.pago import ONE
from timbra.cfdi.nodes.pagos20 import Pago
from timbra.rules.engine.amount_forms import form_of
from timbra.rules.engine.bound_rules import AppliesPredicate, BoundCheck, Predicate
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.engine import Engine
from timbra.rules.engine.ports import ReferenceData
from timbra.rules.engine.profiles import Profile
from timbra.rules.engine.result import Indeterminate, RuleResult, Severity
from timbra.stamping.plain.layout import COMPLEMENT, COMPLEMENTS, CONCEPT, FULL_KEYS, RECEIVER, TAIL, TYPES, WHOLE_KEYS
from timbra.stamping.plain.nodes import UNKNOWN, UNKNOWN_ERRORS, KeyReader, KnownKinds, Nodes, copied, rfcs_of

if TYPE_CHECKING:
    from timbra.rules.rulesets.certificates.context import SealContext
    from timbra.seals.certificates.certificate import Certificate
    from timbra.stamping.check_sequence import Check
    from timbra.stamping.models import StampingOperation

MAX_BYTES = 32 * 1024 * 1024
"""Size of all keys with what Python keeps of them; a full table is emptied."""
MAX_FAILED = 65_536
"""Keys of which a rule is not satisfied, as numbers; a full set is emptied."""
KEY_BYTES, NODE_BYTES = 2_048, 16
"""About what is kept of each key, and for each byte of one with its nodes."""
VALUES_OF_ONE = ("Fecha", "Total", "Serie", "Folio", "Sello")
"""Attributes of the root that differ between the documents of two parties."""
CURRENCY_DECIMALS = 2
"""The decimals of the currencies for which the forms of amounts are stated; none in an invoice about payments."""
_KEPT = frozenset({"catalogs", "catalogs_since", "cfdi140228_since", "discloses_registered_data"})
T = TypeVar("T")
Checks = tuple[tuple[AppliesPredicate | None, Predicate], ...]


class NotPlainError(Exception):
    """The document is left to the ordinary path."""


class PartyChecks(NamedTuple):
    """What is left to evaluate for each document of two parties, as long as the lists and the certificate are the same.

    Attributes:
        lists: the lists.
        certificate: the issuer's, with NoCertificado and Certificado of the documents.
        zone: that of the place of issue.
        issuer, receiver: rules.
        seal: checks of the certificate and the date.
    """

    lists: tuple[object, ...]
    certificate: Certificate
    certificate_texts: tuple[str, str]
    zone: tzinfo
    issuer: Checks
    receiver: Checks
    seal: tuple[Check, ...]


class Left(NamedTuple):
    """Rules about nodes of a key that are evaluated for each document.

    Attributes:
        nodes: nodes with the rules of each.
        rfcs, names: texts with the form of an RFC, and pairs of RFC and name, which the lists are asked for.
    """

    nodes: tuple[tuple[Node, Checks], ...]
    rfcs: frozenset[str]
    names: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, left: Iterable[tuple[Node, Checks]], key: bytes) -> Left:
        """Return the rules that are left of the nodes of a key."""
        kept = tuple([each for each in left if each[1]])
        if not kept:
            return NOTHING_LEFT
        thirds = [node for node, _ in kept if isinstance(node, ACuentaTerceros)]
        return cls(kept, rfcs_of(key), [(each.RfcACuentaTerceros, each.NombreACuentaTerceros) for each in thirds])

    def size(self, key: bytes) -> int:
        """Return about how many bytes Python keeps of it and its key."""
        return KEY_BYTES + len(key) * (NODE_BYTES if self.nodes else 1)


NOTHING_LEFT = Left((), frozenset(), ())


class Parties:
    """The issuer and the receiver of some documents.

    Attributes:
        root: the root with both, in which each evaluation sets first what else the rules read of its document.
        receiver_checks: rules of the receiver that keys do not settle.
        root_checks: by key of a tail: rules of the root that are evaluated for each document.
        rfcs: texts that have the form of an RFC.
        names: RFC and name of both.
        checks: None until they are settled with lists.
    """

    __slots__ = ("checks", "names", "receiver_checks", "rfcs", "root", "root_checks")

    def __init__(self, root: Comprobante, receiver_checks: Checks, header: bytes, receiver: bytes) -> None:
        self.root = root
        self.receiver_checks = receiver_checks
        self.root_checks: dict[bytes, Checks] = {}
        self.checks: PartyChecks | None = None
        self.rfcs = rfcs_of(header) | rfcs_of(receiver)
        self.names = [(party.Rfc, party.Nombre) for party in (root.emisor, root.receptor)]


class Header:
    """The settled keys of the documents with one header.

    Attributes:
        number: hash of its key and of what its results depend on.
        root: the nodes of the header.
        complement: None without one.
        is_whole: whether the keys of Concepto and complement of every document have all values.
        day: the date of the documents.
        checks: the rules by kind of node.
        issuer_checks: rules of the issuer that keys do not settle.
        related_checks: rules of each CfdiRelacionados that its key does not settle.
        concepts: by settled key of a Concepto: rules that it does not settle.
        complements: the same of complements.
        tails: by settled key of a tail: rules of the root that it does not settle.
        receivers: by settled key of a receiver: the parties of its documents.
    """

    __slots__ = (
        "_stated",
        "checks",
        "complement",
        "complements",
        "concepts",
        "day",
        "is_whole",
        "issuer_checks",
        "key",
        "number",
        "receivers",
        "related_checks",
        "root",
        "tails",
    )

    def __init__(
        self,
        key: bytes,
        number: int,
        root: Comprobante,
        day: str,
        checks: Mapping[type[Node], tuple[BoundCheck, ...]],
    ) -> None:
        self.key = key
        self.number = number
        self.root = root
        self.complement = next((each for each in COMPLEMENTS.values() if each.kind in root.by_kind), None)
        self.is_whole = root.TipoDeComprobante in WHOLE_KEYS
        self.day = day
        self.checks = checks
        self.issuer_checks: Checks = ()
        self.related_checks: tuple[Checks, ...] = ()
        self.concepts: dict[bytes, Left] = {}
        self.complements: dict[bytes, Left] = {}
        self.tails: dict[bytes, Checks] = {}
        self.receivers: dict[bytes, Parties] = {}
        self._stated: dict[tuple[type[Node], bool], Checks] = {}

    def stated(self, kind: type[Node], *, implied: bool = False) -> Checks:
        """Return the rules about a kind of node that reject.

        Args:
            implied: with those that forms imply.
        """
        found = self._stated.get((kind, implied))
        if found is None:
            rejecting = [each for each in self.checks.get(kind, ()) if each[2].severity is Severity.ERROR]
            stated = [each[:2] for each in rejecting if implied or form_of(each[1]) is None]
            found = self._stated[kind, implied] = tuple(stated)
        return found


class SettledKeys:
    """The settled keys, by day, operation with profile, and catalogs.

    Args:
        engine: the rules.
        keys: reads the keys.
    """

    def __init__(self, engine: Engine, keys: KeyReader) -> None:
        self._engine = engine
        self._keys = keys
        self._headers: dict[tuple[object, ...], Header] = {}
        self._failed: set[int] = set()
        self._bytes = 0

    def clear(self) -> None:
        """Forget all keys."""
        self._headers, self._bytes = {}, 0
        self._failed.clear()

    def _settle(self, of: int, settle: Callable[[], T]) -> T:
        """Return what is settled for a key; NotPlainError, at once the second time, when a rule is not satisfied.

        Args:
            of: hash of the key and of what its result depends on; an equal one of another key leaves its documents to
                the ordinary path.
        """
        if of in self._failed:
            raise NotPlainError
        try:
            return settle()
        except NotPlainError:
            if len(self._failed) >= MAX_FAILED:
                self._failed.clear()
            self._failed.add(of)
            raise

    def header(
        self,
        key: bytes,
        day: str,
        reference_data: ReferenceData,
        rules: tuple[StampingOperation, Profile],
        lists: Lists,
    ) -> Header:
        """Return the header with that key.

        Args:
            day: the date of the document, which must be one.
            rules: what selects the checks and the rules.
            lists: those of the reference data.

        Raises:
            NotPlainError: a rule is not satisfied, or no rule can be settled by keys.
        """
        of = key, day, rules, reference_data.catalogs, lists.constants
        if self._bytes >= MAX_BYTES:
            self.clear()
        found = self._headers.get(of)
        if found is None:
            number = hash(of)
            found = self._settle(number, lambda: self._settled_header(key, day, reference_data, rules[1], number))
            self._headers[of] = found
            self._bytes += len(key) + KEY_BYTES
        return found

    def _settled_header(
        self, key: bytes, day: str, reference_data: ReferenceData, profile: Profile, number: int
    ) -> Header:
        root = self._keys.header(key)
        tipo = root.TipoDeComprobante
        if tipo not in TYPES or root.Version != "4.0" or root.Confirmacion is not None:
            raise NotPlainError
        ctx = _context(root, day, reference_data)
        if ctx.decimals != (0 if tipo == "P" else CURRENCY_DECIMALS):
            raise NotPlainError
        header = Header(key, number, root, day, self._engine.checks_of(ctx, profile))
        ctx = _context(root, day, _without_lists(reference_data))
        header.issuer_checks = _unsettled(header.stated(Emisor), [root.emisor], ctx)
        of_relations = header.stated(CfdiRelacionados)
        header.related_checks = tuple([_unsettled(of_relations, [each], ctx) for each in root.relacionados])
        return header

    def parties(self, header: Header, key: bytes, reference_data: ReferenceData, *, keep: bool) -> Parties:
        """Return the issuer and the receiver with that key; NotPlainError for a rule that is not satisfied.

        Args:
            keep: whether other documents may have the same ones; else no rule is settled.
        """
        if not keep:
            return Parties(self._root_of(header, key), header.stated(Receptor), header.key, key)
        found = header.receivers.get(key)
        if found is None:
            found = header.receivers[key] = self._settle(
                hash((header.number, RECEIVER, key)), lambda: self._settled_parties(header, key, reference_data)
            )
            self._bytes += len(key) + KEY_BYTES
        return found

    def _settled_parties(self, header: Header, key: bytes, reference_data: ReferenceData) -> Parties:
        root = self._root_of(header, key)
        ctx = _context(root, header.day, _without_lists(reference_data))
        return Parties(root, _unsettled(header.stated(Receptor), [root.receptor], ctx), header.key, key)

    def _root_of(self, header: Header, receiver: bytes) -> Comprobante:
        root = copied(header.root)
        root.receptor = self._keys.receiver(receiver)
        return root

    def party_checks(
        self,
        header: Header,
        parties: Parties,
        seals: SealContext,
        lists: tuple[object, ...],
        seal_checks: Callable[[SealContext], tuple[Check, ...]],
    ) -> PartyChecks:
        """Settle what the lists settle for two parties.

        Args:
            seals: those of a document; its time, its cadena and the authorities, which change, are not read.
            lists: the lists of its reference data.
            seal_checks: returns the checks that read more than the parties, the certificate and the lists.

        Raises:
            NotPlainError: a rule is not satisfied.
        """
        hidden: Any = UNKNOWN
        related = None if seals.reference_data.related is None else hidden
        timeless, root = replace(seals.reference_data, now=hidden, related=related), parties.root
        texts = root.NoCertificado, root.Certificado
        for name in VALUES_OF_ONE:
            if hasattr(root, name):
                delattr(root, name)
        ctx = _context(root, header.day, timeless)
        known = replace(seals, reference_data=timeless, cadena=hidden, trust=hidden, issued=hidden)
        assert seals.certificate is not None  # noqa: S101 - it is that of the vault
        return PartyChecks(
            lists,
            seals.certificate,
            texts,
            seals.zone,
            _left(header.issuer_checks, root.emisor, ctx),
            _left(parties.receiver_checks, root.receptor, ctx),
            seal_checks(known),
        )

    def root_checks(
        self, header: Header, parties: Parties, tail: bytes, reference_data: ReferenceData, *, keep: bool
    ) -> Checks:
        """Return the rules of the root that are evaluated for each document; NotPlainError for one not satisfied.

        Args:
            keep: as for `parties`.
        """
        found = parties.root_checks.get(tail)
        if found is None:
            left = header.tails.get(tail)
            if left is None:
                left = self._settle(
                    hash((header.number, TAIL, tail)), lambda: self._settled_tail(header, tail, reference_data)
                )
                header.tails[tail] = left
                self._bytes += len(tail) + KEY_BYTES
            if not keep:
                return left
            ctx = _context(copied(parties.root), header.day, _without_lists(reference_data))
            found = parties.root_checks[tail] = _left(left, ctx.document, ctx)
            self._bytes += len(tail) + KEY_BYTES
        return found

    def concept(self, header: Header, key: bytes, reference_data: ReferenceData) -> Left:
        """Return the rules about a Concepto and what it has that are evaluated for each document.

        Raises:
            NotPlainError: a rule is not satisfied.
        """
        left = header.concepts.get(key)
        if left is None:
            left = self._settle(
                hash((header.number, CONCEPT, key)), lambda: self._settled_concept(header, key, reference_data)
            )
            header.concepts[key] = left
            self._bytes += left.size(key)
        return left

    def _settled_concept(self, header: Header, key: bytes, reference_data: ReferenceData) -> Left:
        root = copied(header.root)
        if root.TipoDeComprobante in FULL_KEYS:
            root.element = self._keys.concept_element(key)  # type: ignore[assignment]
        return self._left_of(header, root, self._keys.concept(key), key, reference_data)

    def complement(self, header: Header, key: bytes, reference_data: ReferenceData) -> Left:
        """Return the rules about a complement that are evaluated for each document; as `concept`."""
        left = header.complements.get(key)
        if left is None:
            left = self._settle(
                hash((header.number, COMPLEMENT, key)), lambda: self._settled_complement(header, key, reference_data)
            )
            header.complements[key] = left
            self._bytes += left.size(key)
        return left

    def _settled_complement(self, header: Header, key: bytes, reference_data: ReferenceData) -> Left:
        nodes, root = self._keys.complement(key), copied(header.root)
        root.by_kind = KnownKinds(nodes)
        return self._left_of(header, root, nodes, key, reference_data)

    def whole(self, header: Header, root: Comprobante, concepts: Sequence[bytes], complement: bytes) -> Left:
        """Return all rules about the Concepto and the complement, for a root of one document.

        Args:
            root: gets the nodes of the Concepto and of the complement.
            concepts, complement: keys with all values.
        """
        if header.complement is None or len(concepts) != 1:
            raise NotPlainError
        nodes, inside = self._keys.complement(complement), self._keys.concept(concepts[0])
        root.by_kind, root.conceptos = KnownKinds(nodes), tuple(inside[Concepto])
        root.element = self._keys.concept_element(concepts[0])  # type: ignore[assignment]
        every = {**nodes, **inside}
        left = [
            (node, header.stated(kind, implied=issubclass(kind, ComplementNode)))
            for kind, each in every.items()
            for node in each
        ]
        return Left.of(left, concepts[0] + complement)

    def _left_of(
        self, header: Header, root: Comprobante, nodes: Nodes, key: bytes, reference_data: ReferenceData
    ) -> Left:
        ctx = _context(root, header.day, _without_lists(reference_data))
        _require_plain_currencies(nodes, ctx)
        left = [(node, _unsettled(header.stated(kind), (node,), ctx)) for kind, each in nodes.items() for node in each]
        return Left.of(left, key)

    def _settled_tail(self, header: Header, key: bytes, reference_data: ReferenceData) -> Checks:
        """Settle the rules about the root and its totals; return those that are evaluated for each document."""
        root = copied(header.root)
        concepts, totals, nodes = self._keys.tail(key)
        root.conceptos, root.impuestos = tuple(concepts), totals
        root.traslados = tuple([tax for concept in concepts for tax in concept.traslados])
        root.retenciones = tuple([tax for concept in concepts for tax in concept.retenciones])
        ctx = _context(root, header.day, _without_lists(reference_data))
        if root.informacion_global is not None:
            nodes[InformacionGlobal] = [root.informacion_global]
        for kind, each in nodes.items():
            if _unsettled(header.stated(kind), each, ctx):
                raise NotPlainError
        return _unsettled(header.stated(Comprobante), (root,), ctx)


def _require_plain_currencies(nodes: Nodes, ctx: EvaluationContext) -> None:
    """Raise NotPlainError for a payment for which the forms of amounts are not stated."""
    for payment in nodes.get(Pago, ()):
        is_stated = ctx.decimals_of(payment.MonedaP) == CURRENCY_DECIMALS
        if not is_stated or any(
            each.MonedaDR != payment.MonedaP or each.equivalencia != ONE for each in payment.documentos
        ):
            raise NotPlainError


def require_satisfied(checks: Checks, node: Node, ctx: EvaluationContext) -> None:
    """Evaluate rules for a document; NotPlainError for a result, or for a value that the keys do not have."""
    try:
        for applies, predicate in checks:
            if applies is None or applies(node, ctx):
                result = predicate(node, ctx)
                if result is not None and _rejects(result):
                    raise NotPlainError
    except UNKNOWN_ERRORS as error:
        raise NotPlainError from error


def _rejects(result: RuleResult) -> bool:
    """Whether a result may reject a document; a rule that cannot be evaluated does not."""
    return not isinstance(result, Indeterminate)


def _unsettled(checks: Checks, nodes: Iterable[Node], ctx: EvaluationContext) -> Checks:
    """Evaluate rules for nodes of keys; return those that read more. NotPlainError for one that is not satisfied."""
    return tuple(dict.fromkeys(each for node in nodes for each in _left(checks, node, ctx)))


def _left(checks: Checks, node: Node, ctx: EvaluationContext) -> Checks:
    """Evaluate rules for a node; return those that read more than it and the context have."""
    left = []
    for applies, predicate in checks:
        try:
            if applies is None or applies(node, ctx):
                result = predicate(node, ctx)
                if result is not None and _rejects(result):
                    raise NotPlainError
        except UNKNOWN_ERRORS:
            left.append((applies, predicate))
    return tuple(left)


def _context(root: Comprobante, day: str, reference_data: ReferenceData) -> EvaluationContext:
    """Return a context that knows the date of a document and not its time; NotPlainError for another text."""
    root.Fecha = f"{day}T00:00:00"
    ctx = EvaluationContext(root, reference_data)
    del root.Fecha
    if ctx.local is None:
        raise NotPlainError
    ctx.local = UNKNOWN  # type: ignore[assignment]
    return ctx


def _without_lists(reference_data: ReferenceData) -> ReferenceData:
    """Return the reference data whose lists and time are not known; a list that is absent stays absent."""
    hidden: dict[str, Any] = {
        field.name: UNKNOWN
        for field in fields(reference_data)
        if field.name not in _KEPT and getattr(reference_data, field.name) is not None
    }
    return replace(reference_data, **hidden)


class Lists(NamedTuple):
    """What of some reference data rules may read besides the catalogs and the time.

    Attributes:
        lists: the lists, which are other objects after each change.
        constants: which of them are absent, and the settings of the rules.
    """

    lists: tuple[object, ...]
    constants: tuple[object, ...]


def lists_of(reference_data: ReferenceData) -> Lists:
    lists = (
        reference_data.taxpayers,
        reference_data.obligations,
        reference_data.names,
        reference_data.marks,
        reference_data.coordinated,
        reference_data.exchange_rates,
        reference_data.confirmations,
        reference_data.acquirers,
        reference_data.permits,
    )
    absent = [each is None for each in (*lists, reference_data.related)]
    constants = (*absent, reference_data.catalogs_since, reference_data.cfdi140228_since)
    return Lists((*lists, reference_data.lists_version), constants)
