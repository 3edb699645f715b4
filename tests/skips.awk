# SPDX-License-Identifier: BSD-2-Clause
# Of CTest's LastTest.log: the tests that were skipped, and why. They say so in lines "skipped: REASON", of which one that
# passed may have some for its parts; or else in their last line.
function tell(how,    reason) {
    for (reason in reasons)
        print how ": " name ": " reason (reasons[reason] > 1 ? ", " reasons[reason] " times" : "")
}

function note(reason) {
    reasons[reason]++
    known++
}

/^[0-9]+\/[0-9]+ Testing: / {
    name = $3
    last = "no reason is given"
    rules = known = 0
    split("", reasons)
}

# What it printed stands between two rules, and what became of it behind the second.
length($0) == 58 && /^-+$/ {
    rules++
    next
}
rules == 1 && /^skipped: ./ {
    note(substr($0, 10))
}
rules == 1 && !/^<end of output>/ && !/^Test time =/ && /[^ ]/ {
    last = $0
}
rules == 2 && /^Test Passed/ {
    tell("skipped in part")
}
rules == 2 && /^Test Skipped/ {
    if (known == 0)
        note(last)
    tell("skipped")
}
