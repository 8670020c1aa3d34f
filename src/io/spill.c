/* SPDX-License-Identifier: BSD-2-Clause
 *
 * External sorting: runs that fit into memory are sorted there and written to a file, then merged.
 *
 * A run is sorted by its bits, 11 at a time from the lowest, which keeps the order of equal places;
 * a merge takes the earlier of two runs first where they are equal. So the values of one place are
 * summed in the order in which they came, as the readers do in memory. Half of the memory is one
 * run and half the room to sort it in, or both are the buffers of the runs that are merged. Where
 * those would be too short, neighbouring runs are first merged to longer ones. O(entries log runs)
 * comparisons; each entry is written once, and once more for every such round. */
#include "io/spill.h"

#include "io/scratch.h"

#include <string.h>

enum { DIGIT = 11, DIGITS = 1 << DIGIT, LEAST_RUN = 16 };
enum { BUFFER = 1 << 16, MOST_MERGED = 512 }; /* bytes of a run's buffer; runs of one merge */

typedef struct run {
    int64_t first, count; /* entries of the file that are still to be read */
    tsr__entry *buffer;
    int64_t at, filled;
} run;

struct tsr__spill {
    const char *beside;
    bool sums;
    int64_t memory, room;     /* entries of a run in memory */
    tsr__entry *entry, *side; /* the run, and where it is sorted; of a merge all buffers */
    int64_t count, taken;
    tsr__scratch file;
    run *runs; /* in the order in which they came */
    int64_t run_count, run_room;
    int *heap; /* runs of the merge, the one with the next entry first */
    int heaped;
    tsr__entry held; /* the sum so far, where `holds` */
    bool holds;
};

tsr_status tsr__spill_create(tsr__spill **out, const char *beside, int64_t memory, bool sums)
{
    tsr_status status = TSR_OK;
    tsr__spill *spill = NULL;
    TSR_NEW_ZERO(spill, 1);
    spill->beside = beside, spill->sums = sums, spill->memory = memory;
    spill->room = memory / 2 / (int64_t)sizeof(tsr__entry);
    spill->room = spill->room < LEAST_RUN ? LEAST_RUN : spill->room;
    TSR_NEW(spill->entry, spill->room);
    TSR_NEW(spill->side, spill->room);
    *out = spill, spill = NULL;
done:
    tsr__spill_free(spill);
    return status;
}

/* One pass of the sort: by the bits from `shift` on. */
static void sort_digit(tsr__entry *to, const tsr__entry *from, int64_t count, int shift)
{
    int64_t place[DIGITS] = {0}, sum = 0;
    for (int64_t i = 0; i < count; i++)
        place[from[i].place >> shift & (DIGITS - 1)]++;
    for (int d = 0; d < DIGITS; d++) {
        const int64_t many = place[d];
        place[d] = sum;
        sum += many;
    }
    for (int64_t i = 0; i < count; i++)
        to[place[from[i].place >> shift & (DIGITS - 1)]++] = from[i];
}

static void sort_run(tsr__spill *spill)
{
    int64_t bits = 0; /* that differ anywhere */
    bool ascends = true;
    for (int64_t i = 1; i < spill->count; i++) {
        ascends = ascends && spill->entry[i - 1].place <= spill->entry[i].place;
        bits |= spill->entry[i].place ^ spill->entry[0].place;
    }
    for (int shift = 0; !ascends && shift < 63; shift += DIGIT) {
        if ((bits >> shift & (DIGITS - 1)) == 0)
            continue;
        sort_digit(spill->side, spill->entry, spill->count, shift);
        tsr__entry *const swapped = spill->entry;
        spill->entry = spill->side, spill->side = swapped;
    }
}

static tsr_status add_run(tsr__spill *spill, int64_t first, int64_t count)
{
    tsr_status status = TSR_OK;
    TSR_GROW(spill->runs, spill->run_count, spill->run_room);
    spill->runs[spill->run_count++] = (run){.first = first, .count = count};
done:
    return status;
}

static tsr_status write_run(tsr__spill *spill)
{
    tsr_status status = TSR_OK;
    const int64_t size = sizeof(tsr__entry);
    sort_run(spill);
    if (spill->file.file == 0)
        TSR_TRY(tsr__scratch_open(&spill->file, spill->beside, size));
    TSR_TRY(add_run(spill, spill->file.size / size, spill->count));
    TSR_TRY(tsr__scratch_add(&spill->file, spill->entry, spill->count * size));
    spill->count = 0;
done:
    return status;
}

tsr_status tsr__spill_add(tsr__spill *spill, int64_t place, double value)
{
    if (spill->count == spill->room) {
        const tsr_status status = write_run(spill);
        if (status < 0)
            return status;
    }
    spill->entry[spill->count++] = (tsr__entry){place, value};
    return TSR_OK;
}

/* The first of two runs is the one whose next entry is less, or came earlier. */
static bool is_before(const run *runs, int a, int b)
{
    const int64_t p = runs[a].buffer[runs[a].at].place, q = runs[b].buffer[runs[b].at].place;
    return p != q ? p < q : a < b;
}

static void sink(int *heap, int count, const run *runs, int at)
{
    for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && is_before(runs, heap[child + 1], heap[child]);
        if (!is_before(runs, heap[child], heap[at]))
            return;
        const int swapped = heap[at];
        heap[at] = heap[child], heap[child] = swapped;
        at = child;
    }
}

