"""Kernels as PyTorch operators: types and shapes without running, torch.compile, DTensor over two processes.

TILEWRIGHT_TEST_DEVICE=cuda runs them on GPUs, of which the last needs two.
"""

import os

import pytest

import tilewright as tw
import tilewright.torch

torch = pytest.importorskip("torch")
if not hasattr(torch.library, "custom_op"):
    pytest.skip(f"PyTorch {torch.__version__} has no torch.library.custom_op", allow_module_level=True)

DEVICE = os.environ.get("TILEWRIGHT_TEST_DEVICE", "cpu")
LAYER = tw.kernel("y[i, j] ++= x[i, k] * w[k, j] then relu(y[i, j] + bias[j])")
BOTH = tw.kernel("program p(x) -> (y, z):\n  y[i] = x[i] + x[i]\n  z[] max= y[i]\n")
layer = tilewright.torch.register(LAYER, "tilewright_test::layer")
both = tilewright.torch.register(BOTH, "tilewright_test::both")
window = tilewright.torch.register(tw.kernel("y[i] ++= x[i + r] * w[r]"), "tilewright_test::window")


def operands(rows=5, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randint(-4, 5, shape, generator=generator).float().to(DEVICE) for shape in ((rows, 3), (3, 4), (4,))]


def test_calls():
    x, w, bias = operands()
    assert torch.equal(layer(x, w, bias), torch.relu(x @ w + bias))
    assert torch.equal(torch.ops.tilewright_test.layer(x, w, bias), torch.relu(x @ w + bias))
    y, z = both(x[:, 0])
    assert torch.equal(y, 2 * x[:, 0]) and z == y.max() and y.device == x.device


def test_pytorch_finds_nothing_wrong_with_them():
    for operator, given in ((layer, operands()), (both, [operands()[0][:, 0]])):
        checks = torch.library.opcheck(operator, tuple(given), test_utils=["test_schema", "test_faketensor"])
        assert set(checks.values()) == {"SUCCESS"}


def test_shapes_without_running():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        made = layer(torch.empty(7, 3, dtype=torch.bfloat16), torch.empty(3, 4, dtype=torch.bfloat16),
                     torch.empty(4, dtype=torch.bfloat16))  # fmt: skip
        assert made.shape == (7, 4) and made.dtype == torch.bfloat16
        with pytest.raises(tw.InputError):
            layer(torch.empty(7, 3), torch.empty(5, 4), torch.empty(4))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_whole(dynamic):
    from torch._dynamo import testing

    torch._dynamo.reset()
    counter = testing.CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(lambda x, w, b: layer(x * 2, w, b) + 1, fullgraph=True, dynamic=dynamic, backend=counter)
    for rows in (5, 6, 9):
        x, w, bias = operands(rows)
        assert torch.equal(compiled(x, w, bias), torch.relu(2 * x @ w + bias) + 1)
    assert counter.frame_count == (1 if dynamic else 3)  # with symbols for extents one compilation serves all


def test_exported_whole_and_compiled_by_inductor():
    class Module(torch.nn.Module):
        def forward(self, x, w, bias):
            return layer(x, w, bias) * 2

    given = tuple(operands())
    exported = torch.export.export(Module(), given)
    assert any("tilewright_test.layer" in str(node.target) for node in exported.graph.nodes)
    expected = 2 * torch.relu(given[0] @ given[1] + given[2])
    assert torch.equal(exported.module()(*given), expected)
    torch._dynamo.reset()
    assert torch.equal(torch.compile(Module(), fullgraph=True)(*given), expected)


def test_what_cannot_be_an_operator():
    with pytest.raises(TypeError, match="no operands"):
        tilewright.torch.register(tw.kernel("y[i] = 2.0 | (i in 0 ..< 4)"), "tilewright_test::constant")


def test_extents_of_windows_are_not_symbols():
    torch._dynamo.reset()
    compiled = torch.compile(lambda x, w: window(x, w) * 2, fullgraph=True, dynamic=True, backend="aot_eager")
    for size in (6, 8):
        x = torch.arange(size).float().to(DEVICE)
        assert torch.equal(compiled(x, torch.ones(3, device=DEVICE)), 2 * (x[:-2] + x[1:-1] + x[2:]))


def test_gradients_can_be_given():
    square = tilewright.torch.register(tw.kernel("y[i] = x[i] * x[i]"), "tilewright_test::square")

    def setup(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    square.register_autograd(lambda ctx, gradient: 2 * ctx.saved_tensors[0] * gradient, setup_context=setup)
    x = torch.tensor([1.0, 2.0, 3.0], device=DEVICE, requires_grad=True)
    square(x).sum().backward()
    assert torch.equal(x.grad, 2 * x.detach())


def work_on_a_part(rank, port):
    """One of two processes: DTensors, sharded along rows, columns, and the reduced axis."""
    import torch.distributed as dist
    from torch.distributed.tensor import DeviceMesh, Replicate, Shard, distribute_tensor

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE="2")
    if DEVICE == "cuda":
        torch.cuda.set_device(rank)
    dist.init_process_group("nccl" if DEVICE == "cuda" else "gloo")
    mesh = DeviceMesh(DEVICE, [0, 1])
    matmul = tilewright.torch.register(tw.kernel("c[i, j] ++= a[i, k] * b[k, j]"), "tilewright_test::matmul")
    generator = torch.Generator().manual_seed(7)
    a, b = (torch.randint(-4, 5, shape, generator=generator).float().to(DEVICE) for shape in ((6, 8), (8, 4)))
    for left, right, made in (
        (Shard(0), Replicate(), "S(0)"),
        (Replicate(), Shard(1), "S(1)"),
        (Shard(1), Shard(0), "P"),
        (Replicate(), Replicate(), "R"),
    ):
        c = matmul(distribute_tensor(a, mesh, [left]), distribute_tensor(b, mesh, [right]))
        assert str(c.placements[0]).startswith(made), (left, right, c.placements)
        assert torch.equal(c.full_tensor(), a @ b), (left, right)
    y, z = both(distribute_tensor(a[:, 0].contiguous(), mesh, [Shard(0)]))
    assert torch.equal(y.full_tensor(), 2 * a[:, 0]) and z.full_tensor() == 2 * a[:, 0].max()
    dist.destroy_process_group()


def test_dtensor_over_two_processes():
    import socket

    import torch.multiprocessing as processes

    pytest.importorskip("torch.distributed.tensor.experimental")
    if DEVICE == "cuda" and torch.cuda.device_count() < 2:
        pytest.skip("one GPU")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    processes.spawn(work_on_a_part, args=(port,), nprocs=2)
