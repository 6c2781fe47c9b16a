/* How many kernels of this program the second tier has compiled and loaded: those that are interpreted all the same, because the
 * compiler took too long or its library cannot be loaded, leave the same results. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int kernels_compiled(void) {
    const char *folder = getenv("EMULATOR_CACHE");
    char line[4096], last[4096] = "";
    int count = 0;
    FILE *maps = folder && *folder ? fopen("/proc/self/maps", "r") : NULL;
    while (maps && fgets(line, sizeof line, maps)) {
        const char *path = strchr(line, '/');
        if (!path || strncmp(path, folder, strlen(folder)) != 0 || strcmp(path, last) == 0)
            continue;
        strcpy(last, path);
        count++;
    }
    if (maps)
        fclose(maps);
    return count;
}
