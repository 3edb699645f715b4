#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Shares of many inputs: each input is in one of them, and all together make what one call makes.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_STEP
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE JOB_COMPLETION_INDEX JOB_COMPLETIONS KOSTKA_SHARDS

# tree FOLDER: its files, with their contents
tree() {
    (cd "$1" && find . -type f -exec cksum {} + | sort)
}

mkdir -p in/a in/b
for i in 1 2 3 4 5 6 7 8; do
    picture $((i * 3)) $((i * 2)) >in/a/p$i.ppm
    picture $((i * 2)) $((i * 3)) >in/b/p$i.ppm
    picture $((i + 9)) 4 >in/q$i.ppm
done
cp in/a/p1.ppm in/q1.pnm # another with the name of an output
cp in/a/p2.ppm in/signature # known by its first bytes alone
expect 1 "$KOSTKA" encode --recursive in --out-dir whole
cp err whole.err
tree whole >wanted
equals "$(wc -l <wanted)" 25

# Any number of shares: the same outputs and complaints, none twice, and not all in one.
for n in 1 2 3 7; do
    rm -rf parts made
    mkdir parts
    : >all.err
    codes=
    for i in $(seq 0 $((n - 1))); do
        "$KOSTKA" encode --recursive in --out-dir parts/"$i" --shard "$i/$n" 2>err
        codes="$codes$?"
        cat err >>all.err
    done
    equals "$(echo "$codes" | tr -d 0)" 1 "exit statuses of $n shares"
    sed 's,parts/[0-9]*/,whole/,' all.err >one.err
    same one.err whole.err
    mkdir made
    for i in $(seq 0 $((n - 1))); do
        cp -r parts/"$i"/. made || fail "share $i/$n has no folder"
    done
    tree made >found
    same found wanted
    equals "$(find parts -type f | wc -l)" 25 "files of $n shares"
    between "$(find parts/0 -type f | wc -l)" 1 $((n == 1 ? 25 : 24)) "files in share 0/$n"
done

# The share depends on the name alone: not on the folder before it, the call, the machine or other inputs.
expect 0 "$KOSTKA" encode --recursive in/b --out-dir few --shard 2/7
(cd in/b && find . -name '*.ppm' | cut -c 3-) >names
cp -r in/b moved
rm moved/p4.ppm
(cd moved && "$KOSTKA" encode --files-from ../names --out-dir ../again --shard 2/7 2>../err)
"$KOSTKA" encode in/b/*.ppm --out-dir operands --shard 2/7 || fail 'cannot encode'
tree few >found
[ -s found ] || fail 'share 2/7 of eight is empty'
tree operands >found.operands
same found.operands found
rm -f few/p4.jpg
tree few >found
tree again >found.again
same found.again found

# A share without inputs succeeds; so does one of no inputs at all. A folder without pictures fails once.
for i in 0 1 2 3; do
    "$KOSTKA" encode in/q5.ppm --out-dir empty --shard $i/4 || fail "share $i/4 of one input failed"
done
equals "$(find empty -type f)" empty/q5.jpg
expect 0 "$KOSTKA" encode --files-from /dev/null --out-dir empty --shard 0/3
mkdir void
codes=$(for i in 0 1 2; do
    "$KOSTKA" encode void --out-dir empty --shard $i/3 2>/dev/null
    echo $?
done | sort | tr '\n' ' ')
equals "$codes" '0 0 1 '

# No output replaces an input of another share.
cp -r in/a side
"$KOSTKA" convert side/p1.ppm side/p2.png
for i in 0 1 2; do
    "$KOSTKA" convert side --out-dir side --out-format ppm --shard $i/3 2>>side.err
done
identical side/p2.ppm in/a/p2.ppm
grep -q "would replace side/p2.ppm" side.err || fail "an input was replaced: $(cat side.err)"

# What the environment says.
# automatic I/N VARIABLE=VALUE…: the same share
automatic() {
    rm -rf by_number by_environment
    "$KOSTKA" encode --recursive in/a in/q*.ppm --out-dir by_number --shard "$1" || fail "share $1"
    wanted=$1
    shift
    expect 0 env "$@" "$KOSTKA" encode --recursive in/a in/q*.ppm --out-dir by_environment --shard auto
    equals "$(tree by_environment)" "$(tree by_number)" "$wanted by $*"
}
automatic 1/3 SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=0
automatic 0/3 SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1
automatic 2/3 SLURM_ARRAY_TASK_ID=25 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_STEP=10
automatic 1/2 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2
automatic 4/5 JOB_COMPLETION_INDEX=4 JOB_COMPLETIONS=5
automatic 4/5 JOB_COMPLETION_INDEX=4 KOSTKA_SHARDS=5

# refuses PATTERN [VARIABLE=VALUE…] VALUE: the usage is wrong
refuses() {
    pattern=$1
    shift
    while [ $# -gt 1 ]; do
        export "${1?}"
        shift
    done
    expect 2 "$KOSTKA" encode in/q1.ppm --out-dir refused --shard "$1"
    says "$pattern"
    [ ! -e refused ] || fail "a folder was made by --shard $1"
    unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_STEP
    unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE JOB_COMPLETION_INDEX JOB_COMPLETIONS KOSTKA_SHARDS
}
for value in '' 1 / 1/ /2 2/2 3/2 0/0 -1/2 0/-2 0x0/2 0/2/3 ' 0/2' 99999999999999999999/2 0/99999999999 Auto; do
    refuses '--shard' "$value"
done
refuses 'none of SLURM_ARRAY_TASK_ID' auto
refuses 'SLURM_ARRAY_TASK_ID is set, but not how many' SLURM_ARRAY_TASK_ID=1 auto
refuses 'JOB_COMPLETION_INDEX is set, but not how many.*JOB_COMPLETIONS or KOSTKA_SHARDS' JOB_COMPLETION_INDEX=1 auto
refuses 'OMPI_COMM_WORLD_SIZE' OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=0 auto
refuses 'OMPI_COMM_WORLD_RANK=2 is none of 2' OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=2 auto
refuses 'SLURM_ARRAY_TASK_ID=9 is none of 3' SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 auto
refuses 'SLURM_ARRAY_TASK_ID' SLURM_ARRAY_TASK_ID=x SLURM_ARRAY_TASK_COUNT=3 auto
refuses 'are both set' SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=2 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 auto
expect 2 "$KOSTKA" encode in/q1.ppm one.jpg --shard 0/2
says '--shard: it divides many inputs: add --out-dir'
finish
