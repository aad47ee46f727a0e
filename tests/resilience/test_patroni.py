"""Patroni replaces the leader of three machines while clients stamp: no stamp is lost or doubled."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.resilience.patroni_scenario import PatroniScenario, patroni_scenario
from tests.support.effort import LONG
from tests.support.patroni_cluster import need_patroni

ACTIONS = (*("kill_leader",) * 5, "hang_leader")

pytestmark = pytest.mark.skipif(not LONG, reason="each failover takes half a minute")


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PatroniScenario]:
    need_patroni()
    with patroni_scenario(tmp_path_factory.mktemp("patroni"), 1) as made:
        yield made


@pytest.mark.parametrize("action", range(len(ACTIONS)), ids=ACTIONS)
def test_failures_of_a_leader_lose_and_double_no_stamp(scenario: PatroniScenario, action: int) -> None:
    scenario.start_clients()
    scenario.wait_for_stamps()
    print(scenario.actions()[ACTIONS[action]]())
    scenario.stop_clients()
    print(scenario.audit())
