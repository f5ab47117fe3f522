// SPDX-License-Identifier: BSD-2-Clause
#include "control/topology_answers.h"

#include "base/memory.h"
#include "control/answer.h"
#include "ctl/protocol.h"
#include "model/fabric_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TOPOLOGY_PAGE = 1 << 20 }; // octets of the record and the names in one answer

struct topology_record {
    uint8_t *octets; // of the record, then those of the names
    size_t record, size;
    int64_t time_us;
};

// Reads the record of the snapshot. Returns NULL with a sentence if there is none.
static uint8_t *topology_answers_read(const struct control *c, int64_t number, size_t *size,
                                      int64_t *time_us, struct error *err)
{
    struct journal_snapshot meta;
    if (number == 0) {
        if (!c->fabric) {
            error_set(err, "no sweep of the fabric has ended yet");
            return NULL;
        }
        *time_us = c->fabric->time_us;
        return fabric_record_write(c->fabric, size);
    }
    uint8_t *record = journal_read_snapshot(c->parts->journal, number, &meta, size, err);
    *time_us = record ? meta.time_us : 0;
    return record;
}

static bool topology_answers_collect(const struct control *c, int64_t number,
                                     struct topology_record *out, struct error *err)
{
    char *octets = NULL;
    uint8_t *record = topology_answers_read(c, number, &out->record, &out->time_us, err);
    if (!record)
        return false;
    FILE *all = memory_need(open_memstream(&octets, &out->size));
    fwrite(record, out->record, 1, all);
    names_pack(c->names, all);
    fclose(all);
    free(record);
    out->octets = (uint8_t *)octets;
    return true;
}

static json_t *topology_answers_hex(const uint8_t *octets, size_t size)
{
    char *digits = memory_get(2 * size + 1);
    struct text t = text_in(digits, 2 * size + 1);
    text_add_hex(&t, octets, size);
    json_t *hex = json_stringn(digits, t.len);
    free(digits);
    return hex;
}

static json_t *topology_answers_page(const struct topology_record *r, int64_t number, size_t first,
                                     const char *digest)
{
    const size_t size = r->size - first < TOPOLOGY_PAGE ? r->size - first : TOPOLOGY_PAGE;
    json_t *page = json_pack("{s:i, s:I, s:I, s:I, s:I, s:o}", "version", PROTOCOL_VERSION,
                             "snapshot", (json_int_t)number, "time_us", (json_int_t)r->time_us,
                             "record", (json_int_t)r->record, "first", (json_int_t)first, "octets",
                             topology_answers_hex(r->octets + first, size));
    if (first + size < r->size)
        json_object_set_new(
            page, "more",
            json_pack("{s:I, s:s}", "first", (json_int_t)(first + size), "digest", digest));
    return page;
}

json_t *topology_answers_show(struct control *c, const json_t *request)
{
    struct error err;
    struct topology_record record;
    int64_t number, first;
    char asked[20], digest[20];
    if (!answer_read_number(request, "snapshot", INT64_MAX, &number) ||
        !answer_read_number(request, "first", UINT32_MAX, &first) ||
        !answer_read_text(request, "digest", asked, sizeof asked))
        return answer_refuse("'snapshot' and 'first' must be numbers, and 'digest' a text");
    if (!topology_answers_collect(c, number, &record, &err))
        return answer_refuse("%s", err.text);
    snprintf(digest, sizeof digest, "%016" PRIx64,
             fabric_record_digest(record.octets, record.size));
    const bool goes_on = strcmp(asked, digest) == 0 && (uint64_t)first < record.size;
    json_t *page = topology_answers_page(&record, number, goes_on ? (size_t)first : 0, digest);
    free(record.octets);
    return page;
}

json_t *topology_answers_list(struct control *c, const json_t *request)
{
    (void)request;
    struct journal_snapshot kept[JOURNAL_SNAPSHOTS_MAX + 1];
    size_t n = journal_list_snapshots(c->parts->journal, kept);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            list, json_pack("{s:I, s:o, s:I, s:I}", "snapshot", (json_int_t)kept[i].number, "time",
                            protocol_time(kept[i].time_us), "nodes", (json_int_t)kept[i].nodes,
                            "links", (json_int_t)kept[i].links));
    return json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "snapshots", list);
}
