# SPDX-License-Identifier: MIT
"""The pictures of docs/PERFORMANCE.md, with Debian's python3-matplotlib."""

OURS, OTHERS, LIMITS = "#3070b0", "#e08030", "#999999"
# What is drawn: its name, the case of ours, and that of perf with the same work.
PAIRS = [
    ("count the records", "info", "perf info"),
    ("copy all samples", "filter", "perf filter"),
    ("print the fields of each sample", "fields", "perf fields"),
    ("print all of each record", "dump", "perf dump"),
    ("folded stacks", "export --to folded", "perf script, awk"),
]
ALONE = [
    ("decode every field", "decode"),
    ("decode and encode", "encode"),
    ("check", "check"),
    ("write anew", "reencode"),
    ("order by time", "sort"),
    ("to JSON", "text-out"),
    ("from JSON", "text-in"),
]
BELOW = [("read()", "read"), ("from header to header", "hops"), ("cp", "cp")]


def library():
    """matplotlib, or None with a message."""
    try:
        import matplotlib
    except ImportError:
        print("no pictures: there is no python3-matplotlib")
        return None
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "perfdata", "font.size": 9})
    from matplotlib import pyplot
    return pyplot


def save(pyplot, figure, path):
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def bars_of(cases):
    """(name, ns per record, colour), from the bottom up; a pair stands together, ours above."""
    ns = {name: c["task_clock_ns"] / c["records"] for name, c in cases.items()}
    rows = [(name, ns[case], LIMITS) for name, case in BELOW if case in ns]
    rows += [(name, ns[case], OURS) for name, case in ALONE if case in ns]
    for name, ours, other in PAIRS:
        if ours in ns and other in ns:
            rows += [(name, ns[ours], OURS), ("by perf", ns[other], OTHERS)]
    return rows[::-1]


def draw_speed(results, machine, path):
    """Bars of processor time a record, of plain samples and of call chains."""
    wanted = [(name, bars_of(results[name])) for name in ("plain", "chains") if name in results]
    pyplot = library() if wanted else None
    if pyplot is None:
        return
    figure, all_axes = pyplot.subplots(1, len(wanted), figsize=(6 * len(wanted), 6), squeeze=False)
    for axes, (name, rows) in zip(all_axes[0], wanted):
        bars = axes.barh(range(len(rows)), [v for _, v, _ in rows], color=[c for _, _, c in rows])
        axes.bar_label(bars, [f"{v:.0f}" if v >= 100 else f"{v:.1f}" for _, v, _ in rows], padding=3)
        axes.set_yticks(range(len(rows)), [n for n, _, _ in rows])
        axes.set_xscale("log")
        axes.set_xlim(right=6 * max(v for _, v, _ in rows))
        axes.set_xlabel("ns per record, logarithmic; less is better")
        axes.set_title({"plain": "plain samples", "chains": "samples with call chains"}[name])
        axes.spines[["top", "right"]].set_visible(False)
    colours = {"perfdata": OURS, "perf (and awk, for folded stacks): the same work": OTHERS,
               "limits of the machine": LIMITS}
    figure.legend([pyplot.Rectangle((0, 0), 1, 1, color=c) for c in colours.values()], colours,
                  loc="upper center", ncols=3, frameon=False)
    figure.text(0.5, 0.01, machine, ha="center", fontsize=7)
    figure.tight_layout(rect=(0, 0.03, 1, 0.95))
    save(pyplot, figure, path)


def draw_memory(peaks, machine, path):
    """Lines of the peak memory over the size of the input."""
    pyplot = library()
    if pyplot is None:
        return
    figure, axes = pyplot.subplots(figsize=(8, 5))
    for line, points in peaks.items():
        style = "--" if line.startswith("perf ") else "-"
        axes.plot(*zip(*points), style, marker="o", markersize=3, label=line)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    sizes = [size for size, _ in next(iter(peaks.values()))]
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel("MB of recording, call chains")
    axes.set_ylabel("peak MiB")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="center right", frameon=False)
    figure.text(0.5, 0.01, machine, ha="center", fontsize=7)
    figure.tight_layout(rect=(0, 0.03, 0.77, 1))
    save(pyplot, figure, path)
