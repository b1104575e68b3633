#!/usr/bin/env python3
"""Tilewright beside PyTorch on one NVIDIA GPU, in turns in one run.

A round measures every case of cases.tw once with `tilewright bench --device cuda`, then once with PyTorch: events
around each call, the cache flushed before it, on both sides; normal random f32 data, TF32 off. A ratio is taken within
a round; the table has the median of them over the rounds, and their range. With --compile, PyTorch's compiler is a
second peer, and the faster one counts.

    bench_cuda.py --tilewright build/tilewright --json bench/results/nvidia-h200.json --markdown docs/performance.md
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

import torch

PEERS = {
    "copy": lambda x: x.clone(),
    "hadamard": lambda a, b: a * b,
    "outer": lambda u, v: torch.outer(u, v),
    "transpose": lambda x: x.t().contiguous(),
    "sum": lambda x: x.sum(),
    "colsum": lambda x: x.sum(0),
    "rowsum": lambda x: x.sum(1),
    "dot": lambda u, v: torch.dot(u, v),
    "matvec": lambda a, v: a @ v,
    "gemm": lambda a, b: a @ b,
    "bmm": lambda x, y: x @ y,
    "contract": lambda a, b: torch.einsum("ijklo,mjlo->ikmo", a, b),
    "bilinear": lambda a, t, c: torch.einsum("ik,jkl,il->ij", a, t, c),
}
COMPILED = ["outer", "transpose", "sum", "colsum", "rowsum", "hadamard"]
MARKS = ("<!-- bench_cuda begins -->", "<!-- bench_cuda ends -->")


def parse_operands(text):
    """'a = f32 2x3, b = f32 3' -> [[2, 3], [3]]"""
    return [[int(n) for n in part.split()[3].split("x")] for part in text.split(", ")]


class Flush:
    """Displaces the L2 cache between timed calls, as tilewright's bench does."""

    def __init__(self):
        size = max(2 * torch.cuda.get_device_properties(0).L2_cache_size, 16 << 20)
        self.buffer = torch.empty(size, dtype=torch.uint8, device="cuda")

    def __call__(self):
        self.buffer.fill_(1)


def time_peer(function, operands, flush, seconds=0.25, least=7):
    """Median seconds of a call between events."""
    function(*operands)
    torch.cuda.synchronize()
    estimate = sample(function, operands, flush, 3)
    calls = int(min(max(seconds / (statistics.median(estimate) + 60e-6), least), 1000))
    return statistics.median(sample(function, operands, flush, calls))


def sample(function, operands, flush, calls):
    events = []
    for _ in range(calls):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        flush()
        start.record()
        function(*operands)
        end.record()
        events.append((start, end))
    torch.cuda.synchronize()
    return [start.elapsed_time(end) * 1e-3 for start, end in events]


def run_tilewright(command, cases):
    printed = subprocess.run(
        [command, "bench", str(cases), "--device", "cuda", "--json"], capture_output=True, text=True, check=False
    )
    if printed.returncode != 0:
        sys.exit(f"bench_cuda: {command} failed with {printed.returncode}:\n{printed.stderr}")
    return json.loads(printed.stdout)


def run_peers(runs, compiled, flush):
    """The fastest peer of each case, in seconds and by name."""
    times = []
    for run in runs:
        name = run["kernel"]
        generator = torch.Generator(device="cuda").manual_seed(1)
        operands = [torch.randn(shape, generator=generator, device="cuda") for shape in parse_operands(run["operands"])]
        found = [(time_peer(PEERS[name], operands, flush), "PyTorch")]
        if name in compiled:
            found.append((time_peer(compiled[name], operands, flush), "torch.compile"))
        times.append(min(found))
    return times


def rate(run, seconds):
    """'38.5 TFLOP/s' where a case computes more than it moves, else '4.15 TB/s'."""
    if run["flops"] > 16 * run["bytes"]:
        return f"{run['flops'] / seconds / 1e12:.1f} TFLOP/s"
    return f"{run['bytes'] / seconds / 1e12:.2f} TB/s"


def summarize(documents, peers):
    rows = []
    for case, run in enumerate(documents[0]["runs"]):
        ours = [document["runs"][case]["seconds"] for document in documents]
        theirs = [times[case][0] for times in peers]
        ratios = [their / our for our, their in zip(ours, theirs)]
        rows.append({
            "kernel": run["kernel"],
            "operands": run["operands"],
            "timing": run["timing"],
            "seconds": statistics.median(ours),
            "peer": statistics.mode(name for _, name in (times[case] for times in peers)),
            "peer_seconds": statistics.median(theirs),
            "ratio": statistics.median(ratios),
            "ratio_range": [min(ratios), max(ratios)],
            "flops": run["flops"],
            "bytes": run["bytes"],
            "fraction_of_ceiling": statistics.median(d["runs"][case]["fraction_of_ceiling"] for d in documents),
        })
    return rows


def markdown(document):
    lines = [
        f"Machine: {document['processor']}, PyTorch {document['torch']}, driver {document['driver']}; "
        f"{document['rounds']} rounds. Ceilings: "
        + ", ".join(f"{name.split('_')[0]} {rate / 1e3:.2f} TB/s" for name, rate in document["ceilings"].items()
                    if name.endswith("gbytes_per_second")) + ".",
        "",
        "| case | ours | peer | its time over ours (range) | of the ceiling |",
        "|---|---|---|---|---|",
    ]
    for row in document["rows"]:
        lines.append(
            f"| {row['kernel']}: {row['operands']} | {1e6 * row['seconds']:.1f} µs ({rate(row, row['seconds'])}) "
            f"| {row['peer']} {1e6 * row['peer_seconds']:.1f} µs | **{row['ratio']:.2f}** "
            f"({row['ratio_range'][0]:.2f} to {row['ratio_range'][1]:.2f}) | {row['fraction_of_ceiling']:.2f} |")
    return "\n".join(lines)


def write_between_marks(path, table):
    text = path.read_text()
    before, rest = text.split(MARKS[0])
    _, after = rest.split(MARKS[1])
    path.write_text(f"{before}{MARKS[0]}\n{table}\n{MARKS[1]}{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilewright", default="build/tilewright", help="the command line to measure")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--compile", action="store_true", help="measure torch.compile too")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file")
    parser.add_argument("--markdown", type=pathlib.Path, help="replace the table of this document")
    options = parser.parse_args()

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    cases = pathlib.Path(__file__).with_name("cases.tw")
    compiled = {name: torch.compile(PEERS[name]) for name in COMPILED} if options.compile else {}
    flush = Flush()
    documents, peers = [], []
    for _ in range(options.rounds):
        documents.append(run_tilewright(options.tilewright, cases))
        peers.append(run_peers(documents[-1]["runs"], compiled, flush))
    document = {
        "processor": documents[0]["processor"],
        "torch": torch.__version__,
        "driver": subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                                 capture_output=True, text=True, check=True).stdout.split()[0],
        "conditions": "f32, normal data, TF32 off, contiguous operands; events, cache flushed before each call",
        "rounds": options.rounds,
        "ceilings": {name: statistics.median(d["ceilings"][name] for d in documents)
                     for name in documents[0]["ceilings"]},
        "rows": summarize(documents, peers),
    }
    table = markdown(document)
    print(table)
    if options.json:
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    if options.markdown:
        write_between_marks(options.markdown, table)


if __name__ == "__main__":
    main()
