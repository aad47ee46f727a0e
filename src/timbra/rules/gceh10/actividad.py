"""Activity, sub-activity, task: GCEH117 to GCEH125.

The texts that SAT gives GCEH117 to GCEH122 tell other cases than the rules: the rules are followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from timbra.cfdi.nodes.gceh10 import Actividades, SubActividades, Tareas
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Breach, Unknown, Verdict
from timbra.rules.gceh10.documento import EROGACION
from timbra.rules.gceh10.niveles import absent_alone, present_together
from timbra.rules.rule import rule

ACTIVITY: Final = f"{EROGACION}/Actividades/@ActividadRelacionada"
SUB_ACTIVITY: Final = f"{EROGACION}/Actividades/SubActividades/@SubActividadRelacionada"
TASK: Final = f"{EROGACION}/Actividades/SubActividades/Tareas/@TareaRelacionada"
ACTIVITIES, SUB_ACTIVITIES, TASKS = "gceh10:c_Actividad", "gceh10:c_SubActividad", "gceh10:c_Tarea"
OF_ACTIVITY, OF_SUB_ACTIVITY = "actividad", "subactividad"
"""Columns: the keys over a key."""


@rule("GCEH117", at=ACTIVITY, inseparable=("GCEH120", "GCEH122"))
def without_activity_nothing_below(actividad: Actividades, _case: Case) -> Verdict:
    return absent_alone(actividad)


@rule("GCEH118", at=ACTIVITY)
def activity_names_what_is_below(actividad: Actividades, _case: Case) -> Verdict:
    return present_together(actividad)


@rule("GCEH119", at=SUB_ACTIVITY, inseparable=("GCEH118",))
def without_sub_activity_nothing_else(sub: SubActividades, _case: Case) -> Verdict:
    return absent_alone(sub)


@rule("GCEH120", at=SUB_ACTIVITY, inseparable=("GCEH118",))
def sub_activity_names_the_others(sub: SubActividades, _case: Case) -> Verdict:
    return present_together(sub)


@rule("GCEH121", at=TASK, inseparable=("GCEH118", "GCEH120"))
def without_task_nothing_above(task: Tareas, _case: Case) -> Verdict:
    return absent_alone(task)


@rule("GCEH122", at=TASK, inseparable=("GCEH117", "GCEH119"))
def task_names_what_is_above(task: Tareas, _case: Case) -> Verdict:
    return present_together(task)


@rule("GCEH123", at=ACTIVITY)
def activity_is_a_key(actividad: Actividades, case: Case) -> Verdict:
    return None if actividad.value is None else key_of(case, ACTIVITIES, actividad.value)


@rule("GCEH124", at=SUB_ACTIVITY)
def sub_activity_is_one_of_its_activity(sub: SubActividades, case: Case) -> Verdict:
    (activity,) = sub.above
    return _below(case, SUB_ACTIVITIES, sub.value, {OF_ACTIVITY: activity})


@rule("GCEH125", at=TASK)
def task_is_one_of_its_sub_activity(task: Tareas, case: Case) -> Verdict:
    activity, sub = task.above
    return _below(case, TASKS, task.value, {OF_SUB_ACTIVITY: sub, OF_ACTIVITY: activity})


def _below(case: Case, catalog: str, key: str | None, above: Mapping[str, str | None]) -> Verdict:
    """Holds for a key of the catalog whose columns name what is told above it."""
    row = None if key is None else case.row(catalog, key)
    if key is None:
        return None
    if row is None:
        return key_of(case, catalog, key)
    for column, value in above.items():
        if not case.catalogs.has(catalog, column):
            return Unknown(f"{catalog}.{column}")
        if value is not None and row[column] != value:
            return Breach(found=key, expected=f"una clave de {catalog} cuya {column} sea {value}")
    return None
