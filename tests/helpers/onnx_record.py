"""What comes out where files are computed by runtimes that nobody here wrote: counts, largest differences, reasons."""

import collections
import json
import re

import numpy as np

from .onnx_files import difference, run_file

try:
    import openvino
except ImportError:
    openvino = None

__all__ = ["RUNTIMES", "Record", "allowed", "distance"]

ABSENT, MOST_KEPT, SECONDS = "no kernel for it: ", 40, "seconds for ResNet-50"
# What a runtime says where it has no kernel for an element type.
NO_KERNEL = ("NOT_IMPLEMENTED", "Could not find an implementation", "is invalid", "Unsupported", "not supported",
             "doesn't support", "does not support", "not implemented")
NO_DOUBLE = {"OpenVINO"}            # computes float64 in float32


def allowed(dtype):
    """The largest relative difference in results of a type: 1e-5 in float32, which is 84 of its last digits.

    float64 has the same number of digits of its own. In float16 runtimes compute with more digits and round, and the
    network here rounds after each operator: 8 digits.
    """
    if dtype == np.float16:
        return 8 * np.finfo(np.float16).eps
    return 1e-5 / np.finfo(np.float32).eps * np.finfo(dtype).eps if dtype == np.float64 else 1e-5


class Record:
    """Counts for each part and runtime, and what does not agree. path: the file of measurements, or None."""

    def __init__(self, path=None):
        self.path = path
        self.made, self.refused, self.fixed = collections.Counter(), collections.Counter(), collections.Counter()
        self.agree, self.missing = collections.Counter(), collections.Counter()
        self.largest = collections.defaultdict(float)
        self.others, self.seconds = [], {}

    def check(self, part, name, path, pairs, dtype=np.float32):
        """pairs: [(arrays for the file's inputs, what minigluon computes)]."""
        self.made[part] += 1
        for runtime, run in RUNTIMES.items():
            if dtype == np.float64 and runtime in NO_DOUBLE:
                self.missing[part, runtime] += 1
                continue
            try:
                distances = [distance(run(path, given), wanted) for given, wanted in pairs]
            except Exception as error:          # from C++, of any class
                said = str(error).strip()
                if dtype != np.float32 and any(text in said for text in NO_KERNEL):
                    self.missing[part, runtime] += 1
                    said = ABSENT + said
                self.note(part, runtime, name, said)
                continue
            if max(distances) <= allowed(dtype):
                self.agree[part, runtime] += 1
                self.largest[part, runtime] = max(self.largest[part, runtime], *distances)
            else:
                self.note(part, runtime, name, f"differs by {max(distances):.1e}")

    def refuse(self, part, name, error):
        """A graph that is not exported."""
        self.refused[part] += 1
        self.note(part, "export", name, str(error).strip().splitlines()[-1].strip())

    def note(self, part, runtime, name, what):
        """Something to print at the end."""
        what = re.sub(r"Exception from \S+:\s+|Check '.*?' failed at \S+:\s+", "", " ".join(what.split()))
        self.others.append((part, runtime, " ".join(name.split()), what[:150] or "an error without a text"))

    def rows(self):
        """{part: {"files", "refused", "both ways", "others", for each runtime [agree, largest difference, no kernel]}}
        """
        found = {}
        for part in {**self.made, **self.refused}:
            found[part] = {"files": self.made[part], "refused": self.refused[part], "both ways": self.fixed[part]}
            for runtime in RUNTIMES:
                pair = part, runtime
                found[part][runtime] = [self.agree[pair], float(f"{self.largest[pair]:.1e}"), self.missing[pair]]
            found[part]["others"] = [other[1:] for other in self.others if other[0] == part and not other[3].startswith(
                ABSENT)][:MOST_KEPT]
        return found

    def keep(self):
        """Enter the rows into the file of measurements; rows of other parts in it stay."""
        if self.path is None:
            return
        rows = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}
        rows.update(self.rows())
        if self.seconds:
            rows[SECONDS] = {name: round(seconds, 2) for name, seconds in self.seconds.items()}
        lines = [f" {json.dumps(part)}: {json.dumps(row)}" for part, row in sorted(rows.items())]
        self.path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def distance(found, wanted):
    """The largest relative difference of all outputs."""
    if len(found) != len(wanted):
        return np.inf
    return max(difference(f, w) for f, w in zip(found, wanted, strict=True))


def by_openvino(path, arrays):
    """Outputs of a file, computed in the types that it says."""
    core = openvino.Core()
    compiled = core.compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})
    found = compiled(list(arrays))
    return [np.array(found[output]) for output in compiled.outputs]


RUNTIMES = {"onnxruntime": run_file, **({"OpenVINO": by_openvino} if openvino else {})}
