#include "control/topology_answers.h"

#include "control/answer.h"
#include "model/fabric_record.h"

#include <stdlib.h>
#include <string.h>

static struct fabric *find_held(const struct topology_answers *a, int64_t number, int64_t time_us)
{
    for (size_t i = 0; i < TOPOLOGY_HELD_MAX; i++) {
        struct fabric *fabric = a->pages[i].fabric;
        if (fabric && a->pages[i].number == number && fabric->time_us == time_us)
            return fabric;
    }
    return NULL;
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

// A reference, or NULL with a sentence. `time_us` is that of earlier pages; 0: there were none.
static struct fabric *topology_answers_read(struct topology_answers *a, struct fabric *current,
                                            int64_t number, int64_t time_us, struct error *err)
{
    struct fabric *fabric = time_us ? find_held(a, number, time_us) : NULL;
    if (fabric)
        return fabric_ref(fabric);
    if (number != 0)
        return read_fabric(a->journal, number, err);
    if (current && (time_us == 0 || current->time_us == time_us))
        return fabric_ref(current);
    error_set(err, time_us ? "the fabric is not held any more; ask again from the begin"
                           : "the fabric was not seen yet");
    return NULL;
}

// Holds it for the next page.
static void keep_for_pages(struct topology_answers *a, int64_t number, struct fabric *fabric)
{
    if (find_held(a, number, fabric->time_us))
        return;
    fabric_unref(a->pages[a->next].fabric);
    a->pages[a->next].number = number;
    a->pages[a->next].fabric = fabric_ref(fabric);
    a->next = (a->next + 1) % TOPOLOGY_HELD_MAX;
}

static void topology_answers_let_go(struct topology_answers *a, const struct fabric *fabric)
{
    for (size_t i = 0; i < TOPOLOGY_HELD_MAX; i++) {
        if (a->pages[i].fabric == fabric) {
            fabric_unref(a->pages[i].fabric);
            a->pages[i].fabric = NULL;
        }
    }
}

// Takes over the reference.
static void topology_answers_finish(struct topology_answers *a, int64_t number,
                                    struct fabric *fabric, bool more)
{
    if (more)
        keep_for_pages(a, number, fabric);
    else
        topology_answers_let_go(a, fabric);
    fabric_unref(fabric);
}

static json_t *topology_answers_topology(struct topology_answers *a, struct fabric *current,
                                         const json_t *request)
{
    struct error err;
    int64_t number, first, time_us;
    if (!answer_read_number(request, "snapshot", INT64_MAX, &number) ||
        !answer_read_number(request, "first", UINT32_MAX, &first) ||
        !answer_read_number(request, "time_us", INT64_MAX, &time_us))
        return answer_refuse("'snapshot', 'first' and 'time_us' must be numbers");
    struct fabric *fabric = topology_answers_read(a, current, number, time_us, &err);
    if (!fabric)
        return answer_refuse("%s", err.text);
    json_t *out = topology_json(fabric, number, a->builder->names, (uint32_t)first);
    topology_answers_finish(a, number, fabric, json_object_get(out, "more") != NULL);
    return out;
}

static json_t *answer_diff(struct topology_answers *a, struct fabric *current,
                           const json_t *request)
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
    struct fabric *before = topology_answers_read(a, current, from, from_time_us, &err);
    struct fabric *after = before ? topology_answers_read(a, current, to, to_time_us, &err) : NULL;
    if (!after) {
        fabric_unref(before);
        return answer_refuse("%s", err.text);
    }
    const struct topology_side sides[] = {{before, from}, {after, to}};
    json_t *out = topology_diff_json(&sides[0], &sides[1], a->builder, (uint32_t)first);
    bool more = json_object_get(out, "more") != NULL;
    topology_answers_finish(a, from, before, more);
    topology_answers_finish(a, to, after, more);
    return out;
}

json_t *topology_answers_get(struct topology_answers *answers, struct fabric *current,
                             const char *command, const json_t *request)
{
    if (strcmp(command, "topology") == 0)
        return topology_answers_topology(answers, current, request);
    if (strcmp(command, "topology-list") == 0)
        return topology_list_json(answers->journal);
    if (strcmp(command, "topology-diff") == 0)
        return answer_diff(answers, current, request);
    return NULL;
}

void topology_answers_clear(struct topology_answers *answers)
{
    for (size_t i = 0; i < TOPOLOGY_HELD_MAX; i++) {
        fabric_unref(answers->pages[i].fabric);
        answers->pages[i].fabric = NULL;
    }
}
