#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Outputs appear whole or not at all.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

picture 64 48 >a.ppm
"$KOSTKA" encode a.ppm a.jpg || fail 'cannot encode'
"$KOSTKA" decode a.jpg a.png || fail 'cannot decode'

# Each verb that writes: a folder that is not there, a folder in place of a file, a file that cannot be had.
for call in 'decode a.jpg ppm' 'encode a.ppm jpg' 'transcode a.jpg jpg' 'convert a.ppm png' 'convert a.ppm tif'; do
    # shellcheck disable=SC2086 # words
    set -- $call
    mkdir -p "place/taken.$3"
    expect 1 "$KOSTKA" "$1" "$2" "missing/new.$3"
    says 'missing/new\|cannot create\|a\.'
    expect 2 "$KOSTKA" "$1" "$2" "place/taken.$3"
    says 'is a folder'
    expect 1 "$KOSTKA" "$1" "not-there.$3" "place/new.$3"
    says 'No such file'
    (cd place && only "taken.$3") || failures=$((failures + 1))
    rmdir "place/taken.$3"
done

if [ -w /dev/full ]; then
    for call in 'decode a.jpg ppm' 'decode a.jpg png' 'encode a.ppm jpeg' 'transcode a.jpg jpeg' 'convert a.ppm tiff'; do
        # shellcheck disable=SC2086 # words
        set -- $call
        expect 1 "$KOSTKA" "$1" "$2" /dev/full --out-format "$3"
        says 'No space left'
        "$KOSTKA" "$1" "$2" - --out-format "$3" >/dev/full 2>err && fail "$call to a full device succeeded"
        says 'No space left'
    done
    for call in 'info a.jpg' 'info --json a.jpg' 'devices' 'devices --json' 'compare a.png a.png' 'help' '--version'; do
        # shellcheck disable=SC2086 # words
        "$KOSTKA" $call >/dev/full 2>err
        equals $? 1 "$call to a full device"
        says 'No space left'
    done
fi
expect 0 "$KOSTKA" decode a.jpg /dev/null --out-format ppm
[ -c /dev/null ] || fail '/dev/null has been replaced'

# The old file stays until the new one is complete, which keeps its permissions; links stay links.
cp a.jpg keep.jpg
head -c 100 a.jpg >cut.jpg
expect 1 "$KOSTKA" transcode cut.jpg keep.jpg
same keep.jpg a.jpg
chmod 640 keep.jpg
ln -s keep.jpg link.jpg
expect 0 "$KOSTKA" transcode --progressive a.jpg link.jpg
[ -h link.jpg ] || fail 'the link was replaced'
equals "$(stat -c %a keep.jpg)" 640
equals "$("$KOSTKA" info --json keep.jpg | json 0 process)" progressive
expect 0 "$KOSTKA" transcode --optimize keep.jpg keep.jpg
equals "$("$KOSTKA" info --json keep.jpg | json 0 process)" baseline
(umask 027 && "$KOSTKA" decode a.jpg masked.ppm)
equals "$(stat -c %a masked.ppm)" 640

if [ "$(id -u)" != 0 ]; then
    mkdir closed
    chmod 500 closed
    expect 1 "$KOSTKA" decode a.jpg closed/new.ppm
    says 'Permission denied'
    chmod 700 closed
    (cd closed && only) || failures=$((failures + 1))
    cp a.jpg fixed.jpg
    chmod 444 fixed.jpg
    expect 1 "$KOSTKA" transcode --grey a.jpg fixed.jpg
    same fixed.jpg a.jpg
fi

# A file larger than allowed: the limit is met in the middle of writing. The shell's unit is 512 bytes.
mkdir limited
(
    ulimit -f 4
    "$KOSTKA" decode a.jpg limited/new.ppm 2>err
    equals $? 1 'file size limit'
    exit "$failures"
) || fail 'the file size limit was not noticed'
says 'cannot write limited/new.ppm: File too large'
equals "$(find limited -type f)" '' 'left behind after a failed write'

# A link to a file that is not there yet stays, and the file is made where it leads, by a temporary file beside that.
mkdir here there
ln -s ../there/new.jpg here/first.jpg
ln -s first.jpg here/second.jpg
expect 0 "$KOSTKA" transcode a.jpg here/second.jpg
equals "$(readlink here/first.jpg) $(readlink here/second.jpg)" '../there/new.jpg first.jpg' links
"$KOSTKA" transcode a.jpg plain.jpg
same there/new.jpg plain.jpg
ln -s ../missing/new.jpg here/nowhere.jpg
expect 1 "$KOSTKA" transcode a.jpg here/nowhere.jpg
says 'cannot create .*missing/new.jpg: No such file'
ln -s circle.jpg here/circle.jpg
expect 1 "$KOSTKA" transcode a.jpg here/circle.jpg
says 'cannot create here/circle.jpg: Too many levels of symbolic links'

# A new file has the permissions that the mask allows; one that replaces another has those of the old one, but never a
# set-user-ID or set-group-ID bit.
(umask 0 && "$KOSTKA" transcode a.jpg open.jpg)
equals "$(stat -c %a open.jpg)" 666
chmod 6755 open.jpg
expect 0 "$KOSTKA" transcode a.jpg open.jpg
equals "$(stat -c %a open.jpg)" 755

