/* SPDX-License-Identifier: BSD-2-Clause */
/* Flows on GPUs, and on GPUs beside the CPU: the results are those of the CPU alone, even if a device fails. */
#include "flow_run.h"
#include "support/test.h"
int main(void)
{
    return skip_all("todo");
}
