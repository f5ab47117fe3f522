// SPDX-License-Identifier: BSD-2-Clause
#include "agentx/answer.h"

// Octets after which a response to GetBulk gets no further repetition; the master requests the
// rest.
enum { BULK_SIZE_MAX = 1 << 16 };

static void answer_begin(struct pdu_writer *w, const struct pdu_header *request)
{
    pdu_begin(w, PDU_RESPONSE, request->session, request->transaction, request->packet, "");
    pdu_add_result(w, AGENTX_NO_ERROR, 0);
}

static void answer_respond(struct pdu_writer *w, const struct pdu_header *request, unsigned error,
                           size_t index)
{
    answer_begin(w, request);
    pdu_set_result(w, error, index);
    pdu_end(w);
}

// Get, GetNext, GetBulk. If there is no room for the response, or a value cannot be found now, the
// response is an error.

// Whose values are asked for.
struct asked {
    const struct agentx_handler *handler;
    const char *context;
    struct agentx_wait *wait;
    bool may_end, ended; // the response may end, or has ended, before a value that comes later
};

struct range {
    struct agentx_oid name, end;
    bool include;
};

static bool answer_read_range(struct pdu_reader *in, struct range *out)
{
    return pdu_read_range(in, &out->name, &out->include, &out->end);
}

static void answer_add_varbind(struct asked *asked, struct pdu_writer *w,
                               const struct agentx_oid *name, const struct agentx_value *value)
{
    const bool is_later = value->type == AGENTX_LATER;
    if (is_later && asked->may_end)
        asked->ended = true;
    else if (is_later && asked->wait->may)
        asked->wait->ticket = asked->wait->ticket ? asked->wait->ticket : value->number;
    else if (is_later || value->type == AGENTX_NOT_NOW)
        w->full = true;
    else
        pdu_add_varbind(w, name, value);
}

static void answer_add_instance(struct asked *asked, const struct range *r, struct pdu_writer *w)
{
    struct agentx_value value;
    value.type = AGENTX_NO_SUCH_OBJECT;
    if (asked->handler->get)
        asked->handler->get(asked->handler->ctx, asked->context, &r->name, &value);
    answer_add_varbind(asked, w, &r->name, &value);
}

// False: there is no next instance.
static bool answer_add_next(struct asked *asked, const struct range *r, struct pdu_writer *w)
{
    struct agentx_oid found;
    struct agentx_value value;
    found.length = 0;
    const struct agentx_handler *h = asked->handler;
    bool is_there = h->get_next && h->get_next(h->ctx, asked->context, &r->name, r->include,
                                               &r->end, &found, &value);
    if (!is_there)
        value.type = AGENTX_END_OF_MIB_VIEW;
    answer_add_varbind(asked, w, is_there ? &found : &r->name, &value);
    return is_there;
}

static bool answer_ranges(struct asked *asked, const struct pdu_header *request,
                          struct pdu_reader *in, struct pdu_writer *w)
{
    size_t n = 0;
    answer_begin(w, request);
    while (in->at < in->end && !w->full) {
        struct range r;
        if (!answer_read_range(in, &r))
            return false;
        n++;
        if (request->type == PDU_GET)
            answer_add_instance(asked, &r, w);
        else
            answer_add_next(asked, &r, w);
    }
    if (!pdu_end(w))
        answer_respond(w, request, AGENTX_GEN_ERR, n);
    return true;
}

// Adds one varbind for each of the next ranges, at most `limit`. `any`: at least one range has a
// next instance. False: malformed.
static bool answer_add_first(struct asked *asked, struct pdu_reader *in, uint16_t limit,
                             struct pdu_writer *w, bool *any)
{
    *any = false;
    for (unsigned i = 0; i < limit && in->at < in->end && !w->full; i++) {
        struct range r;
        if (!answer_read_range(in, &r))
            return false;
        *any = answer_add_next(asked, &r, w) || *any;
    }
    return true;
}

// Adds another varbind for each range in `in`, after the names of the previous repetition, which
// begins at offset `last`. False: no range has a further instance.
static bool answer_add_repetition(struct asked *asked, struct pdu_reader in, size_t last,
                                  struct pdu_writer *w)
{
    struct pdu_reader written = {.at = w->octets + last, .end = w->octets + w->used};
    bool any = false;
    while (in.at < in.end && !w->full && !asked->ended && w->used < BULK_SIZE_MAX) {
        struct range r;
        struct agentx_varbind before;
        if (!answer_read_range(&in, &r) || !pdu_read_varbind(&written, &before))
            return false;
        r.name = before.name;
        r.include = false;
        if (before.value.type == AGENTX_END_OF_MIB_VIEW)
            pdu_add_varbind(w, &before.name, &before.value);
        else
            any = answer_add_next(asked, &r, w) || any;
    }
    return any;
}

