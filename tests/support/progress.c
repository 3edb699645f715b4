/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the values that an operation passes to its progress function. */
#include "support/progress.h"

#include "support/test.h"

bool take_progress(void *user, double done)
{
    struct progress_calls *t = user;
    assert_true(t->calls == 0 ? done == 0 : done >= t->last && done <= 1);
    t->calls++;
    t->last = done;
    return done < t->stop;
}
