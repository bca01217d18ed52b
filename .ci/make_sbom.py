"""Write what a release consists of: FOLDER/sbom.cdx.json, a software bill of materials as CycloneDX 1.6.

    pip install "cyclonedx-python-lib[json-validation]>=9" && python .ci/make_sbom.py FOLDER

It names both packages with their licences and what each requires, the checksum of each distribution in FOLDER, and the
data set inside of the wheel. Dependencies are named as required, without the version that pip will take.
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))

from cyclonedx.model import HashAlgorithm, HashType  # noqa: E402
from cyclonedx.model.bom import Bom  # noqa: E402
from cyclonedx.model.component import Component, ComponentScope, ComponentType  # noqa: E402
from cyclonedx.model.license import LicenseExpression  # noqa: E402
from cyclonedx.output import make_outputter  # noqa: E402
from cyclonedx.schema import OutputFormat, SchemaVersion  # noqa: E402
from cyclonedx.validation.json import JsonStrictValidator  # noqa: E402
from make_index import is_distribution, metadata, project_of, sha256  # noqa: E402
from packageurl import PackageURL  # noqa: E402

FILE = "sbom.cdx.json"
MNIST = "12,000 training images and 2,000 test images of MNIST, in minigluon/tools/cli/mnist"


def package(facts):
    """The component of one of our packages."""
    name, version = facts["Name"], facts["Version"]
    return Component(type=ComponentType.LIBRARY, name=name, version=version, bom_ref=name,
                     description=facts["Summary"], purl=PackageURL("pypi", None, name, version),
                     licenses=[LicenseExpression(facts["License-Expression"] or facts["License"])])


def file_of(path):
    return Component(type=ComponentType.FILE, name=path.name, bom_ref=path.name,
                     hashes=[HashType(alg=HashAlgorithm.SHA_256, content=sha256(path))])


def required(text):
    """The component of what a line of Requires-Dist names: `numpy>=1.26`."""
    name = re.match(r"[\w.-]+", text)[0]
    return Component(type=ComponentType.LIBRARY, name=name, bom_ref=name, purl=PackageURL("pypi", None, name),
                     description=f"required: {text}", scope=ComponentScope.REQUIRED)


def bill(folder):
    """The Bom of a folder of distributions. What only an extra requires is left out."""
    bom, packages, others = Bom(), {}, {}
    for path in sorted(filter(is_distribution, folder.iterdir())):
        facts = metadata(path)
        name = project_of(path)
        if name not in packages:
            packages[name] = package(facts), {line for line in facts.get_all("Requires-Dist") or ()
                                              if "extra ==" not in line}
        packages[name][0].components.add(file_of(path))
    data = Component(type=ComponentType.DATA, name="MNIST", bom_ref="MNIST", description=MNIST,
                     licenses=[LicenseExpression("CC-BY-SA-3.0")])
    packages["minigluon"][0].components.add(data)
    for component, _ in packages.values():
        bom.components.add(component)
    for component, lines in packages.values():
        needed = []
        for line in sorted(lines):
            name = re.match(r"[\w.-]+", line)[0]
            if name not in packages:
                others.setdefault(name, required(line))
                bom.components.add(others[name])
            needed.append(packages[name][0] if name in packages else others[name])
        bom.register_dependency(component, needed)
    bom.metadata.component = Component(type=ComponentType.APPLICATION, name="minigluon, all distributions",
                                       version=packages["minigluon"][0].version, bom_ref="release")
    bom.register_dependency(bom.metadata.component, [component for component, _ in packages.values()])
    return bom


def main(folder):
    text = make_outputter(bill(folder), OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=1)
    if problem := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        sys.exit(f"{FILE} is no CycloneDX 1.6: {problem}")
    (folder / FILE).write_text(text + "\n", encoding="utf-8")
    print(f"{folder}/{FILE}: {text.count('bom-ref')} components")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
