# SPDX-License-Identifier: BSD-2-Clause
# Reads what ctest --output-junit writes, and prints which tests were skipped or have failed, and why. With lines=N: only
# those that have failed, with N lines each.
#
# Skipped tests say why in lines "skipped: REASON", of which one that passed may have some for its parts; or else in their
# last line. Of a failed one the last lines of its output are printed, behind all others that are printed here, and before
# them at most five earlier lines in which a test says what it found.
BEGIN {
    failures = 0
    only = lines
    if (!lines)
        lines = 30
}

function tell(how,    reason) {
    for (reason in reasons)
        print how ": " name ": " reason (reasons[reason] > 1 ? ", " reasons[reason] " times" : "")
}

function note(reason) {
    reasons[reason]++
    known++
}

function plain(text) {
    gsub(/&lt;/, "<", text)
    gsub(/&gt;/, ">", text)
    gsub(/&quot;/, "\"", text)
    gsub(/&apos;/, "'", text)
    gsub(/&amp;/, "\\&", text)
    return text
}

# Keep the end of a failed test's output.
function keep(    first, i, found) {
    failures++
    failed[failures] = "failed: " name ", after " took " s\n"
    first = count > lines ? count - lines + 1 : 1
    for (i = 1; i < first && found < 5; i++)
        if (output[i] ~ /FAILED|ERROR|rror: |FAIL:/) {
            failed[failures] = failed[failures] "  | " output[i] "\n"
            found++
        }
    for (i = first; i <= count; i++)
        failed[failures] = failed[failures] "  | " output[i] "\n"
}

/<testcase name="/ {
    name = took = $0
    sub(/.*<testcase name="/, "", name)
    sub(/".*/, "", name)
    last = "no reason is given"
    sub(/.* time="/, "", took)
    sub(/".*/, "", took)
    known = printed = skipped = bad = count = 0
    split("", reasons)
    split("", output)
}

/<skipped / && !printed {
    skipped = 1
}

/<skipped message="Unable to find executable/ && !printed {
    skipped = 0
    bad = 1
}

/<failure / && !printed {
    bad = 1
}

# Keep what the test printed: its first line stands behind the tag, and its last one may stand in front of the other tag.
{
    line = $0
    if (sub(/^.*<system-out>/, "", line))
        printed = 1
    ends = sub(/<\/system-out>.*$/, "", line)
}

printed && line ~ /^skipped: ./ {
    note(plain(substr(line, 10)))
}

printed && line ~ /[^ \t\r]/ {
    last = plain(line)
    output[++count] = substr(last, 1, 300)
}

ends {
    printed = 0
}

/<\/testcase>/ {
    if (bad)
        keep()
    if (skipped && known == 0)
        note(last)
    if (!only)
        tell(skipped ? "skipped" : "skipped in part")
}

END {
    for (i = 1; i <= failures; i++)
        printf "%s", failed[i]
}
