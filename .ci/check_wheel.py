"""Check that a wheel holds the package `minigluon`, all of it, and nothing else."""

import pathlib
import sys
import zipfile

ROOT = pathlib.Path(__file__).parent.parent


def main(path):
    if not path.endswith("-py3-none-any.whl"):
        sys.exit(f"{path} is not a universal wheel")
    names = set(zipfile.ZipFile(path).namelist())
    tops = {name.split("/")[0] for name in names}
    foreign = {top for top in tops if top != "minigluon" and not top.endswith(".dist-info")}
    if foreign:
        sys.exit(f"the wheel holds {sorted(foreign)} besides minigluon")
    package = {str(p.relative_to(ROOT)) for pattern in ("*.py", "*.pyi", "py.typed", "templates/*")
               for p in (ROOT / "minigluon").rglob(pattern)}
    missing = package - names
    if missing:
        sys.exit(f"the wheel lacks {sorted(missing)}")
    if not any(name.endswith("/licenses/LICENSE") or name.endswith("/LICENSE") for name in names):
        sys.exit("the wheel lacks LICENSE")
    print(f"wheel: {len(package)} files of minigluon, licence, nothing else")


if __name__ == "__main__":
    main(sys.argv[1])
