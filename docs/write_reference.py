#!/usr/bin/env python3
"""Writes docs/api-python.md from the docstrings of the package.

usage: PYTHONPATH=build/release/python python3 docs/write_reference.py [FILE]
Without FILE it prints. tests/python/test_reference.py holds the document to what this writes.
"""

import importlib
import inspect
import pathlib
import re
import sys

import tilewright as tw

HEAD = """# Reference of the Python package

Written from the docstrings by `docs/write_reference.py`; [python.md](python.md) is the guide.
"""
# Every public name, in the order of the page.
SECTIONS = {
    "Kernels": ["kernel", "kernels", "load", "Kernel", "einsum", "dot_general"],
    "What calls return": ["Tensor", "Timing", "Explanation", "Split"],
    "The machine": ["processor", "threads", "set_threads"],
    "Errors": ["Error", "InputError", "DeviceError", "OutOfMemory", "Defect", "Diagnostic"],
}
MODULES = {"PyTorch": "tilewright.torch", "JAX": "tilewright.jax"}  # which import what they are for when they are used


class Written(str):
    """An annotation as the source has it."""

    __repr__ = str.__str__


def signature_of(value):
    """(…) without self; "" for what is not called, or does not say."""
    if not callable(value) or inspect.isclass(value):
        return ""
    try:
        signature = inspect.signature(value)
        parameters = [
            each if each.annotation is each.empty else each.replace(annotation=Written(each.annotation))
            for each in signature.parameters.values()
            if each.name != "self"
        ]
        made = signature.return_annotation
        return str(signature.replace(parameters=parameters,
                                     return_annotation=made if made is signature.empty else Written(made)))  # fmt: skip
    except ValueError:
        return ""


def markdown_of(docstring):
    """What stands deeper after a blank line is a block of code."""
    fenced = re.sub(r"(?<=\n\n)((?:    .*\n|\n(?=    ))+)", lambda found: "```python\n" + re.sub(
        "^    ", "", found[1].rstrip("\n"), flags=re.MULTILINE) + "\n```\n", docstring + "\n")  # fmt: skip
    return fenced.rstrip("\n")


def entry(level, title, value):
    return f"{level} `{title}{signature_of(value)}`\n\n{markdown_of(inspect.getdoc(value))}\n"


def members_of(kind):
    """The public members that the package's own classes give a docstring, a base's before those of what derives."""
    own = [each for each in reversed(kind.__mro__) if each.__module__.startswith("tilewright")]
    if issubclass(kind, tw.Error) and kind is not tw.Error:
        own = [kind]
    for base in own:
        for name, value in vars(base).items():
            is_public = not name.startswith("_") or name in ("__dlpack__", "__dlpack_device__")
            if is_public and name not in kind.__dict__.get("_fields", ()) and getattr(value, "__doc__", None):
                yield name, value


def entries(names, module, prefix):
    for name in names:
        value = getattr(module, name)
        yield entry("###", f"{prefix}.{name}", value)
        if inspect.isclass(value):
            for member, inner in members_of(value):
                yield entry("####", f"{name}.{member}", inner)


def page():
    parts = [HEAD]
    for title, names in SECTIONS.items():
        parts += [f"## {title}\n", *entries(names, tw, "tilewright")]
    for title, name in MODULES.items():
        module = importlib.import_module(name)
        parts += [f"## {title}\n", markdown_of(inspect.getdoc(module)) + "\n", *entries(module.__all__, module, name)]
    return "\n".join(parts)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(page(), encoding="utf-8")
    else:
        print(page(), end="")
