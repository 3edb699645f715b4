/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the processors that this process may keep busy: its affinity mask limits them, and so does the CPU quota of
 * its control groups.
 */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cpu.h"

static uint32_t affinity_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (uint32_t)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 && online < INT_MAX ? (uint32_t)online : 1;
}

/*
 * Return the number of processors that a quota of microseconds in each period is worth, rounded up; UINT32_MAX: no
 * limit.
 */
static uint32_t quota_count(long long quota, long long period)
{
    if (quota <= 0 || period <= 0 || (quota - 1) / period >= UINT32_MAX)
        return UINT32_MAX;
    return (uint32_t)((quota - 1) / period + 1);
}

/* Read up to two numbers from the start of a file; a number that is not there (because of "max", say) is 0. */
static void read_numbers(const char *path, long long numbers[2])
{
    char line[64];
    numbers[0] = numbers[1] = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (fgets(line, sizeof line, file)) {
        char *end;
        numbers[0] = strtoll(line, &end, 10);
        numbers[1] = strtoll(end, NULL, 10);
    }
    fclose(file);
}

/* In cgroup v2 the file holds "QUOTA PERIOD" or "max PERIOD". */
static uint32_t v2_quota(const char *group)
{
    char path[PATH_MAX];
    long long numbers[2];
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
    read_numbers(path, numbers);
    return quota_count(numbers[0], numbers[1]);
}

/* In cgroup v1 a quota of -1 means that there is none. */
static uint32_t v1_quota(const char *group)
{
    char path[PATH_MAX];
    long long quota[2];
    long long period[2];
    snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/cpu.cfs_quota_us", group);
    read_numbers(path, quota);
    snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/cpu.cfs_period_us", group);
    read_numbers(path, period);
    return quota_count(quota[0], period[0]);
}

/* Return the least quota of a group and all groups above it, in processors. */
static uint32_t least_quota(char *group, uint32_t (*quota)(const char *group))
{
    uint32_t least = UINT32_MAX;
    for (;;) {
        char *slash = strrchr(group, '/');
        if (slash && slash[1] == '\0') {
            *slash = '\0';
            continue;
        }
        uint32_t count = quota(group);
        if (count < least)
            least = count;
        if (!slash)
            return least;
        *slash = '\0';
    }
}

/* A line of /proc/self/cgroup is "ID:CONTROLLERS:PATH"; v2 has ID 0 and no controllers. */
static uint32_t line_quota(char *line)
{
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return UINT32_MAX;
    *path++ = '\0';
    controllers++;
    if (controllers[0] == '\0')
        return least_quota(path, v2_quota);
    return strcmp(controllers, "cpu") == 0 || strncmp(controllers, "cpu,", 4) == 0 ? least_quota(path, v1_quota)
                                                                                   : UINT32_MAX;
}

static uint32_t cgroup_count(void)
{
    uint32_t least = UINT32_MAX;
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return least;
    char line[PATH_MAX];
    while (fgets(line, sizeof line, file)) {
        uint32_t count = line_quota(line);
        if (count < least)
            least = count;
    }
    fclose(file);
    return least;
}

uint32_t kst_cpu_count(void)
{
    uint32_t count = affinity_count();
    uint32_t quota = cgroup_count();
    if (quota < count)
        count = quota;
    return count > 0 ? count : 1;
}
