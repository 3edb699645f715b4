#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Archives that lie in folders: a recursive walk takes their pictures as those of a folder of the archive's name.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

mkdir -p in/sub pack/b text
for i in 1 2 3; do
    picture $((i * 11)) $((i * 7)) >p.ppm
    "$KOSTKA" encode p.ppm pack/000$i.jpg || fail 'cannot encode'
    echo "$i" >pack/000$i.cls
done
cp pack/0001.jpg in/own.jpg
cp pack/0002.jpg pack/b/0002.jpg
echo text >text/readme.txt
tar -c -f in/a.tar -C pack 0001.cls 0001.jpg 0002.cls 0002.jpg b
tar -c -z -f in/sub/a.tgz -C pack 0001.cls 0001.jpg 0003.jpg
tar -c -f in/sub/text.tar -C text readme.txt
tar -c -f in/.hidden.tar -C pack 0001.jpg

# Without --recursive archives are left alone, like folders.
expect 0 "$KOSTKA" transcode in --out-dir flat --optimize
equals "$(cd flat && find . -type f | sort | tr '\n' ' ')" './own.jpg '

# The option brings their pictures along, and what belongs to these; groups without a picture stay away.
expect 0 "$KOSTKA" transcode --recursive in --out-dir made --optimize --manifest made.jsonl
silent
equals "$(cd made && find . -type f | LC_ALL=C sort | tr '\n' ' ')" \
    './a.tar/0001.cls ./a.tar/0001.jpg ./a.tar/0002.cls ./a.tar/0002.jpg ./a.tar/b/0002.jpg ./own.jpg ./sub/a.tgz/0001.cls ./sub/a.tgz/0001.jpg ./sub/a.tgz/0003.jpg '
for name in 0001 0002; do
    expect 0 "$KOSTKA" transcode --optimize pack/$name.jpg one.jpg
    same one.jpg made/a.tar/$name.jpg
    same pack/$name.cls made/a.tar/$name.cls
done
equals "$(grep -c '"key"' made.jsonl)" 5 'groups in the manifest'
mv made whole
expect 0 "$KOSTKA" transcode --recursive in --out-dir made --optimize --manifest again.jsonl
rm -r made/sub made/a.tar/0002.jpg
expect 0 "$KOSTKA" transcode --recursive in --out-dir made --optimize --manifest again.jsonl --resume -v
[ -z "$(diff -r whole made)" ] || fail "resumed: $(diff -r whole made)"
equals "$(sed -n 's/^done before  *//p' err)" 3 'done before'
rm -r made
for i in 0 1 2; do expect 0 "$KOSTKA" transcode --recursive in --out-dir made --optimize --shard $i/3; done
[ -z "$(diff -r whole made)" ] || fail "shares: $(diff -r whole made)"

# Into an archive, which is no input of a later call even if it lies in the folder.
for i in 1 2; do
    expect 0 "$KOSTKA" transcode --recursive in -o in/out-%02d.tar --optimize --threads $i
    tar -t -f in/out-00.tar | LC_ALL=C sort | tr '\n' ' ' >names.$i
done
equals "$(cat names.1)" 'a.tar/0001.cls a.tar/0001.jpg a.tar/0002.cls a.tar/0002.jpg a.tar/b/0002.jpg own.jpg sub/a.tgz/0001.cls sub/a.tgz/0001.jpg sub/a.tgz/0003.jpg '
same names.1 names.2
equals "$(find in -name 'out-*')" in/out-00.tar
rm in/out-00.tar

# A broken archive is one failure, with its name; what precedes the damage is taken.
head -c 2500 in/a.tar >in/cut.tar
echo junk >in/junk.tar
head -c 90 pack/0001.jpg >pack/0001.cut.jpg
tar -c -f in/bad.tar -C pack 0001.cut.jpg 0003.jpg
expect 1 "$KOSTKA" transcode --recursive in --out-dir mixed --optimize -v
says 'in/junk.tar: '
says 'in/cut.tar: '
says 'in/bad.tar/0001.cut.jpg: '
equals "$(sed -n 's/^inputs that failed  *//p' err)" 3 'failures'
[ -e mixed/bad.tar/0003.jpg ] || fail 'the good picture of bad.tar is missing'
[ ! -e mixed/junk.tar ] || fail 'a folder for what cannot be read'
cp mixed/own.jpg first.jpg
same first.jpg whole/own.jpg
finish
