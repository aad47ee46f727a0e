"""Activity, sub-activity, task: GCEH117 to GCEH125.

The texts that SAT gives GCEH117 to GCEH122 tell other cases than the rules: the rules are followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from timbra.cfdi.nodes.gceh10 import Actividades, SubActividades, Tareas
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.gceh10.documento import EROGACION
from timbra.rules.rulesets.gceh10.niveles import absent_alone, present_together
from timbra.rules.shared.conditions import key_of

ACTIVITY: Final = f"{EROGACION}/Actividades/@ActividadRelacionada"
SUB_ACTIVITY: Final = f"{EROGACION}/Actividades/SubActividades/@SubActividadRelacionada"
TASK: Final = f"{EROGACION}/Actividades/SubActividades/Tareas/@TareaRelacionada"
ACTIVITIES, SUB_ACTIVITIES, TASKS = "gceh10:c_Actividad", "gceh10:c_SubActividad", "gceh10:c_Tarea"
OF_ACTIVITY, OF_SUB_ACTIVITY = "actividad", "subactividad"
"""Columns: the keys over a key."""


@rule("GCEH117", at=ACTIVITY, inseparable=("GCEH120", "GCEH122"))
def without_activity_nothing_below(actividad: Actividades, _ctx: EvaluationContext) -> RuleResult:
    return absent_alone(actividad)


@rule("GCEH118", at=ACTIVITY)
def activity_names_what_is_below(actividad: Actividades, _ctx: EvaluationContext) -> RuleResult:
    return present_together(actividad)


@rule("GCEH119", at=SUB_ACTIVITY, inseparable=("GCEH118",))
def without_sub_activity_nothing_else(sub: SubActividades, _ctx: EvaluationContext) -> RuleResult:
    return absent_alone(sub)


@rule("GCEH120", at=SUB_ACTIVITY, inseparable=("GCEH118",))
def sub_activity_names_the_others(sub: SubActividades, _ctx: EvaluationContext) -> RuleResult:
    return present_together(sub)


@rule("GCEH121", at=TASK, inseparable=("GCEH118", "GCEH120"))
def without_task_nothing_above(task: Tareas, _ctx: EvaluationContext) -> RuleResult:
    return absent_alone(task)


@rule("GCEH122", at=TASK, inseparable=("GCEH117", "GCEH119"))
def task_names_what_is_above(task: Tareas, _ctx: EvaluationContext) -> RuleResult:
    return present_together(task)


@rule("GCEH123", at=ACTIVITY)
def activity_is_a_key(actividad: Actividades, ctx: EvaluationContext) -> RuleResult:
    return None if actividad.value is None else key_of(ctx, ACTIVITIES, actividad.value)


@rule("GCEH124", at=SUB_ACTIVITY)
def sub_activity_is_one_of_its_activity(sub: SubActividades, ctx: EvaluationContext) -> RuleResult:
    (activity,) = sub.above
    return _below(ctx, SUB_ACTIVITIES, sub.value, {OF_ACTIVITY: activity})


@rule("GCEH125", at=TASK)
def task_is_one_of_its_sub_activity(task: Tareas, ctx: EvaluationContext) -> RuleResult:
    activity, sub = task.above
    return _below(ctx, TASKS, task.value, {OF_SUB_ACTIVITY: sub, OF_ACTIVITY: activity})


def _below(ctx: EvaluationContext, catalog: str, key: str | None, above: Mapping[str, str | None]) -> RuleResult:
    """Holds for a key of the catalog whose columns name what is told above it."""
    row = None if key is None else ctx.row(catalog, key)
    if key is None:
        return None
    if row is None:
        return key_of(ctx, catalog, key)
    for column, value in above.items():
        if not ctx.catalogs.has(catalog, column):
            return Indeterminate(f"{catalog}.{column}")
        if value is not None and row[column] != value:
            return Violation(found=key, expected=f"una clave de {catalog} cuya {column} sea {value}")
    return None
