/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jumps to the functions of the original library that are passed on: whatever the arguments are, they stay where they
 * are. compat_passed (original_template.h) holds the addresses, in the order of the library's functions.h.
 */
    .text
    .altmacro
    .set index, 0

#if defined(__x86_64__)
    .macro jump name
    .globl \name
    .type \name, @function
    .balign 16
\name:
#if defined(__CET__)
    endbr64
#endif
    jmp *compat_passed+index(%rip)
    .size \name, . - \name
    .set index, index + 8
    .endm
#elif defined(__aarch64__)
    .macro jump name
    .globl \name
    .type \name, %function
    .balign 16
\name:
    hint #34 /* bti c */
    adrp x16, compat_passed+index
    add x16, x16, :lo12:compat_passed+index
    ldr x16, [x16]
    br x16
    .size \name, . - \name
    .set index, index + 8
    .endm
#endif

#define PASS(name) jump name
#define TAKE(name)
#include "functions.h"

#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
