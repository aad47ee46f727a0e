"""The layer of a test: `unit`, `integration` or `e2e`, from its folder and its fixtures.

unit: one process, no database, no server; files at most. integration: several components together, with a database,
the composed application or a server in the test's own process. e2e: a program, browser or SDK outside the process.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

LAYERS = ("unit", "integration", "e2e")

PATHS = {
    "": "unit",
    "accounts": "integration",
    "amounts": "unit",
    "amounts/test_api": "integration",
    "amounts/test_commands": "integration",
    "app": "integration",
    "app/test_optional_packages": "e2e",
    "app/test_list_processes": "unit",
    "app/test_master_keys": "unit",
    "app/test_rehearsal": "unit",
    "archive": "integration",
    "asn1": "unit",
    "audit": "integration",
    "backup": "integration",
    "batches": "integration",
    "bulk": "unit",
    "bulk/test_commands": "integration",
    "bulk/test_engines_long": "e2e",
    "bulk/test_worker": "integration",
    "cancellation": "integration",
    "catalogs": "unit",
    "cfdi": "unit",
    "cli": "integration",
    "clients": "e2e",
    "console": "integration",
    "core": "unit",
    "core/test_groups": "integration",
    "core/test_local_files": "integration",
    "core/test_zip_archives": "integration",
    "corpus": "integration",
    "database": "integration",
    "delivery": "integration",
    "deploy": "unit",
    "docs": "unit",
    "docs/test_guides": "e2e",
    "docs/test_production_page": "e2e",
    "docs/test_sat_emulator_page": "e2e",
    "docs/test_webhooks_page": "e2e",
    "documents": "integration",
    "drill": "unit",
    "drill/test_drill": "e2e",
    "emulator": "integration",
    "emulator/test_process": "e2e",
    "emulator/test_tokens": "unit",
    "evaluation": "integration",
    "events": "integration",
    "examples": "unit",
    "fsck": "integration",
    "fuzz": "unit",
    "home": "integration",
    "inspector": "integration",
    "invoices": "integration",
    "library": "integration",
    "library/test_catalogs": "unit",
    "library/test_imports": "e2e",
    "library/test_interface": "unit",
    "library/test_json": "unit",
    "lists": "unit",
    "lists/test_list_events": "integration",
    "manifests": "integration",
    "mcp": "unit",
    "mcp/test_server": "e2e",
    "native": "unit",
    "operations": "integration",
    "packaging": "e2e",
    "pools": "unit",
    "provider": "integration",
    "provider/test_identity": "unit",
    "received": "integration",
    "received/synchronization/test_killed_downloads": "e2e",
    "rejections": "integration",
    "rendering": "unit",
    "reports": "integration",
    "resilience": "e2e",
    "rules": "unit",
    "sandbox": "integration",
    "sandbox/test_ca": "unit",
    "sandbox/test_cancellation": "unit",
    "sandbox/test_cancellation_model": "unit",
    "sandbox/test_clock": "unit",
    "sandbox/test_faults": "unit",
    "sandbox/test_instants": "unit",
    "sandbox/test_ledger": "unit",
    "sandbox/test_publication": "unit",
    "sandbox/test_registry": "unit",
    "sandbox/test_seeds": "unit",
    "sandbox/test_working_days": "unit",
    "sat": "integration",
    "seals": "unit",
    "seals/test_signature_queue": "integration",
    "settings": "unit",
    "simulation": "integration",
    "snapshot": "unit",
    "stamping": "integration",
    "stamps": "integration",
    "testing": "e2e",
    "tools": "unit",
    "tools/test_cases": "integration",
    "tools/test_cases_over_http": "e2e",
    "transparency": "unit",
    "transparency/test_log": "integration",
    "transparency/test_api": "integration",
    "transparency/test_commands": "integration",
    "validation": "integration",
    "web": "integration",
    "webhooks": "integration",
}
"""By folder or module below tests/; the deepest entry counts, and a folder without an entry is an error."""

FIXTURES = {
    "authority": "integration",
    "browser": "e2e",
    "container": "integration",
    "database": "integration",
    "ledger": "integration",
    "registry": "integration",
    "sandbox": "integration",
    "sandbox_app": "integration",
}
"""Fixtures that move a test to a higher layer than its folder's."""

E2E_HELPERS = frozenset(
    {
        ("tests.support.server", "running"),
        ("tests.support.dev_server", "running_dev"),
        ("timbra.cli.development.demo", "demo"),
        ("tests.support.chromium", "chromium"),
    }
)
"""Functions by module that start a program; a test module that imports one is of e2e."""

SLOW_MODULES = frozenset(
    {
        "app/test_schemathesis",
        "sandbox/test_cancellation_model",
        "catalogs/test_book",
        "catalogs/test_older",
        "catalogs/test_rates",
        "catalogs/test_zones",
        "cfdi/test_qr",
        "cfdi/test_structure_differential",
        "cfdi/test_chunked_validation",
        "docs/test_generated_pages",
        "docs/test_new_rule",
        "examples/test_full_schema",
        "rules/complements/test_hostile",
        "rules/test_examples",
        "rules/test_registered_data",
        "seals/test_pfx_work",
        "snapshot/test_build",
        "snapshot/test_build_catalogs",
        "snapshot/test_build_qr",
        "snapshot/test_slimming",
        "tools/test_mutants",
    }
)
"""Unit tests that `make test-fast` leaves out: each module takes more than about two seconds of one core."""


def layer_of(module: PurePosixPath, names: Mapping[str, object], fixtures: Collection[str]) -> str:
    """Return the layer of a test.

    Args:
        module: path of the test module below tests/, without suffix: `database/test_codec`.
        names: the global names of the module.
        fixtures: names of all fixtures that the test uses, directly or through others.

    Raises:
        LookupError: the folder has no layer in `PATHS`.
    """
    layers = [_path_layer(module), *(FIXTURES[name] for name in fixtures if name in FIXTURES)]
    if any((getattr(value, "__module__", ""), name) in E2E_HELPERS for name, value in names.items()):
        layers.append("e2e")
    return max(layers, key=LAYERS.index)


def is_slow(module: PurePosixPath) -> bool:
    """Whether the module is left out of `make test-fast`."""
    return str(module) in SLOW_MODULES


def _path_layer(module: PurePosixPath) -> str:
    if str(module) in PATHS:
        return PATHS[str(module)]
    for folder in module.parents:
        name = "" if str(folder) == "." else str(folder)
        if name in PATHS and (name or folder == module.parent):
            return PATHS[name]
    raise LookupError(f"tests/{module.parent}: tests/support/layers.py gives this folder no layer")
