#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Converts the pictures of a folder tree to JPEG 2000 on a Slurm cluster: each task of the array takes its share.
#
#     sbatch examples/cluster/slurm.sh IN OUT
#
# A task that is interrupted or queued again goes on where it was: --resume skips what its manifest has.
#SBATCH --job-name=kostka
#SBATCH --array=0-3
#SBATCH --cpus-per-task=4
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
set -eu
mkdir -p "$2"
exec "${KOSTKA:-kostka}" convert --recursive "$1" --out-dir "$2" --out-format jp2 --shard auto \
    --manifest "$2/manifest.$SLURM_ARRAY_TASK_ID.jsonl" --resume
