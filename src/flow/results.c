/* SPDX-License-Identifier: BSD-2-Clause */
/* Hands results to the sink or to the caller, in the source's order if the options ask for that. */
#include "flow/flow.h"

void kst_flow_finish(struct kst_flow *flow, struct flow_entry *entry)
{
    kst_memory_release(&flow->memory, entry->file);
    if (entry->file) {
        entry->item.data = NULL;
        entry->item.length = 0;
    }
    entry->file = NULL;
    flow->input -= entry->input;
    entry->input = 0;
    kst_flow_insert(&flow->done, entry);
}

void kst_flow_announce(struct kst_flow *flow)
{
    pthread_cond_broadcast(&flow->room);
    pthread_cond_broadcast(&flow->results);
}

static bool is_over(const struct kst_flow *flow)
{
    return flow->readers == 0 && flow->taken == flow->items;
}

static struct flow_entry *find(const struct kst_flow *flow)
{
    struct flow_entry *first = flow->done.first;
    return first && flow->options.in_order && first->item.index != flow->taken ? NULL : first;
}

/* Wait for the next result. Null after the last one. The caller holds the lock. */
static struct flow_entry *next_result(struct kst_flow *flow)
{
    struct flow_entry *entry;
    while (!(entry = find(flow)) && !is_over(flow))
        pthread_cond_wait(&flow->results, &flow->lock);
    if (!entry)
        return NULL;
    kst_flow_remove(&flow->done, entry);
    flow->taken++;
    flow->failed += entry->item.report.status ? 1 : 0;
    if (!flow->first)
        flow->first = entry->item.report.status;
    if (is_over(flow))
        pthread_cond_broadcast(&flow->results);
    if (flow->options.in_order) /* another entry is due, which may exceed the memory */
        pthread_cond_broadcast(&flow->room);
    return entry;
}

/* Free an entry that the sink has taken; other entries may now use its memory. */
static void leave(struct kst_flow *flow, struct flow_entry *entry)
{
    pthread_mutex_lock(&flow->lock);
    flow->result -= entry->result;
    if (flow->ready.first)
        pthread_cond_broadcast(&flow->work);
    pthread_mutex_unlock(&flow->lock);
    kst_memory_release(&flow->memory, entry);
}

static struct flow_entry *wait_for_result(struct kst_flow *flow)
{
    pthread_mutex_lock(&flow->lock);
    struct flow_entry *entry = next_result(flow);
    pthread_mutex_unlock(&flow->lock);
    return entry;
}

void *kst_flow_write(void *arg)
{
    struct kst_flow *flow = arg;
    struct flow_entry *entry;
    while ((entry = wait_for_result(flow)) != NULL) {
        if (!flow->options.put(flow->options.user, &entry->item))
            kst_flow_cancel(flow);
        kst_flow_release(flow, &entry->item);
        leave(flow, entry);
    }
    return NULL;
}

bool kst_flow_take(kst_flow *flow, kst_flow_item *item)
{
    if (!flow || !item || flow->options.put)
        return false;
    struct flow_entry *entry = wait_for_result(flow);
    if (!entry)
        return false;
    *item = entry->item;
    leave(flow, entry);
    return true;
}
