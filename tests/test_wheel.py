"""The wheel holds our packages, all of their files, and nothing else."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TYPED = {"ledger", "graders", "providers", "trials", "cli", "migrations"}
SHIPPED = TYPED | {"examples"}


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def files_under(folder):
    paths = (path for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in paths if "__pycache__" not in path.parts}


def test_the_top_level_of_the_wheel_is_our_packages_and_its_metadata(names):
    top = {name.split("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == SHIPPED
    assert len(top) == len(SHIPPED) + 1


@pytest.mark.parametrize("package", sorted(TYPED))
def test_each_package_says_that_it_is_typed(names, package):
    assert f"{package}/py.typed" in names


@pytest.mark.parametrize(
    "folder", ["migrations/versions", "examples", "cli/render", "cli/first_suite"]
)
def test_the_wheel_holds_each_file_of_the_folder(names, folder):
    expected = files_under(folder)
    assert expected
    assert expected <= names


def test_neither_a_test_nor_a_cache_is_in_the_wheel(names):
    parts = [part for name in names for part in name.split("/")]
    assert "__pycache__" not in parts
    assert "tests" not in parts


def test_the_licence_is_in_the_wheel(names):
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
