"""Every network of GluonCV's model zoo, run imperatively and hybridized from the same parameters in two libraries.

    PYTHON tests/libraries/gluoncv_zoo.py run FOLDER [NAMES ...]        # with minigluon, and with MXNet
    PYTHON tests/libraries/gluoncv_zoo.py compare MXNETS_FOLDER FOLDER

`run` writes one .npz for each network into FOLDER: its outputs and times, or the error. Where a file is there already,
the network is passed over; `--again` runs those that ended with an error. The library is MXNet if it is installed,
otherwise minigluon under its name. Each network runs in a process of its own, with a limit of time.

Parameters are a function of the network's order of them and their shape, so that no file has to travel. GluonCV wants
`np.float` and `np.int`, which NumPy has no more: they are put there, and nothing else is changed.
"""

import argparse
import collections
import importlib.util
import inspect
import itertools
import multiprocessing
import pathlib
import re
import statistics
import tempfile
import time
import traceback

import numpy as np
from both import learned, old_numpy_names, processor_time, set_parameters

# Networks for videos that GluonCV builds only upon a trained network for pictures, in MXNet as well.
NEED_A_FILE = tuple(f"{base}_{data}" for data in ("kinetics400", "sthsthv2", "hmdb51", "ucf101", "custom")
                    for base in ("inceptionv1", "inceptionv3", "vgg16", *[f"resnet{depth}_v1b" for depth in
                                                                          (18, 34, 50, 101, 152)]))

GROUPS = {"detection": ("yolo", "ssd", "rcnn", "center_net"),
          "segmentation": ("fcn", "pspnet", "deeplabv3", "deeplabv3_plus", "deeplabv3b_plus", "danet", "icnet",
                           "fastscnn"),
          "pose": ("simple_pose", "alpha_pose"),
          "videos": ("action_recognition",),
          "int8": ("quantized",),
          "other": ("monodepthv2", "siamrpn")}


def load_library():
    """The module `mxnet`, MXNet itself or minigluon; and GluonCV on it."""
    old_numpy_names()
    if importlib.util.find_spec("mxnet") is None:
        import minigluon.as_mxnet  # noqa: F401
    import gluoncv
    import mxnet
    return mxnet, gluoncv


# -- what each network is called with

def arguments_of(name, make):
    """Keyword arguments of `make`, GluonCV's function for this network, so that nothing is downloaded."""
    takes = inspect.signature(make).parameters
    arguments = {"pretrained": False} if not name.startswith("custom_") else {}
    if name.startswith(NEED_A_FILE):
        arguments["pretrained_base"] = True
    elif "pretrained_base" in takes or name.startswith(("alpha_pose", "center_net", "danet", "deeplab", "fastscnn",
                                                        "fcn", "icnet", "monodepth2", "psp", "ssd", "yolo3",
                                                        "faster_rcnn", "mask_rcnn", "doublehead")):
        arguments["pretrained_base"] = False
    if "use_kinetics_pretrain" in takes:
        arguments["use_kinetics_pretrain"] = False
    if "classes" in takes and name.endswith("_custom") or name.startswith("custom_"):
        arguments["classes"] = ["one", "two", "three"]
    size = segmentation_size(name)
    if size is not None:
        arguments["crop_size"] = arguments["base_size"] = size
    return arguments


def segmentation_size(name):
    """Height and width for a network that labels pixels, None for others."""
    if name.startswith(("icnet", "fastscnn")):
        return 256
    return 96 if name.startswith(("fcn", "psp", "deeplab", "danet")) else None


# height and width of pictures, by how names begin: the smallest that a network takes
SIZES = {"cifar": 32, "densenet": 224, "squeezenet": 224, "residualattention": 224, "vgg16_": 224, "googlenet": 224,
         "inceptionv1_": 224, "inceptionv3": 299, "xception": 96, "nasnet": 96,
         "ssd_300_mobilenet": 128, "ssd_300": 300, "ssd_512_vgg": 512, "ssd_512": 128,
         "hrnet": 64, "monodepth2": 64, "yolo3": 64, "center_net": 64}


def input_shapes_of(name):
    """Shapes of the arrays that the network is called with."""
    size = segmentation_size(name) or next((SIZES[start] for start in SIZES if name.startswith(start)), 64)
    if name == "siamrpn_alexnet_v2_otb15":
        return [(1, 3, 127, 127), (1, 3, 287, 287)]
    if name.startswith("c3d"):
        return [(1, 3, 16, 112, 112)]
    if name.startswith("slowfast"):
        return [(1, 3, {"4x16": 36, "8x8": 40, "16x8": 80}[name.split("_")[1]], 64, 64)]
    if name.startswith(("i3d", "p3d", "r2plus1d")):
        return [(1, 3, 16, *[96 if "inceptionv3" in name else 64] * 2)]
    return [(1, 6 if "posenet" in name else 3, size, 96 if "rcnn" in name else size)]


