// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/fabric_request.h"

#include "base/memory.h"
#include "ctl/client.h"
#include "ctl/show.h"
#include "model/address.h"
#include "model/fabric_record.h"

#include <stdlib.h>

// Pages that are requested at most: twice the number of pages of the largest fabric. If the fabric
// changes between two pages, the daemon begins with the first page again.
enum { FABRIC_REQUEST_PAGES = 1024 };

struct fabric_octets {
    uint8_t *all;
    size_t size;
    int64_t time_us, record; // of the last page
    unsigned pages;
};

// Adds the octets of a page.
static bool fabric_request_add(void *ctx, const json_t *page, struct error *err)
{
    struct fabric_octets *octets = ctx;
    const json_t *item = json_object_get(page, "octets");
    const char *digits = json_string_value(item);
    const size_t count = json_string_length(item) / 2;
    octets->time_us = member_count(page, "time_us");
    octets->record = member_count(page, "record");
    if (octets->pages++ == FABRIC_REQUEST_PAGES)
        return error_set(err, "the fabric changes all the time; try again");
    if (member_count(page, "first") == 0)
        octets->size = 0;
    if (!digits || member_count(page, "first") != (long long)octets->size)
        return show_refuse_shape(err);
    octets->all = memory_resize(octets->all, octets->size + count, 1);
    for (size_t i = 0; i < count; i++) {
        const char *digit = digits + 2 * i;
        uint64_t octet;
        if (!address_take_hex(&digit, digit + 2, &octet) || digit != digits + 2 * (i + 1))
            return show_refuse_shape(err);
        octets->all[octets->size++] = (uint8_t)octet;
    }
    return true;
}

bool fabric_request_begin(struct fabric_request *request, const char *socket, int64_t number,
                          struct error *err)
{
    struct fabric_octets octets = {0};
    *request = (struct fabric_request){.number = number};
    bool ok =
        client_each_page(socket, "topology", json_pack("{s:I}", "snapshot", (json_int_t)number),
                         fabric_request_add, &octets, err);
    if (ok && (octets.record < 0 || (size_t)octets.record > octets.size))
        ok = show_refuse_shape(err);
    if (ok) {
        const size_t record = (size_t)octets.record;
        request->fabric = fabric_record_read(octets.all, record, err);
        request->names = names_unpack(octets.all + record, octets.size - record);
        ok = request->fabric && (request->names || show_refuse_shape(err));
    }
    if (ok)
        request->fabric->time_us = octets.time_us;
    free(octets.all);
    return ok;
}

void fabric_request_end(struct fabric_request *request)
{
    fabric_unref(request->fabric);
    names_unref(request->names);
}
