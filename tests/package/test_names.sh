#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A name's prefix is its folder's word, and no two structures have one name; see docs/glossary.md.
set -u
cd "$KOSTKA_SOURCE" || exit 1
failed=0
public=$(grep -hoE 'kst_[a-z0-9_]+\(' include/kostka/*.h | sort -u)
# word FOLDER: sets "own" to what the names of a folder begin with; to nothing where only the other folders' words are barred.
word() {
    case $1/ in
    src/jpeg/gpu/*) own=jpeg_gpu_ ;;
    src/jpeg/*) own=jpeg_ ;;
    src/j2k/gpu/*) own=j2k_gpu_ ;;
    src/j2k/*) own=j2k_ ;;
    src/resize/*) own=resize_ ;;
    src/filters/*) own=filter ;; # and kst_filter, the API's
    src/gl/*) own=gl ;; # and kst_gl, the API's
    src/device/cuda/*) own=cu ;; # the driver's own structures begin with cu_
    src/device/opencl/*) own=opencl ;;
    src/device/*) own=gpu ;;
    *) own= ;;
    esac
}
# function_word FOLDER: sets "begin" to what the names of a folder's functions begin with, where that is more than its structures' word.
function_word() {
    begin=
    case $1/ in
    src/jpeg/cpu/* | src/jpeg/run/* | src/j2k/cpu/* | src/j2k/run/*)
        begin=${1#src/}
        stage=${begin#*/}
        begin=${begin%%/*}_${stage%%/*}_
        ;;
    esac
}
# refused FOLDER NAME: whether the name, without kst_, is not one of the folder's.
refused() {
    word "$1"
    case $2 in
    jpeg_gpu_* | j2k_gpu_*) [ "${2%%_gpu_*}_gpu_" != "$own" ] ;;
    "${own:-none}"*) return 1 ;;
    jpeg_* | j2k_* | gpu_* | gl_* | cuda_* | opencl_*) return 0 ;;
    *) [ -n "$own" ] ;;
    esac
}
complain() {
    echo "$1"
    failed=1
}
# Functions with external linkage, by their definitions.
found=$(grep -rnE '^[a-z].*\bkst_[a-z0-9_]+\(' src --include='*.c' | grep -vE ':(static|extern|return|INIT) ' |
    sed -E 's#^(src[^:]*)/[^/:]*:[0-9]+:[^(]*\bkst_([a-z0-9_]+)\(.*#\1 \2#' | sort -u)
while read -r folder name; do
    case $public in *"kst_$name("*) continue ;; esac
    refused "$folder" "$name" && complain "$folder has kst_$name()"
    function_word "$folder"
    case $name in
    "$begin"*) ;;
    *) complain "$folder has kst_$name()" ;;
    esac
    case $name in
    jpeg_cpu_* | jpeg_run_* | j2k_cpu_* | j2k_run_*)
        [ -n "$begin" ] || complain "$folder has kst_$name()"
        ;;
    esac
done <<EOF
$found
EOF
# Structures of headers, but for those that only kernels see.
found=$(grep -rnE '^(struct|union|enum) [a-z0-9_]+ \{' src --include='*.h' |
    sed -E 's#^(src[^:]*)/([^/:]*):[0-9]+:[a-z]+ ([a-z0-9_]+) .*#\1 \2 \3#')
while read -r folder file name; do
    case $folder/$file in
    src/*/kernels/*work.h) ;;
    src/kernels/* | src/*/kernels/* | src/*_template.h) continue ;;
    esac
    refused "$folder" "${name#kst_}" && complain "$folder/$file has struct $name"
done <<EOF
$found
EOF
# Structures of one name. Variants of a file for tiers, which no file sees both of, may have the same.
twice=$(grep -rhE '^struct [a-z0-9_]+ \{' src | sort | uniq -d | cut -d' ' -f2)
for name in $twice; do
    files=$(grep -rlE "^struct $name \\{" src)
    [ "$(echo "$files" | sed -E 's/(_?(sse2|avx2|avx512|neon))?\.[ch]$//' | sort -u | wc -l)" -eq 1 ] && continue
    complain "struct $name is defined in" "$(echo "$files" | tr '\n' ' ')"
    echo "$files"
done
exit "$failed"
