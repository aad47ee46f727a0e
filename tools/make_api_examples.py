"""Recorder of the examples of the OpenAPI document: `make docs`. It sends every call of the scenario to a sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from unittest import mock

from timbra.cfdi import uuid_text
from timbra.stamps import confirmations
from tools.api_examples.document import examples_by_tag, to_text
from tools.api_examples.recorder import record
from tools.api_examples.sandbox import example_sandbox
from tools.api_examples.scenario import SCENARIO

FOLDER = Path(__file__).resolve().parents[1] / "src/timbra/app/openapi/examples"


@contextmanager
def repeatable_folios() -> Iterator[None]:
    """Make the same folios and keys of confirmation in every recording, because lists are ordered by folios; private
    keys remain random.
    """
    folios = mock.patch.object(uuid_text, "os", SimpleNamespace(urandom=Random(1).randbytes))  # noqa: S311
    keys = mock.patch.object(confirmations, "secrets", SimpleNamespace(choice=Random(1).choice))  # noqa: S311
    with folios, keys:
        yield


def main() -> None:
    """Record all calls, and write one data file for each tag."""
    with TemporaryDirectory() as folder, repeatable_folios(), example_sandbox(Path(folder) / "data") as sandbox:
        files = {
            f"{tag}.json": to_text(examples) for tag, examples in examples_by_tag(record(sandbox, SCENARIO)).items()
        }
    FOLDER.mkdir(exist_ok=True)
    for stale in {path.name for path in FOLDER.glob("*.json")} - set(files):
        (FOLDER / stale).unlink()
    for name, content in files.items():
        (FOLDER / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