static tsr_status fill_buffer(run *r, int64_t room, const tsr__scratch *file)
{
    const int64_t size = sizeof(tsr__entry);
    r->at = 0;
    r->filled = r->count < room ? r->count : room;
    r->first += r->filled, r->count -= r->filled;
    return tsr__scratch_read(r->buffer, file, (r->first - r->filled) * size, r->filled * size);
}

/* Opens runs first .. first+count-1, which share the memory. */
static tsr_status begin_merge(tsr__spill *spill, int64_t first, int count)
{
    tsr_status status = TSR_OK;
    run *runs = spill->runs + first;
    spill->heaped = 0;
    for (int i = 0; i < count; i++) {
        runs[i].buffer =
            (2 * i < count ? spill->entry : spill->side) +
            (2 * i < count ? i : i - (count + 1) / 2) * (spill->room / ((count + 1) / 2));
        TSR_TRY(fill_buffer(&runs[i], spill->room / ((count + 1) / 2), &spill->file));
        spill->heap[spill->heaped++] = i;
    }
    for (int at = count / 2; at >= 0; at--)
        sink(spill->heap, spill->heaped, runs, at);
done:
    return status;
}

/* The least entry of the merge of `count` runs; there is one. */
static tsr_status next_entry(tsr__entry *out, tsr__spill *spill, run *runs, int count)
{
    run *least = &runs[spill->heap[0]];
    *out = least->buffer[least->at++];
    if (least->at == least->filled && least->count > 0) {
        const tsr_status status =
            fill_buffer(least, spill->room / ((count + 1) / 2), &spill->file);
        if (status < 0)
            return status;
    }
    if (least->at == least->filled)
        spill->heap[0] = spill->heap[--spill->heaped];
    sink(spill->heap, spill->heaped, runs, 0);
    return TSR_OK;
}

/* How many runs may be merged at once. */
static int fan_of(const tsr__spill *spill)
{
    const int64_t fan = spill->memory / BUFFER;
    return fan < 2 ? 2 : fan > MOST_MERGED ? MOST_MERGED : (int)fan;
}

/* Runs first .. first+count-1 become one of another file. */
static tsr_status merge_runs(tsr__scratch *to, tsr__spill *spill, int64_t first, int count)
{
    tsr_status status = TSR_OK;
    tsr__entry next;
    TSR_TRY(begin_merge(spill, first, count));
    while (spill->heaped > 0) {
        TSR_TRY(next_entry(&next, spill, spill->runs + first, count));
        TSR_TRY(tsr__scratch_add(to, &next, sizeof next));
    }
done:
    return status;
}

/* A round of merging neighbours. */
static tsr_status shorten(tsr__spill *spill, int fan)
{
    tsr_status status = TSR_OK;
    tsr__scratch file = {0};
    int64_t merged = 0;
    TSR_TRY(tsr__scratch_open(&file, spill->beside, BUFFER));
    for (int64_t first = 0; first < spill->run_count; first += fan) {
        const int64_t left = spill->run_count - first, before = file.size;
        TSR_TRY(merge_runs(&file, spill, first, left < fan ? (int)left : fan));
        spill->runs[merged++] =
            (run){.first = before / (int64_t)sizeof(tsr__entry),
                  .count = (file.size - before) / (int64_t)sizeof(tsr__entry)};
    }
    TSR_TRY(tsr__scratch_flush(&file));
    spill->run_count = merged;
    tsr__scratch_close(&spill->file);
    spill->file = file, file = (tsr__scratch){0};
done:
    tsr__scratch_close(&file);
    return status;
}

tsr_status tsr__spill_turn(tsr__spill *spill)
{
    tsr_status status = TSR_OK;
    const int fan = fan_of(spill);
    if (spill->run_count == 0) {
        sort_run(spill);
        goto done;
    }
    TSR_TRY(write_run(spill));
    TSR_TRY(tsr__scratch_flush(&spill->file));
    TSR_NEW(spill->heap, fan);
    while (spill->run_count > fan)
        TSR_TRY(shorten(spill, fan));
    TSR_TRY(begin_merge(spill, 0, (int)spill->run_count));
done:
    return status;
}

/* The next entry as it was added; false in *more when there is none. */
static tsr_status take_one(tsr__entry *out, bool *more, tsr__spill *spill)
{
    *more = spill->heap != NULL ? spill->heaped > 0 : spill->taken < spill->count;
    if (!*more)
        return TSR_OK;
    if (spill->heap != NULL)
        return next_entry(out, spill, spill->runs, (int)spill->run_count);
    *out = spill->entry[spill->taken++];
    return TSR_OK;
}

tsr_status tsr__spill_take(int64_t *count, tsr__entry *out, int64_t most, tsr__spill *spill)
{
    tsr_status status = TSR_OK;
    int64_t used = 0;
    bool more = true;
    while (used < most) {
        tsr__entry next = {0, 0};
        TSR_TRY(take_one(&next, &more, spill));
        if (more && spill->sums && spill->holds && next.place == spill->held.place) {
            spill->held.value += next.value;
            continue;
        }
        if (spill->holds && (!spill->sums || spill->held.value != 0))
            out[used++] = spill->held;
        spill->held = next, spill->holds = more;
        if (!more)
            break;
    }
    *count = used;
done:
    return status;
}

void tsr__spill_free(tsr__spill *spill)
{
    if (spill == NULL)
        return;
    tsr__scratch_close(&spill->file);
    tsr__free(spill->entry);
    tsr__free(spill->side);
    tsr__free(spill->runs);
    tsr__free(spill->heap);
    tsr__free(spill);
}
