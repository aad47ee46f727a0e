"""Failures of the SAT and of the signing device, while two nodes of a provider in rehearsal stamp and deliver."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from lxml import etree
from sqlalchemy import select, update
from tests.emulator.emulator_support import running_over
from tests.resilience.audit import Compared, audit
from tests.resilience.deployment import Deployment
from tests.resilience.emulator_process import emulator_process
from tests.resilience.killing import wait_for
from tests.resilience.scenario import NAMES, Scenario
from tests.resilience.stepped_clock import step
from tests.support.databases import prepare_sqlite
from tests.support.faulty_token import FaultyToken, faulty_token
from tests.support.postgresql_cluster import cluster
from tests.support.rehearsal import RehearsedProvider
from tests.support.rehearsal_server import environment_of
from tests.support.server import Server

from timbra.accounts.build import account_services
from timbra.app.composition import Container, build_container
from timbra.core.clock import CENTRAL_MEXICO
from timbra.database.build import opened_database
from timbra.database.tables.provider import RECEPTION
from timbra.database.tables.stamps import OUTBOX
from timbra.delivery.build import authority_outbox
from timbra.drill.emulator_process import EmulatorProcess
from timbra.examples import ingreso
from timbra.settings import Settings

AGE = timedelta(hours=1)
SIGN_SECONDS, DELIVERY_SECONDS = 1, 4
DELIVERED_SECONDS = 240
RELEASED_SECONDS = 5
LIES = ("other-uuid", "truncated", "soap-fault", "stale-token", "incidencia")
TEMPORARY = 12
"""Requests that a scripted fault concerns."""


@dataclass(frozen=True)
class RehearsalDeployment(Deployment):
    """Nodes of a provider in rehearsal. provider_settings: those of the nodes and of the test's own container."""

    provider_settings: Settings = field(default_factory=Settings)

    @property
    def settings(self) -> Settings:
        return self.provider_settings

    @contextmanager
    def node(self, token: str, *, environment: Mapping[str, str] | None = None, **options: Any) -> Iterator[Server]:
        variables = environment_of(self.settings)
        del variables["TIMBRA_DATABASE_URL"]
        with super().node(token, environment={**variables, **(environment or {})}, **options) as server:
            yield server

    def invoice(self, folio: str, age: timedelta) -> bytes:
        fecha = (datetime.now(CENTRAL_MEXICO) - age).strftime("%Y-%m-%dT%H:%M:%S")
        return ingreso({"@Folio": folio}, fecha=fecha).encode()


