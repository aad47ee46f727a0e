"""Preparation of a data folder for `timbra dev` and `timbra demo`; every failure is one sentence and exit code 1."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from errno import ENOTDIR
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from timbra.console.data_folder import create_data_folder
from timbra.console.language import translate
from timbra.console.services_option import rejection_line
from timbra.core.cpus import usable_cpus
from timbra.sandbox.seeding.seed_problems import PROBLEMS

if TYPE_CHECKING:
    from timbra.container import Container
    from timbra.sandbox.seeding.seed_file import Seed, SeedFileError
    from timbra.sandbox.seeding.setup import DevelopmentAccount, DevelopmentCredentials, KeyPool
    from timbra.settings import Settings

EFIRMAS = "efirma"
"""Folder in the data folder for the e.firmas of the seed file."""
MONTH_RFC = "EKU9003173C9"
"""Whose the example month is."""
DATABASE = "timbra.db"
TRANSLATED_PROBLEMS = {text: text for text in PROBLEMS.values()}
SHIFTED = timedelta(minutes=1)
"""Difference between fiscal time and wall time from which an example needs the fiscal time of the folder."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """A prepared data folder.

    Attributes:
        fiscal_now: fiscal time at the end of the preparation.
        wall_now: time of the machine at that moment.
        month: the example month with the RFC whose it is; None without one.
    """

    account: DevelopmentAccount
    fiscal_now: datetime
    wall_now: datetime
    month: str | None = None

    @property
    def shifted(self) -> bool:
        """Whether fiscal time differs from the time of the machine."""
        return abs(self.fiscal_now - self.wall_now) > SHIFTED


def prepare(
    settings: Settings, seed: Seed, credentials: DevelopmentCredentials | None = None, month: str = ""
) -> Preparation:
    """Prepare the data folder of the settings; what it has already stays as it is.

    Args:
        settings: The settings of the server.
        seed: The seed file.
        credentials: Those of the account; the well-known ones when None.
        month: An example month to stamp, such as 2026-10; empty for none.

    Raises:
        typer.Exit: with code 1, after one sentence, when the data folder cannot be created or written.
        SeedFileError: a value of the seed file is rejected.
        ServiceError, OSError: the data folder or the database cannot be used.
    """
    from timbra.sandbox.seeding.setup import KeyPool, sat_test_rfcs

    create_data_folder(settings)
    is_new = not settings.database_url and not (settings.data / DATABASE).exists()
    count = len(sat_test_rfcs()) + len(seed.csds) if is_new else 0
    keys = KeyPool(count, usable_cpus())
    try:
        from timbra.app.composition import open_container

        with open_container(settings) as container:
            prepared = _prepare(container, seed, keys, credentials)
            if month:
                _write_efirma(container, MONTH_RFC)
    finally:
        keys.close()
    return replace(prepared, month=_seed_month(settings, prepared, month)) if month else prepared


def _seed_month(settings: Settings, prepared: Preparation, text: str) -> str:
    """Stamp an example month with clocks of its own; return what is printed."""
    from timbra.accounts.build import account_services
    from timbra.app.composition import open_container
    from timbra.container.build import fiscal_clock
    from timbra.core.caller import Caller
    from timbra.sandbox.seeding.month import MonthSeeder, SteppedClock, parse_month

    month = parse_month(text, prepared.fiscal_now)
    wall, fiscal = SteppedClock(prepared.wall_now), SteppedClock(prepared.fiscal_now)
    with open_container(settings, wall, bindings={fiscal_clock: lambda _: fiscal}) as container:
        account = container.get(account_services).accounts.find(prepared.account.user)
        caller = Caller(account.account_id, account.user, account.role)
        MonthSeeder(container, wall, fiscal).seed(caller, month)
    return f"{text} {MONTH_RFC}"


def _prepare(
    container: Container, seed: Seed, keys: KeyPool, credentials: DevelopmentCredentials | None
) -> Preparation:
    from timbra.accounts.build import account_services
    from timbra.accounts.certificates import certificate_services
    from timbra.sandbox.build import sandbox_services
    from timbra.sandbox.seeding.setup import DevelopmentSetup

    sandbox = container.get(sandbox_services)
    accounts, certificates = container.get(account_services), container.get(certificate_services)
    setup = DevelopmentSetup(accounts, certificates, sandbox, credentials)
    account = setup.prepare(seed, keys)
    _write_efirmas(container, seed)
    return Preparation(account, sandbox.fiscal.now(), sandbox.wall.now())


def _write_efirmas(container: Container, seed: Seed) -> None:
    """Issue the e.firmas of the seed file that are not in the data folder."""
    from timbra.sandbox.seeding.seeding import rejections_at

    for place, certificate in enumerate(seed.csds):
        if certificate.kind == "efirma":
            with rejections_at(f"csds[{place}]"):
                _write_efirma(container, certificate.rfc)


def _write_efirma(container: Container, rfc: str) -> None:
    """Issue an e.firma that is not in the data folder."""
    from timbra.container.build import data_folder
    from timbra.sandbox.build import sandbox_services
    from timbra.sandbox.certificates import MintRequest
    from timbra.sandbox.commands.csd import write_credential

    folder = container.get(data_folder) / EFIRMAS
    if not (folder / f"{rfc}.txt").exists():
        write_credential(folder, container.get(sandbox_services).certificates.mint(MintRequest(rfc, "efirma")))


@contextmanager
def failures_as_sentences(data: Path, seed_file: Path | None = None) -> Iterator[None]:
    """End the command with one sentence when the block cannot use the data folder or the seed file."""
    from timbra.core.errors import ServiceError
    from timbra.sandbox.seeding.seed_file import SeedFileError

    # A warning of the same cause would precede the sentence.
    logging.disable(logging.WARNING)
    try:
        yield
    except SeedFileError as error:
        fail(_seed_sentence(seed_file, error))
    except ServiceError as error:
        fail(rejection_line(error))
    except FileExistsError:
        fail(translate("Cannot use the folder {folder}: {reason}.").format(folder=data, reason=os.strerror(ENOTDIR)))
    except OSError as error:
        fail(translate("Cannot use the folder {folder}: {reason}.").format(folder=data, reason=system_reason(error)))
    finally:
        logging.disable(logging.NOTSET)


def load_seed_option(path: Path | None) -> Seed:
    """Load the file of the option `--seed`; an empty seed without one.

    Raises:
        typer.Exit: With code 1, after one sentence, when the file cannot be read or is invalid.
    """
    from timbra.sandbox.seeding.seed_file import Seed, SeedFileError, load_seed

    if path is None:
        return Seed()
    try:
        return load_seed(path)
    except SeedFileError as error:
        fail(_seed_sentence(path, error))
    except OSError as error:
        fail(f"{path}: {system_reason(error)}.")


def system_reason(error: OSError) -> str:
    """Return the system's text for an error, without the address that `socket.create_server` adds to it."""
    return (error.strerror or str(error)).partition(" (while ")[0]


def fail(sentence: str) -> NoReturn:
    """Print one sentence on standard error and end with code 1."""
    typer.echo(sentence, err=True)
    raise typer.Exit(1)


def _seed_sentence(path: Path | None, error: SeedFileError) -> str:
    # A text of a service is Spanish already.
    problem = translate(TRANSLATED_PROBLEMS.get(error.problem, error.problem))
    if error.values:
        problem = problem.format(values=error.values)
    place = f"{error.place}: " if error.place else ""
    return f"{path}: {place}{problem.removesuffix('.')}."
