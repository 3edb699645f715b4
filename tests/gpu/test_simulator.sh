#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The simulator finds a race, wild accesses, divergence and the use of what was never written, compiled as for the other tests.
set -u
# shellcheck source=tests/support/gpu/simulator.sh
. "$(dirname "$0")/../support/gpu/simulator.sh"
find_simulator
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# finds TEXT NAME: what the simulator says of a kernel of two groups of eight work-items, which has a buffer for one number of each
finds() {
    cat >kernel.cl
    printf 'kernel.cl\n%s\n16 1 1\n8 1 1\n<size=64 fill=0>\n' "$2" >kernel.sim
    simulated oclgrind-kernel --data-races --uninitialized kernel.sim >out 2>&1
    if ! grep -q -e "$1" out; then
        echo "FAILED: nothing is said of '$1' in $2: $(head -n 20 out)"
        failures=$((failures + 1))
    fi
}

finds 'data race at global memory' sum <<'END'
kernel void sum(global int *all) { all[0] += get_global_id(0); }
END
finds 'data race at local memory' neighbour <<'END'
kernel void neighbour(global int *all)
{
    local int own[8];
    int item = get_local_id(0), next;
    own[item] = item;
    next = own[(item + 1) % 8];
    all[get_global_id(0)] = next;
}
END
finds 'Invalid write of size 4 at global memory' beyond <<'END'
kernel void beyond(global int *all)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += i;
    all[get_global_id(0) + 1] = sum;
}
END
finds 'Invalid read of size 4 at private memory' table <<'END'
int pick(int index)
{
    int table[4];
    for (int i = 0; i < 4; i++)
        table[i] = i;
    return table[index];
}
kernel void table(global int *all) { all[get_global_id(0)] = pick(get_global_id(0)); }
END
finds 'Work-group divergence detected (barrier)' first_four <<'END'
kernel void first_four(global int *all)
{
    if (get_local_id(0) < 4)
        barrier(CLK_LOCAL_MEM_FENCE);
    all[get_global_id(0)] = 1;
}
END
finds 'Uninitialized value written to global memory' unset <<'END'
kernel void unset(global int *all)
{
    local int own[8];
    all[get_global_id(0)] = own[get_local_id(0)];
}
END
[ "$failures" = 0 ]
