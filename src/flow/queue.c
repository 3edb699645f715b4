/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps entries in the order of the source. */
#include "flow/flow.h"

/* Insert an entry. Threads bring entries almost in order, so the place is searched for from the end. */
void kst_flow_insert(struct flow_queue *queue, struct flow_entry *entry)
{
    struct flow_entry *before = queue->last;
    while (before && before->item.index > entry->item.index)
        before = before->previous;
    entry->previous = before;
    entry->next = before ? before->next : queue->first;
    if (before)
        before->next = entry;
    else
        queue->first = entry;
    if (entry->next)
        entry->next->previous = entry;
    else
        queue->last = entry;
    queue->count++;
}

void kst_flow_remove(struct flow_queue *queue, struct flow_entry *entry)
{
    if (entry->previous)
        entry->previous->next = entry->next;
    else
        queue->first = entry->next;
    if (entry->next)
        entry->next->previous = entry->previous;
    else
        queue->last = entry->previous;
    entry->next = entry->previous = NULL;
    queue->count--;
}
