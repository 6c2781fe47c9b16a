/* jailed.h - runs a command in the jail that tools/grading/run has chosen. */
#ifndef TOOLS_GRADING_JAILED_H
#define TOOLS_GRADING_JAILED_H

#include <initializer_list>
#include <string>
#include <vector>

/* The number of bytes read of the output of a jailed command, or of all runners of a grading together; messages call it 1 MB.
 * child.py has the same number for runners in Python. */
enum { OUTPUT_CAP = 1000000 };

typedef std::vector<std::string> words;

void words_add(words *list, std::initializer_list<std::string> more);
/* In the form that exec requires. The list owns them, and they live as long. */
std::vector<char *> words_pointers(words *list);

/* The first words of a jailed command: of this machine it sees the system (which the jail adds), of the project those of these paths that exist.
 * Options of the jail may follow, then "--" and the command. */
words jailed(const words &see);

/* Runs a command with such a beginning, with PATH as its only variable, and returns its output on both streams, OUTPUT_CAP at most. */
std::string jailed_output(words command);

#endif
