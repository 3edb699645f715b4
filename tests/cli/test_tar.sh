#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Archives of groups: pictures in them are converted, and what belongs to them goes along; hostile archives do no harm.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

mkdir -p in/b
for i in 1 2 3 4 5 6 7; do
    picture $((i * 11)) $((i * 7)) >p.ppm
    place=in
    [ $((i % 3)) != 0 ] || place=in/b
    "$KOSTKA" encode p.ppm $place/000$i.jpg || fail 'cannot encode'
    echo "$i" >$place/000$i.cls
    echo "{\"number\": $i}" >$place/000$i.json
done
# pack ARCHIVE WORD…: an archive of what is in the folder "in"
pack() {
    archive=$PWD/$1
    shift
    tar -c -f "$archive" --sort=name --owner=7 --mtime=@1 -C in "$@" || fail "cannot make $archive"
}
pack in.tar 0001.cls 0001.jpg 0001.json 0002.cls 0002.jpg 0002.json b 0004.cls 0004.jpg 0004.json 0005.cls 0005.jpg 0005.json 0007.cls 0007.jpg 0007.json

# members ARCHIVE: their names
members() {
    tar -t -f "$1" | tr '\n' ' '
}

# Into an archive: the order stays, extensions change, siblings are the same bytes, and all of it is the same each time.
expect 0 "$KOSTKA" convert in.tar -o made.tar --out-format jp2
silent
equals "$(cat err)" ''
equals "$(members made.tar)" "$(members in.tar | sed 's,b/ ,,; s/jpg/jp2/g')"
mkdir x
tar -x -f made.tar -C x
for name in 0001 0002 b/0003 0004 0005 b/0006 0007; do
    "$KOSTKA" convert in/$name.jpg one.jp2
    same x/$name.jp2 one.jp2
    same x/$name.json in/$name.json
    same x/$name.cls in/$name.cls
done
for threads in 1 3 16; do
    expect 0 "$KOSTKA" convert in.tar again.tar --out-format jp2 --threads $threads
    same made.tar again.tar
done
equals "$(tar -t -v -f made.tar | awk '{ print $1, $2, $4 }' | sort -u)" '-rw-r--r-- 0/0 1970-01-01'

# Other verbs, compressed archives, standard input, pipes that come in pieces.
expect 0 "$KOSTKA" decode in.tar -o pixels.tar
equals "$(members pixels.tar)" "$(members in.tar | sed 's,b/ ,,; s/jpg/ppm/g')"
expect 0 "$KOSTKA" encode pixels.tar -o coded.tar --progressive
equals "$(members coded.tar)" "$(members in.tar | sed 's,b/ ,,')"
expect 0 "$KOSTKA" transcode in.tar -o small.tar --optimize
expect 0 "$KOSTKA" transcode in.tar --out-dir folder --optimize
mkdir s
tar -x -f small.tar -C s
[ -z "$(diff -r s folder)" ] || fail "archive and folder differ: $(diff -r s folder)"
for way in 'gzip -c' 'bzip2 -c' 'xz -c' 'zstd -q -c'; do
    command -v "${way%% *}" >/dev/null || continue
    $way in.tar >packed
    expect 0 "$KOSTKA" transcode - -o small2.tar --optimize <packed
    same small.tar small2.tar
done
gzip -c in.tar >in.tgz
expect 0 "$KOSTKA" transcode in.tgz small2.tar --optimize
same small.tar small2.tar
{ head -c 100 in.tar && sleep 0.2 && tail -c +101 in.tar; } | (expect 0 "$KOSTKA" transcode --out-dir piped --optimize - && exit "$failures") ||
    failures=$((failures + 1))
[ -z "$(diff -r piped folder)" ] || fail "a pipe makes something else: $(diff -r piped folder)"
expect 0 "$KOSTKA" decode --out-dir picture - <in/0001.jpg
(cd picture && only stdin.ppm) || failures=$((failures + 1))
expect 0 "$KOSTKA" decode in.tar --format planar --out-format pgm -o planes.tar
tar -t -f planes.tar | grep -q '^0001-2.pgm$' || fail 'no plane 2'