# A terminal gets no picture.
if has_terminals; then
    script -qec "'$KOSTKA' decode a.jpg -" /dev/null >out 2>&1 </dev/null && fail 'a picture went to the terminal'
    prints 'standard output is a terminal'
    [ "$(wc -c <out)" -lt 300 ] || fail "the terminal got $(wc -c <out) bytes"
    script -qec "'$KOSTKA' encode a.ppm /dev/tty" /dev/null >out 2>&1 </dev/null && fail 'a picture went to /dev/tty'
    prints '/dev/tty is a terminal'
    script -qec "'$KOSTKA' decode a.jpg - | wc -c" /dev/null >out 2>&1 </dev/null
    prints 9229
fi

# start_writing FOLDER: a process whose temporary file is seen there, and which waits for the rest of its picture, that
# nobody writes to the pipe, open as descriptor 4
mkfifo half
start_writing() {
    # Background commands of a shell ignore SIGINT unless they ask for it.
    (umask 0 && exec env --default-signal=INT,HUP,TERM,QUIT "$KOSTKA" encode half "$1/half.jpg") 2>err &
    pid=$!
    exec 4>half
    { printf 'P5 300 240 255\n' && head -c 30000 /dev/zero; } >&4
    tries=0
    while [ -z "$(find "$1" -name '.kostka-*')" ] && [ $tries -lt 6000 ]; do
        tries=$((tries + 1))
        sleep 0.01
    done
    [ -n "$(find "$1" -name '.kostka-*')" ] || fail 'there is no temporary file'
}

# Interrupted while it writes, it takes its temporary file away.
mkdir interrupted
for signal in TERM INT HUP QUIT; do
    env --default-signal=INT,HUP,TERM true 2>/dev/null || break
    start_writing interrupted
    kill -s $signal $pid
    wait $pid
    code=$?
    exec 4>&-
    [ $code -gt 128 ] || fail "exit status $code after $signal"
    equals "$(find interrupted -type f)" '' "left behind after $signal"
done

# Nobody else may read or write a temporary file. One of a process that was killed is removed by the next run that writes
# there, but not those of a process that works, of another host or user, those that are locked, and those that are others'.
mkdir killed
start_writing killed
kill -s STOP $pid
made=$(cd killed && echo .kostka-*)
equals "$(stat -c %a "killed/$made")" 600 'permissions of a temporary file'
expect 0 "$KOSTKA" transcode a.jpg killed/a.jpg
[ -e "killed/$made" ] || fail 'the temporary file of a process that works was removed'
kill -s KILL $pid
wait $pid 2>/dev/null
exec 4>&-
[ -e "killed/$made" ] || fail 'a process that was killed has left nothing'
host=${made#.kostka-}
host=${host%%-*}
other=$(printf '%08x' $((0x$host ^ 1)))
gone=$(sh -c 'echo $$')
: >"killed/.kostka-$host-$gone-0.tmp"
: >"killed/.kostka-$other-$gone-0.tmp"
: >"killed/.kostka-$host-$$-0.tmp"
: >"killed/.kostka-$host-$gone-01.tmp"
: >"killed/.kostka-$host-$gone-5.tmp"
: >"killed/.kostka-notes.tmp"
ln -s a.jpg "killed/.kostka-$host-$gone-2.tmp"
mkdir "killed/.kostka-$host-$gone-3.tmp"
kept=".kostka-$other-$gone-0.tmp .kostka-$host-$$-0.tmp .kostka-$host-$gone-01.tmp .kostka-notes.tmp
    .kostka-$host-$gone-2.tmp .kostka-$host-$gone-3.tmp .kostka-$host-$gone-5.tmp"
if [ "$(id -u)" = 0 ]; then
    : >"killed/.kostka-$host-$gone-4.tmp"
    chown 12345 "killed/.kostka-$host-$gone-4.tmp"
    kept="$kept .kostka-$host-$gone-4.tmp"
fi
flock "killed/.kostka-$host-$gone-5.tmp" "$KOSTKA" transcode a.jpg killed/a.jpg || fail 'cannot transcode'
# shellcheck disable=SC2086 # words
(cd killed && only a.jpg $kept) || failures=$((failures + 1))

# One whose parent does not wait for it has ended, too. It ends once the parent is another program: a shell might wait for it.
# shellcheck disable=SC2016 # expanded by that shell
sh -c 'until grep -q sleep /proc/$$/comm; do sleep 0.01; done & echo $! >zombie; exec sleep 600' &
keeper=$!
tries=0
until [ -s zombie ] && grep -q ') Z' "/proc/$(cat zombie)/stat" || [ $tries -ge 600 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
[ $tries -lt 600 ] || fail 'no process has ended that nobody waits for'
left="killed/.kostka-$host-$(cat zombie)-0.tmp"
: >"$left"
expect 0 "$KOSTKA" transcode a.jpg killed/a.jpg
[ ! -e "$left" ] || fail 'the temporary file of a process that has ended is left'
kill $keeper
rm -rf killed
equals "$(find . -name '.kostka-*')" '' 'temporary files left'
finish
