"""The kustomize base and its overlays: resources, patches, and the schemas of Kubernetes."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
from tests.deploy.files import (
    BASE,
    OVERLAYS,
    SECRET,
    Document,
    documents,
    kustomization,
    manifests,
    only,
    patches,
    rendered,
)

from timbra.settings import Settings

FOLDERS = (BASE, *OVERLAYS)
VERSIONS = ("1.31", "1.37")
"""The oldest and the newest version of Kubernetes whose schemas the manifests are compared with."""
KINDS = {
    "ConfigMap",
    "Deployment",
    "HorizontalPodAutoscaler",
    "NetworkPolicy",
    "PersistentVolumeClaim",
    "PodDisruptionBudget",
    "Service",
}


def identity(document: Document) -> tuple[str, str, str]:
    return document["apiVersion"], document["kind"], document["metadata"]["name"]


def of(folder: Path) -> str:
    return folder.name


@pytest.mark.parametrize("folder", FOLDERS, ids=of)
def test_kustomization_has_every_file_of_its_folder(folder: Path) -> None:
    found = kustomization(folder)
    named = {*found["resources"], *(one["path"] for one in found.get("patches", []))}
    files = {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml", SECRET.name}
    assert {name for name in named if not (folder / name).is_dir()} == files
    assert (found["apiVersion"], found["kind"]) == ("kustomize.config.k8s.io/v1beta1", "Kustomization")


@pytest.mark.parametrize("folder", FOLDERS, ids=of)
def test_resources_have_unique_names(folder: Path) -> None:
    names = [identity(one) for one in manifests(folder)]
    assert len(names) == len(set(names))
    assert {kind for _, kind, _ in names} >= KINDS


@pytest.mark.parametrize("folder", OVERLAYS, ids=of)
def test_patches_name_existing_resources(folder: Path) -> None:
    names = {identity(one) for one in manifests(folder)}
    assert patches(folder)
    assert {identity(one) for one in patches(folder)} <= names


@pytest.mark.parametrize("release", VERSIONS)
@pytest.mark.parametrize("folder", FOLDERS, ids=of)
def test_manifests_match_the_schemas_of_kubernetes(folder: Path, release: str) -> None:
    for document in [*manifests(folder), *documents(SECRET)]:
        kubernetes_validate.validate(document, release, strict=True)


@pytest.mark.parametrize("folder", FOLDERS, ids=of)
def test_rendered_manifests_match_the_schemas_of_kubernetes(folder: Path) -> None:
    found = rendered(folder)
    assert {identity(one) for one in found} == {identity(one) for one in manifests(folder)}
    for document in found:
        kubernetes_validate.validate(document, VERSIONS[-1], strict=True)


def test_schemas_find_an_unknown_field() -> None:
    wrong = only("Service", manifests()) | {"spec": {"portz": []}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)


@pytest.mark.parametrize("folder", OVERLAYS, ids=of)
def test_rendered_settings_are_valid(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in only("ConfigMap", rendered(folder))["data"].items():
        monkeypatch.setenv(name, value)
    assert Settings().environment == folder.name


@pytest.mark.parametrize("folder", OVERLAYS, ids=of)
def test_rendered_image_has_the_version_of_the_package(folder: Path) -> None:
    [container] = only("Deployment", rendered(folder))["spec"]["template"]["spec"]["containers"]
    assert container["image"] == f"timbra:{version('timbra')}"
    assert container["command" if "command" in container else "args"][0] == "serve"


def test_rendered_production_has_the_parts_of_base_and_overlay() -> None:
    found = rendered(OVERLAYS[0])
    pod = only("Deployment", found)["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert {"PGPASSWORD", "TIMBRA_PROVIDER_KEY_PASSWORD"} <= {one["name"] for one in container["env"]}
    assert {one["name"] for one in container["volumeMounts"]} == {one["name"] for one in pod["volumes"]}
    mounts = {one["mountPath"] for one in container["volumeMounts"]}
    data = only("ConfigMap", found)["data"]
    assert {str(Path(value).parent) for value in data.values() if value.startswith("/etc/")} <= mounts
    least = only("HorizontalPodAutoscaler", found)["spec"]["minReplicas"]
    assert least > only("PodDisruptionBudget", found)["spec"]["minAvailable"] >= 2


def test_ingress_reaches_the_service_under_the_public_url() -> None:
    found = rendered(OVERLAYS[0])
    ingress, service = only("Ingress", found), only("Service", found)
    [rule] = ingress["spec"]["rules"]
    [path] = rule["http"]["paths"]
    backend = path["backend"]["service"]
    assert backend["name"] == service["metadata"]["name"]
    assert backend["port"]["name"] in {port["name"] for port in service["spec"]["ports"]}
    assert ingress["spec"]["tls"][0]["hosts"] == [rule["host"]]
    assert only("ConfigMap", found)["data"]["TIMBRA_PUBLIC_URL"] == f"https://{rule['host']}"


def test_ingress_allows_the_largest_batch_and_the_slowest_document() -> None:
    notes = only("Ingress", manifests(OVERLAYS[0]))["metadata"]["annotations"]
    settings = Settings()
    largest = int(notes["nginx.ingress.kubernetes.io/proxy-body-size"].removesuffix("m")) * 1024 * 1024
    assert largest > settings.batch_max_bytes
    assert float(notes["nginx.ingress.kubernetes.io/proxy-read-timeout"]) > settings.large_timeout_seconds
