// SPDX-License-Identifier: BSD-2-Clause
#include "control/topology_answers.h"

#include "control/answer.h"
#include "control/topology_json.h"
#include "model/fabric_record.h"

#include <stdlib.h>
#include <string.h>

// Keeps the snapshots that clients fetch page by page, so that all pages show the same snapshot.

static struct fabric *find_kept(const struct control *c, int64_t number, int64_t time_us)
{
    for (size_t i = 0; i < CONTROL_SNAPSHOTS_MAX; i++) {
        struct fabric *fabric = c->pages->snapshots[i].fabric;
        if (fabric && c->pages->snapshots[i].number == number && fabric->time_us == time_us)
            return fabric;
    }
    return NULL;
}

// Keeps the snapshot for the next page, in place of the oldest one kept.
static void keep_for_pages(struct control *c, int64_t number, struct fabric *fabric)
{
    if (find_kept(c, number, fabric->time_us))
        return;
    fabric_unref(c->pages->snapshots[c->pages->next].fabric);
    c->pages->snapshots[c->pages->next].number = number;
    c->pages->snapshots[c->pages->next].fabric = fabric_ref(fabric);
    c->pages->next = (c->pages->next + 1) % CONTROL_SNAPSHOTS_MAX;
}

static void topology_answers_let_go(struct control *c, const struct fabric *fabric)
{
    for (size_t i = 0; i < CONTROL_SNAPSHOTS_MAX; i++) {
        if (c->pages->snapshots[i].fabric == fabric) {
            fabric_unref(c->pages->snapshots[i].fabric);
            c->pages->snapshots[i].fabric = NULL;
        }
    }
}

// Ends the use of a snapshot for one page; drops the caller's reference.
static void topology_answers_finish(struct control *c, int64_t number, struct fabric *fabric,
                                    bool more)
{
    if (more)
        keep_for_pages(c, number, fabric);
    else
        topology_answers_let_go(c, fabric);
    fabric_unref(fabric);
}

void topology_answers_clear(struct control_pages *pages)
{
    for (size_t i = 0; i < CONTROL_SNAPSHOTS_MAX; i++) {
        fabric_unref(pages->snapshots[i].fabric);
        pages->snapshots[i].fabric = NULL;
    }
}

static struct fabric *read_fabric(struct journal *journal, int64_t number, struct error *err)
{
    struct journal_snapshot meta;
    size_t size;
    uint8_t *record = journal_read_snapshot(journal, number, &meta, &size, err);
    if (!record)
        return NULL;
    struct fabric *fabric = fabric_record_read(record, size, err);
    free(record);
    if (fabric)
        fabric->time_us = meta.time_us;
    return fabric;
}

// Returns a reference; NULL with a sentence: failed. `number` 0: the fabric as it is now.
// `time_us`: the snapshot's time in the earlier pages; 0: this is the first page.
static struct fabric *topology_answers_read(const struct control *c, int64_t number,
                                            int64_t time_us, struct error *err)
{
    struct fabric *fabric = time_us ? find_kept(c, number, time_us) : NULL;
    if (fabric)
        return fabric_ref(fabric);
    if (number != 0)
        return read_fabric(c->parts->journal, number, err);
    if (c->fabric && (time_us == 0 || c->fabric->time_us == time_us))
        return fabric_ref(c->fabric);
    error_set(
        err, time_us ? "the pages of this snapshot are no longer kept; ask for the first page again"
                     : "no sweep of the fabric has ended yet");
    return NULL;
}

json_t *topology_answers_show(struct control *c, const json_t *request)
{
    struct error err;
    int64_t number, first, time_us;
    if (!answer_read_number(request, "snapshot", INT64_MAX, &number) ||
        !answer_read_number(request, "first", UINT32_MAX, &first) ||
        !answer_read_number(request, "time_us", INT64_MAX, &time_us))
        return answer_refuse("'snapshot', 'first' and 'time_us' must be numbers");
    struct fabric *fabric = topology_answers_read(c, number, time_us, &err);
    if (!fabric)
        return answer_refuse("%s", err.text);
    json_t *out = topology_json(fabric, number, c->names, (uint32_t)first);
    topology_answers_finish(c, number, fabric, json_object_get(out, "more") != NULL);
    return out;
}

json_t *topology_answers_list(struct control *c, const json_t *request)
{
    (void)request;
    return topology_list_json(c->parts->journal);
}

json_t *topology_answers_diff(struct control *c, const json_t *request)
{
    struct error err;
    int64_t from, to, first, from_time_us, to_time_us;
    if (!answer_read_number(request, "from", INT64_MAX, &from) ||
        !answer_read_number(request, "to", INT64_MAX, &to) ||
        !answer_read_number(request, "first", UINT32_MAX, &first) ||
        !answer_read_number(request, "from_time_us", INT64_MAX, &from_time_us) ||
        !answer_read_number(request, "to_time_us", INT64_MAX, &to_time_us))
        return answer_refuse(
            "'from', 'to', 'first', 'from_time_us' and 'to_time_us' must be numbers");
    struct fabric *before = topology_answers_read(c, from, from_time_us, &err);
    struct fabric *after = before ? topology_answers_read(c, to, to_time_us, &err) : NULL;
    if (!after) {
        fabric_unref(before);
        return answer_refuse("%s", err.text);
    }
    const struct topology_side sides[] = {{before, from}, {after, to}};
    json_t *out = topology_diff_json(&sides[0], &sides[1], &c->builder, (uint32_t)first);
    bool more = json_object_get(out, "more") != NULL;
    topology_answers_finish(c, from, before, more);
    topology_answers_finish(c, to, after, more);
    return out;
}
