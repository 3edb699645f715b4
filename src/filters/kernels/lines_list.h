/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the segments that were found, in the order of their chains, as words of the result: their number, an unused
 * word, and two pixels for each segment, numbered by rows. Segments for which the result has no room are left out.
 */

enum { LINES_HEAD = 2, LINES_PAIR = 2 };

FUNCTION GLOBAL u32 *list_word(GLOBAL const struct filter_record *record, GLOBAL u8 *to, u32 index)
{
    u64 row = place_of(record->to) + (u64)(index / FILTER_LINES_ROW) * record->to_pitch;
    return (GLOBAL u32 *)(GLOBAL void *)target_at(to, row) + index % FILTER_LINES_ROW;
}

/*
 * Count the segments that end in a chunk of points. The counts replace the lengths of chains, which are no longer
 * needed.
 */
KERNEL(FILTER_GROUP_ITEMS)
filter_lines_tally(FILTER_ARGUMENTS)
{
    SHARED u32 scratch[FILTER_GROUP_ITEMS];
    u32 group, found = 0;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    u32 all = arrays.sums[2 * arrays.chunks];
    (void)from, (void)to;
    for (u32 k = 0; k < LINES_ITEM; k++) {
        u32 point = group * FILTER_LINES_CHUNK + k * FILTER_GROUP_ITEMS + local_index();
        found += point < all && arrays.begin[point] > 0;
    }
    found = group_sum(scratch, FILTER_GROUP_ITEMS, found);
    if (local_index() == 0 && group * FILTER_LINES_CHUNK < all)
        arrays.length[group] = found;
}

/* Replace the counts by the places of the chunks' first segments, and write the number of all segments. */
KERNEL(FILTER_GROUP_ITEMS)
filter_lines_settle(FILTER_ARGUMENTS)
{
    SHARED u32 scratch[FILTER_GROUP_ITEMS];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    u32 all = arrays.sums[2 * arrays.chunks], chunks = all / FILTER_LINES_CHUNK + (all % FILTER_LINES_CHUNK > 0);
    (void)from;
    u32 found = place_chunks(scratch, arrays.length, 1, chunks, 0);
    if (local_index() == 0)
        *list_word(record, to, 0) = found;
}

KERNEL(FILTER_GROUP_ITEMS)
filter_lines_list(FILTER_ARGUMENTS)
{
    SHARED u32 scratch[FILTER_GROUP_ITEMS];
    u32 group, found = 0, total;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    u32 all = arrays.sums[2 * arrays.chunks], room = (u32)record->value[FILTER_LINES_ROOM];
    u32 first = group * FILTER_LINES_CHUNK + local_index() * LINES_ITEM;
    (void)from;
    for (u32 k = 0; k < LINES_ITEM; k++)
        found += first + k < all && arrays.begin[first + k] > 0;
    u32 place = group_scan(scratch, FILTER_GROUP_ITEMS, found, &total);
    if (found > 0)
        place += arrays.length[group];
    for (u32 k = 0; k < LINES_ITEM && found > 0; k++) {
        u32 begin = first + k < all ? arrays.begin[first + k] : 0;
        if (begin == 0 || place >= room)
            continue;
        *list_word(record, to, LINES_HEAD + LINES_PAIR * place) = arrays.points[begin - 1] & ~LINES_LAST;
        *list_word(record, to, LINES_HEAD + LINES_PAIR * place + 1) = arrays.points[first + k] & ~LINES_LAST;
        place++;
    }
}
