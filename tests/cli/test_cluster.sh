#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The examples for clusters: all tasks together make what one call makes, in Slurm's, Kubernetes' and Open MPI's
# environments. Slurm and Kubernetes are stood in for by what sets their variables and runs the tasks.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_STEP
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE JOB_COMPLETION_INDEX JOB_COMPLETIONS KOSTKA_SHARDS
export KOSTKA
cluster=$KOSTKA_SOURCE/examples/cluster

# tree FOLDER: its pictures, with their contents
tree() {
    (cd "$1" && find . -name '*.jp2' -exec cksum {} + | sort)
}

mkdir -p in/a in/b/c
for i in 1 2 3 4 5 6; do
    picture $((i * 3)) $((i * 2)) >in/a/p$i.ppm
    picture $((i + 9)) 4 >in/b/c/q$i.ppm
done
expect 0 "$KOSTKA" convert --recursive in --out-dir whole --out-format jp2
tree whole >wanted
equals "$(wc -l <wanted)" 12

# sbatch SCRIPT ARGS…: its array's tasks, one after the other
sbatch() {
    array=$(sed -n 's/^#SBATCH --array=//p' "$1")
    first=${array%-*} last=${array#*-}
    for id in $(seq "$first" "$last"); do
        SLURM_ARRAY_TASK_ID=$id SLURM_ARRAY_TASK_MIN=$first SLURM_ARRAY_TASK_COUNT=$((last - first + 1)) sh "$@" 2>err ||
            fail "task $id: $(cat err)"
    done
}
sbatch "$cluster/slurm.sh" in slurm
tree slurm >found
same found wanted
equals "$(cat slurm/manifest.*.jsonl | wc -l)" 12 "lines of Slurm's manifests"
sbatch "$cluster/slurm.sh" in slurm # requeued: nothing is left to do
equals "$(cat slurm/manifest.*.jsonl | wc -l)" 12 "lines after it was queued again"

# The container's script, with the volume here, as each pod of the job runs it.
mkdir -p data bin
cp -r in data/in
ln -s "$KOSTKA" bin/kostka
mkdir -p data/out
sed -n '/^            - |$/,/^          volumeMounts/p' "$cluster/kubernetes.yaml" | sed '1d;$d' |
    sed "s,/data/,$PWD/data/,g" >pod.sh
[ -s pod.sh ] || fail 'no script in kubernetes.yaml'
completions=$(sed -n 's/^  completions: //p' "$cluster/kubernetes.yaml")
shards=$(sed -n '/name: KOSTKA_SHARDS/{n;s/.*"\(.*\)".*/\1/p;}' "$cluster/kubernetes.yaml")
equals "$shards" "$completions" "shares and completions"
for index in $(seq 0 $((completions - 1))); do
    JOB_COMPLETION_INDEX=$index KOSTKA_SHARDS=$shards PATH=$PWD/bin:$PATH sh pod.sh 2>err || fail "pod $index: $(cat err)"
done
tree data/out >found
same found wanted

# Open MPI itself.
if command -v mpirun >/dev/null; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 \
        "$KOSTKA" convert --recursive in --out-dir mpi --out-format jp2 --shard auto >out 2>err || fail "mpirun: $(cat err)"
    tree mpi >found
    same found wanted
else
    echo 'skipped: Open MPI is not installed'
fi
finish
