/* SPDX-License-Identifier: BSD-2-Clause */
/* How many processors this process may keep busy: its affinity, and the CPU quota of its control groups. */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
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

/* Processors that quota microseconds in each period are worth, rounded up; UINT32_MAX: no limit. */
static uint32_t quota_count(long long quota, long long period)
{
    if (quota <= 0 || period <= 0 || (quota - 1) / period >= UINT32_MAX)
        return UINT32_MAX;
    return (uint32_t)((quota - 1) / period + 1);
}

static bool read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool found = fgets(line, size, file) != NULL;
    fclose(file);
    return found;
}

/* cgroup v2: "QUOTA PERIOD" or "max PERIOD". */
static uint32_t v2_quota(const char *group)
{
    char path[PATH_MAX];
    char line[64];
    long long quota;
    long long period;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
    if (!read_line(path, line, sizeof line) || sscanf(line, "%lld %lld", &quota, &period) != 2)
        return UINT32_MAX;
    return quota_count(quota, period);
}

static uint32_t v1_quota(const char *group)
{
    char path[PATH_MAX];
    char line[64];
    long long quota;
    long long period;
    snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/cpu.cfs_quota_us", group);
    if (!read_line(path, line, sizeof line) || sscanf(line, "%lld", &quota) != 1)
        return UINT32_MAX;
    snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/cpu.cfs_period_us", group);
    if (!read_line(path, line, sizeof line) || sscanf(line, "%lld", &period) != 1)
        return UINT32_MAX;
    return quota_count(quota, period);
}

/* The least quota of a group and all above it. */
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