class RehearsalScenario(Scenario):
    """The emulator of the SAT and the signing device fail; stamps go on while the SAT is away."""

    def __init__(
        self,
        deployment: RehearsalDeployment,
        token: str,
        emulator: EmulatorProcess,
        device: FaultyToken,
        wall: Path,
        seed: int,
    ) -> None:
        super().__init__(deployment, token, wall, seed, AGE)
        self.emulator = emulator
        self.device = device

    def kill_emulator(self) -> str:
        """Kill the emulator, wait until clients got stamps without it, and start it again."""
        self.emulator.kill()
        self.wait_for_stamps()
        self.emulator.start()
        self.wait_for_stamps()
        return "killed the emulator of the SAT, and started it again"

    def slow_emulator(self) -> str:
        """Make the emulator slower than a delivery may take."""
        self.emulator.fault("slow", seconds=DELIVERY_SECONDS, times=TEMPORARY)
        self.wait_for_stamps()
        return f"the SAT answered {TEMPORARY} requests after {DELIVERY_SECONDS} s"

    def lie(self) -> str:
        lie = self._jitter.choice(LIES)
        self.emulator.fault(lie, service="reception", times=TEMPORARY)
        self.wait_for_stamps()
        return f"the SAT answered {TEMPORARY} announcements with {lie}"

    def lose_answers(self) -> str:
        """Lose answers after the emulator received the documents."""
        self.emulator.fault("answer-lost", service="reception", times=TEMPORARY)
        self.emulator.expire_tokens()
        self.wait_for_stamps()
        return f"the SAT received {TEMPORARY} announcements and lost its answers; all tokens expired"

    def hang_device(self) -> str:
        """Let the device hang: stamps are rejected temporarily, and go on when it is back."""
        with self.device.hanging():
            self.wait_for_rejections()
        self.wait_for_stamps()
        return "the signing device hung, and came back"

    def lose_sessions(self) -> str:
        with self.device.without_sessions():
            self.wait_for_rejections()
        self.wait_for_stamps()
        return "the signing device lost its sessions"

    def compare(self) -> Compared:
        """Compare all rows, the deliveries with what the emulator received."""
        return audit(self.deployment.settings, self.answer_log, self._delivered)

    def restore_clocks(self) -> None:
        """Remove the scripted faults; the clocks of a rehearsal are not stepped."""
        self.emulator.restore()

    def _delivered(self, container: Container) -> Counter[str]:
        """Wait until the nodes have delivered everything; compare each stored acuse with that of the emulator."""
        wait_for(lambda: self._is_delivered(container), DELIVERED_SECONDS)
        with container.get(opened_database).read() as connection:
            rows = connection.execute(select(RECEPTION.c.uuid, RECEPTION.c.acuse)).all()
        received = Counter(self.emulator.received())
        assert received == Counter(row.uuid for row in rows), "the SAT received other documents than it acknowledged"
        for row in rows[:: max(1, len(rows) // 50)]:
            assert _canonical(row.acuse) == _canonical(self.emulator.acuse(row.uuid).encode()), row.uuid
        return received

    def _is_delivered(self, container: Container) -> bool:
        """Return whether nothing is pending; else end waits and leases, as if their workers had died."""
        if container.get(authority_outbox).size() == 0:
            return True
        due = container.wall.now() + timedelta(seconds=RELEASED_SECONDS)
        with container.get(opened_database).write() as connection:
            connection.execute(update(OUTBOX).where(OUTBOX.c.due_at > due).values(due_at=due))
        return False

    def _clock_actions(self) -> list[str]:
        return []

    def _other_actions(self) -> list[str]:
        return ["kill_emulator", "slow_emulator", "lie", "lose_answers", "hang_device", "lose_sessions"]


@contextmanager
def rehearsal_scenario(folder: Path, seed: int) -> Iterator[RehearsalScenario]:
    """Yield two nodes of a provider without clients, with an emulator process and a device that can hang."""
    folder.mkdir(exist_ok=True)
    with ExitStack() as stack:
        database = stack.enter_context(cluster(None))
        emulator = stack.enter_context(emulator_process(folder / "emulator"))
        prepare_sqlite(folder / "emulator")
        sandbox = build_container(Settings(data=folder / "emulator"))
        with closing(sandbox), running_over(sandbox) as run:
            device = stack.enter_context(faulty_token(_made(folder / "device"), run.provider().key))
            deployment = RehearsalDeployment(folder / "node", database.url())
            provider = RehearsedProvider(
                run,
                folder / "provider",
                **device.settings(sessions=2),
                data=deployment.folder,
                lists_folder=folder / "lists",
                database_url=deployment.database_url,
                master_key=deployment.master_key,
                rehearsal_sat_url=emulator.address,
                provider_sign_timeout_seconds=SIGN_SECONDS,
                delivery_timeout_seconds=DELIVERY_SECONDS,
                delivery_attempts=1000,
            )
            token = provider.container.get(account_services).accounts.create_infinite_token(provider.caller.user)
            provider.close()
        deployment = RehearsalDeployment(
            deployment.folder,
            deployment.database_url,
            master_key=deployment.master_key,
            provider_settings=provider.settings,
        )
        emulator.start()
        wall = folder / "wall"
        step(wall, 0)
        scenario = RehearsalScenario(deployment, token, emulator, device, wall, seed)
        for name in NAMES:
            scenario.nodes.append(scenario.start_node(name, database.url()))
        stack.callback(scenario.close_nodes)
        stack.callback(scenario.stop_clients)
        yield scenario


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _canonical(xml: bytes) -> bytes:
    return etree.tostring(etree.fromstring(xml), method="c14n", exclusive=True)