def group_of(make):
    """The group of a network, by the module of the function that builds it."""
    parts = make.__module__.split(".")
    return next((group for group, modules in GROUPS.items() if any(part in modules for part in parts)),
                "classification")


def in_turn(made):
    """Names of networks, one of each module in turn, those with the smaller numbers in their names first."""
    modules = collections.defaultdict(list)
    for name in sorted(made, key=lambda name: ([int(n) for n in re.findall(r"\d+", name)], name)):
        modules[made[name].__module__].append(name)
    return [name for names in itertools.zip_longest(*modules.values()) for name in names if name is not None]


# -- one network

def is_head(name):
    """Is this a parameter of a detector's last layers? Their numbers go through exp, and want small weights."""
    return any(part in name for part in ("rpn", "predictor", "yolooutput", "rcnn0_dense", "rcnn0_box"))


def flat(outputs, path="out"):
    """Every array in what a network returned, by its path."""
    if isinstance(outputs, dict):
        return {key: array for part in sorted(outputs, key=str)
                for key, array in flat(outputs[part], f"{path}.{part}").items()}
    if isinstance(outputs, (list, tuple)):
        return {key: array for place, part in enumerate(outputs)
                for key, array in flat(part, f"{path}.{place}").items()}
    return {} if outputs is None else {path: outputs.asnumpy()}


def stand_in_files(mx, gluoncv):
    """In place of GluonCV's downloads: a file of such parameters as the network begins with."""
    def get_model_file(name, tag=None, root=None):
        net = gluoncv.model_zoo.get_model(name, pretrained=False)
        net.initialize()
        size = 299 if name == "inceptionv3" else 224
        net(mx.nd.zeros((1, 3, size, size)))
        file = str(pathlib.Path(tempfile.mkdtemp()) / f"{name}.params")
        net.save_parameters(file)
        return file

    gluoncv.model_zoo.model_store.get_model_file = get_model_file


def mend_roi_align(mx):
    """MXNet's ROIAlign leaves what its memory held for a region of picture -1, which GluonCV's pyramids ask for.

    Zeros are meant, and are what minigluon gives. Without this, MXNet answers differently from call to call.
    """
    def mended(F, align):
        def roi_align(data, rois, *arguments, **keywords):
            pooled = align(data, rois, *arguments, **keywords)
            inside = F.slice_axis(rois, axis=-1, begin=0, end=1).reshape((-1,)) >= 0
            return F.where(inside, pooled, F.zeros_like(pooled))
        return roi_align

    for F in (mx.nd, mx.sym):
        F.contrib.ROIAlign = mended(F, F.contrib.ROIAlign)


def run_one(mx, gluoncv, name, stop_at, perturb):
    """What is stored of one network: outputs of both ways, times in seconds."""
    found, begin = {}, time.perf_counter()
    make = gluoncv.model_zoo.model_zoo._models[name]
    net = gluoncv.model_zoo.get_model(name, **arguments_of(name, make))
    found["seconds_build"] = time.perf_counter() - begin
    if stop_at == "build":
        return found
    draws = np.random.RandomState(7)
    inputs = [mx.nd.array(draws.uniform(-1, 1, shape).astype("float32")) * (1 + perturb)
              for shape in input_shapes_of(name)]
    for _, _, parameter in learned(net):
        parameter.init = mx.init.Zero()
    net.initialize(mx.init.Zero())
    if hasattr(net, "rpn"):                 # fewer regions, 32, than are worth their time here
        net.rpn._test_post_nms = net._rpn_test_post_nms = net._rcnn_max_dets = 32
    try:
        net.infer_shape(*inputs)
    except Exception:                       # a layer that the input does not reach, or that no graph can be made of
        flat(net(*inputs))
    set_parameters(mx, net, is_head)
    for way in ("imperative", "hybridized"):
        if way == "hybridized":
            net.hybridize()
        begin = time.perf_counter()
        outputs = flat(net(*inputs))
        found[f"seconds_{way}"] = time.perf_counter() - begin
        found.update({f"{way}:{path}": array for path, array in outputs.items()})
        found[f"processor_{way}"] = processor_time(lambda: flat(net(*inputs)), 3)
    return found


