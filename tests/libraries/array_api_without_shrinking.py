"""A plugin of pytest for array_api_suite.py: Hypothesis shrinks no failure, which takes minutes for each."""

import pytest


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    from hypothesis import Phase, settings
    settings.register_profile("short", settings(), phases=[Phase.explicit, Phase.generate], print_blob=False)
    settings.load_profile("short")
