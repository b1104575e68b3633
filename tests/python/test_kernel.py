"""Kernels: calls by position and name, outputs, schedules, programs, what the compiler says."""

import os
import threading

import numpy as np
import pytest

import tilewright as tw

A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.arange(12, dtype=np.float32).reshape(3, 4) - 5


def matmul(**options):
    return tw.kernel("c[i, j] ++= a[i, k] * b[k, j]", **options)


def test_what_it_is():
    mm = matmul()
    assert (mm.name, mm.operands, mm.results, mm.is_program) == ("c", ("a", "b"), ("c",), False)
    assert mm.text == "c[i, j] ++= a[i, k] * b[k, j]\n"
    assert "c[i, j] ++= a[i, k] * b[k, j]" in repr(mm)


def test_calls():
    mm = matmul()
    expected = A @ B
    for result in (mm(A, B), mm(A, b=B), mm(b=B, a=A)):
        assert type(result) is np.ndarray and result.dtype == np.float32
        np.testing.assert_array_equal(result, expected)
    out = np.full((4, 4), 9, np.float32)
    view = out[::2].T[:4].T
    assert mm(A, B, out=view) is view
    np.testing.assert_array_equal(out[::2], expected)
    assert (out[1::2] == 9).all()


def test_scalars_and_names_that_look_like_arguments():
    scale = tw.kernel("y[i] = out_[] * x[i]")
    np.testing.assert_array_equal(scale(np.float32(3), np.arange(3, dtype=np.float32)), [0, 3, 6])


@pytest.mark.parametrize("call", [lambda k: k(A), lambda k: k(A, B, A), lambda k: k(A, a=A), lambda k: k(A, B, d=B)])
def test_arguments_that_do_not_fit(call):
    with pytest.raises(TypeError, match=r"c\(a, b\): "):
        call(matmul())


def test_errors_show_source_and_caret():
    with pytest.raises(tw.InputError) as error:
        tw.kernel("o[i] = sine(a[i])", source="mine.tw")
    assert error.value.code == "L017" and isinstance(error.value, ValueError)
    first = error.value.diagnostics[0]
    assert (first.source, first.line, first.column) == ("mine.tw", 1, 8)
    assert "mine.tw:1:8: error[L017]: 'sine' is no function\n    o[i] = sine(a[i])\n           ^^^^\n" in str(error.value)
    with pytest.raises(tw.InputError) as error:
        matmul()(A, A)
    assert error.value.code == "B010" and "                            ^" in str(error.value)


def test_outputs_that_do_not_fit():
    mm = matmul()
    frozen = np.zeros((2, 4), np.float32)
    frozen.flags.writeable = False
    wrong = {
        "R074": [np.zeros((4, 2), np.float32), np.zeros((2, 4))],
        "A012": [frozen],
        "R062": [np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (2, 4), (0, 4))],
        "R060": [np.lib.stride_tricks.as_strided(A, (2, 4), (4, 4))],
    }
    for code, outputs in wrong.items():
        for output in outputs:
            with pytest.raises(tw.InputError) as error:
                mm(A, B, out=output)
            assert error.value.code == code
    assert (frozen == 0).all() and (A.ravel() == np.arange(6)).all()
    with pytest.raises(TypeError, match="no array"):
        mm(A, B, out=[0.0])


def test_schedules_as_text_and_as_methods():
    lines = "tile(i, 8)\ntile(j, 16)\ncache(b)\nvectorize(j.in, 8)\nunroll(i.in, 2)"
    as_text = matmul(schedule=lines.replace("cache(b)\n", "tile(k, 4)\ncache(b)\n"))
    as_methods = matmul().tile("i", 8).tile("j", 16).tile("k", 4).cache("b").vectorize("j.in", 8).unroll("i.in", 2)
    assert as_text.text == as_methods.text
    assert as_text.text.endswith("    cache(b)\n    vectorize(j.in, 8)\n    unroll(i.in, 2)\n")
    np.testing.assert_array_equal(as_methods(A, B), A @ B)
    assert "split(k, 4, atomics)" in matmul().split("k", 4, atomics=True).text
    with pytest.raises(tw.InputError):
        matmul().schedule("dance(i)")
    with pytest.raises(tw.InputError):
        matmul().tile("nothing", 4)(A, B)


def test_programs_return_all_results():
    softmax = tw.kernel(
        "program softmax(x) -> (top, y):\n"
        "  top[i] max= x[i, j]\n"
        "  e[i, j] = exp(x[i, j] - top[i])\n"
        "  total[i] ++= e[i, j]\n"
        "  y[i, j] = e[i, j] / total[i]\n"
    )
    results = softmax(np.array([[1, 1, 1, 1], [2, 2, 2, 2]], np.float64))
    assert list(results) == ["top", "y"]
    np.testing.assert_array_equal(results["top"], [1, 2])
    np.testing.assert_array_equal(results["y"], np.full((2, 4), 0.25))
    with pytest.raises(TypeError):
        softmax(np.ones((2, 2)), out=np.ones((2, 2)))


def test_several_kernels(tmp_path):
    text = "total[] ++= x[i]\n\nlargest[] max= x[i]\n"
    (tmp_path / "two.tw").write_text(text)
    for found in (tw.kernels(text), tw.load(tmp_path / "two.tw")):
        assert list(found) == ["total", "largest"]
        assert found["largest"](np.array([3, 9, -1], np.int32)) == 9
    with pytest.raises(tw.InputError) as error:
        tw.kernel(text)
    assert error.value.code == "R070"


