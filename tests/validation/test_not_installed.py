"""What validates the package is not in what users install."""

from pathlib import Path
from zipfile import ZipFile

from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]


def test_the_wheel_holds_the_package_alone(tmp_path):
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with ZipFile(wheel) as packed:
        folders = {name.partition("/")[0] for name in packed.namelist()}
        names = packed.namelist()
    assert {f for f in folders if not f.endswith(".dist-info")} == {"betterthan"}
    assert "betterthan/models/davidson.py" in names


def test_nothing_in_the_package_imports_the_validation():
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text("utf-8")
        assert "from validation" not in text, path
        assert "import validation" not in text, path
