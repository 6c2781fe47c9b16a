# Compares what ncu recorded on an H200 (file 2) with what the emulator counted (file 3, EMULATOR_PROFILE=csv); file 1 is
# differences.txt. -v program=NAME: the record has rows of several programs; that one's, by kernel: the first launch and the fourth.
#
# Prints one line for each difference, one for each ratio of instructions, and last `equal N explained N wrong N`.
# Where ncu has two counters of one thing, one of the hardware and one that it keeps by instruction, the latter is the number: in kernels
# with many loads under way the former varies from run to run.
function by_instruction(launch, metric,    name) {
  if (metric ~ /^smsp__inst_executed_op_ldgsts/) return "smsp__sass_inst_executed_op_ldgsts.sum"
  if (metric ~ /^smsp__inst_executed_op_shared_(ld|st)_pred/) return "smsp__sass_inst_executed_op_shared_" (metric ~ /_ld_/ ? "ld" : "st") ".sum"
  name = metric
  if (metric ~ /_op_ld/ && recorded[launch, "smsp__inst_executed_op_ldsm_pred_on_any.sum"] + 0 > 0) return "" # those of loads leave ldmatrix out
  return sub(/^l1tex__data_pipe_lsu_wavefronts_mem_shared_op_(ld|st)/, "smsp__sass_&", name) && sub(/sass_l1tex__/, "sass_l1tex_", name) ? name : ""
}
# What ncu recorded. ncu has no conflicts by instruction, but they are wavefronts: so many as these are too many, they are, too.
function on_gpu(launch, metric,    other) {
  if (metric ~ /^l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_(ld|st)/) {
    other = metric
    sub(/bank_conflicts_pipe_lsu/, "pipe_lsu_wavefronts", other)
    return recorded[launch, metric] - recorded[launch, other] + on_gpu(launch, other)
  }
  other = by_instruction(launch, metric)
  return other != "" && recorded[launch, other] != "" ? recorded[launch, other] : recorded[launch, metric]
}
function trim(s) { gsub(/^ +| +$/, "", s); return s }
BEGIN { launches = equal = explained = wrong = 0 }
FILENAME == ARGV[1] {
  if ($0 ~ /^#/ || $0 == "") next
  split($0, part, "|")
  if (match(part[1], /^[a-z0-9_]+: /)) { # of one program's kernel of this name
    if (substr(part[1], 1, RLENGTH - 2) != program) next
    part[1] = substr(part[1], RLENGTH + 1)
  }
  why[trim(part[1]), trim(part[2])] = trim(part[3])
  next
}
FILENAME == ARGV[2] && FNR == 1 { columns = split($0, column, ","); next }
FILENAME == ARGV[2] { # ["program",]"name","grid","block",numbers
  line = $0
  if (program != "") {
    if (index(line, "\"" program "\",") != 1) next
    line = substr(line, length(program) + 4)
  }
  n = split(line, part, "\"")
  name = part[2]
  launch = program != "" ? name "#" (seen[name]++ ? 4 : 1) : launches
  names[launches] = name; keys[launches] = launch; grids[launch] = part[4] " " part[6]
  split(substr(part[7], 2), value, ",")
  skip = program != "" ? 4 : 3
  for (i = 1; i + skip <= columns; i++) recorded[launch, column[i + skip]] = value[i]
  launches++
  next
}
FNR == 1 { next }
{
  n = split(substr($0, 2, length($0) - 2), part, "\",\"")
  if (part[6] != "") next # a line's numbers
  gsub(/<true>/, "<1>", part[2]) # as ncu writes it
  if (!((part[1]) in mine)) { mine[part[1]] = program != "" ? part[2] "#" ++invocation[part[2]] : part[1]; shape[mine[part[1]]] = part[4] " " part[3] }
  counted[mine[part[1]], part[8]] = part[10]
}
function compare(i, metric, theirs,    ours, name, reason) {
  name = names[i]
  if (!((keys[i], metric) in counted)) return
  ours = counted[keys[i], metric]
  reason = (name, metric) in why ? why[name, metric] : (name, "*") in why ? why[name, "*"] : ""
  if (ours + 0 == theirs + 0 && reason !~ /^varies: /) { equal++; return }
  used[name, (name, metric) in why ? metric : "*"] = 1
  if (reason != "") { explained++; printf "  %-28s %-62s H200 %8d  here %8d  %s\n", name, metric, theirs, ours, reason }
  else { wrong++; printf "  WRONG %-22s %-62s H200 %8d  here %8d\n", name, metric, theirs, ours }
}
function ratio(i, metric, label,    theirs, ours) {
  theirs = recorded[keys[i], metric]; ours = counted[keys[i], metric]
  if (theirs > 0 && ours > 0) printf "  %-45s %-22s PTX %10d   SASS %10d   %.2f\n", names[i], label, ours, theirs, ours / theirs
}
END {
  for (i = 0; i < launches; i++) {
    if (program != "" && !(keys[i] in shape) && (keys[i] !~ /#1$/ || names[i] ~ /^(bench_|turns_)|cub::/)) continue # made to take its time, on a GPU
    if (!(keys[i] in shape) && (names[i], "*") in why) { used[names[i], "*"] = 1; explained++; printf "  %-28s %s\n", names[i], why[names[i], "*"]; continue }
    if (grids[keys[i]] != shape[keys[i]]) { print "  WRONG " names[i] ": launched as " shape[keys[i]] ", recorded as " grids[keys[i]]; wrong++; continue }
    for (c = 1; c <= columns; c++) {
      metric = column[c]; theirs = recorded[keys[i], metric] == "" ? "" : on_gpu(keys[i], metric)
      if (metric !~ /^(l1tex|smsp)__|^launch__registers|^launch__occupancy_limit_(blocks|registers|warps)|^sm__maximum|^launch__waves/ || theirs == "") continue
      if (metric ~ /^smsp__(inst_executed|thread_inst_executed.*|inst_executed_op_branch|sass_branch_targets_threads_divergent)\.sum$/) continue
      if (metric ~ /op_shared_ld_pred_on_any/) theirs += recorded[keys[i], "smsp__inst_executed_op_ldsm_pred_on_any.sum"] # ldmatrix loads, too
      compare(i, metric, theirs)
    }
    if (recorded[keys[i], "smsp__inst_executed.sum"] != "") {
      ratio(i, "smsp__inst_executed.sum", "warp instructions")
      ratio(i, "smsp__thread_inst_executed_pred_on.sum", "thread instructions")
      if (counted[keys[i], "smsp__sass_branch_targets_threads_divergent.sum"] + recorded[keys[i], "smsp__sass_branch_targets_threads_divergent.sum"] > 0)
        printf "  %-45s %-22s PTX %10d   SASS %10d\n", names[i], "divergent branches", counted[keys[i], "smsp__sass_branch_targets_threads_divergent.sum"], recorded[keys[i], "smsp__sass_branch_targets_threads_divergent.sum"]
    }
    present[names[i]] = 1
  }
  for (pair in why) {
    split(pair, part, SUBSEP)
    if (part[1] in present && !((part[1], part[2]) in used)) { print "  WRONG differences.txt: " part[1] " | " part[2] " is equal now"; wrong++ }
  }
  if (!launches) wrong++
  printf "equal %d explained %d wrong %d\n", equal, explained, wrong
}