def test_shapes_without_running():
    assert matmul().infer(("f32", (2, 3)), ("f32", (3, 4))) == [("f32", (2, 4))]
    assert tw.kernel("s[] ++= x[i]").infer(("i8", [7])) == [("i32", ())]
    moments = tw.kernel("program p(x) -> (b, a):\n  a[i] max= x[i, j]\n  b[] ++= a[i]\n")
    assert moments.infer(("u8", (5, 0))) == [("i32", ()), ("u8", (5,))]
    with pytest.raises(tw.InputError) as error:
        matmul().infer(("f32", (2, 3)), ("f32", (4, 4)))
    assert error.value.code == "B010"
    with pytest.raises(tw.InputError) as error:
        matmul().infer(("f31", (2, 3)), ("f32", (3, 4)))
    assert error.value.code == "R022" and error.value.diagnostics[0].remedy
    with pytest.raises(TypeError):
        matmul().infer(("f32", (2, 3)))


@pytest.mark.parametrize(
    "text,splits",
    [
        ("c[i, j] ++= a[i, k] * b[k, j]",
         [("i", (0, None), 0, None), ("j", (None, 1), 1, None), ("k", (1, 0), None, "++=")]),
        ("c[i] max= a[k, i]", [("i", (1,), 0, None), ("k", (0,), None, "max=")]),
        ("c[i] ++= a[i, k] then relu(c[i])", [("i", (0,), 0, None)]),  # relu of a part is no part of relu
        ("g[i, j] ++= a[k, i] * a[k, j]", [("k", (0,), None, "++=")]),  # a part of i needs all columns of j
        ("d[i] = a[i, i]", []),
        ("y[i] = x[i] * z[i + 1]", []),
        ("y[i] = x[i] else 0 | (i in 0 ..< 8)", []),
        ("y[i] = x[i] + cast(f32, i)", []),
        ("m[i] ++= x[i, k] / cast(f32, extent(k))", [("i", (0,), 0, None)]),
    ],
)  # fmt: skip
def test_iterators_that_a_statement_splits_along(text, splits):
    assert tw.kernel(text).splits == splits


def test_programs_are_not_split():
    assert tw.kernel("program p(x) -> (y):\n  y[i] = x[i]\n").splits == []


def test_errors_of_files_have_the_files_lines():
    text = "# a comment\n\ntotal[] ++= x[i]\n\n\nc[i, j] ++= a[i, k]   *  b[k, j]\n"
    found = tw.kernels(text, source="two.tw")
    with pytest.raises(tw.InputError) as error:
        found["c"](A, A)
    assert "two.tw:6:28: error[B010]" in str(error.value) and "c[i, j] ++= a[i, k]   *  b[k, j]" in str(error.value)


def test_what_the_compiler_says():
    mm = tw.kernel("c[i, j] ++= a[i, k] * b[k, j] do:\n  example: a = f32 64x32, b = f32 32x16\n")
    assert mm.examples == [{"a": ("f32", (64, 32)), "b": ("f32", (32, 16))}]
    explanation = mm.explain()
    assert "Choices and reasons" in str(explanation) and "contraction" in str(explanation)
    assert explanation._repr_html_().startswith("<!DOCTYPE html>")
    assert mm.emit("nest", A, B).startswith("nest c[i, j] : f32\n")
    assert ".target sm_90a" in mm.emit("ptx", target="nvptx:sm_90a")
    assert mm.emit("obj", a=A, b=B)[:4] == b"\x7fELF"
    timing = mm.bench(A, B, seconds=0.01)
    assert timing.flops == 2 * 2 * 3 * 4 and timing.bytes == 4 * (6 + 12 + 8) and timing.calls >= 7
    assert timing.low <= timing.median <= timing.high and "GFLOP/s" in str(timing)
    with pytest.raises(tw.InputError):
        mm.emit("cake")
    with pytest.raises(tw.DeviceError):
        mm.emit("ptx", target="nvptx:sm_1")
    with pytest.raises(TypeError, match="example"):
        matmul().explain()


def test_devices():
    with pytest.raises(tw.DeviceError) as error:
        tw.kernel("y[i] = x[i]", device="cuda:77")(np.ones(3, np.float32))
    assert error.value.code == "R072"
    on_simulator = tw.kernel("y[i] = 2.0 * x[i]", device="sim")
    np.testing.assert_array_equal(on_simulator(np.arange(5, dtype=np.float32)), [0, 2, 4, 6, 8])
    with pytest.raises(tw.InputError) as error:
        matmul()(A, B, stream=0)
    assert error.value.code == "R082"


def test_threads():
    mm = matmul()
    wrong = []

    def work(seed):
        generator = np.random.default_rng(seed)
        for _ in range(30):
            m, n, k = (int(each) for each in generator.integers(1, 20, 3))
            a, b = (generator.integers(-9, 9, shape).astype(np.float64) for shape in ((m, k), (k, n)))
            if not np.array_equal(mm(a, b), a @ b):
                wrong.append((m, n, k))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []
    before = tw.threads()
    tw.set_threads(1)
    assert tw.threads() == 1
    tw.set_threads(0)
    assert tw.threads() == before
    with pytest.raises(ValueError):
        tw.set_threads(-1)


def test_a_forked_process_goes_on():
    total = tw.kernel("s[] ++= x[i]")
    x = np.ones(1 << 20, np.float32)
    assert total(x) == 1 << 20  # the parent's threads run
    child = os.fork()
    if child == 0:
        os._exit(0 if total(x) == 1 << 20 and total(x[:1000].astype(np.float64)) == 1000 else 1)
    assert os.waitpid(child, 0)[1] == 0
