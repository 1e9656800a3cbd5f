"""Write the software bill of materials of the wheel (CycloneDX): python release/sbom.py, part of `make dist`.

It lists what the wheel contains: labelferry, and the JavaScript libraries of the charts. What labelferry requires is in
the metadata of the wheel, and the tested versions are in the folder lock.
"""

from __future__ import annotations

import tomllib
from hashlib import sha256
from pathlib import Path

import altair as alt
import vl_convert
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

import labelferry
from labelferry.files import write_text
from labelferry.report import vega

HERE = Path(__file__).parent
PATH = HERE / "labelferry.cdx.json"  # named in hatch_build.py


def bill_of_materials() -> Bom:
    """labelferry and the libraries in its file vega.js."""
    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    license_of = LicenseFactory().make_from_string
    root = Component(
        name=project["name"],
        version=labelferry.__version__,
        type=ComponentType.LIBRARY,
        description=project["description"],
        licenses=[license_of(project["license"])],
        purl=PackageURL("pypi", name=project["name"], version=labelferry.__version__),
        bom_ref=project["name"],
    )
    digest = HashType(alg=HashAlgorithm.SHA_256, content=sha256(vega.PATH.read_bytes()).hexdigest())
    script = Component(
        name=f"labelferry/report/templates/{vega.PATH.name}",
        type=ComponentType.FILE,
        hashes=[digest],
        bom_ref="vega.js",
    )
    versions = {
        "vega": vl_convert.get_vega_version(),
        "vega-lite": alt.SCHEMA_VERSION.lstrip("v"),
        "vega-embed": vl_convert.get_vega_embed_version(),
    }
    bundled = [
        Component(
            name=name,
            version=version,
            type=ComponentType.LIBRARY,
            licenses=[license_of("BSD-3-Clause")],
            purl=PackageURL("npm", name=name, version=version),
            bom_ref=name,
            properties=[Property(name="bundled by", value=f"vl-convert-python {vl_convert.__version__}")],
        )
        for name, version in versions.items()
    ]
    bom = Bom(components=[script, *bundled])
    bom.metadata.component = root
    bom.register_dependency(root, [script])
    bom.register_dependency(script, bundled)
    return bom


if __name__ == "__main__":
    write_text(
        PATH, make_outputter(bill_of_materials(), OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=2)
    )
