/* emulator_findings.h - the emulator's findings as data, from its report, which has the form of compute-sanitizer's:
 *
 *     ========= Invalid __global__ read of size 4 bytes
 *     =========     at saxpy_kernel(float, const float *, float *, int) in exercise.cu:15
 *     =========     by thread (104,0,0) in block (7,0,0)
 *
 * A runner that dies after the report has still printed it, so this works even when no answer arrives. */
#ifndef TOOLS_GRADING_EMULATOR_FINDINGS_H
#define TOOLS_GRADING_EMULATOR_FINDINGS_H

#include "tools/grading/results_json.h"

enum { FINDINGS_MAX = 20 };

/* Takes a line of the report, without its end: it begins a finding, or adds details to the last one. `kind` is left empty. */
void emulator_findings_add(std::vector<struct reported_finding> *findings, const std::string &line);

#endif
