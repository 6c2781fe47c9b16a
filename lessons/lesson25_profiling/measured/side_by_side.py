"""side_by_side.py PROFILE.csv: prints the rows of the page's table that has the emulator's report and ncu's next to each other, of turn_kernel1.

The first column comes from `make lesson25 profile BACKEND=cpu V=1 KERNEL=turn CSV=1`, the second from the record. tests/lessons/causes.test.sh looks
whether the page has these rows: what the emulator counts is written there by hand, what ncu counts by a formula."""

import csv
import sys
from pathlib import Path

sys.path.insert(0, "tools")
from workbook import records  # pylint: disable=wrong-import-position

ROWS = """
Speed Of Light; duration, ns; gpu__time_duration.sum
Speed Of Light; of the memory system, %; gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed
Speed Of Light; of the arithmetic, %; sm__throughput.avg.pct_of_peak_sustained_elapsed
Memory Workload; requests, global loads; l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
Memory Workload; sectors, global loads; l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
Memory Workload; sectors, global stores; l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
Memory Workload; L1 hit rate, %; l1tex__t_sector_hit_rate.pct
Memory Workload; L2 hit rate, %; lts__t_sector_hit_rate.pct
Memory Workload; bytes read from memory; dram__bytes_read.sum
Memory Workload; wavefronts, shared loads; l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
Memory Workload; bank conflicts, shared loads; l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
Scheduler; cycles with an instruction issued, %; smsp__issue_active.avg.pct_of_peak_sustained_active
Warp State; waiting for global memory, cycles; smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
Warp State; waiting for shared memory, cycles; smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio
Warp State; waiting for room in its queue, cycles; smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio
Warp State; threads of an instruction, not predicated off; smsp__thread_inst_executed_pred_on_per_inst_executed.ratio
Instructions; executed by warps: PTX here, SASS there; smsp__inst_executed.sum
Launch; registers of a thread; launch__registers_per_thread
Occupancy; theoretical, %; sm__maximum_warps_per_active_cycle_pct
Occupancy; achieved, %; sm__warps_active.avg.pct_of_peak_sustained_active
Source; divergent branches; smsp__sass_branch_targets_threads_divergent.sum
"""


def grouped(value):
    """4096 as 4,096; another number with two digits."""
    return f"{value:,.0f}" if value == int(value) else f"{value:.2f}"


def counted(profile):
    """What the emulator counts, by name. The first launch is as good as any: all frames have one size."""
    with open(profile, encoding="utf-8", newline="") as file:
        lines = [cells for cells in csv.reader(file) if len(cells) > 8 and cells[0] == "0" and not cells[5]]
    return {cells[7]: grouped(float(cells[-1])) for cells in lines}


def main():
    """Prints the rows."""
    ours = counted(sys.argv[1])
    record = records.load(Path(__file__).with_name("h200.csv"))
    for line in ROWS.strip().splitlines():
        section, what, name = line.split("; ")
        theirs = grouped(float(record.value("ncu lesson25 V=1 SIZE=4096 ONE_SIZE=1", "turn_kernel1", name)))
        print(f"| {section} | {what} | `{name}` | {ours.get(name, 'cannot know')} | {theirs} |")


if __name__ == "__main__":
    main()
