/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the functions of libarchive that are used, by their own names. The library is loaded when the first archive
 * is read or written, with the libraries for compression that it needs itself.
 */
#ifndef KOSTKA_TOOL_TAR_ARCHIVE_LIBRARY_H
#define KOSTKA_TOOL_TAR_ARCHIVE_LIBRARY_H

#include <archive.h>
#include <archive_entry.h>

#include "system/library.h"

#define ARCHIVE_FUNCTIONS(X)                                                                                           \
    X(archive_entry_clear)                                                                                             \
    X(archive_entry_filetype)                                                                                          \
    X(archive_entry_free)                                                                                              \
    X(archive_entry_hardlink)                                                                                          \
    X(archive_entry_new)                                                                                               \
    X(archive_entry_pathname)                                                                                          \
    X(archive_entry_pathname_utf8)                                                                                     \
    X(archive_entry_set_filetype)                                                                                      \
    X(archive_entry_set_mtime)                                                                                         \
    X(archive_entry_set_pathname)                                                                                      \
    X(archive_entry_set_perm)                                                                                          \
    X(archive_entry_set_size)                                                                                          \
    X(archive_entry_size)                                                                                              \
    X(archive_entry_sparse_count)                                                                                      \
    X(archive_error_string)                                                                                            \
    X(archive_filter_bytes)                                                                                            \
    X(archive_filter_count)                                                                                            \
    X(archive_read_data)                                                                                               \
    X(archive_read_data_skip)                                                                                          \
    X(archive_read_free)                                                                                               \
    X(archive_read_new)                                                                                                \
    X(archive_read_next_header)                                                                                        \
    X(archive_read_open)                                                                                               \
    X(archive_read_support_filter_bzip2)                                                                               \
    X(archive_read_support_filter_gzip)                                                                                \
    X(archive_read_support_filter_xz)                                                                                  \
    X(archive_read_support_filter_zstd)                                                                                \
    X(archive_read_support_format_tar)                                                                                 \
    X(archive_write_close)                                                                                             \
    X(archive_write_data)                                                                                              \
    X(archive_write_fail)                                                                                              \
    X(archive_write_free)                                                                                              \
    X(archive_write_header)                                                                                            \
    X(archive_write_new)                                                                                               \
    X(archive_write_open)                                                                                              \
    X(archive_write_set_bytes_in_last_block)                                                                           \
    X(archive_write_set_bytes_per_block)                                                                               \
    X(archive_write_set_format_gnutar)

extern struct archive_library {
    ARCHIVE_FUNCTIONS(LIBRARY_POINTER)
} archive_library;

/* Load the library. Call this before any of its functions. Thread-safe. */
bool archive_library_load(struct problem *problem);

/* These macros come behind the library's own headers, so that they do not change its declarations. */
#define archive_entry_clear archive_library.archive_entry_clear_
#define archive_entry_filetype archive_library.archive_entry_filetype_
#define archive_entry_free archive_library.archive_entry_free_
#define archive_entry_hardlink archive_library.archive_entry_hardlink_
#define archive_entry_new archive_library.archive_entry_new_
#define archive_entry_pathname archive_library.archive_entry_pathname_
#define archive_entry_pathname_utf8 archive_library.archive_entry_pathname_utf8_
#define archive_entry_set_filetype archive_library.archive_entry_set_filetype_
#define archive_entry_set_mtime archive_library.archive_entry_set_mtime_
#define archive_entry_set_pathname archive_library.archive_entry_set_pathname_
#define archive_entry_set_perm archive_library.archive_entry_set_perm_
#define archive_entry_set_size archive_library.archive_entry_set_size_
#define archive_entry_size archive_library.archive_entry_size_
#define archive_entry_sparse_count archive_library.archive_entry_sparse_count_
#define archive_error_string archive_library.archive_error_string_
#define archive_filter_bytes archive_library.archive_filter_bytes_
#define archive_filter_count archive_library.archive_filter_count_
#define archive_read_data archive_library.archive_read_data_
#define archive_read_data_skip archive_library.archive_read_data_skip_
#define archive_read_free archive_library.archive_read_free_
#define archive_read_new archive_library.archive_read_new_
#define archive_read_next_header archive_library.archive_read_next_header_
#define archive_read_open archive_library.archive_read_open_
#define archive_read_support_filter_bzip2 archive_library.archive_read_support_filter_bzip2_
#define archive_read_support_filter_gzip archive_library.archive_read_support_filter_gzip_
#define archive_read_support_filter_xz archive_library.archive_read_support_filter_xz_
#define archive_read_support_filter_zstd archive_library.archive_read_support_filter_zstd_
#define archive_read_support_format_tar archive_library.archive_read_support_format_tar_
#define archive_write_close archive_library.archive_write_close_
#define archive_write_data archive_library.archive_write_data_
#define archive_write_fail archive_library.archive_write_fail_
#define archive_write_free archive_library.archive_write_free_
#define archive_write_header archive_library.archive_write_header_
#define archive_write_new archive_library.archive_write_new_
#define archive_write_open archive_library.archive_write_open_
#define archive_write_set_bytes_in_last_block archive_library.archive_write_set_bytes_in_last_block_
#define archive_write_set_bytes_per_block archive_library.archive_write_set_bytes_per_block_
#define archive_write_set_format_gnutar archive_library.archive_write_set_format_gnutar_

#endif
