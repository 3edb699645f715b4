/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares this process for many queues of work on a GPU. */
#ifndef KOSTKA_TOOLS_CHANNELS_H
#define KOSTKA_TOOLS_CHANNELS_H

/*
 * Ask CUDA's driver for as many channels to a GPU as it offers, unless the user has chosen a number. By default it has
 * eight. Streams that share a channel wait for each other's kernels, and the library has more streams under way. But
 * the driver then takes half a second longer to start, so that this serves measurements and processes that last. The
 * driver reads it from the environment as it starts, so call it before there are threads.
 */
void ask_for_channels(void);

#endif
