# SPDX-License-Identifier: BSD-2-Clause
# Of what ctest --output-junit writes: the tests that were skipped, and why. They say so in lines "skipped: REASON", of
# which one that passed may have some for its parts; or else in their last line.
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

/<testcase name="/ {
    name = $0
    sub(/.*<testcase name="/, "", name)
    sub(/".*/, "", name)
    last = "no reason is given"
    known = printed = skipped = 0
    split("", reasons)
}

/<skipped / && !printed {
    skipped = 1
}

# What the test printed; its first line stands behind the tag, and its last one may stand in front of the other tag.
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
}

ends {
    printed = 0
}

/<\/testcase>/ {
    if (skipped && known == 0)
        note(last)
    tell(skipped ? "skipped" : "skipped in part")
}
