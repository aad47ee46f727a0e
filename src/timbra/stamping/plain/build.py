"""Construction of the path for plain invoices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from timbra._native import PlainReader, ValidForms
from timbra.cfdi.cadena import load_program
from timbra.cfdi.structure.valid_forms import Program, compile_program
from timbra.rules.rulesets.cfdi40 import RULE_SET
from timbra.seals.signers.batches import SignatureBatches
from timbra.stamping.plain.batches import PlainBatches
from timbra.stamping.plain.layout import COMPLEMENTS
from timbra.stamping.plain.layout_compiler import Layout, layout_of
from timbra.stamping.plain.nodes import KeyReader
from timbra.stamping.plain.settled import SettledKeys

if TYPE_CHECKING:
    from collections.abc import Callable

    from timbra.evaluation.dependencies import Dependencies
    from timbra.sat.port import Provider
    from timbra.snapshot import Snapshot

SCHEMA = "cfdv40.xsd"


def plain_reader(snapshot: Snapshot) -> tuple[PlainReader, Layout]:
    """Return the reader of plain documents, with its layout; RuntimeError for a schema that has no program."""
    complements = COMPLEMENTS.values()
    programs = [_program(snapshot, file) for file in (SCHEMA, *[each.schema for each in complements])]
    layout = layout_of(
        programs, [rule for rules in (RULE_SET, *[each.rules for each in complements]) for rule in rules.rules]
    )
    file = orjson.loads(snapshot.read("cadena/index.json"))["cfdi"]["4.0"]["file"]
    return PlainReader([ValidForms(each) for each in programs], load_program(snapshot, file), layout), layout


def _program(snapshot: Snapshot, file: str) -> Program:
    program = compile_program(snapshot, file)
    if program is None:
        raise RuntimeError(f"no program of {file}")
    return program


def plain_batches(
    snapshot: Snapshot,
    dependencies: Dependencies,
    provider: Callable[[], Provider | None],
    environment: str,
    batches: SignatureBatches | None = None,
) -> PlainBatches:
    """Build the path."""
    reader, layout = plain_reader(snapshot)
    keys = SettledKeys(dependencies.engine, KeyReader(layout))
    return PlainBatches(dependencies, provider, reader, keys, batches or SignatureBatches(), environment)