static bool answer_bulk(struct asked *asked, const struct pdu_header *request,
                        struct pdu_reader *in, struct pdu_writer *w)
{
    uint16_t single, repetitions;
    bool any;
    answer_begin(w, request);
    if (!pdu_read16(in, &single) || !pdu_read16(in, &repetitions) ||
        !answer_add_first(asked, in, single, w, &any))
        return false;
    struct pdu_reader repeated = *in;
    size_t last = w->used;
    if (repetitions > 0 && !answer_add_first(asked, in, UINT16_MAX, w, &any))
        return false;
    asked->may_end = true;
    for (unsigned i = 1; any && i < repetitions && !asked->wait->ticket && !asked->ended; i++) {
        size_t next = w->used;
        any = answer_add_repetition(asked, repeated, last, w);
        last = next;
    }
    if (!pdu_end(w))
        answer_respond(w, request, AGENTX_GEN_ERR, 0);
    return true;
}

// Set.

static void answer_clean_up(const struct agentx_handler *h, struct agentx_set *set)
{
    if (set->phase != AGENTX_SET_NONE && h->cleanup)
        h->cleanup(h->ctx);
    set->phase = AGENTX_SET_NONE;
}

void agentx_answer_abandon(const struct agentx_handler *handler, struct agentx_set *set)
{
    if (set->phase == AGENTX_SET_COMMITTED && handler->undo)
        handler->undo(handler->ctx);
    else
        answer_clean_up(handler, set);
    set->phase = AGENTX_SET_NONE;
}

static bool answer_is_under_way(const struct agentx_set *set, const struct pdu_header *request)
{
    return set->phase != AGENTX_SET_NONE && set->transaction == request->transaction;
}

// `too_many`: the request has more than AGENTX_SET_MAX varbinds. False: malformed.
static bool answer_read_varbinds(struct agentx_set *set, struct pdu_reader *in, bool *too_many)
{
    set->count = 0;
    for (*too_many = false; in->at < in->end && !*too_many; set->count += !*too_many) {
        *too_many = set->count == AGENTX_SET_MAX;
        if (!*too_many && !pdu_read_varbind(in, &set->varbinds[set->count]))
            return false;
    }
    return true;
}

static bool answer_is_cut(const struct agentx_value *v)
{
    return (v->type == AGENTX_OCTETS || v->type == AGENTX_OPAQUE) && v->size > AGENTX_OCTETS_MAX;
}

// Whether the last phase waits. If the response may not wait, the phase has failed.
static bool answer_waits(const struct agentx_handler *h, struct agentx_wait *wait,
                         enum agentx_error failure, enum agentx_error *error)
{
    const int64_t ticket = h->pending ? h->pending(h->ctx) : 0;
    if (ticket == 0)
        return false;
    if (wait->may)
        wait->ticket = ticket;
    *error = failure;
    return true;
}

// Finds a value of which only a part is there, because the value is too long.
static bool answer_finds_cut(const struct agentx_set *set, size_t *at)
{
    for (*at = 0; *at < set->count; ++*at) {
        if (answer_is_cut(&set->varbinds[*at].value))
            return true;
    }
    return false;
}

static enum agentx_error answer_run_test(const struct agentx_handler *h, const char *context,
                                         struct agentx_set *set, struct agentx_wait *wait,
                                         size_t *failed)
{
    if (answer_finds_cut(set, failed))
        return AGENTX_WRONG_LENGTH;
    *failed = 0;
    if (!h->test)
        return AGENTX_NOT_WRITABLE;
    enum agentx_error error = h->test(h->ctx, context, set->varbinds, set->count, failed);
    if (answer_waits(h, wait, AGENTX_RESOURCE_UNAVAILABLE, &error) && !wait->ticket)
        h->cleanup(h->ctx);
    return error;
}

