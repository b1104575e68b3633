#!/usr/bin/env python3
"""Writes the .npy files beside this script with NumPy and ml_dtypes, for tests/unit/runtime/npy_test.cpp.

Needs numpy and ml_dtypes. The values are small and exact in every type: element n in row-major order of a [2, 3] array
is n - 2 (unsigned: n + 250 where it fits 8 bits), but where said otherwise.
"""

import pathlib

import ml_dtypes
import numpy as np
from numpy.lib import format as npy

HERE = pathlib.Path(__file__).parent


def save(name, array, version=None):
    with open(HERE / f"{name}.npy", "wb") as file:
        npy.write_array(file, array, version=version)


signed = np.arange(-2, 4).reshape(2, 3)
unsigned = np.arange(250, 256).reshape(2, 3)

for name, dtype in [
    ("f64", "<f8"), ("f32", "<f4"), ("f16", "<f2"), ("i8", "|i1"), ("i32", "<i4"), ("i64", "<i8"),
    ("bf16", ml_dtypes.bfloat16), ("f8e4m3", ml_dtypes.float8_e4m3fn), ("f8e5m2", ml_dtypes.float8_e5m2),
    ("f64_big", ">f8"), ("f16_big", ">f2"), ("i32_big", ">i4"),
]:
    save(name, signed.astype(dtype))
for name, dtype in [("u8", "|u1"), ("u32", "<u4"), ("u32_big", ">u4")]:
    save(name, unsigned.astype(dtype))

save("bool", signed > 0)
save("f32_fortran", np.asfortranarray(signed.astype("<f4")))
save("f32_version_2", signed.astype("<f4"), version=(2, 0))
save("f32_version_3", signed.astype("<f4"), version=(3, 0))
save("f64_scalar", np.float64(2.5))
save("i64_vector", np.array([1 << 40, -7], dtype="<i8"))
save("f32_empty", np.zeros((3, 0, 2), dtype="<f4"))
save("f32_cube_fortran_big", np.asfortranarray(np.arange(24).reshape(2, 3, 4).astype(">f4")))
save("i16", signed.astype("<i2"))
save("complex", signed.astype("<c8"))
save("fields", np.zeros(2, dtype=[("x", "<f4"), ("y", "<i4")]))
