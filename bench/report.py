#!/usr/bin/env python3
"""Tables and plots of what bench/peers.py measured.

    python3 bench/report.py cpu.json h200.json --markdown docs/performance.md --plots docs/figures

A document has a pair of marks for each device, `<!-- peers cpu begins -->` and `<!-- peers cpu ends -->`, and what is
between them is replaced. Plots need matplotlib and are left out, with a message, where there is none. A row in which
we are slower is shown as such.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import sys


def ratios(row: dict, peer: str) -> list[float]:
    """The peer's time over ours, a round each."""
    return [theirs / ours for ours, theirs in zip(row["samples"]["Tilewright"], row["samples"][peer])]


def best_peer(row: dict) -> str | None:
    """The peer whose median is least."""
    peers = {name: statistics.median(times) for name, times in row["samples"].items() if name != "Tilewright"}
    return min(peers, key=peers.get) if peers else None


def rate(row: dict, seconds: float) -> str:
    """By what the statement cannot do without: operations where they are many, else bytes."""
    if row["flops"] > 16 * row["bytes"]:
        flops = row["flops"] / seconds
        return f"{flops / 1e12:.1f} TFLOP/s" if flops > 2e12 else f"{flops / 1e9:.1f} GFLOP/s"
    return f"{row['bytes'] / seconds / 1e12:.2f} TB/s" if row["bytes"] / seconds > 2e11 else (
        f"{row['bytes'] / seconds / 1e9:.1f} GB/s")  # fmt: skip


def duration(seconds: float) -> str:
    return f"{1e3 * seconds:.2f} ms" if seconds >= 1e-2 else f"{1e6 * seconds:.1f} µs"


def table_row(row: dict) -> str:
    wrong = "; ".join(f"{name} {why}" for name, why in row["wrong"].items())
    if "Tilewright" not in row["samples"]:
        peer = best_peer(row)
        theirs = "" if peer is None else f"{peer} {duration(statistics.median(row['samples'][peer]))}"
        return f"| {row['name']} | not there | {theirs} | | | {wrong} |"
    ours = statistics.median(row["samples"]["Tilewright"])
    others = sorted((name for name in row["samples"] if name != "Tilewright"),
                    key=lambda name: statistics.median(row["samples"][name]))  # fmt: skip
    shown, ratio = [], None
    for name in others:
        found = ratios(row, name)
        text = f"{statistics.median(found):.2f}"
        if ratio is None:
            ratio, text = statistics.median(found), f"**{text}** ({min(found):.2f} to {max(found):.2f})"
        shown.append(f"{name} {text}")
    goal = "" if row["goal"] is None else f"≥ {row['goal']}"
    verdict = "" if ratio is None else ("slower" if ratio < 0.98 else "")
    if ratio is not None and row["goal"] is not None:
        verdict = "met" if ratio >= row["goal"] else ("slower, short" if ratio < 0.98 else "short")
    return (f"| {row['name']} | {duration(ours)} ({rate(row, ours)}) | {'; '.join(shown)} | {goal} | "
            f"{verdict} | {wrong} |")  # fmt: skip


def table(document: dict) -> str:
    count = document.get("threads")
    threads = "" if count is None else f", {count} thread{'s' * (count != 1)}"
    peers = ", ".join(f"{name} {version}" for name, version in document["peers"].items())
    return "\n".join([
        f"Machine: {document['processor']}{threads}. Peers: {peers}. Inputs: {document['distribution']}, seed "
        f"{document['seed']}.",
        "",
        "| case | ours | peers: their time over ours (range) | goal | | wrong, so not timed |",
        "|---|---|---|---|---|---|",
        *map(table_row, document["rows"]),
    ])  # fmt: skip


def calls_table(rows: list[dict]) -> str:
    lines = ["| what a call costs beside its kernel | ours | peer |", "|---|---|---|"]
    for row in rows:
        ours = row["seconds"]["Tilewright"]
        others = "; ".join(f"{who} {duration(each)}: **{each / ours:.2f}**" for who, each in row["seconds"].items()
                           if who != "Tilewright")  # fmt: skip
        lines.append(f"| {row['name']} | {duration(ours)} | {others} |")
    return "\n".join(lines)


def between_marks(text: str, device: str, inside: str) -> str:
    begin, end = f"<!-- peers {device} begins -->", f"<!-- peers {device} ends -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        sys.exit(f"report: the document needs the marks '{begin}' and '{end}', each once")
    before, rest = text.split(begin)
    return f"{before}{begin}\n{inside}\n{end}{rest.split(end)[1]}"


# ---- plots ----


def timed(document: dict) -> list[dict]:
    return [row for row in document["rows"] if "Tilewright" in row["samples"] and best_peer(row)]


def plot_ratios(pyplot: object, document: dict, path: pathlib.Path) -> None:
    rows = timed(document)[::-1]
    values = [statistics.median(ratios(row, best_peer(row))) for row in rows]
    figure, axes = pyplot.subplots(figsize=(8, 0.28 * len(rows) + 1))
    axes.barh([f"{row['name']} ({best_peer(row)})" for row in rows], values,
              color=["#4878a8" if value >= 1 else "#c05040" for value in values])  # fmt: skip
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_xlabel("best peer's time over ours (right of the line: we are faster)")
    axes.tick_params(labelsize=7)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


