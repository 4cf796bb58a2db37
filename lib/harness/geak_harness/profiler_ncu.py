"""NVIDIA Nsight Compute: how it is asked, and what its figures are called here.

The table is that of `ncu --csv --page raw`. Seen was that of version 2025.3.1 on an H200, with all
that is asked for below; 2020.1 to 2025.4 are said to print the like. After empty lines, and lines
that begin with ==, comes a header (ID, Process ID, ..., Kernel Name, ..., and a column for each
metric), then a row of units, then a row for each launch. Metrics come by section, not by name: ncu
ends with an error when a GPU lacks a metric that was named, and a section names those that it has.
"""
import csv
import itertools

TOOL = "ncu"
PLACES = ("/usr/local/cuda/bin", "/opt/nvidia/nsight-compute/*")
# In the box there is no network, not even to itself; and no home with sections of the user's own.
ENVIRONMENT = {"NV_COMPUTE_PROFILER_LOCAL_CONNECTION_OVERRIDE": "uds",
               "NV_COMPUTE_PROFILER_DISABLE_STOCK_FILE_DEPLOYMENT": "1"}
LAUNCHES_MAX = 64  # each is run again for every group of counters

_SECTIONS = ("SpeedOfLight", "ComputeWorkloadAnalysis", "MemoryWorkloadAnalysis",
             "MemoryWorkloadAnalysis_Tables", "Occupancy", "WarpStateStats")
_METRICS = ("gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum")
_STALLED = "smsp__average_warps_issue_stalled_"
_PER_ISSUE = "_per_issue_active.ratio"
_TENSOR = ("sm__pipe_tensor", "sm__inst_executed_pipe_tensor")
_OF_ACTIVE = ".avg.pct_of_peak_sustained_active"
_SCALES = {"": 1, "%": 1, "byte": 1, "inst": 1, "warp": 1, "ns": 1e-6, "nsecond": 1e-6, "us": 1e-3,
           "usecond": 1e-3, "ms": 1, "msecond": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}
# What a warp waits for before its next instruction may be chosen, and what it waits for after.
_NOT_CHOSEN = ("not_selected", "math_pipe_throttle", "mio_throttle", "lg_throttle", "tex_throttle",
               "dispatch_stall", "no_instruction", "no_instructions")
_SHARED = ("short_scoreboard", "mio_throttle")


def command(tool, kernels, program, folder, target):
    return [tool, "--csv", "--page", "raw", "--print-units", "base", "--profile-from-start", "off",
            "--target-processes", "application-only", "--launch-count", str(LAUNCHES_MAX),
            "--kernel-name-base", "function", "--kernel-name", f"regex:^({'|'.join(kernels)})$",
            *(word for name in _SECTIONS for word in ("--section", name)),
            "--metrics", ",".join(_METRICS), "--log-file", f"{folder}/ncu.csv", *program]


def _number(text, unit):
    try:
        return float(text.replace(",", "")) * _SCALES[unit]
    except (ValueError, KeyError):
        return None  # "n/a", or a unit that is none of ours


def _share(metrics, a, b):
    return 100 * metrics[a] / metrics[b] if a in metrics and metrics.get(b) else None


def _stalls(metrics):
    why = {name[len(_STALLED):-len(_PER_ISSUE)]: x for name, x in metrics.items()
           if name.startswith(_STALLED) and name.endswith(_PER_ISSUE)}
    total = sum(why.values())
    if not total:
        return {}

    def share(names):
        return 100 * sum(why[n] for n in why if n in names) / total
    waits = set(why) - set(_NOT_CHOSEN) - {"selected"}
    return {"wait_percent": share(waits), "issue_wait_percent": share(_NOT_CHOSEN),
            "shared_wait_percent": share(_SHARED)}


def _matrix(metrics):
    for prefix in _TENSOR:  # cycles are better than instructions, where there are both
        found = [x for n, x in metrics.items() if n.startswith(prefix) and n.endswith(_OF_ACTIVE)]
        if found:
            return max(found)
    return None


def normal(metrics):
    """The figures of one launch under the names that both vendors' have here."""
    lanes = metrics.get("smsp__thread_inst_executed_per_inst_executed.ratio")
    return {"ms": metrics.get("gpu__time_duration.sum"),
            "dram_read_bytes": metrics.get("dram__bytes_read.sum"),
            "dram_write_bytes": metrics.get("dram__bytes_write.sum"),
            "occupancy_percent": metrics.get("sm__warps_active.avg.pct_of_peak_sustained_active"),
            "l1_hit_percent": metrics.get("l1tex__t_sector_hit_rate.pct"),
            "l2_hit_percent": metrics.get("lts__t_sector_hit_rate.pct"),
            "shared_conflict_percent": _share(metrics, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                                              "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"),
            "active_lanes_percent": None if lanes is None else 100 * lanes / 32,
            "matrix_percent": _matrix(metrics), **_stalls(metrics)}


def read(texts):
    """{kernel: metrics of its last launch} of what the tool wrote."""
    found = {}
    for text in texts:
        lines = (line for line in text.splitlines() if not line.startswith("=="))
        rows = csv.reader(itertools.dropwhile(lambda line: '"Kernel Name"' not in line, lines))
        header, units = next(rows, []), next(rows, [])
        if "Kernel Name" not in header or len(units) != len(header):
            continue
        at = header.index("Kernel Name")
        for row in rows:
            if len(row) == len(header):
                numbers = ((n, _number(x, u)) for n, u, x in zip(header, units, row) if "__" in n)
                found[row[at]] = {n: x for n, x in numbers if x is not None}
    return found
