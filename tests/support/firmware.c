// SPDX-License-Identifier: BSD-2-Clause
#include "firmware.h"

#include "require.h"

#include "base/wire.h"

#include <string.h>

enum { CLASS = 0x0A, GET = 1, STATUS = 4, ATTRIBUTE = 16, MODIFIER = 20, VSKEY = 24, BLOCK = 32 };
enum { OCTETS = 36, SIZE = 220, GENERAL_INFO = 0x17, ACCESS = 0x51 };

uint32_t firmware_port(unsigned port)
{
    return port << 16 | 1 << 14;
}

static bool is_set(uint32_t bits, uint16_t lid)
{
    return lid < 32 && bits >> lid & 1;
}

static void put_fields(uint8_t *octets, const struct firmware_row *row)
{
    for (const struct firmware_field *f = row->fields; f->bits > 0; f++)
        wire_put(octets + f->octet, 4, wire_get32(octets + f->octet) | f->value << f->low);
    if (row->text)
        memcpy(octets + row->text_at, row->text, strlen(row->text));
}

static void answer_info(struct firmware *f, uint16_t lid, uint8_t *mad)
{
    f->infos++;
    memcpy(mad + 32 + 0x30, "MT_0000000012", 13); // PSID
    wire_put(mad + 32 + 0x80, 4, is_set(f->no_access, lid) ? 1 << 25 : 1 << 20);
}

static void answer_read(struct firmware *f, uint16_t lid, const uint8_t *asked, uint8_t *mad)
{
    f->reads++;
    REQUIRE(wire_get32(asked + BLOCK) == 0);
    const uint32_t first = wire_get32(asked + OCTETS), second = wire_get32(asked + OCTETS + 4);
    wire_put(mad + STATUS, 2, f->knows_all ? 0 : 0x14);
    wire_put(mad + OCTETS, 4, first);
    wire_put(mad + OCTETS + 4, 4, second);
    for (size_t i = 0; i < f->count; i++) {
        const struct firmware_row *row = &f->rows[i];
        if (row->lid != lid || row->id != wire_get32(asked + MODIFIER) || row->first != first ||
            row->second != second)
            continue;
        wire_put(mad + STATUS, 2, row->status);
        wire_put(mad + BLOCK, 2, is_set(f->repeats, lid) ? 1 : 0);
        wire_put(mad + OCTETS, 4, is_set(f->other_port, lid) ? first + (1 << 16) : first);
        wire_put(mad + OCTETS + 4, 4, second);
        if (row->status == 0)
            put_fields(mad + OCTETS, row);
    }
}

bool firmware_answer(struct firmware *f, const struct fake_request *request,
                     struct fake_answer *answer)
{
    const uint8_t *asked = request->octets;
    const uint16_t lid = request->to.lid;
    if (asked[1] != CLASS)
        return false;
    REQUIRE(asked[3] == GET && request->agent == MAD_AGENT_VENDOR && request->to.qpn == 1);
    if (is_set(f->deaf, lid) || wire_get64(asked + VSKEY) != f->vskey)
        return false;
    wire_put(answer->octets + VSKEY, 8, f->vskey);
    if (is_set(f->impostors, lid))
        answer->from_lid = (uint16_t)(lid + 100);
    answer->late_us = f->late_us;
    if (wire_get16(asked + ATTRIBUTE) == GENERAL_INFO)
        answer_info(f, lid, answer->octets);
    else
        answer_read(f, lid, asked, answer->octets);
    if (is_set(f->no_class, lid) || is_set(f->busy, lid))
        wire_put(answer->octets + STATUS, 2, is_set(f->busy, lid) ? 1 : 4);
    return true;
}