# Files become groups; archives and files may be mixed.
expect 0 "$KOSTKA" encode in/0001.jpg in.tar in/b -o mixed-%d.tar --out-format j2k
equals "$(ls mixed-*)" "$(printf 'mixed-0.tar\nmixed-1.tar')" # the second 0001 begins another archive
equals "$(members mixed-0.tar)" '0001.j2k '
expect 0 "$KOSTKA" transcode --recursive in -o files.tar
equals "$(members files.tar)" '0001.jpg 0002.jpg 0004.jpg 0005.jpg 0007.jpg b/0003.jpg b/0006.jpg '

# Several archives, by count and by size; names.
expect 0 "$KOSTKA" transcode in.tar -o parts/out-%04d.tar --max-count 3
(cd parts && only out-0000.tar out-0001.tar out-0002.tar) || failures=$((failures + 1))
equals "$(members parts/out-0002.tar)" '0007.cls 0007.jpg 0007.json '
expect 0 "$KOSTKA" transcode in.tar -o 'sized%%%d.tar' --max-size 16K
for archive in sized%*.tar; do between "$(wc -c <"$archive")" 1 20480 "bytes of $archive"; done
between "$(find . -maxdepth 1 -name 'sized%*.tar' | wc -l)" 2 7 'archives by size'
for name in a%s.tar a%d%d.tar a%.tar a%999d.tar; do
    expect 2 "$KOSTKA" transcode in.tar -o "$name"
done
expect 2 "$KOSTKA" transcode in.tar -o 'a%d/b.tar'
says 'the number belongs into the name of the archive'
expect 2 "$KOSTKA" transcode in.tar -o one.tar --max-count 2
says 'make several archives: write a name such as out-%06d.tar'
expect 2 "$KOSTKA" transcode in.tar --out-dir none --max-size 2M
says -- '--max-size: it is for archives'
expect 2 "$KOSTKA" convert in.tar -o one.tar
says "the output's format is not known; add --out-format"
expect 2 "$KOSTKA" transcode in.tar -o one.tar --out-dir two
expect 1 "$KOSTKA" transcode in.tar -o in.tar
says 'in.tar would replace in.tar, which is an input'

# Shares of groups: each has its own, with archives of its own, and all of them together have each once.
for i in 0 1 2; do
    expect 0 "$KOSTKA" transcode in.tar -o share-%02d.tar --shard $i/3 --max-count 1
done
for archive in share-*.tar; do tar -t -f "$archive"; done | sort >found
tar -t -f in.tar | grep -v '/$' | sort >wanted
same found wanted
expect 2 "$KOSTKA" transcode in.tar -o share.tar --shard 0/3
says 'each shard makes archives of its own'

# Members that are refused, each for its reason; the others are made. Nothing leaves the folder.
mkdir evil evil/in
cp in/0001.jpg in/0002.jpg in/0004.jpg evil/in
(
    cd evil/in || exit 1
    ln -s 0001.jpg link.jpg
    ln 0002.jpg hard.jpg
    mkfifo pipe.jpg
    cp 0001.jpg up.jpg
    cp 0001.jpg root.jpg
    echo text >bad.jpg
    truncate -s 3G sparse.jpg
    : >empty.jpg
    tar -c -f ../evil.tar 0001.jpg link.jpg pipe.jpg 0002.jpg hard.jpg bad.jpg empty.jpg
    tar -r -f ../evil.tar -S sparse.jpg
    tar -r -f ../evil.tar -P --transform 's,up,../../escaped,' up.jpg
    tar -r -f ../evil.tar -P --transform "s,root,$work/rooted," root.jpg
    tar -r -f ../evil.tar -P --transform 's,root,x/../../escaped,' root.jpg
    tar -r -f ../evil.tar 0004.jpg
)
mkdir -p jail/deep
for place in '--out-dir jail/deep/out' '-o jail/deep/out.tar'; do
    # shellcheck disable=SC2086 # two words
    expect 1 "$KOSTKA" transcode evil/evil.tar $place
    says 'evil.tar:link.jpg: is no file but a symbolic link'
    says 'evil.tar:pipe.jpg: is no file but a pipe'
    says 'evil.tar:hard.jpg: is no file but a hard link'
    says 'evil.tar:bad.jpg: '
    says 'evil.tar:empty.jpg: '
    says 'evil.tar:sparse.jpg: is a sparse file'
    says "evil.tar:../../escaped.jpg: its name has '..' in it"
    says "evil.tar:$work/rooted.jpg: its name begins with '/'"
    says "evil.tar:x/../../escaped.jpg: its name has '..' in it"
    equals "$(wc -l <err)" 9 'lines of complaint'
