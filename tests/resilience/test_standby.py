"""A standby takes over from a killed primary while clients stamp: no stamp is lost or duplicated."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.resilience.scenario import StandbyScenario, standby_scenario
from tests.support.effort import LONG
from tests.support.postgresql_cluster import need_cluster

ACTIONS = ("fail_over", "kill_standby", "kill_pooler", "fail_over") if LONG else ("fail_over",)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandbyScenario]:
    need_cluster()
    with standby_scenario(tmp_path_factory.mktemp("standby"), 1) as made:
        yield made


@pytest.mark.parametrize("action", range(len(ACTIONS)), ids=ACTIONS)
def test_failures_of_a_replicated_database_lose_and_duplicate_no_stamp(scenario: StandbyScenario, action: int) -> None:
    perform = scenario.actions().get(ACTIONS[action])
    if perform is None:
        pytest.skip("PgBouncer is not installed")
    scenario.start_clients()
    scenario.wait_for_stamps()
    print(perform())
    scenario.stop_clients()
    print(scenario.audit())
