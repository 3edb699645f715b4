/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the steps that a profile of the device reports. */
#include "volume_steps.h"

#include <stdlib.h>
#include <string.h>

static void keep(struct volume_steps *steps, const kst_step *step)
{
    if ((steps->count & (steps->count - 1)) == 0) { /* the room is used up at powers of two */
        kst_step *grown = realloc(steps->step, (steps->count ? 2 * (size_t)steps->count : 1) * sizeof *grown);
        if (!grown)
            exit(1);
        steps->step = grown;
    }
    steps->step[steps->count++] = *step;
}

void volume_steps_add(void *user, const kst_step *step)
{
    struct volume_steps *steps = user;
    uint32_t i = 0;
    keep(steps, step);
    steps->kernels += step->kind == KST_STEP_KERNEL;
    steps->uploads += step->kind == KST_STEP_UPLOAD;
    steps->downloads += step->kind == KST_STEP_DOWNLOAD;
    steps->others += step->kind == KST_STEP_COPY || step->kind == KST_STEP_FILL;
    while (i < steps->names && strcmp(steps->sum[i].name, step->name) != 0)
        i++;
    if (i == VOLUME_STEP_NAMES)
        return;
    steps->names += i == steps->names;
    steps->sum[i].name = step->name;
    steps->sum[i].seconds += step->seconds;
}

void volume_steps_print(FILE *to, const struct volume_steps *steps)
{
    fprintf(to, " %u, %u, %u, %u |", steps->kernels, steps->uploads, steps->downloads, steps->others);
    for (uint32_t i = 0; i < steps->names; i++)
        fprintf(to, "%s%s %.3f", i > 0 ? ", " : " ", steps->sum[i].name, steps->sum[i].seconds * 1e3);
    fputs(" |\n", to);
}

static void write_step(FILE *to, const kst_step *step)
{
    static const char *const kinds[] = {"kernel", "upload", "download", "copy", "fill"};
    fprintf(to, "    {\"name\": \"%s\", \"kind\": \"%s\", \"start_seconds\": %.9f, \"seconds\": %.9f, \"bytes\": %llu",
        step->name, kinds[step->kind], step->start, step->seconds, (unsigned long long)step->bytes);
    if (step->kind == KST_STEP_KERNEL)
        fprintf(to, ", \"groups\": %u, \"group_size\": %u", step->groups, step->group_size);
    fputs("}", to);
}

void volume_steps_write(const struct volume_steps *steps, const struct volume_run *run)
{
    char path[4096];
    if (!run->folder)
        return;
    const int length = snprintf(path, sizeof path, "%s/%s-%s.json", run->folder, run->work, run->name);
    FILE *to = length < (int)sizeof path ? fopen(path, "w") : NULL;
    if (!to) {
        perror(path);
        exit(1);
    }
    fprintf(to,
        "{\n  \"file\": \"%s\",\n  \"work\": \"%s\",\n  \"device\": \"%s\",\n  \"side\": %u,\n  \"batch\": %u,\n"
        "  \"bytes\": %llu,\n  \"seconds\": %.9f,\n  \"steps\": [\n",
        run->name, run->work, run->device, run->side, run->bricks, (unsigned long long)run->bytes, run->seconds);
    for (uint32_t i = 0; i < steps->count; i++) {
        write_step(to, &steps->step[i]);
        fputs(i + 1 < steps->count ? ",\n" : "\n", to);
    }
    fputs("  ]\n}\n", to);
    if (fclose(to) != 0) {
        perror(path);
        exit(1);
    }
}

void volume_steps_release(struct volume_steps *steps)
{
    free(steps->step);
    *steps = (struct volume_steps){.count = 0};
}