// A second TestSet of a transaction replaces the first TestSet, which the master considers lost.
static bool answer_test(const struct agentx_handler *h, struct agentx_set *set,
                        const struct pdu_header *request, const char *context,
                        struct pdu_reader *in, struct pdu_writer *w, struct agentx_wait *wait,
                        int64_t now)
{
    bool is_busy = set->phase == AGENTX_SET_COMMITTED ||
                   (set->phase == AGENTX_SET_TESTED && set->transaction != request->transaction);
    if (is_busy) {
        answer_respond(w, request, AGENTX_RESOURCE_UNAVAILABLE, 1);
        return true;
    }
    bool too_many;
    size_t failed;
    answer_clean_up(h, set);
    if (!answer_read_varbinds(set, in, &too_many))
        return false;
    if (too_many) {
        answer_respond(w, request, AGENTX_RESOURCE_UNAVAILABLE, AGENTX_SET_MAX + 1);
        return true;
    }
    const enum agentx_error error = answer_run_test(h, context, set, wait, &failed);
    set->phase = error == AGENTX_NO_ERROR ? AGENTX_SET_TESTED : AGENTX_SET_NONE;
    set->transaction = request->transaction;
    set->heard_at = now;
    answer_respond(w, request, error, error == AGENTX_NO_ERROR ? 0 : failed + 1);
    return true;
}

// The master may send several requests for the parts of a Set. The first request commits, or
// undoes, the whole Set.
static enum agentx_error answer_commit(const struct agentx_handler *h, struct agentx_set *set,
                                       struct agentx_wait *wait)
{
    if (set->phase == AGENTX_SET_COMMITTED)
        return AGENTX_NO_ERROR;
    enum agentx_error error = h->commit ? h->commit(h->ctx) : AGENTX_COMMIT_FAILED;
    if (answer_waits(h, wait, AGENTX_COMMIT_FAILED, &error)) {
        if (!wait->ticket)
            answer_clean_up(h, set);
        return error;
    }
    set->phase = error == AGENTX_NO_ERROR ? AGENTX_SET_COMMITTED : AGENTX_SET_NONE;
    return error;
}

static enum agentx_error answer_undo(const struct agentx_handler *h, struct agentx_set *set,
                                     struct agentx_wait *wait)
{
    bool is_committed = set->phase == AGENTX_SET_COMMITTED;
    enum agentx_error error = AGENTX_NO_ERROR;
    if (is_committed)
        error = h->undo ? h->undo(h->ctx) : AGENTX_UNDO_FAILED;
    else
        answer_clean_up(h, set);
    if (is_committed && answer_waits(h, wait, AGENTX_UNDO_FAILED, &error) && wait->ticket)
        return error;
    set->phase = AGENTX_SET_NONE;
    return error;
}

// The index of an error is 1, since net-snmp turns an error with index 0 into genErr.
static void answer_respond_phase(struct pdu_writer *w, const struct pdu_header *request,
                                 enum agentx_error error)
{
    answer_respond(w, request, error, error == AGENTX_NO_ERROR ? 0 : 1);
}

static bool answer_phase(const struct agentx_handler *h, struct agentx_set *set,
                         const struct pdu_header *request, struct pdu_writer *w,
                         struct agentx_wait *wait, int64_t now)
{
    bool is_mine = answer_is_under_way(set, request);
    if (is_mine)
        set->heard_at = now;
    if (request->type == PDU_CLEANUP_SET && is_mine)
        answer_clean_up(h, set);
    if (request->type == PDU_COMMIT_SET)
        answer_respond_phase(w, request,
                             is_mine ? answer_commit(h, set, wait) : AGENTX_COMMIT_FAILED);
    if (request->type == PDU_UNDO_SET)
        answer_respond_phase(w, request, is_mine ? answer_undo(h, set, wait) : AGENTX_NO_ERROR);
    return true;
}

bool agentx_answer_is_for(const struct pdu_header *request)
{
    return request->type >= PDU_GET && request->type <= PDU_CLEANUP_SET;
}

static bool answer_has_context(uint8_t type)
{
    return type == PDU_GET || type == PDU_GET_NEXT || type == PDU_GET_BULK || type == PDU_TEST_SET;
}

bool agentx_answer(const struct agentx_handler *handler, struct agentx_set *set,
                   const struct pdu_header *request, const char *context, struct pdu_reader *in,
                   struct pdu_writer *w, struct agentx_wait *wait, int64_t now)
{
    struct asked asked = {.handler = handler, .context = context, .wait = wait};
    if (!context && answer_has_context(request->type)) {
        answer_respond(w, request, AGENTX_UNSUPPORTED_CONTEXT, 0);
        return true;
    }
    switch (request->type) {
    case PDU_GET:
    case PDU_GET_NEXT:
        return answer_ranges(&asked, request, in, w);
    case PDU_GET_BULK:
        return answer_bulk(&asked, request, in, w);
    case PDU_TEST_SET:
        return answer_test(handler, set, request, context, in, w, wait, now);
    default:
        return answer_phase(handler, set, request, w, wait, now);
    }
}
