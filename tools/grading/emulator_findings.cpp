/* emulator_findings.cpp - reads the emulator's report. emulator_findings.h shows the three forms. */
#include "tools/grading/emulator_findings.h"

#include <regex>
#include <stdlib.h>

static void take_place(struct reported_finding *finding, const std::string &line) {
    static const std::regex place("\\bat (.+) in (.+):([0-9]{1,7})$");
    std::smatch found;
    if (!finding->line && line.size() < 1000 && std::regex_search(line, found, place)) {
        finding->kernel = found[1];
        finding->file = found[2];
        finding->line = (unsigned)atoi(found[3].str().c_str());
    }
}

static void take_thread(struct reported_finding *finding, const std::string &line) {
    uint32_t *t = finding->thread, *b = finding->block;
    size_t at = line.find("thread (");
    if (!finding->in_thread && at != std::string::npos) {
        finding->in_thread = sscanf(line.c_str() + at, "thread (%u,%u,%u) in block (%u,%u,%u)", &t[0], &t[1], &t[2],
                                    &b[0], &b[1], &b[2]) == 6;
    }
}

void emulator_findings_add(std::vector<struct reported_finding> *findings, const std::string &line) {
    static const std::string mark = "========= ";
    if (line.size() > mark.size() && line[mark.size()] != ' ' && findings->size() < FINDINGS_MAX) {
        struct reported_finding finding = {};
        finding.message = line.substr(mark.size());
        findings->push_back(finding);
    }
    if (!findings->empty()) {
        take_place(&findings->back(), line);
        take_thread(&findings->back(), line);
    }
}
