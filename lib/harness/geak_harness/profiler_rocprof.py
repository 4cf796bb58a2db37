"""AMD's rocprofv3: how it is asked, and what its figures are called here.

The table is counter_collection.csv of ROCm 6.2 to 7.0, in a folder pmc_N or pass_N for each group of
counters: a row for each counter of each dispatch, with Kernel_Name, Dispatch_Id, Counter_Name and
Counter_Value, and from ROCm 6.3 on Start_Timestamp and End_Timestamp in nanoseconds. The program is
run once for each group. Raw counters are taken where the formula of a derived one has changed
between versions (MfmaUtil) or between GPUs (LDSBankConflict).
"""
import csv

TOOL = "rocprofv3"
PLACES = ("/opt/rocm/bin", "/opt/rocm-*/bin")
ENVIRONMENT = {}

# A group fits the counters of each block: 8 of SQ, 4 of TCP and of TCC, 2 of GRBM.
_CDNA = ("OccupancyPercent SQ_WAVE_CYCLES SQ_WAIT_ANY SQ_WAIT_INST_ANY SQ_WAIT_INST_LDS "
         "SQ_BUSY_CU_CYCLES SQ_VALU_MFMA_BUSY_CYCLES",
         "VALUUtilization SQ_LDS_BANK_CONFLICT SQ_LDS_IDX_ACTIVE",
         "FETCH_SIZE",
         "WRITE_SIZE",
         "TCC_HIT_sum TCC_MISS_sum TCP_TOTAL_CACHE_ACCESSES_sum TCP_TCC_READ_REQ_sum "
         "TCP_TCC_ATOMIC_WITH_RET_REQ_sum TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum")
_RDNA = ("OccupancyPercent SQ_WAVE_CYCLES SQ_WAIT_ANY SQ_WAIT_INST_ANY SQ_WAIT_INST_LDS",
         "LDSBankConflict",
         "FETCH_SIZE",
         "WRITE_SIZE",
         "L2CacheHit")


def command(tool, kernels, program, folder, target):
    groups = _CDNA if target.startswith("gfx9") else _RDNA
    with open(f"{folder}/groups.txt", "w", encoding="utf-8") as f:
        f.writelines(f"pmc: {group}\n" for group in groups)
    return [tool, "-i", f"{folder}/groups.txt", "--kernel-include-regex", f"^({'|'.join(kernels)})(\\.kd)?$",
            "-d", folder, "-o", "profile", "--output-format", "csv", "--", *program]


def _ratio(x, a, b, scale=100):
    return scale * x[a] / x[b] if a in x and x.get(b) else None


def _sum(x, *names):
    return sum(x[n] for n in names) if all(n in x for n in names) else None


def _l1_hit(x):
    missed = _sum(x, "TCP_TCC_READ_REQ_sum", "TCP_TCC_ATOMIC_WITH_RET_REQ_sum",
                  "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum")
    of = x.get("TCP_TOTAL_CACHE_ACCESSES_sum")
    return max(0, 100 - 100 * missed / of) if missed is not None and of else None


def _l2_hit(x):
    of = _sum(x, "TCC_HIT_sum", "TCC_MISS_sum")
    return 100 * x["TCC_HIT_sum"] / of if of else x.get("L2CacheHit")


def normal(x):
    """The figures of one dispatch under the names that both vendors' have here."""
    conflicts = _ratio(x, "SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE")
    return {"ms": x.get("ms"),
            "dram_read_bytes": 1024 * x["FETCH_SIZE"] if "FETCH_SIZE" in x else None,
            "dram_write_bytes": 1024 * x["WRITE_SIZE"] if "WRITE_SIZE" in x else None,
            "occupancy_percent": x.get("OccupancyPercent"),
            "l1_hit_percent": _l1_hit(x), "l2_hit_percent": _l2_hit(x),
            "shared_conflict_percent": x.get("LDSBankConflict") if conflicts is None else conflicts,
            "active_lanes_percent": x.get("VALUUtilization"),
            # Of each of a compute unit's four SIMDs, in cycles; the other counts four cycles as one.
            "matrix_percent": _ratio(x, "SQ_VALU_MFMA_BUSY_CYCLES", "SQ_BUSY_CU_CYCLES", 100 / 16),
            "wait_percent": _ratio(x, "SQ_WAIT_ANY", "SQ_WAVE_CYCLES"),
            "issue_wait_percent": _ratio(x, "SQ_WAIT_INST_ANY", "SQ_WAVE_CYCLES"),
            "shared_wait_percent": _ratio(x, "SQ_WAIT_INST_LDS", "SQ_WAVE_CYCLES")}


def _last_dispatches(text):
    """{kernel: (number, counters)} of one group."""
    last = {}
    for row in csv.DictReader(text.splitlines()):
        try:
            name, number = row["Kernel_Name"].removesuffix(".kd"), int(row["Dispatch_Id"])
            counter, value = row["Counter_Name"], float(row["Counter_Value"])
        except (KeyError, ValueError, AttributeError, TypeError):
            continue
        if name not in last or number > last[name][0]:
            last[name] = number, {}
        if number == last[name][0]:
            last[name][1][counter] = value
            try:
                last[name][1]["ms"] = (int(row["End_Timestamp"]) - int(row["Start_Timestamp"])) / 1e6
            except (KeyError, ValueError, TypeError):
                pass  # an older version tells no times
    return last


def read(texts):
    """{kernel: counters of its last dispatch, the groups together}; the time is the shortest."""
    found = {}
    for text in texts:
        for name, (_, counters) in _last_dispatches(text).items():
            known = found.setdefault(name, {})
            times = [x["ms"] for x in (known, counters) if x.get("ms", 0) > 0]
            known.update(counters)
            known.pop("ms", None)
            if times:
                known["ms"] = min(times)
    return found
