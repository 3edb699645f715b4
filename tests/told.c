/* SPDX-License-Identifier: BSD-2-Clause */
#include "told.h"

#include "support.h"

bool told(void *user, double done)
{
    struct told *t = user;
    assert_true(t->calls == 0 ? done == 0 : done >= t->last && done <= 1);
    t->calls++;
    t->last = done;
    return done < t->stop;
}
