"""tw.dot_general against numpy.einsum for the same axes: values, types, and errors that name the axis."""

import numpy as np
import pytest

import tilewright as tw

CASES = [  # shapes, contracting, batch, the einsum
    ((3, 4), (4, 5), ([1], [0]), ([], []), "ik,kj->ij"),
    ((4, 3), (5, 4), ([0], [1]), ([], []), "ki,jk->ij"),
    ((2, 3, 4), (2, 4, 5), ([2], [1]), ([0], [0]), "nik,nkj->nij"),
    ((2, 3, 4, 5, 2), (4, 5, 3, 2), ([2], [0]), ([3, 0], [1, 3]), "qikpl,kpjq->pqilj"),
    ((3, 4, 5), (5, 3), ([2, 0], [0, 1]), ([], []), "aib,ba->i"),
    ((2, 3, 4), (4, 2, 3), ([-1, 0], [-3, -2]), ([-2], [-1]), "anb,ban->n"),
    ((3,), (4,), ([], []), ([], []), "i,j->ij"),
    ((3,), (3,), ([0], [0]), ([], []), "k,k->"),
    ((3, 2), (2, 3), ([], []), ([1, 0], [0, 1]), "nm,mn->mn"),
    ((), (3,), ([], []), ([], []), ",j->j"),
]


def numbers(shape, dtype, first):
    return ((np.arange(np.prod(shape, dtype=int)) * 37 + first) % 11 - 5).reshape(shape).astype(dtype)


@pytest.mark.parametrize("a_shape,b_shape,contracting,batch,subscripts", CASES)
def test_agrees(a_shape, b_shape, contracting, batch, subscripts):
    for dtype in (np.float64, np.int32):  # whole numbers, so that sums are exact in any order
        a, b = numbers(a_shape, dtype, 1), numbers(b_shape, dtype, 2)
        ours = tw.dot_general(a, b, contracting=contracting, batch=batch)
        theirs = np.einsum(subscripts, a, b)
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        np.testing.assert_array_equal(ours, theirs)


def test_outer_product_is_the_default():
    np.testing.assert_array_equal(tw.dot_general(np.float64([1, 2]), np.float64([3, 5])), [[3, 5], [6, 10]])


def test_types_and_outputs():
    a, b = np.full((2, 3), 100, np.int8), np.full((3, 2), 100, np.int8)
    matrices = ([1], [0])
    assert tw.dot_general(a, b, matrices).dtype == np.int32
    for dtype in (np.float64, np.dtype("float64"), "float64", "f64"):
        result = tw.dot_general(a, b, matrices, dtype=dtype)
        assert result.dtype == np.float64 and result[1, 1] == 30000
    out = np.zeros((2, 2), np.int32)
    assert tw.dot_general(a, b, matrices, out=out) is out
    np.testing.assert_array_equal(out, np.full((2, 2), 30000))
    with pytest.raises(TypeError, match="no complex64"):
        tw.dot_general(a, b, matrices, dtype="complex64")


def code(*arguments, **options):
    with pytest.raises(tw.InputError) as found:
        tw.dot_general(*arguments, **options)
    return found.value.code, str(found.value)


def test_errors_name_the_axis():
    m = np.zeros((2, 3))
    found, text = code(m, m, ([1], [2]))
    assert found == "L081" and "'b' has no axis 2: its rank is 2" in text
    assert "    result[i0, j0] = dot_general(a[:, :], b[:, :], contracting = [1] x [2], batch = [] x [])\n" in text
    assert "'a' has no axis -3" in code(m, m, ([-3], [0]))[1]
    assert code(m, m, ([1, -1], [0, 1]))[0] == "L082"
    assert code(m, m, ([1], [1]), ([1], [0]))[0] == "L083"
    assert code(m, m, ([0, 1], [1]))[0] == "L084"
    assert code(np.zeros((1,) * 5), np.zeros((1,) * 4))[0] == "L022"
    found, text = code(m, m, ([1], [0]))
    assert found == "B010" and "extents of contracting axes differ: axis 1 of 'a' is 3, axis 0 of 'b' is 2" in text
    found, text = code(m, m.astype(np.float32), ([1], [1]))
    assert found == "B020" and "operands of 'dot_general' have different types: 'a' is f64, 'b' is f32" in text
    assert code(m, m, ([1], [1]), precision="half")[0] == "L043"


def test_what_is_no_array_or_axis():
    m = np.zeros((2, 2))
    with pytest.raises(TypeError, match="'b' is a list, no array"):
        tw.dot_general(m, [[1.0]])
    with pytest.raises(TypeError, match="contracting takes two lists of axes"):
        tw.dot_general(m, m, [1])
    with pytest.raises(TypeError):
        tw.dot_general(m, m, ([1.0], [0]))
