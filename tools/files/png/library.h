/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the functions of libpng that are used, by their own names. The library is loaded when the first PNG file is
 * read or written: loading it, with zlib, takes a fifth of the time of a process that does nothing else.
 */
#ifndef KOSTKA_TOOL_PNG_LIBRARY_H
#define KOSTKA_TOOL_PNG_LIBRARY_H

#include <png.h>

#include "system/library.h"

#define PNG_FUNCTIONS(X)                                                                                               \
    X(png_create_info_struct)                                                                                          \
    X(png_create_read_struct)                                                                                          \
    X(png_create_write_struct)                                                                                         \
    X(png_destroy_read_struct)                                                                                         \
    X(png_destroy_write_struct)                                                                                        \
    X(png_error)                                                                                                       \
    X(png_free)                                                                                                        \
    X(png_get_bit_depth)                                                                                               \
    X(png_get_color_type)                                                                                              \
    X(png_get_eXIf_1)                                                                                                  \
    X(png_get_error_ptr)                                                                                               \
    X(png_get_iCCP)                                                                                                    \
    X(png_get_image_height)                                                                                            \
    X(png_get_image_width)                                                                                             \
    X(png_get_interlace_type)                                                                                          \
    X(png_get_io_ptr)                                                                                                  \
    X(png_get_pHYs)                                                                                                    \
    X(png_get_user_chunk_ptr)                                                                                          \
    X(png_get_valid)                                                                                                   \
    X(png_longjmp)                                                                                                     \
    X(png_malloc)                                                                                                      \
    X(png_read_end)                                                                                                    \
    X(png_read_info)                                                                                                   \
    X(png_read_row)                                                                                                    \
    X(png_read_update_info)                                                                                            \
    X(png_set_IHDR)                                                                                                    \
    X(png_set_benign_errors)                                                                                           \
    X(png_set_chunk_malloc_max)                                                                                        \
    X(png_set_eXIf_1)                                                                                                  \
    X(png_set_expand)                                                                                                  \
    X(png_set_gray_to_rgb)                                                                                             \
    X(png_set_iCCP)                                                                                                    \
    X(png_set_interlace_handling)                                                                                      \
    X(png_set_keep_unknown_chunks)                                                                                     \
    X(png_set_longjmp_fn)                                                                                              \
    X(png_set_pHYs)                                                                                                    \
    X(png_set_read_fn)                                                                                                 \
    X(png_set_read_user_chunk_fn)                                                                                      \
    X(png_set_swap)                                                                                                    \
    X(png_set_text)                                                                                                    \
    X(png_set_user_limits)                                                                                             \
    X(png_set_write_fn)                                                                                                \
    X(png_write_info)

extern struct png_library {
    PNG_FUNCTIONS(LIBRARY_POINTER)
} png_library;

/* Load the library. Call this before any of its functions. Thread-safe. */
bool png_library_load(struct problem *problem);

/* These macros come behind the library's own header, so that they do not change its declarations. */
#define png_create_info_struct png_library.png_create_info_struct_
#define png_create_read_struct png_library.png_create_read_struct_
#define png_create_write_struct png_library.png_create_write_struct_
#define png_destroy_read_struct png_library.png_destroy_read_struct_
#define png_destroy_write_struct png_library.png_destroy_write_struct_
#define png_error png_library.png_error_
#define png_free png_library.png_free_
#define png_get_bit_depth png_library.png_get_bit_depth_
#define png_get_color_type png_library.png_get_color_type_
#define png_get_eXIf_1 png_library.png_get_eXIf_1_
#define png_get_error_ptr png_library.png_get_error_ptr_
#define png_get_iCCP png_library.png_get_iCCP_
#define png_get_image_height png_library.png_get_image_height_
#define png_get_image_width png_library.png_get_image_width_
#define png_get_interlace_type png_library.png_get_interlace_type_
#define png_get_io_ptr png_library.png_get_io_ptr_
#define png_get_pHYs png_library.png_get_pHYs_
#define png_get_user_chunk_ptr png_library.png_get_user_chunk_ptr_
#define png_get_valid png_library.png_get_valid_
#define png_longjmp png_library.png_longjmp_
#define png_malloc png_library.png_malloc_
#define png_read_end png_library.png_read_end_
#define png_read_info png_library.png_read_info_
#define png_read_row png_library.png_read_row_
#define png_read_update_info png_library.png_read_update_info_
#define png_set_IHDR png_library.png_set_IHDR_
#define png_set_benign_errors png_library.png_set_benign_errors_
#define png_set_chunk_malloc_max png_library.png_set_chunk_malloc_max_
#define png_set_eXIf_1 png_library.png_set_eXIf_1_
#define png_set_expand png_library.png_set_expand_
#define png_set_gray_to_rgb png_library.png_set_gray_to_rgb_
#define png_set_iCCP png_library.png_set_iCCP_
#define png_set_interlace_handling png_library.png_set_interlace_handling_
#define png_set_keep_unknown_chunks png_library.png_set_keep_unknown_chunks_
#define png_set_longjmp_fn png_library.png_set_longjmp_fn_
#define png_set_pHYs png_library.png_set_pHYs_
#define png_set_read_fn png_library.png_set_read_fn_
#define png_set_read_user_chunk_fn png_library.png_set_read_user_chunk_fn_
#define png_set_swap png_library.png_set_swap_
#define png_set_text png_library.png_set_text_
#define png_set_user_limits png_library.png_set_user_limits_
#define png_set_write_fn png_library.png_set_write_fn_
#define png_write_info png_library.png_write_info_

#endif
