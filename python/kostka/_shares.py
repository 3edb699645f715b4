# SPDX-License-Identifier: BSD-2-Clause
"""Which share of the items a process has: a pair (index, count), divided by a hash of names."""

import os
import sys

from ._kostka import name_hash  # type: ignore[import-not-found]

# Variables that say a process's number and how many there are. torchrun sets the first pair.
_LAUNCHERS = (
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
    ("JOB_COMPLETION_INDEX", "JOB_COMPLETIONS"),
)


def _of_pytorch():
    """What torch.distributed says, if the program has imported and initialised it."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed.get_rank(), distributed.get_world_size()


def _of_environment():
    for index, count in _LAUNCHERS:
        if index in os.environ and count in os.environ:
            try:
                return int(os.environ[index]), int(os.environ[count])
            except ValueError:
                raise ValueError(f"shard='auto': {index} and {count} are no whole numbers") from None
    return None


def read_shard(shard):
    """Return (index, count) of what a caller passed as `shard`."""
    if shard == "auto":
        shard = _of_pytorch() or _of_environment() or (0, 1)
    index, count = shard or (0, 1)
    if not 0 <= index < count:
        raise ValueError(f"shard is 'auto' or (index, count) with 0 <= index < count, not {shard!r}")
    return index, count


def has(shard, name):
    index, count = shard
    return count == 1 or name_hash(os.fsencode(name)) % count == index
