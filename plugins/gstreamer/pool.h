/* SPDX-License-Identifier: BSD-2-Clause */
/* Offers an element's own pool of buffers to the query by which an element and its neighbour agree on buffers. */
#ifndef KOSTKA_GST_POOL_H
#define KOSTKA_GST_POOL_H

#include <gst/gst.h>

/* Let a query have a pool of buffers of a size, in place of its first pool if it has one. It takes a reference. */
static inline void pool_offer(GstQuery *query, GstBufferPool *pool, guint size)
{
    if (gst_query_get_n_allocation_pools(query) > 0)
        gst_query_set_nth_allocation_pool(query, 0, pool, size, 0, 0);
    else
        gst_query_add_allocation_pool(query, pool, size, 0, 0);
}

#endif
