#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Archives are made once, whatever happens: with --resume, processes that are killed at any moment lose no group, double
# none, and leave no archive half-written.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
KILLS=$(cases "$KILLS" $(((KILLS + 2) / 3)))

mkdir in
for i in $(seq -w 36); do
    picture $((30 + 1$i % 17)) $((70 - 1$i % 23)) >p.ppm
    "$KOSTKA" encode p.ppm "in/$i.jpg" || fail 'cannot encode'
    echo "$i" >"in/$i.cls"
done
find in -type f -printf '%f\n' | sort >names
head -n 40 names >first
tail -n +41 names >second
tar -c -f one.tar -C in -T first
tar -c -f two.tar -C in -T second
gzip two.tar

# run PLACE WORD…: one call, in place of the shell
run() {
    place=$1
    shift
    exec "$KOSTKA" convert one.tar two.tar.gz -o "$place/%03d.tar" --out-format jp2 --ratio 10 --max-count 5 --threads 2 --manifest "$place.m" "$@"
}
# contents PLACE: the members of all archives with their checksums
contents() {
    for archive in "$1"/*.tar; do
        mkdir x
        tar -x -f "$archive" -C x || fail "$archive is damaged"
        (cd x && cksum ./*)
        rm -r x
    done | sort
}
(run whole) || fail 'cannot convert'
contents whole >wanted
equals "$(wc -l <wanted)" 72 'members'
equals "$(find whole -name '*.tar' | wc -l)" 8 'archives'
(run whole --resume) || fail 'cannot resume what is done'
equals "$(wc -l <whole.m)" 36 'lines'

# check: each group is in one archive, and each has one line that is believed
check() {
    contents made >found
    same found wanted
    equals "$(find made -name '.*' -type f)" ''
    grep -o '"key":"[^"]*"' made.m | sort -u | wc -l >count
    equals "$(cat count)" 36 'groups in the manifest'
}

# The scale of the moments follows what happens, as other work may make calls faster or slower than the first one: it grows
# with each call that was killed and shrinks with each that ended by itself, which settles where two of three are killed.
start=$(date +%s%N)
(run timed)
duration=$((($(date +%s%N) - start) / 1000000))
killed=0 rounds=0 seed=5
while [ "$killed" -lt "$KILLS" ] && [ "$rounds" -lt 100 ]; do
    seed=$(((seed * 1103 + 12345) % 65536))
    run made --resume 2>err &
    pid=$!
    sleep "$(awk -v d=$duration -v s=$seed 'BEGIN { printf "%.3f", d * 0.9 * s / 65536 / 1000 }')"
    kill -s KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    if [ $code = 137 ]; then
        killed=$((killed + 1))
        duration=$((duration * 21 / 20 + 1))
        # What has its name is whole.
        for archive in made/*.tar; do
            [ ! -e "$archive" ] || tar -t -f "$archive" >list || fail "$archive is half-written"
        done
    else
        equals $code 0 'exit status of a call that was not killed'
        check
        rounds=$((rounds + 1))
        duration=$((duration * 9 / 10 + 1))
        rm -rf made made.m
    fi
done
[ "$killed" -ge "$KILLS" ] || fail "only $killed calls were killed"
(run made --resume) || fail 'the last call failed'
check
echo "$killed calls were killed, $rounds rounds were completed meanwhile"

# Lines that were cut short leave an archive that is not believed; one that is missing, or has another length, is made
# again, and the others stay.
rm -rf made made.m
cp -r whole made
sed 's,whole/,made/,g' whole.m >made.m
head -c -150 made.m >short
mv short made.m
(run made --resume) || fail 'cannot resume behind a torn line'
check
rm made/002.tar
stat -c '%n %i' made/*.tar >before
(run made --resume) || fail 'cannot make an archive again'
check
stat -c '%n %i' made/*.tar | grep -v '/002\.tar ' >after
same after before
echo >>made/004.tar
(run made --resume) || fail 'cannot replace an archive'
check
# Another folder, or files instead of archives, is other work.
expect 0 "$KOSTKA" convert one.tar two.tar.gz -o "made/other-%03d.tar" --out-format jp2 --ratio 10 --manifest made.m --resume
[ -s made/other-000.tar ] || fail 'another pattern was taken for the same'
rm made/other-*
expect 0 "$KOSTKA" convert one.tar two.tar.gz --out-dir files --out-format jp2 --ratio 10 --manifest files.m
(cd files && cksum ./* | sort) >found
same found wanted
rm files/05.jp2 files/20.cls
expect 0 "$KOSTKA" convert one.tar two.tar.gz --out-dir files --out-format jp2 --ratio 10 --manifest files.m --resume
equals "$(wc -l <files.m)" 38
(cd files && cksum ./* | sort) >found
same found wanted

# A signal ends the work with whole archives, and what is left follows.
"$KOSTKA" convert one.tar two.tar.gz -o stopped/%03d.tar --out-format jp2 --max-count 2 --threads 1 --manifest stopped.m 2>err &
pid=$!
for _ in $(seq 400); do
    [ ! -s stopped.m ] || break
    sleep 0.01
done
kill -s TERM $pid
wait $pid
code=$?
[ $code = 4 ] || [ $code = 0 ] || fail "exit status $code after SIGTERM"
[ $code = 0 ] || says 'interrupted, can be resumed'
for archive in stopped/*.tar; do tar -t -f "$archive" >list || fail "$archive is half-written"; done
expect 0 "$KOSTKA" convert one.tar two.tar.gz -o stopped/%03d.tar --out-format jp2 --max-count 2 --threads 1 --manifest stopped.m --resume
for archive in stopped/*.tar; do tar -t -f "$archive"; done | sort >found
sed 's/jpg/jp2/' first second | sort >names
same found names

# Shares with one manifest: archives of their own names.
for i in 0 1 2; do
    expect 0 "$KOSTKA" convert one.tar two.tar.gz -o shares/%03d.tar --out-format jp2 --ratio 10 --manifest shares.m --shard $i/3 --max-count 4
done
contents shares >found
same found wanted
for i in 0 1 2; do
    expect 0 "$KOSTKA" convert one.tar two.tar.gz -o shares/%03d.tar --out-format jp2 --ratio 10 --manifest shares.m --shard $i/3 --max-count 4 --resume
done
equals "$(wc -l <shares.m)" 36
finish
