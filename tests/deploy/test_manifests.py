"""Kubernetes manifests agree with each other and with the code."""

from __future__ import annotations

from typing import Any

import pytest
from tests.deploy.files import SECRET, Document, arguments_of, documents, manifest
from tests.deploy.test_names import ROUTER, port_of, understood

from timbra.settings import Settings

TIMEOUT_SECONDS = 5.0
GRACE_SECONDS = 30.0

PROBES = ("startupProbe", "livenessProbe", "readinessProbe")


@pytest.fixture(scope="module")
def pod() -> Document:
    found: Document = manifest("Deployment")["spec"]["template"]
    return found


@pytest.fixture(scope="module")
def container(pod: Document) -> Document:
    [found] = pod["spec"]["containers"]
    return dict(found)


def test_deployment_command_is_valid_and_its_port_is_used_everywhere(container: Document) -> None:
    assert understood(container["args"])
    [port] = container["ports"]
    assert port["containerPort"] == port_of(container["args"]) == int(arguments_of("EXPOSE")[0])
    [service] = manifest("Service")["spec"]["ports"]
    assert service["targetPort"] == port["name"]
    [allowed] = manifest("NetworkPolicy")["spec"]["ingress"]
    assert [one["port"] for one in allowed["ports"]] == [port["containerPort"]]


@pytest.mark.parametrize("probe", PROBES)
def test_probes_use_existing_paths(container: Document, probe: str) -> None:
    probe_request = container[probe]["httpGet"]
    assert ROUTER.find("GET", probe_request["path"]) is not None
    assert probe_request["port"] == container["ports"][0]["name"]


def test_readiness_probe_is_the_only_one_with_the_readiness_path(container: Document) -> None:
    """A liveness probe that fails with the database would restart every node at the same time."""
    paths = {probe: container[probe]["httpGet"]["path"] for probe in PROBES}
    assert [probe for probe, path in paths.items() if path.endswith("ready")] == ["readinessProbe"]
    assert container["readinessProbe"]["timeoutSeconds"] > TIMEOUT_SECONDS


def test_termination_grace_period_covers_the_drain(pod: Document, container: Document) -> None:
    drain = float(manifest("ConfigMap")["data"]["TIMBRA_DRAIN_SECONDS"])
    probe = container["readinessProbe"]
    assert drain > probe["periodSeconds"] * probe["failureThreshold"]
    assert pod["spec"]["terminationGracePeriodSeconds"] > drain + GRACE_SECONDS


def test_config_map_is_valid_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in manifest("ConfigMap")["data"].items():
        assert isinstance(value, str)
        monkeypatch.setenv(name, value)
    assert Settings().database_url.startswith("postgresql+psycopg://")


def test_secret_example_has_exactly_the_used_keys(pod: Document, container: Document) -> None:
    [secret] = documents(SECRET)
    keys = [one["valueFrom"]["secretKeyRef"] for one in container["env"]]
    [volume] = [one["secret"] for one in pod["spec"]["volumes"] if "secret" in one]
    used = {key["key"] for key in keys} | {item["key"] for item in volume["items"]}
    assert used == secret["stringData"].keys()
    assert {key["name"] for key in keys} | {volume["secretName"]} == {secret["metadata"]["name"]}
    assert all(value.startswith("REPLACE") for value in secret["stringData"].values())


def test_master_key_is_mounted_at_its_setting(pod: Document, container: Document) -> None:
    [mount] = [one for one in container["volumeMounts"] if one["name"] == "master-key"]
    [volume] = [one["secret"] for one in pod["spec"]["volumes"] if one["name"] == "master-key"]
    path = f"{mount['mountPath']}/{volume['items'][0]['path']}"
    assert manifest("ConfigMap")["data"]["TIMBRA_MASTER_KEY_FILE"] == path


def test_volume_mounts_have_volumes_and_claims(pod: Document, container: Document) -> None:
    volumes = {one["name"]: one for one in pod["spec"]["volumes"]}
    assert {one["name"] for one in container["volumeMounts"]} == volumes.keys()
    claim = volumes["state"]["persistentVolumeClaim"]["claimName"]
    assert claim == manifest("PersistentVolumeClaim")["metadata"]["name"]
    [mount] = [one for one in container["volumeMounts"] if one["name"] == "state"]
    assert [mount["mountPath"]] == arguments_of("VOLUME")


def test_selectors_match_the_pod_labels(pod: Document) -> None:
    labels = pod["metadata"]["labels"]
    selectors: list[Any] = [
        manifest("Deployment")["spec"]["selector"]["matchLabels"],
        manifest("Service")["spec"]["selector"],
        manifest("PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        manifest("NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
    ]
    assert selectors == [labels] * 4


def test_autoscaler_targets_the_deployment_and_respects_the_budget() -> None:
    scaler, deployment = manifest("HorizontalPodAutoscaler")["spec"], manifest("Deployment")
    target = scaler["scaleTargetRef"]
    assert (target["kind"], target["name"], target["apiVersion"]) == (
        "Deployment",
        deployment["metadata"]["name"],
        deployment["apiVersion"],
    )
    assert scaler["minReplicas"] > manifest("PodDisruptionBudget")["spec"]["minAvailable"]


def test_pods_have_a_restricted_security_context(pod: Document, container: Document) -> None:
    user, group = arguments_of("USER")[0].split(":")
    security = pod["spec"]["securityContext"]
    assert (security["runAsUser"], security["runAsGroup"], security["runAsNonRoot"]) == (int(user), int(group), True)
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
