"""docs/api-python.md is what the docstrings say, and leaves no public name out."""

import importlib.util
import os
import pathlib

import tilewright as tw

ROOT = pathlib.Path(os.environ.get("TILEWRIGHT_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
SPEC = importlib.util.spec_from_file_location("write_reference", ROOT / "docs" / "write_reference.py")
write_reference = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(write_reference)


def test_it_is_current():
    text = (ROOT / "docs" / "api-python.md").read_text(encoding="utf-8")
    assert text == write_reference.page(), "run: python3 docs/write_reference.py docs/api-python.md"


def test_it_has_every_name():
    listed = [name for names in write_reference.SECTIONS.values() for name in names]
    assert sorted(listed) == sorted(tw.__all__)
