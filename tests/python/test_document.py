"""The blocks of the documents, run one after another as a reader would.

Python blocks share their names down a page. A `tw` block whose first line is `# NAME.tw` becomes that file. A `console`
block has commands behind `$ `, each with what it prints: a line's `…` stands for anything, a line of it alone for any
lines.
"""

import os
import pathlib
import re
import shlex
import subprocess

import pytest

import tilewright as tw

ROOT = pathlib.Path(os.environ.get("TILEWRIGHT_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
DOCUMENTS = {"python.md": 8, "tutorial.md": 20, "cookbook.md": 20}  # and the blocks that each has at least


def blocks_of(document):
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    for found in re.finditer(r"^```(python|tw|console)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, found.start(2)) + 1, found.group(1), found.group(2)


BLOCKS = [(document, *block) for document in DOCUMENTS for block in blocks_of(document)]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The names and the folder of each page."""
    return {document: ({}, tmp_path_factory.mktemp(document.partition(".")[0])) for document in DOCUMENTS}


def run_console(block, folder):
    command = os.environ.get("TILEWRIGHT_COMMAND")
    if not command:
        pytest.skip("TILEWRIGHT_COMMAND does not name the command line")
    for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, expected = step.partition("\n")
        words = shlex.split(line)
        assert words[0] == "tilewright", line
        done = subprocess.run([command, *words[1:]], cwd=folder, capture_output=True, text=True, check=False)
        pattern = "".join(
            "(?:.*\n)*" if each == "…" else re.escape(each).replace("…", ".*") + "\n" for each in expected.splitlines()
        )
        printed = done.stdout + done.stderr
        printed += "" if printed.endswith("\n") or not printed else "\n"
        assert re.fullmatch(pattern, printed), f"{line} printed\n{printed}\nnot\n{expected}"


def skip_without(library):
    module = pytest.importorskip(library)
    if library == "torch" and not hasattr(module.library, "custom_op"):
        pytest.skip(f"PyTorch {module.__version__} has no torch.library.custom_op")


@pytest.mark.parametrize("document,line,language,block", BLOCKS, ids=[f"{each[0]}_line_{each[1]}" for each in BLOCKS])
def test_block(document, line, language, block, pages):
    names, folder = pages[document]
    os.chdir(folder)
    if language == "python":
        for library in re.findall(r"^import tilewright\.(\w+)$", block, re.MULTILINE):
            skip_without(library)
        exec(compile("\n" * (line - 1) + block, str(ROOT / "docs" / document), "exec"), names)
    elif language == "console":
        run_console(block, folder)
    else:
        assert tw.kernels(block)
        title = re.match(r"# (\w+\.tw)\n", block)
        if title:
            (folder / title[1]).write_text(block, encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_there_are_blocks(document):
    assert sum(each[0] == document for each in BLOCKS) >= DOCUMENTS[document]
