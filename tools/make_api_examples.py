"""Recorder of the examples of the OpenAPI document: `make docs`. It sends every call of the scenario to a sandbox."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from tools.api_examples.document import examples_by_tag, to_text
from tools.api_examples.recorder import record
from tools.api_examples.sandbox import example_sandbox
from tools.api_examples.scenario import SCENARIO

FOLDER = Path(__file__).resolve().parents[1] / "src/timbra/api/openapi/examples"


def main() -> None:
    """Record all calls, and write one data file for each tag."""
    with TemporaryDirectory() as folder, example_sandbox(Path(folder) / "data") as sandbox:
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
