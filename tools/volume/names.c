/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that the names of outputs state formats that 'kostka volume' writes. */
#include "volume/segy.h"
#include "volume/stack.h"
#include "volume/store.h"

int volume_check_coded(const char *name, kst_j2k_options *options)
{
    const struct file_format *format = file_format_by_path(name);
    if (format == &file_jhc)
        options->style |= KST_J2K_HT;
    if (store_is_named(name) || file_path_extension(name) == NULL || format == &file_j2c || format == &file_jhc)
        return EXIT_FINE;
    return complain_usage("volume",
        "'%s': a volume becomes a bare codestream, named .j2c, .j2k, .jpc or .jhc, or a store, named .zarr", name);
}

int volume_check_samples(const char *name)
{
    static const char *const raw[] = {"raw", "bin", "dat"};
    if (store_is_named(name))
        return complain_usage("volume", "'%s': 'kostka volume encode' makes stores, also of other stores", name);
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++)
        if (file_has_extension(name, raw[i]))
            return EXIT_FINE;
    if (file_path_extension(name) == NULL || volume_is_nifti(name) || volume_is_segy(name) || volume_is_stack(name))
        return EXIT_FINE;
    return complain_usage("volume",
        "'%s' names no format of volumes that is written; .nii, .nii.gz, .sgy, .segy, .tif, .tiff and, for raw "
        "samples, .raw, .bin and .dat do",
        name);
}
