"""keras-mxnet 2.2.4.3: its own tests with the backend MXNet.

Left out: tests that download data or parameters, those that import TensorFlow, and those of the documentation.
"""

import sys
import tempfile
from pathlib import Path

from suites import run_suite

OTHERS = ["integration_tests/test_datasets.py", "integration_tests/applications_test.py", "keras/applications",
          "keras/backend/mxnet_tf_model_test.py", "keras/utils/multi_gpu_test.py", "test_doc_auto_generation.py",
          "test_documentation.py"]
SETTINGS = '{"floatx": "float32", "epsilon": 1e-07, "backend": "mxnet", "image_data_format": "channels_last"}'

if __name__ == "__main__":
    ignored = [f"--ignore=tests/{part}" for part in OTHERS]
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / ".keras").mkdir()
        (Path(home) / ".keras" / "keras.json").write_text(SETTINGS)
        sys.exit(run_suite(["tests"], environment={"HOME": home, "KERAS_BACKEND": "mxnet"},
                           options=["-p", "old_python", "--timeout=300", *ignored]))