def _child(connection, mx, gluoncv, name, stop_at, perturb):
    try:
        connection.send(run_one(mx, gluoncv, name, stop_at, perturb))
    except Exception as error:
        connection.send({"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()})


def run_limited(mx, gluoncv, name, stop_at, perturb, limit):
    """run_one in a process of its own; {"error": ...} if it fails, dies or takes longer than `limit` seconds."""
    here, there = multiprocessing.Pipe(duplex=False)
    arguments = (there, mx, gluoncv, name, stop_at, perturb)
    process = multiprocessing.get_context("fork").Process(target=_child, args=arguments)
    process.start()
    there.close()
    try:
        if here.poll(limit):
            return here.recv()
        return {"error": f"not ready within {limit} seconds"}
    except EOFError:
        process.join()
        return {"error": f"the process ended with {process.exitcode}"}
    finally:
        process.kill()
        process.join()


# -- all of them

def run(folder, names, stop_at, perturb, limit, again):
    mx, gluoncv = load_library()
    folder.mkdir(parents=True, exist_ok=True)
    names = names or sorted(gluoncv.model_zoo.get_model_list())
    stand_in_files(mx, gluoncv)
    if "minigluon" not in mx.__file__:
        mend_roi_align(mx)
    print(f"mxnet {mx.__version__} in {mx.__file__}, gluoncv {gluoncv.__version__}, NumPy {np.__version__}")
    failed = []
    for name in names:
        file = folder / f"{name}.npz"
        if file.exists() and not (again and "error" in np.load(file)):
            continue
        begin = time.perf_counter()
        found = run_limited(mx, gluoncv, name, stop_at, perturb, limit)
        if stop_at != "build" or "error" in found:
            np.savez(file, **found)
        word = "FAILED: " + found["error"].partition("\n")[0][:300] if "error" in found else "ran"
        print(f"{name}: {word} ({time.perf_counter() - begin:.1f} s)", flush=True)
        failed += [name] if "error" in found else []
    print(f"{len(names) - len(failed)} of {len(names)} without an error")
    return 1 if failed else 0


def difference(expected, actual):
    """The largest difference between two runs' arrays, as a part of the largest number in each; a text if they cannot
    be compared."""
    if set(expected) != set(actual):
        return f"other outputs: {sorted(expected)}, {sorted(actual)}"
    largest = 0.0
    for path, array in expected.items():
        other = actual[path]
        if array.shape != other.shape:
            return f"{path}: shapes {array.shape}, {other.shape}"
        finite = np.isfinite(array)
        if not np.array_equal(array[~finite], other[~finite], equal_nan=True):
            return f"{path}: other numbers where MXNet's are not finite"
        array, other = array[finite].astype("float64"), other[finite]
        if array.size:
            largest = max(largest, float(np.abs(array - other).max() / max(np.abs(array).max(), 1e-6)))
    return largest


def compare(expected_folder, folder, tolerance):
    agree, others = [], []
    ratios = {"imperative": [], "hybridized": []}
    for file in sorted(expected_folder.glob("*.npz")):
        name = file.stem
        expected = np.load(file)
        actual = np.load(folder / file.name) if (folder / file.name).exists() else {"error": "not run"}
        problem = None
        if "error" in expected or "error" in actual:
            sides = [("MXNet", expected), ("minigluon", actual)]
            problem = "; ".join(f"{side}: {str(found['error']).partition(chr(10))[0][:200]}" for side, found in sides
                                if "error" in found)
        else:
            for way, of_times in ratios.items():
                if (key := f"processor_{way}") in actual and key in expected:           # not in older files
                    of_times.append((float(actual[key] / expected[key]), name))
            for way in ratios:
                found = difference(*[{key.partition(":")[2]: run_of[key] for key in run_of if key.startswith(way)}
                                     for run_of in (expected, actual)])
                if isinstance(found, str) or not found <= tolerance:
                    problem = f"{way}: {found if isinstance(found, str) else f'differs by {found:.2g}'}"
                    break
        (others if problem else agree).append((name, problem))
    for name, problem in others:
        print(f"{name}: {problem}")
    print(f"{len(agree)} of {len(agree) + len(others)} networks agree to {tolerance}, imperative and hybridized")
    for way, of_times in ratios.items():
        (least, fastest), (most, slowest) = min(of_times), max(of_times)
        median = statistics.median(ratio for ratio, _ in of_times)
        print(f"{way}, calls after the first: {median:.2f} of MXNet's processor time, the median of {len(of_times)} "
              f"({least:.2f}, {fastest}, to {most:.2f}, {slowest})")
    return 1 if others else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run")
    runs.add_argument("folder", type=pathlib.Path)
    runs.add_argument("names", nargs="*", default=[])
    runs.add_argument("--build-only", action="store_true")
    runs.add_argument("--perturb", type=float, default=0, help="a part by which the input is larger, such as 1e-6: "
                      "how much MXNet's own numbers change says which difference is none")
    runs.add_argument("--limit", type=float, default=180, help="seconds for each network")
    runs.add_argument("--again", action="store_true", help="run what ended with an error")
    compares = commands.add_parser("compare")
    compares.add_argument("expected", type=pathlib.Path)
    compares.add_argument("folder", type=pathlib.Path)
    compares.add_argument("--tolerance", type=float, default=1e-3)
    given = parser.parse_args()
    if given.command == "run":
        return run(given.folder, given.names, "build" if given.build_only else "all", given.perturb, given.limit,
                   given.again)
    return compare(given.expected, given.folder, given.tolerance)


if __name__ == "__main__":
    raise SystemExit(main())
