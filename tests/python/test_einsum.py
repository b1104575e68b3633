"""tw.einsum against numpy.einsum: values, types, and errors for the same wrong input."""

import numpy as np
import pytest

import tilewright as tw

CASES = [
    ("ij,jk->ik", [(5, 7), (7, 3)]),
    ("ij,jk", [(5, 7), (7, 3)]),
    ("ij->ji", [(4, 6)]),
    ("ji", [(4, 6)]),
    ("ii->i", [(5, 5)]),
    ("ii", [(5, 5)]),
    ("i,i->", [(9,), (9,)]),
    ("i,j->ij", [(3,), (4,)]),
    ("ijklo,mjlo->ikmo", [(2, 3, 4, 5, 8), (7, 3, 5, 8)]),
    ("ik,jkl,il->ij", [(2, 3), (5, 3, 7), (2, 7)]),
    ("...ij,...jk->...ik", [(2, 3, 4, 5), (3, 5, 6)]),
    ("...i->...", [(2, 3, 4)]),
    (" i j , j k -> i k ", [(2, 3), (3, 4)]),
    ("ij,ij->ij", [(3, 1), (3, 4)]),  # axes of extent 1 broadcast
    ("ij,jk->ik", [(2, 1), (5, 3)]),
    ("...ij,...ij->...", [(2, 1, 4), (2, 3, 4)]),
    ("i,i->i", [(0,), (0,)]),
    (",->", [(), ()]),
    ("aB,Bc->ca", [(2, 3), (3, 4)]),
]


def operands(shapes, dtype, seed=0):
    generator = np.random.default_rng(seed)
    if np.issubdtype(dtype, np.floating):
        return [generator.standard_normal(shape).astype(dtype) for shape in shapes]
    if dtype == np.bool_:
        return [generator.integers(0, 2, shape).astype(dtype) for shape in shapes]
    return [generator.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype=dtype) for shape in shapes]


@pytest.mark.parametrize("subscripts,shapes", CASES)
@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_agrees(subscripts, shapes, dtype):
    given = operands(shapes, dtype)
    for _ in range(2):  # the second call takes the short way
        ours, theirs = tw.einsum(subscripts, *given), np.einsum(subscripts, *given)
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        # Sums of at most 60 products of normals, in another order: a bound from their number and size.
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=0 if dtype == np.int32 else 60 * 30 * 2.0**-52)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.bool_])
def test_integers_wrap_as_numpys(dtype):
    a, b = operands([(17, 40), (40, 19)], dtype)
    ours, theirs = tw.einsum("ij,jk->ik", a, b), np.einsum("ij,jk->ik", a, b)
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)


def test_halves_are_accumulated_in_singles():
    a = np.ones(4096, np.float16)
    total = tw.einsum("i->", a)
    assert total.dtype == np.float16 and total == 4096


def test_types_are_promoted():
    a, b = operands([(3, 4)], np.float32)[0], operands([(4, 2)], np.float64)[0]
    ours = tw.einsum("ij,jk->ik", a, b)
    assert ours.dtype == np.float64
    np.testing.assert_allclose(ours, a.astype(np.float64) @ b, rtol=1e-14, atol=1e-14)
    assert tw.einsum("i->", np.ones(3, np.int32), dtype=np.float64).dtype == np.float64
    assert tw.einsum("i->", [1, 2, 3]) == 6


def test_lists_of_axes():
    a, b = operands([(2, 3), (3, 4)], np.float64)
    np.testing.assert_allclose(tw.einsum(a, [0, 1], b, [1, 2], [0, 2]), a @ b, rtol=1e-14)
    np.testing.assert_allclose(tw.einsum(a, [0, 30], b, [30, 2]), np.einsum(a, [0, 30], b, [30, 2]), rtol=1e-14)
    np.testing.assert_array_equal(tw.einsum(a, [Ellipsis, 1], [1, Ellipsis]), a.T)


def test_an_output_of_another_type_is_cast_to_however_often():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    for _ in range(3):
        out = np.empty((2, 2), np.float64)
        assert tw.einsum("ik,jk->ij", a, a, out=out) is out
        np.testing.assert_array_equal(out, [[5, 14], [14, 50]])
        np.testing.assert_array_equal(tw.einsum("ik,jk->ij", a, a), np.float32([[5, 14], [14, 50]]))


def test_out_and_order():
    a, b = operands([(3, 4), (4, 5)], np.float64)
    out = np.full((5, 6), -1.0)[:, ::2].T
    assert tw.einsum("ij,jk->ik", a, b, out=out) is out
    np.testing.assert_allclose(out, a @ b, rtol=1e-14)
    assert tw.einsum("ij,jk->ik", a, b, order="F").flags.f_contiguous


def test_strides_are_used_where_they_are():
    a, b = operands([(8, 12), (12, 10)], np.float64)
    views = a[::-2, 1::3], b[1::3, ::-1]
    np.testing.assert_allclose(tw.einsum("ij,jk->ik", *views), views[0] @ views[1], rtol=1e-13)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("ij,jk->ik", np.ones((2, 3))),
        ("ij->ij", np.ones((2, 3)), np.ones((2, 3))),
        ("ij,jk->ik", np.ones((2, 3)), np.ones((4, 5))),
        ("ijk->i", np.ones((2, 3))),
        ("ij->jij", np.ones((2, 3))),
        ("ij->k", np.ones((2, 3))),
        ("i!->i", np.ones(2)),
        ("i->->i", np.ones(2)),
        ("ii->i", np.ones((2, 3))),
        ("...i...->i", np.ones((2, 3))),
        (np.ones(2), [0.5], [0]),
    ],
    ids=str,
)
def test_wrong_input_is_the_same_kind_of_error(arguments):
    with pytest.raises((ValueError, TypeError)) as theirs:
        np.einsum(*arguments)
    with pytest.raises((ValueError, TypeError)) as ours:
        tw.einsum(*arguments)
    assert isinstance(ours.value, theirs.type) or theirs.type is TypeError


def test_casts_that_are_not_safe():
    for function in (np.einsum, tw.einsum):
        with pytest.raises(TypeError):
            function("i->", np.ones(3), dtype=np.float32)
    assert tw.einsum("i->", np.ones(3), dtype=np.float32, casting="same_kind").dtype == np.float32


def test_types_that_there_are_none_of():
    with pytest.raises(TypeError, match="complex128"):
        tw.einsum("i->", np.ones(3, np.complex128))
