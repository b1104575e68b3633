"""The harness that measures peers: its cases say the same thing everywhere, wrong results are found, rows are true."""

import os
import pathlib
import sys

import numpy as np
import pytest

import tilewright as tw

ROOT = pathlib.Path(os.environ.get("TILEWRIGHT_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
sys.path.insert(0, str(ROOT / "bench"))
import cases  # noqa: E402
import peers  # noqa: E402
import report  # noqa: E402

SMALL = {
    "copy": [(3, 4)], "hadamard": [(3, 4)] * 2, "outer": [(3,), (4,)], "transpose": [(3, 4)], "sum": [(3, 4)],
    "column sum": [(3, 4)], "row sum": [(3, 4)], "dot": [(7,)] * 2, "matvec": [(3, 4), (4,)],
    "gemm": [(3, 4), (4, 5)], "bmm": [(2, 3, 4), (2, 4, 5)], "contraction": [(2, 3, 4, 5, 6), (7, 3, 5, 6)],
    "bilinear": [(3, 4), (5, 4, 6), (3, 6)], "layer": [(3, 4), (4, 5), (5,)], "int8 gemm": [(3, 4), (5, 4)],
}  # fmt: skip
FAMILIES = cases.families(None, np)


@pytest.mark.parametrize("name", SMALL)
def test_statements_and_numpy_say_the_same(name):
    family = FAMILIES[name]
    dtype = np.int8 if name == "int8 gemm" else np.float64
    operands = [np.random.default_rng(n).integers(-4, 5, shape).astype(dtype) for n, shape in enumerate(SMALL[name])]
    expected = family.numpy(*operands)
    np.testing.assert_array_equal(tw.kernel(family.statement)(*operands), expected)
    if family.einsum:
        np.testing.assert_array_equal(np.einsum(family.einsum, *operands), expected)
    into = peers.numpy_into(name, operands, np.full_like(expected, 99))
    if into is not None:
        np.testing.assert_array_equal(into(), expected)


def test_every_case_is_of_a_family_and_has_a_name_of_its_own():
    for listed in (cases.cpu_cases(), cases.gpu_cases()):
        names = [each.name for each in listed]
        assert len(set(names)) == len(names)
        for each in listed:
            assert tw.kernel(FAMILIES[each.family].statement).infer(*((each.dtype, shape) for shape in each.shapes))
            tw.kernel(peers.statement_of(each))


def test_work():
    gemm = cases.Case("gemm", ((2, 3), (3, 5)), "f16")
    assert peers.work_of(gemm) == {"type": "f16", "flops": 60, "bytes": 2 * (6 + 15 + 10)}
    assert peers.work_of(cases.Case("int8 gemm", ((2, 3), (5, 3)), "i8")) == {
        "type": "i32", "flops": 60, "bytes": 6 + 15 + 4 * 10}  # fmt: skip


def test_wrong_results_are_found():
    gemm = cases.Case("gemm", ((2, 2), (2, 2)))
    reference = np.array([[1.0, 2.0], [3.0, 0.0]]), np.full((2, 2), 4.0), 0
    allowed = 8 * 2.0**-24 * 4
    right, wrong = reference[0].copy(), reference[0].copy()
    right[1, 1], wrong[1, 1] = 0.9 * allowed, 1.1 * allowed
    assert peers.worst_error(gemm, right, reference, "f32") == pytest.approx(0.9)
    assert peers.worst_error(gemm, wrong, reference, "f32") == pytest.approx(1.1)
    wrong[0, 0] = np.nan
    assert not peers.worst_error(gemm, wrong, reference, "f32") <= 1


ROW = {
    "name": "gemm f32", "family": "gemm", "shapes": [[64, 64], [64, 64]], "dtype": "f32", "precision": "exact",
    "goal": 1.0, "wrong": {"Other": "off by 9 times what is allowed"}, "flops": 2e9, "bytes": 1e6, "type": "f32",
    "samples": {"Tilewright": [0.02, 0.01, 0.02], "NumPy": [0.01, 0.02, 0.02], "Third": [0.1, 0.1, 0.1]},
}  # fmt: skip


def test_rows():
    # Ratios within a round: 0.5, 2, 1; the median of them counts.
    assert report.table_row(ROW) == (
        "| gemm f32 | 20.00 ms (100.0 GFLOP/s) | NumPy **1.00** (0.50 to 2.00); Third 5.00 | ≥ 1.0 | met | "
        "Other off by 9 times what is allowed |"
    )
    slower = {**ROW, "samples": {"Tilewright": [0.02], "NumPy": [0.01]}}
    assert "| slower, short |" in report.table_row(slower)
    alone = {**ROW, "samples": {"NumPy": [0.01]}}
    assert report.table_row(alone).startswith("| gemm f32 | not there | NumPy 10.00 ms |")


def test_costs_of_calls(monkeypatch):
    monkeypatch.setattr(peers.calls, "CALLS", 3)
    rows = peers.calls.repeated(None, "cpu")
    assert [set(row["seconds"]) for row in rows] == [{"Tilewright", "NumPy"}] * 3
    assert all(each > 0 for row in rows for each in row["seconds"].values())
    rows = peers.calls.first(None, "cpu", False)
    assert [row["name"] for row in rows] == ["first call, elementwise", "first call, contraction of 512³"]
    shown = report.calls_table([{"name": "x", "seconds": {"Tilewright": 1e-6, "NumPy": 2.5e-6}}])
    assert shown.splitlines()[2] == "| x | 1.0 µs | NumPy 2.5 µs: **2.50** |"


def test_documents_keep_what_is_outside_of_the_marks():
    text = "a\n<!-- peers cpu begins -->\nold\n<!-- peers cpu ends -->\nb\n"
    changed = report.between_marks(text, "cpu", "figures")
    assert changed == "a\n<!-- peers cpu begins -->\nfigures\n<!-- peers cpu ends -->\nb\n"
    with pytest.raises(SystemExit):
        report.between_marks(text, "cuda", "figures")


def test_a_run(tmp_path, monkeypatch):
    file = tmp_path / "cpu.json"
    monkeypatch.setattr(sys, "argv", ["peers.py", "--only", "gemm f32 8×8", "--seconds", "0", "--rounds", "2",
                                      "--json", str(file)])  # fmt: skip
    with pytest.raises(SystemExit) as end:
        peers.main()
    assert end.value.code == 0
    document, = report.merged([__import__("json").loads(file.read_text())])
    row, = document["rows"]
    assert row["wrong"] == {} and {"Tilewright", "NumPy"} <= set(row["samples"])
    assert all(len(times) == 2 and min(times) > 0 for times in row["samples"].values())
    assert "| gemm f32 8×8 · 8×8 |" in report.table(document)
