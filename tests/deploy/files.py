"""The files in `deploy/`, parsed for tests."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.support.requirements import need

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
CONTAINERFILE = DEPLOY / "Containerfile"
BASE = DEPLOY / "kubernetes" / "base"
OVERLAYS = sorted((DEPLOY / "kubernetes" / "overlays").iterdir())
SECRET = BASE / "secret.example.yaml"
ACTION = ROOT / ".github" / "actions" / "timbra"
Document = dict[str, Any]


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Containerfile with their arguments; continued lines are joined."""
    joined = re.sub(r"\\\n\s*", "", CONTAINERFILE.read_text("utf-8"))
    lines = [line.strip() for line in joined.splitlines() if line.strip() and not line.startswith("#")]
    return [(word.upper(), rest) for word, _, rest in (line.partition(" ") for line in lines)]


def stages() -> list[list[tuple[str, str]]]:
    """Return the instructions of each stage; a stage begins with FROM."""
    found: list[list[tuple[str, str]]] = []
    for instruction in instructions():
        if instruction[0] == "FROM":
            found.append([])
        if found:
            found[-1].append(instruction)
    return found


def build_arguments() -> dict[str, str]:
    """Return the arguments before the first stage with their defaults."""
    before = instructions()[: [word for word, _ in instructions()].index("FROM")]
    return dict(rest.split("=", 1) for _, rest in before)


def arguments_of(word: str) -> list[str]:
    """Return the arguments of each such instruction of the last stage."""
    return [rest for found, rest in stages()[-1] if found == word]


def command_of_image() -> list[str]:
    return [*json.loads(arguments_of("ENTRYPOINT")[0]), *json.loads(arguments_of("CMD")[0])]


def documents(path: Path) -> list[Document]:
    """Return the YAML documents of a file; skip the test where PyYAML is not installed."""
    need("yaml", find_spec("yaml"), "PyYAML is not installed")
    return list(import_module("yaml").safe_load_all(path.read_text("utf-8")))


def compose(name: str = "compose.yaml") -> Document:
    """Return a compose file; the YAML parser resolves its anchors and merge keys."""
    [found] = documents(DEPLOY / name)
    return found


def kustomization(folder: Path) -> Document:
    [found] = documents(folder / "kustomization.yaml")
    return found


def manifests(folder: Path = BASE) -> list[Document]:
    """Return the resources of a kustomization, those of its bases first; patches are not applied."""
    found: list[Document] = []
    for name in kustomization(folder)["resources"]:
        place = (folder / name).resolve()
        found += manifests(place) if place.is_dir() else documents(place)
    return found


def patches(folder: Path) -> list[Document]:
    return [one for entry in kustomization(folder).get("patches", []) for one in documents(folder / entry["path"])]


def rendered(folder: Path) -> list[Document]:
    """Return the manifests of a kustomization as kubectl makes them; skip the test where there is no kubectl."""
    kubectl = shutil.which("kubectl")
    need("kubectl", kubectl, "kubectl is not installed, so that kustomize is not run")
    command = [str(kubectl), "kustomize", str(folder)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return list(import_module("yaml").safe_load_all(text))


def only(kind: str, found: list[Document]) -> Document:
    """Return the only document of a kind."""
    [one] = [one for one in found if one["kind"] == kind]
    return one


def manifest(kind: str) -> Document:
    """Return the only manifest of a kind of the base."""
    return only(kind, manifests())


def texts() -> Iterator[tuple[str, str]]:
    """Yield name and text of every file about running a server."""
    pages = (ROOT / "docs" / "operations.md", ROOT / "docs" / "containers.md")
    for path in (*DEPLOY.rglob("*"), *pages, *ACTION.rglob("*.yml"), *(ROOT / "bench" / "wrk").rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