done
(cd jail/deep/out && only 0001.jpg 0002.jpg 0004.jpg) || failures=$((failures + 1))
equals "$(members jail/deep/out.tar)" '0001.jpg 0002.jpg 0004.jpg '
equals "$(find . -name 'escaped*' -o -path ./rooted.jpg)" '' 'written outside'

for verb in 'encode --out-format jp2' 'convert --out-format jpeg' 'decode'; do
    # shellcheck disable=SC2086 # a list of words
    expect 1 "$KOSTKA" $verb evil/evil.tar -o jail/deep/out.tar
    equals "$(wc -l <err)" 9 'lines of complaint'
    says 'evil.tar:empty.jpg: '
done

# A group that has no picture any more is left out with all that belongs to it.
cp in/0002.json evil/in/bad.json
tar -c -f evil/pair.tar -C evil/in 0001.jpg bad.jpg bad.json 0002.jpg
expect 1 "$KOSTKA" transcode evil/pair.tar -o pair.tar
equals "$(members pair.tar)" '0001.jpg 0002.jpg '

# Equal names: in one archive the first is kept; of several archives each may have them, in archives of their own.
cp in.tar twice.tar
tar -r -f twice.tar -C in 0001.jpg
expect 1 "$KOSTKA" transcode twice.tar -o twice-%d.tar
says 'twice.tar:0001.jpg: has the key of an earlier group'
expect 1 "$KOSTKA" transcode twice.tar --out-dir twice
says 'twice.tar:0001.jpg: would become twice/0001.jpg, which twice.tar:0001.* has become'
expect 0 "$KOSTKA" transcode in.tar in.tgz -o both-%d.tar
same both-0.tar both-1.tar
expect 1 "$KOSTKA" transcode in.tar in.tgz -o both.tar
cp in/0001.jpg in/0001.other.jpg
pack names.tar 0001.jpg 0001.other.jpg 0001.json
expect 0 "$KOSTKA" decode names.tar -o names-made.tar
equals "$(members names-made.tar)" '0001.ppm 0001.other.ppm 0001.json '
"$KOSTKA" transcode in/0001.jpg in/0001.jpeg
pack names.tar 0001.jpg 0001.jpeg
expect 1 "$KOSTKA" decode names.tar -o names-made.tar
says 'two members of the group would have one name'

# Archives that end too soon, are none, or are missing: what is before the damage is made.
size=$(wc -c <in.tar)
for cut in 200 700 $((size / 3)) $((size / 2)) $((size - 12000)); do
    head -c "$cut" in.tar >cut.tar
    expect 1 "$KOSTKA" transcode cut.tar -o cut-made.tar
    says '^kostka: cut.tar: the archive'
    [ ! -e cut-made.tar ] || tar -t -f cut-made.tar >found || fail "an archive of $cut bytes makes a damaged one"
    rm -f cut-made.tar
