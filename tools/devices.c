/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka devices', which lists the devices of the machine. */
#include <stdio.h>

#include "options/options.h"
#include "print/json.h"

static const char *kind_name(kst_device_kind kind)
{
    static const char *const names[] = {"none", "cpu", "cuda", "opencl"};
    return kind <= KST_DEVICE_OPENCL ? names[kind] : "unknown";
}

static int list_text(void)
{
    for (uint32_t i = 0; i < kst_device_count(); i++) {
        kst_device_info info = {.size = sizeof info};
        if (kst_device_get(i, &info))
            continue;
        printf("%-10s %s, %u %s, %s", info.name, info.model, (unsigned)info.units,
            info.kind == KST_DEVICE_CPU ? (info.units == 1 ? "processor" : "processors") : "units", info.tier);
        if (info.memory != 0)
            printf(", %llu MiB", (unsigned long long)(info.memory >> 20));
        putchar('\n');
    }
    return finish_output(EXIT_FINE);
}

static int list_json(void)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < kst_device_count(); i++) {
        kst_device_info info = {.size = sizeof info};
        if (!kst_device_get(i, &info))
            json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:s, s:I, s:I}", "name", info.name, "kind",
                                            kind_name(info.kind), "model", json_text(info.model), "tier", info.tier,
                                            "units", (json_int_t)info.units, "memory", (json_int_t)info.memory));
    }
    return json_print(list, EXIT_FINE);
}

static int run(int argc, char **argv)
{
    struct common_options common = {0};
    struct options_given given;
    bool json = false;
    int code;

    const struct option_group groups[] = {common_group(&common), json_group(&json)};
    if (!options_read(&verb_devices, argc, argv, groups, 2, &given, &code))
        return code;
    static const int working[] = {
        OPTION_THREADS, OPTION_DEVICE, OPTION_MAX_PIXELS, OPTION_MAX_MEMORY, OPTION_MAX_WORK, OPTION_VERBOSE};
    for (size_t i = 0; i < sizeof working / sizeof *working; i++)
        if (!options_refuse("devices", &given, working[i], "devices are listed, and nothing works on one"))
            return EXIT_USAGE;
    if (optind != argc)
        return complain_usage("devices", "takes no file");
    return json ? list_json() : list_text();
}

const struct verb verb_devices = {
    .name = "devices",
    .summary = "list the devices that the other verbs can work on",
    .run = run,
    .help = "Usage: kostka devices [--json]\n"
            "\n"
            "Lists what --device takes, with the model, the number of processors and the instructions in use.\n",
};
