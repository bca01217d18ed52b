"""A plugin of pytest for array_api_suite.py: Hypothesis does not shrink failures, which takes minutes, nor draw complex
types."""

import pytest


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    from hypothesis import Phase, settings
    settings.register_profile("short", settings(), phases=[Phase.explicit, Phase.generate], print_blob=False)
    settings.load_profile("short")
    from array_api_tests import hypothesis_helpers as helpers
    from hypothesis.strategies import sampled_from
    helpers.all_dtypes = sampled_from([dtype for dtype in helpers._sorted_dtypes if "complex" not in str(dtype)])