def plot_roofline(pyplot: object, document: dict, path: pathlib.Path) -> None:
    rows = [row for row in timed(document) if row["flops"] > 0]
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    fastest = lambda row: statistics.median(row["samples"]["Tilewright"])  # noqa: E731
    for dtype in sorted({(row["dtype"], row["precision"]) for row in rows}):
        of_type = [row for row in rows if (row["dtype"], row["precision"]) == dtype]
        axes.scatter([row["flops"] / row["bytes"] for row in of_type],
                     [row["flops"] / fastest(row) / 1e9 for row in of_type], s=16,
                     label=dtype[0] if dtype[1] == "exact" else " ".join(dtype))  # fmt: skip
    # The roof is the best that any contestant reached in this run: of bytes, and of operations.
    every = [(row, statistics.median(times)) for row in document["rows"] for times in row["samples"].values()]
    bytes_second = max((row["bytes"] / seconds for row, seconds in every), default=0)
    flops_second = max((row["flops"] / seconds for row, seconds in every), default=0)
    intensities = [2.0**power for power in range(-4, 13)]
    axes.plot(intensities, [min(each * bytes_second, flops_second) / 1e9 for each in intensities], color="black",
              linewidth=0.8, label="best of any contestant")  # fmt: skip
    axes.set_xscale("log", base=2), axes.set_yscale("log")
    axes.set_xlabel("operations a byte"), axes.set_ylabel("GFLOP/s"), axes.legend(fontsize=7)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


def plot_sizes(pyplot: object, document: dict, path: pathlib.Path) -> None:
    """Square products: rate against size, a line a contestant; types stand in columns."""
    rows = [row for row in document["rows"] if row["family"] == "gemm" and len({*map(tuple, row["shapes"])}) == 1
            and row["shapes"][0][0] == row["shapes"][0][1]]  # fmt: skip
    kinds = sorted({(row["dtype"], row["precision"]) for row in rows})
    if not kinds:
        return
    figure, all_axes = pyplot.subplots(1, len(kinds), figsize=(4 * len(kinds), 3.5), squeeze=False)
    for axes, kind in zip(all_axes[0], kinds):
        lines: dict[str, list] = {}
        for row in rows:
            if (row["dtype"], row["precision"]) == kind:
                for name, times in row["samples"].items():
                    lines.setdefault(name, []).append((row["shapes"][0][0], row["flops"] / statistics.median(times) / 1e9))
        for name, points in lines.items():
            axes.plot(*zip(*sorted(points)), marker="o", markersize=3, label=name,
                      linewidth=2 if name == "Tilewright" else 1)  # fmt: skip
        axes.set_title(" ".join(kind) if kind[1] != "exact" else kind[0], fontsize=9)
        axes.set_xscale("log", base=2), axes.set_yscale("log")
        axes.set_xlabel("n of n×n×n"), axes.set_ylabel("GFLOP/s"), axes.legend(fontsize=7)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


PLOTS = {"ratios": plot_ratios, "roofline": plot_roofline, "sizes": plot_sizes}


def plot_all(document: dict, folder: pathlib.Path) -> list[str]:
    """Markdown that shows the plots; empty where they cannot be made."""
    try:
        import matplotlib
    except ImportError:
        print("report: no plots, for matplotlib is not installed", file=sys.stderr)
        return []
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "tilewright", "svg.fonttype": "none"})  # text stays text
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    shown = []
    for name, draw in PLOTS.items():
        path = folder / f"{document['device']}_{name}.svg"
        draw(pyplot, document, path)
        pyplot.close("all")
        if path.exists():
            shown.append(f"![{name}]({folder.name}/{path.name})")
    return shown


def merged(documents: list[dict]) -> list[dict]:
    """One document a device: the rows of several runs on one machine in their order."""
    found: dict[str, dict] = {}
    for each in documents:
        first = found.setdefault(each["device"], each)
        if first is not each:
            if first["processor"] != each["processor"]:
                sys.exit(f"report: figures of two machines: {first['processor']} and {each['processor']}")
            first["rows"] += each["rows"]
            first["calls"] = first.get("calls", []) + each.get("calls", [])
            first["peers"].update(each["peers"])
    return list(found.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="+", type=pathlib.Path, help="what peers.py wrote")
    parser.add_argument("--markdown", type=pathlib.Path, help="replace the tables of this document, else print them")
    parser.add_argument("--plots", type=pathlib.Path, help="write plots into this folder, beside the document")
    options = parser.parse_args()
    for document in merged([json.loads(path.read_text(encoding="utf-8")) for path in options.figures]):
        shown = plot_all(document, options.plots) if options.plots else []
        costs = [calls_table(document["calls"])] if document.get("calls") else []
        inside = "\n\n".join([table(document), *costs, *shown])
        if options.markdown:
            text = options.markdown.read_text(encoding="utf-8")
            options.markdown.write_text(between_marks(text, document["device"], inside), encoding="utf-8")
        else:
            print(inside)


if __name__ == "__main__":
    main()
