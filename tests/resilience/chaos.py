"""Chaos test of any length: `python -m tests.resilience.chaos --minutes 10`, which `make chaos` runs.

It runs two nodes with clients and injects one failure after the other; after each one it compares all rows. Three
scenarios take turns: one PostgreSQL; a primary, a synchronous standby and a pooler; a provider in rehearsal with an
emulator of the SAT and a signing device.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import cycle
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from tests.resilience.rehearsal_scenario import rehearsal_scenario
from tests.resilience.scenario import Scenario, StandbyScenario, node_scenario, standby_scenario

ROOM = 8192
"""Orders before the scenario is set up again, because an audit takes longer with more rows."""
ACTIONS_PER_SCENARIO = 12
SCENARIOS: dict[str, Callable[[Path, int], AbstractContextManager[Scenario]]] = {
    "node": node_scenario,
    "standby": standby_scenario,
    "rehearsal": rehearsal_scenario,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--scenario", choices=SCENARIOS, action="append", help="default: all, in turn")
    options = parser.parse_args()
    scenarios = cycle(options.scenario or SCENARIOS)
    share = options.minutes * 60 / len(options.scenario or SCENARIOS)
    console = Console(soft_wrap=True)
    console.print(f"seed {options.seed}, {options.minutes:g} minutes")
    begun, actions, outages = time.monotonic(), 0, list[float]()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("chaos", total=options.minutes * 60)
        while time.monotonic() - begun < options.minutes * 60:
            with (
                tempfile.TemporaryDirectory() as folder,
                SCENARIOS[next(scenarios)](Path(folder), options.seed + actions) as scenario,
            ):
                set_up = time.monotonic()
                for _ in range(ACTIONS_PER_SCENARIO):
                    passed = time.monotonic() - begun
                    # A short run has actions of every scenario.
                    is_over = passed >= options.minutes * 60 or time.monotonic() - set_up >= share
                    if is_over or len(scenario.orders.drawn) >= ROOM:
                        break
                    actions += 1
                    progress.update(bar, completed=passed, description=f"{actions} actions")
                    console.print(_run_action(scenario, actions, options.seed))
                if isinstance(scenario, StandbyScenario):
                    outages += scenario.outages
    if outages:
        console.print(f"{len(outages)} failovers; seconds without stamps: {min(outages):.1f} to {max(outages):.1f}")
    console.print(f"{actions} actions; no stamp lost or duplicated")


def _run_action(scenario: Scenario, number: int, seed: int) -> str:
    actions = scenario.actions()
    name = random.Random(f"{seed} {number}").choice(sorted(actions))
    scenario.start_clients()
    scenario.wait_for_stamps()
    description = actions[name]()
    scenario.stop_clients()
    return f"{number:4} {description}\n     {scenario.audit()}; {scenario.answer_log.rejections:,} rejected temporarily"


if __name__ == "__main__":
    main()
