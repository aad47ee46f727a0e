"""How much property tests try: `HYPOTHESIS_PROFILE=long` for `make fuzz`."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile("suite", deadline=None)
settings.register_profile("long", deadline=None, max_examples=5000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
