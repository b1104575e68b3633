"""Kernels inside of jax.jit, vmap and shard_map, on the CPU."""

import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import tilewright as tw
import tilewright.jax

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
jax = pytest.importorskip("jax")
jnp = jax.numpy

MATMUL = tw.kernel("c[i, j] ++= a[i, k] * b[k, j]")
A, B = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(12, dtype=np.float32).reshape(3, 4) - 5


def test_inside_of_jit():
    matmul = tilewright.jax.call(MATMUL)
    compiled = jax.jit(lambda a, b: matmul(a + 1, b) * 2)
    for _ in range(2):
        np.testing.assert_array_equal(compiled(A, B), (A + 1) @ B * 2)
    np.testing.assert_array_equal(matmul(b=B, a=A), A @ B)
    # Transposed in the program: XLA hands over what it says, row-major.
    np.testing.assert_array_equal(jax.jit(lambda a, b: matmul(b.T, a.T))(A, B), B.T @ A.T)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8", "uint8", "int32", "uint32", "bool",
                                   "float8_e4m3fn", "float8_e5m2"])  # fmt: skip
def test_types(dtype):
    x = jnp.array([0, 1, 1, 0, 1]).astype(dtype)
    y = jax.jit(tilewright.jax.call(tw.kernel("y[i] = x[i]")))(x)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(y), np.asarray(x))


def test_scalars_and_no_elements():
    scale = jax.jit(tilewright.jax.call(tw.kernel("y[i] = alpha[] * x[i]")))
    np.testing.assert_array_equal(scale(np.float32(3), A[1]), 3 * A[1])
    assert scale(np.float32(3), A[1, :0]).shape == (0,)


def test_programs():
    both = jax.jit(tilewright.jax.call(tw.kernel("program p(x) -> (y, z):\n  y[i] = x[i] + x[i]\n  z[] max= y[i]\n")))
    results = both(A[1])
    np.testing.assert_array_equal(results["y"], 2 * A[1])
    assert results["z"] == 10


def test_vmap():
    batch = np.stack([A, A + 1, A - 7])
    result = jax.vmap(tilewright.jax.call(MATMUL), in_axes=(0, None))(batch, B)
    np.testing.assert_array_equal(result, batch @ B)


def test_shard_map():
    if len(jax.devices()) < 2:
        pytest.skip("one device")
    mesh = jax.make_mesh((2,), ("d",))
    spec = jax.sharding.PartitionSpec
    shard_map = getattr(jax, "shard_map", None) or pytest.importorskip("jax.experimental.shard_map").shard_map
    matmul = tilewright.jax.call(MATMUL)
    sharded = shard_map(matmul, mesh=mesh, in_specs=(spec("d", None), spec(None, None)), out_specs=spec("d", None))
    a = np.arange(24, dtype=np.float32).reshape(8, 3)
    placed = jax.device_put(a, jax.sharding.NamedSharding(mesh, spec("d", None)))
    result = jax.jit(sharded)(placed, B)
    np.testing.assert_array_equal(result, a @ B)
    assert len(result.sharding.device_set) == 2


def test_errors():
    matmul = tilewright.jax.call(MATMUL)
    with pytest.raises(tw.InputError) as error:
        jax.jit(matmul)(A, A)
    assert error.value.code == "B010"
    with pytest.raises(TypeError, match="missing: b"):
        matmul(A)
    with pytest.raises(TypeError, match="unknown or given twice: d"):
        matmul(A, B, d=A)
    # What only the call itself finds comes through XLA.
    elsewhere = tilewright.jax.call(tw.kernel("y[i] = x[i]", device="cuda:77"))
    with pytest.raises(Exception, match="R072"):
        jax.block_until_ready(elsewhere(A[0]))


SAME = {  # of XLA's structures and ours: the last field that is used, by both names
    "XLA_FFI_Error_Create_Args": ("NewError", {"message": "message", "errc": "code"}),
    "XLA_FFI_Stream_Get_Args": ("StreamRequest", {"ctx": "context", "stream": "stream"}),
    "XLA_FFI_DeviceOrdinal_Get_Args": ("OrdinalRequest", {"ctx": "context", "device_ordinal": "ordinal"}),
    "XLA_FFI_Api_Version": ("Version", {"major_version": "major", "minor_version": "minor"}),
    "XLA_FFI_Extension_Base": ("Extension", {"type": "kind", "next": "next"}),
    "XLA_FFI_Metadata": ("Metadata", {"api_version": "version"}),
    "XLA_FFI_Metadata_Extension": ("MetadataExtension", {"metadata": "metadata"}),
    "XLA_FFI_Api": ("Interface", {"api_version": "version", "XLA_FFI_Error_Create": "make_error",
                                  "XLA_FFI_Stream_Get": "stream_of", "XLA_FFI_DeviceOrdinal_Get": "ordinal_of"}),
    "XLA_FFI_Buffer": ("Buffer", {"dtype": "type", "data": "data", "rank": "rank", "dims": "shape"}),
    "XLA_FFI_Args": ("Buffers", {"size": "count", "args": "all"}),
    "XLA_FFI_Rets": ("Buffers", {"size": "count", "rets": "all"}),
    "XLA_FFI_Attrs": ("Attributes", {"size": "count", "names": "names", "attrs": "values"}),
    "XLA_FFI_ByteSpan": ("Text", {"ptr": "data", "len": "size"}),
    "XLA_FFI_Scalar": ("Number", {"value": "value"}),
    "XLA_FFI_CallFrame": ("Frame", {"extension_start": "extension", "api": "interface", "ctx": "context",
                                    "args": "operands", "rets": "results", "attrs": "attributes"}),
}  # fmt: skip


def test_layouts_are_those_of_xlas_header(tmp_path):
    root = pathlib.Path(os.environ.get("TILEWRIGHT_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
    compiler = shutil.which("c++") or shutil.which("clang++-19")
    if compiler is None:
        pytest.skip("no C++ compiler")
    checks = [
        f"static_assert(offsetof({theirs}, {field}) == offsetof(tilewright::python::xla::{ours}, {mine}));"
        for theirs, (ours, fields) in SAME.items()
        for field, mine in fields.items()
    ]
    program = '#include "xla/ffi/api/c_api.h"\n#include "xla_interface.h"\n' + "\n".join(checks)
    (tmp_path / "layouts.cpp").write_text(program + "\nint main() {}\n")
    subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof", f"-I{jax.ffi.include_dir()}",
                    f"-I{root}/python/native", str(tmp_path / "layouts.cpp")], check=True)  # fmt: skip