done
head -c $(($(wc -c <in.tgz) / 2)) in.tgz >cut.tgz
expect 1 "$KOSTKA" transcode cut.tgz in.tar -o cut-%d.tar
says '^kostka: cut.tgz: the archive'
head -c 5000 /dev/zero | tr '\0' x >junk.tar
: >empty.tar
expect 1 "$KOSTKA" transcode junk.tar empty.tar missing.tar in --out-dir junk
says '^kostka: junk.tar: the archive is damaged: Unrecognized archive format'
says '^kostka: missing.tar: No such file'
[ -s junk/0001.jpg ] || fail 'the others were not made'
mkdir folder.tar
expect 1 "$KOSTKA" transcode folder.tar --out-dir junk
says 'folder.tar: no JPEG or JPEG 2000 file in this folder'

# Bombs: members beyond the limit, and archives that expand without end, take neither memory nor time.
head -c 9000000 /dev/zero >evil/in/large.jpg
tar -c -f evil/large.tar -C evil/in large.jpg 0001.jpg
gzip -c evil/large.tar >evil/large.tgz
expect 1 "$KOSTKA" transcode evil/large.tar -o large.tar --max-memory 8M
says 'large.tar:large.jpg: 9000000 bytes are more than the memory limit of 8388608'
equals "$(members large.tar)" '0001.jpg '
expect 1 "$KOSTKA" transcode evil/large.tgz -o large.tar --max-memory 8M
says 'large.tgz: large.jpg: 9000000 bytes are more than the memory limit'
if command -v zstd >/dev/null; then
    truncate -s 700M evil/in/bomb.bin
    tar -c -f - -C evil/in 0001.jpg bomb.bin 0002.jpg | zstd -q -1 >evil/bomb.tar.zst
    limit=6000000000
    [ -z "${KOSTKA_SANITIZED:-}" ] || limit=unlimited
    expect 1 within 20 prlimit --as=$limit "$KOSTKA" transcode evil/bomb.tar.zst --out-dir bomb
    rm -f evil/in/bomb.bin
    grep -q 'the archive expands to more than 500 times its bytes' err || fail "no word of the bomb: $(cat err)"
    (cd bomb && only 0001.jpg) || failures=$((failures + 1))
fi
(
    cd evil/in || exit 1
    seq 1200 | while read -r i; do cp 0001.jpg "many.$i.jpg"; done
    tar -c -f ../many.tar many.*
    rm many.*
)
expect 1 "$KOSTKA" transcode evil/many.tar -o many.tar
says 'there are more than 1000 members of one key'

# A full disk: no archive appears, and each group is said to have failed. The unit is 512 bytes.
(
    ulimit -f 12
    expect 1 "$KOSTKA" transcode in.tar -o full-%d.tar
    says 'File too large'
    exit "$failures"
) || failures=$((failures + 1))
[ ! -e full-0.tar ] || fail 'an archive is there that could not be written'
equals "$(find . -name '.kostka-*')" ''

# A folder for outputs that vanishes before the first group is there: each group fails; folders for files are made again.
# vanishing FOLDER: the archive, whose second part comes after the folder for outputs has gone
vanishing() {
    head -c 512 in.tar
    until [ -d "$1" ]; do sleep 0.02; done
    rm -r "$1"
    tail -c +513 in.tar
}
vanishing nest | (expect 1 "$KOSTKA" transcode - -o nest/out.tar && exit "$failures") || failures=$((failures + 1))
equals "$(grep -c 'cannot create nest/out.tar: No such file or directory' err)" 7 'groups that failed'
equals "$(wc -l <err)" 7 'lines of complaint'
[ ! -e nest ] || fail 'the folder is there again'
vanishing nest | (expect 0 "$KOSTKA" transcode - --out-dir nest && exit "$failures") || failures=$((failures + 1))
equals "$(find nest -type f | wc -l)" 21
cp in/0001.jpg lost.jpg
printf 'lost.jpg\nin/0002.jpg\n' >list
rm lost.jpg
expect 1 "$KOSTKA" transcode --files-from list -o listed.tar
says '^kostka: lost.jpg: No such file'
equals "$(members listed.tar)" '0002.jpg '
finish
