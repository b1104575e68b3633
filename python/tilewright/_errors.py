"""Exceptions. Each carries the diagnostics that the command line would print: code, place, source line and caret."""

from __future__ import annotations

from typing import NamedTuple, Sequence


class Diagnostic(NamedTuple):
    """One message. `code` is stable and listed in docs/errors.md; `line` and `column` count from 1, 0: no place."""

    code: str
    message: str
    remedy: str
    source: str
    line: int
    column: int
    text: str


class Error(Exception):
    """What a failing call raises. str() of it is the whole text, with the source line and carets."""

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, diagnostics: Sequence[Diagnostic]):
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n" + "".join(each.text for each in self.diagnostics).rstrip("\n"))

    @property
    def code(self) -> str:
        """The code of the first diagnostic; empty for a defect of the library."""
        return self.diagnostics[0].code if self.diagnostics else ""


class InputError(Error, ValueError):
    """Text, arrays or arguments that do not fit."""


class DeviceError(Error, RuntimeError):
    """The device or the target is not there, or its driver failed."""


class OutOfMemory(Error, MemoryError):
    """Of the host or the device."""


class Defect(Error, RuntimeError):
    """A defect of the library itself: please report it."""


# By tilewright_status.
_KINDS = {1: InputError, 2: DeviceError, 3: OutOfMemory, 4: DeviceError, 5: Defect}


def make_error(status: int, diagnostics: list[tuple]) -> Error:
    return _KINDS.get(status, Defect)([Diagnostic(*each) for each in diagnostics])


def input_error(code: str, message: str, remedy: str = "") -> InputError:
    text = f"error[{code}]: {message}\n" + (f"    = help: {remedy}\n" if remedy else "")
    return InputError([Diagnostic(code, message, remedy, "", 0, 0, text)])
