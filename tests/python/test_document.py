"""The blocks of docs/python.md, run one after another as a reader would."""

import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(os.environ.get("TILEWRIGHT_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
TEXT = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
BLOCKS = [
    (TEXT.count("\n", 0, found.start(1)) + 1, found.group(1))
    for found in re.finditer(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
]


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    os.chdir(tmp_path_factory.mktemp("document"))
    return {}


@pytest.mark.parametrize("line,block", BLOCKS, ids=[f"line_{line}" for line, _ in BLOCKS])
def test_block(line, block, names):
    code = compile("\n" * (line - 1) + block, str(ROOT / "docs" / "python.md"), "exec")
    exec(code, names)


def test_there_are_blocks():
    assert len(BLOCKS) >= 8
