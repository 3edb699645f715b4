/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the peers for each kind of work. */
#include "peers/peers.h"

#include <stddef.h>

const struct peer *const peers_decode[] = {
    &peer_turbo_one, &peer_turbo_all, &peer_nvjpeg_hardware, &peer_nvjpeg_gpu, &peer_nvjpeg, NULL};
const struct peer *const peers_encode[] = {&peer_turbo_one, &peer_turbo_all, &peer_nvjpeg_encode, NULL};
const struct peer *const peers_j2k_decode[] = {&peer_nvjpeg2k, NULL};
const struct peer *const peers_j2k_encode[] = {&peer_nvjpeg2k_encode, NULL};
