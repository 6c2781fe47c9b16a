/* jailed.h - a command in the jail that tools/grading/run has chosen. */
#ifndef TOOLS_GRADING_JAILED_H
#define TOOLS_GRADING_JAILED_H

#include <initializer_list>
#include <string>
#include <vector>

/* Bytes that are read of what a jailed command, or all runners of a grading together, print; messages call it 1 MB.
 * child.py has the same number for runners in Python. */
enum { OUTPUT_CAP = 1000000 };

typedef std::vector<std::string> words;

void words_add(words *list, std::initializer_list<std::string> more);
/* As exec wants them. They are the list's, and live as long. */
std::vector<char *> words_pointers(words *list);

/* The first words of a command that is jailed: of this machine it sees the system (the jail sees to that), of the project what of these paths is there.
 * Options of the jail may follow, then "--" and the command. */
words jailed(const words &see);

/* Runs a command that begins like that, with no variable but PATH, and returns what it prints on both streams, OUTPUT_CAP at most. */
std::string jailed_output(words command);

#endif
