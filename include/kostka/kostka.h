/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_H
#define KOSTKA_H

/**
 * @file
 * Kostka decodes, encodes and losslessly transcodes JPEG (ITU-T T.81) and JPEG 2000 (ITU-T T.800).
 *
 * A context holds the device, the threads, the allocator and the limits; decoders are handles on one coded picture
 * each. Nothing here prints, aborts, installs signal handlers or keeps global state. Functions that can fail return a
 * kst_status and, where there is a kst_report, fill it with a message and the byte offset of the cause.
 *
 * Structures that may grow start with a member `size`; set them up with their initialiser (kst_…_init), then change the
 * members that matter to you. All lengths are in bytes, all widths and heights in samples, unless said otherwise.
 *
 * This header includes those of all subjects except devices (kostka_device.h, kostka_gl.h, kostka_profile.h), writing a
 * file while it is being made (kostka_writer.h), and many pictures on several devices (kostka_flow.h).
 */

#include <kostka/kostka_context.h>
#include <kostka/kostka_decode.h>
#include <kostka/kostka_encode.h>
#include <kostka/kostka_image.h>
#include <kostka/kostka_info.h>
#include <kostka/kostka_j2k.h>
#include <kostka/kostka_lines.h>
#include <kostka/kostka_resize.h>
#include <kostka/kostka_status.h>
#include <kostka/kostka_transcode.h>
#include <kostka/kostka_version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Return the KST_VERSION_NUMBER of the library that is running. Thread-safe. */
KST_API unsigned kst_version(void);

/** Return the same version as text, "major.minor.patch". The string is static. Thread-safe. */
KST_API const char *kst_version_string(void);

#ifdef __cplusplus
}
#endif

#endif
