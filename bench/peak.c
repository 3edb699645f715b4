/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the peak of this process's memory from /proc. */
#include "peak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* VmHWM counts only this program; ru_maxrss would include what the parent had when it forked. */
uint64_t peak_of_this_process(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    unsigned long long kilobytes = 0;
    char line[256];

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = strtoull(line + 6, NULL, 10);
    if (file != NULL)
        fclose(file);
    return kilobytes * 1024;
}
