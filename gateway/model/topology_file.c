// SPDX-License-Identifier: BSD-2-Clause
#include "model/topology_file.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"
#include "model/address.h"
#include "model/fabric_builder.h"
#include "model/topology_csv.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// A piece of the content.
struct piece {
    const char *at;
    size_t size;
};

// A node with an identifier that is not made from the GUID, for instance in nets of ibsim.
struct named {
    struct piece id;
    uint32_t node;
};

// A line of a link, until all nodes are known.
struct file_link {
    const char *peer; // the identifier, behind its quotation mark
    uint32_t peer_size;
    uint32_t node, line;
    uint8_t port, peer_port;
};

struct topology_file {
    const char *origin;
    struct fabric_builder *builder;
    struct fabric_node pending; // the contents of the lines before the node's own line
    uint64_t pending_other;     // the GUID in parentheses behind that of `pending`; 0: none
    uint32_t node;              // the node of the lines of links; FABRIC_NONE: none yet
    uint32_t node_count;
    uint32_t line;
    bool begun;           // a line was one of a topology file
    struct piece strange; // before that, the first line that was none
    uint32_t strange_line;
    struct named *named;
    size_t named_count, named_room;
    struct file_link *links;
    size_t link_count, link_room;
    struct error *err;
};

// Reading a line. `p` is the place in the line, `end` its end.
struct cursor {
    const char *p, *end;
};

static void topology_file_skip_blanks(struct cursor *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' || *c->p == '\r'))
        c->p++;
}

static bool topology_file_take(struct cursor *c, char wanted)
{
    const bool is = c->p < c->end && *c->p == wanted;
    c->p += is;
    return is;
}

static bool topology_file_take_word(struct cursor *c, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(c->end - c->p) < size || memcmp(c->p, word, size) != 0)
        return false;
    c->p += size;
    return true;
}

// A decimal number up to `most`. False: there is none.
static bool topology_file_take_number(struct cursor *c, unsigned most, unsigned *out)
{
    const char *first = c->p;
    for (*out = 0; c->p < c->end && *c->p >= '0' && *c->p <= '9' && *out <= most; c->p++)
        *out = *out * 10 + (unsigned)(*c->p - '0');
    return c->p > first && *out <= most;
}

// Reads "(2c90300b10001)", if it is there.
static bool topology_file_take_guid(struct cursor *c, uint64_t *guid)
{
    *guid = 0;
    topology_file_skip_blanks(c);
    return !topology_file_take(c, '(') ||
           (address_take_hex(&c->p, c->end, guid) && topology_file_take(c, ')'));
}

// A text in quotation marks.
static bool topology_file_take_quoted(struct cursor *c, struct piece *out)
{
    if (!topology_file_take(c, '"'))
        return false;
    const char *close = memchr(c->p, '"', (size_t)(c->end - c->p));
    if (!close)
        return false;
    *out = (struct piece){c->p, (size_t)(close - c->p)};
    c->p = close + 1;
    return true;
}

// Whether nothing but blanks and a comment are left. The comment then begins at `c->p`.
static bool topology_file_is_at_end(struct cursor *c)
{
    topology_file_skip_blanks(c);
    return c->p == c->end || *c->p == '#';
}

// From the first to the last quotation mark that is left: names may have some, too.
static struct piece topology_file_quoted_name(const struct cursor *c)
{
    const size_t size = (size_t)(c->end - c->p);
    const char *open = size > 0 ? memchr(c->p, '"', size) : NULL;
    const char *close = open ? memrchr(open, '"', (size_t)(c->end - open)) : NULL;
    if (!close || close == open)
        return (struct piece){c->p, 0};
    return (struct piece){open + 1, (size_t)(close - open - 1)};
}

// Sentences. Each begins with the file and the line.

#define topology_file_refuse(f, line, ...)                                                         \
    (error_set((f)->err, __VA_ARGS__), error_prefix((f)->err, "%s:%" PRIu32, (f)->origin, (line)))

// The identifier for a sentence: clean, and cut where it is long.
struct topology_file_word {
    char text[48];
};

static struct topology_file_word topology_file_show(struct piece piece)
{
    struct topology_file_word word = {.text = ""};
    text_clean(piece.at, piece.size, word.text, sizeof word.text);
    return word;
}

// Nodes.

// The GUID in an identifier, for instance S-0002c90200c10000.
static bool topology_file_guid_of(struct piece id, uint64_t *guid)
{
    struct cursor c = {id.at + 2, id.at + id.size};
    return id.size == 18 && id.at[1] == '-' && address_take_hex(&c.p, c.end, guid) && c.p == c.end;
}

// Refuses what was to be a GUID, but has an x among its digits.
static bool topology_file_check_guid(struct topology_file *f, struct piece id)
{
    size_t digits = 0, others = 0;
    for (size_t i = 2; i < id.size; i++) {
        const bool x = id.at[i] == 'x' || id.at[i] == 'X';
        digits += memchr("0123456789abcdefABCDEF", id.at[i], 22) != NULL;
        others += x;
    }
    if (id.size <= 12 || id.at[1] != '-' || others == 0 || digits + others != id.size - 2)
        return true;
    return topology_file_refuse(f, f->line,
                                "\"%s\" is no GUID; the file is damaged, write it again",
                                topology_file_show(id).text);
}

static int topology_file_compare(const void *a, const void *b)
{
    const struct named *m = a, *n = b;
    const size_t size = m->id.size < n->id.size ? m->id.size : n->id.size;
    const int order = memcmp(m->id.at, n->id.at, size);
    return order != 0 ? order : (m->id.size > n->id.size) - (m->id.size < n->id.size);
}

// The node of that identifier, once all are known and sorted; FABRIC_NONE: there is none.
static uint32_t topology_file_find(const struct topology_file *f, struct piece id)
{
    uint64_t guid;
    const struct named wanted = {.id = id};
    const struct named *found = f->named_count > 0 ? bsearch(&wanted, f->named, f->named_count,
                                                             sizeof wanted, topology_file_compare)
                                                   : NULL;
    if (found)
        return found->node;
    return topology_file_guid_of(id, &guid) ? fabric_builder_find(f->builder, guid) : FABRIC_NONE;
}

static void topology_file_keep_name(struct topology_file *f, struct piece id)
{
    MEMORY_MAKE_ROOM(f->named, f->named_count, f->named_room);
    f->named[f->named_count++] = (struct named){id, f->node};
}

// "Switch 36" and the like: the type, and the ports behind it. False: it is another line.
static bool topology_file_take_type(struct cursor *c, uint8_t *type)
{
    static const struct {
        const char *word;
        uint8_t type; // enum fabric_type
    } TYPES[] = {{"Switch", FABRIC_SWITCH},
                 {"Ca", FABRIC_CA},
                 {"Hca", FABRIC_CA},
                 {"Rt", FABRIC_ROUTER},
                 {"Router", FABRIC_ROUTER}};
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        struct cursor behind = *c;
        if (!topology_file_take_word(&behind, TYPES[i].word) || behind.p == behind.end ||
            (*behind.p != ' ' && *behind.p != '\t'))
            continue;
        topology_file_skip_blanks(&behind);
        *c = behind;
        *type = TYPES[i].type;
        return true;
    }
    return false;
}

static bool topology_file_add_node(struct topology_file *f, struct piece id)
{
    const uint64_t guid = f->pending.guid;
    if (fabric_builder_find(f->builder, guid) != FABRIC_NONE)
        return topology_file_refuse(f, f->line,
                                    "the node with the GUID 0x%016" PRIx64
                                    " is described for the second time; remove one of both",
                                    guid);
    f->node = fabric_builder_node(f->builder, &f->pending);
    if (f->node == FABRIC_NONE)
        return topology_file_refuse(f, f->line, "no memory for more than %" PRIu32 " nodes",
                                    f->node_count);
    f->node_count++;
    f->pending = (struct fabric_node){0};
    f->pending_other = 0;
    uint64_t same;
    if (!topology_file_guid_of(id, &same) || same != guid)
        topology_file_keep_name(f, id);
    return true;
}

// ibdiagnet writes the GUID of the system, and behind it in parentheses that of the node. Returns
// false with a sentence: the identifier has a third GUID.
static bool topology_file_identify(struct topology_file *f, struct piece id, uint64_t guid)
{
    if (f->pending.guid == 0)
        f->pending.guid = guid;
    if (f->pending.guid == guid)
        return true;
    if (f->pending_other != guid)
        return topology_file_refuse(f, f->line,
                                    "the line before has the GUID 0x%016" PRIx64
                                    ", and this one \"%s\"; make them agree",
                                    f->pending.guid, topology_file_show(id).text);
    if (f->pending.system_guid == 0)
        f->pending.system_guid = f->pending.guid;
    f->pending.guid = guid;
    return true;
}

// Refuses a LID below 0 in the comment of a line, before and behind the names.
static bool topology_file_check_lid(struct topology_file *f, struct cursor c)
{
    static const char BELOW[] = " lid -";
    const size_t size = (size_t)(c.end - c.p), length = sizeof BELOW - 1;
    const char *first = size > 0 ? memchr(c.p, '"', size) : NULL;
    const char *last = first ? memrchr(c.p, '"', size) : c.p;
    if (!memmem(last, (size_t)(c.end - last), BELOW, length) &&
        (!first || !memmem(c.p, (size_t)(first - c.p), BELOW, length)))
        return true;
    return topology_file_refuse(f, f->line,
                                "the LID is below 0, so the program that wrote the file did not "
                                "reach the node; write the file again");
}

// The node's own line, behind its type.
static bool topology_file_read_node(struct topology_file *f, struct cursor c, uint8_t type)
{
    struct piece id, name = {0};
    unsigned ports;
    uint64_t guid = 0;
    const bool counted = topology_file_take_number(&c, 254, &ports);
    topology_file_skip_blanks(&c);
    if (!counted || !topology_file_take_quoted(&c, &id) || id.size == 0 ||
        !topology_file_is_at_end(&c))
        return topology_file_refuse(f, f->line,
                                    "a node must look like: Switch 36 \"S-0002c90200c10000\", with "
                                    "254 ports at most");
    if (!topology_file_check_guid(f, id) || !topology_file_check_lid(f, c) ||
        (topology_file_guid_of(id, &guid) && !topology_file_identify(f, id, guid)))
        return false;
    if (f->pending.guid == 0)
        return topology_file_refuse(
            f, f->line, "the GUID of \"%s\" is missing; put a line such as switchguid=0x... before",
            topology_file_show(id).text);
    name = topology_file_quoted_name(&c);
    if (name.size == 0 && guid == 0)
        name = id;
    text_clean(name.at, name.size, f->pending.description, sizeof f->pending.description);
    f->pending.type = type;
    f->pending.port_count = (uint8_t)ports;
    return topology_file_add_node(f, id);
}

// A line such as caguid=0x2c90300b10000, or switchguid=0x2c90200c10000(2c90200c10000). Passes
// over items of no interest.
static bool topology_file_read_item(struct topology_file *f, struct cursor c)
{
    const char *equals = memchr(c.p, '=', (size_t)(c.end - c.p));
    const struct piece key = {c.p, (size_t)(equals - c.p)};
    uint64_t value, other;
    c.p = equals + 1;
    if (!topology_file_take_word(&c, "0x") || !address_take_hex(&c.p, c.end, &value) ||
        !topology_file_take_guid(&c, &other) || !topology_file_is_at_end(&c))
        return topology_file_refuse(f, f->line,
                                    "'%s' must be 0x and hexadecimal digits, 16 at most",
                                    topology_file_show(key).text);
    if (key.size == 6 && memcmp(key.at, "vendid", 6) == 0)
        f->pending.vendor = (uint32_t)value & 0xFFFFFF;
    else if (key.size == 5 && memcmp(key.at, "devid", 5) == 0)
        f->pending.device = (uint16_t)value;
    else if (key.size == 10 && memcmp(key.at, "sysimgguid", 10) == 0)
        f->pending.system_guid = value;
    else if (key.size > 4 && memcmp(key.at + key.size - 4, "guid", 4) == 0) {
        f->pending.guid = value;
        f->pending_other = other;
    }
    return true;
}

// Links.

static uint8_t topology_file_width(unsigned lanes)
{
    for (unsigned bit = 1; bit <= 16; bit <<= 1) {
        if (fabric_lanes((uint8_t)bit) == lanes)
            return (uint8_t)bit;
    }
    return 0;
}

// FDR10 counts as QDR: without SMPs, a sweep cannot distinguish FDR10 and QDR.
static uint16_t topology_file_speed(struct cursor c)
{
    for (unsigned bit = FABRIC_SDR; bit <= FABRIC_XDR; bit <<= 1) {
        struct cursor behind = c;
        if (!topology_file_take_word(&behind, fabric_speed_word((uint16_t)bit)))
            continue;
        return bit == FABRIC_FDR && topology_file_take_word(&behind, "10") ? FABRIC_QDR
                                                                           : (uint16_t)bit;
    }
    return 0;
}

// Reads "4xEDR" behind the last quotation mark of the comment; leaves 0 what is not there.
static void topology_file_read_rate(struct cursor c, struct fabric_port *port)
{
    const char *quote = c.p < c.end ? memrchr(c.p, '"', (size_t)(c.end - c.p)) : NULL;
    for (c.p = quote ? quote + 1 : c.end; c.p < c.end; c.p++) {
        unsigned lanes;
        if ((c.p[-1] != ' ' && c.p[-1] != '\t') || *c.p < '0' || *c.p > '9')
            continue;
        struct cursor word = c;
        if (!topology_file_take_number(&word, 12, &lanes) || !topology_file_take(&word, 'x'))
            continue;
        port->width_active = topology_file_width(lanes);
        port->speed_active = topology_file_speed(word);
        return;
    }
}

// Reads "[3]", and the "[ext 5]" that may follow.
static bool topology_file_take_port(struct cursor *c, uint8_t *port)
{
    unsigned number;
    if (!topology_file_take(c, '[') || !topology_file_take_number(c, 254, &number) || number == 0 ||
        !topology_file_take(c, ']'))
        return false;
    *port = (uint8_t)number;
    struct cursor behind = *c;
    if (topology_file_take_word(&behind, "[ext ") &&
        topology_file_take_number(&behind, 255, &number) && topology_file_take(&behind, ']'))
        *c = behind;
    return true;
}

static bool topology_file_keep_link(struct topology_file *f, const struct file_link *link)
{
    if (f->link_count == TOPOLOGY_FILE_LINKS_MAX)
        return topology_file_refuse(f, f->line, "more than %d lines of links",
                                    TOPOLOGY_FILE_LINKS_MAX);
    MEMORY_MAKE_ROOM(f->links, f->link_count, f->link_room);
    f->links[f->link_count++] = *link;
    return true;
}

static bool topology_file_add_port(struct topology_file *f, const struct file_link *link,
                                   struct fabric_port *port)
{
    const struct fabric_node *node = fabric_builder_get(f->builder, f->node);
    if (node->port_count > 0 && link->port > node->port_count)
        return topology_file_refuse(f, f->line, "the node has %u ports, and no port %u",
                                    (unsigned)node->port_count, (unsigned)link->port);
    if (fabric_builder_get_port(f->builder, f->node, link->port))
        return topology_file_refuse(f, f->line,
                                    "port %u of the node has a line already; remove one of both",
                                    (unsigned)link->port);
    if (node->type == FABRIC_SWITCH)
        port->guid = 0;
    port->number = link->port;
    port->known = true;
    port->state = FABRIC_ACTIVE;
    fabric_builder_port(f->builder, f->node, port); // has room, see TOPOLOGY_FILE_LINKS_MAX
    return true;
}

static bool topology_file_read_link(struct topology_file *f, struct cursor c)
{
    struct file_link link = {.node = f->node, .line = f->line};
    struct fabric_port port = {0};
    struct piece peer;
    uint64_t ignored;
    bool ok = topology_file_take_port(&c, &link.port) && topology_file_take_guid(&c, &port.guid);
    topology_file_skip_blanks(&c);
    ok = ok && topology_file_take_quoted(&c, &peer);
    topology_file_skip_blanks(&c);
    ok = ok && topology_file_take_port(&c, &link.peer_port) &&
         topology_file_take_guid(&c, &ignored) && topology_file_is_at_end(&c);
    if (!ok)
        return topology_file_refuse(
            f, f->line,
            "a link must look like: [3] \"H-0002c90300b10000\"[1], with ports from 1 to 254");
    if (f->node == FABRIC_NONE)
        return topology_file_refuse(f, f->line,
                                    "this link belongs to no node; is the file's begin missing?");
    link.peer = peer.at;
    link.peer_size = (uint32_t)peer.size;
    topology_file_read_rate(c, &port);
    return topology_file_check_guid(f, peer) && topology_file_check_lid(f, c) &&
           topology_file_add_port(f, &link, &port) && topology_file_keep_link(f, &link);
}

// Whether another port is at that end already than `node` and `port`.
static bool topology_file_is_taken(const struct fabric_port *end, uint32_t node, uint8_t port)
{
    return end && end->peer_node != FABRIC_NONE &&
           (end->peer_node != node || end->peer_port != port);
}

static bool topology_file_connect(struct topology_file *f, const struct file_link *link)
{
    const struct piece id = {link->peer, link->peer_size};
    const uint32_t peer = topology_file_find(f, id);
    if (peer == FABRIC_NONE)
        return topology_file_refuse(f, link->line,
                                    "the file does not describe \"%s\"; is it complete? Otherwise "
                                    "remove the lines of its links, too",
                                    topology_file_show(id).text);
    const unsigned ports = fabric_builder_get(f->builder, peer)->port_count;
    if (ports > 0 && link->peer_port > ports)
        return topology_file_refuse(f, link->line, "\"%s\" has %u ports, and no port %u",
                                    topology_file_show(id).text, ports, (unsigned)link->peer_port);
    if (peer == link->node && link->peer_port == link->port)
        return topology_file_refuse(f, link->line, "the port is connected to itself");
    const struct fabric_port *own = fabric_builder_get_port(f->builder, link->node, link->port);
    const struct fabric_port *other = fabric_builder_get_port(f->builder, peer, link->peer_port);
    if (topology_file_is_taken(own, peer, link->peer_port) ||
        topology_file_is_taken(other, link->node, link->port))
        return topology_file_refuse(f, link->line,
                                    "another line connects one of both ports to another one; make "
                                    "the lines of both ends agree");
    if (own->peer_node == FABRIC_NONE)
        fabric_builder_link(f->builder, link->node, link->port, peer, link->peer_port);
    return true;
}

static bool topology_file_refuse_line(struct topology_file *f, uint32_t line, struct piece what)
{
    return topology_file_refuse(f, line,
                                "'%s' is no line of ibnetdiscover(8); write the file with "
                                "'ibnetdiscover' or 'ibtrapctl topology save'",
                                topology_file_show(what).text);
}

// Also refuses two nodes of one name.
static bool topology_file_connect_all(struct topology_file *f)
{
    if (f->named_count > 0)
        qsort(f->named, f->named_count, sizeof *f->named, topology_file_compare);
    for (size_t i = 1; i < f->named_count; i++) {
        if (topology_file_compare(&f->named[i - 1], &f->named[i]) == 0)
            return topology_file_refuse(f, f->line, "two nodes are called \"%s\"; rename one",
                                        topology_file_show(f->named[i].id).text);
    }
    for (size_t i = 0; i < f->link_count; i++) {
        if (!topology_file_connect(f, &f->links[i]))
            return false;
    }
    if (f->node_count == 0 && f->strange.size > 0)
        return topology_file_refuse_line(f, f->strange_line, f->strange);
    return f->node_count > 0 ||
           topology_file_refuse(f, f->line,
                                "there is no node in it; write it with 'ibnetdiscover' or "
                                "'ibtrapctl topology save'");
}

// Lines.

static_assert(2 * TOPOLOGY_FILE_LINKS_MAX <= FABRIC_PORTS_MAX, "both ports of each link have room");

// Headings that ibnetdiscover --grouping writes.
static bool topology_file_is_heading(struct cursor c)
{
    return topology_file_take_word(&c, "Chassis ") ||
           topology_file_take_word(&c, "Non-Chassis Nodes") ||
           topology_file_take_word(&c, "Hostname: ");
}

static bool topology_file_is_item(struct cursor c)
{
    const char *first = c.p;
    while (c.p < c.end && *c.p >= 'a' && *c.p <= 'z')
        c.p++;
    return c.p > first && topology_file_take(&c, '=');
}

// What a terminal shows before the file begins: a prompt such as "[root@gw1 ~]# ibnetdiscover", or
// a warning. Returns false with a sentence if the file has begun.
static bool topology_file_pass_strange(struct topology_file *f, struct cursor c)
{
    const struct piece line = {c.p, (size_t)(c.end - c.p)};
    if (f->begun)
        return topology_file_refuse_line(f, f->line, line);
    if (f->strange.size == 0) {
        f->strange = line;
        f->strange_line = f->line;
    }
    return true;
}

static bool topology_file_read_line(struct topology_file *f, struct cursor c)
{
    uint8_t type;
    if (topology_file_is_at_end(&c) || topology_file_is_heading(c))
        return true;
    const bool prompt = c.end - c.p > 1 && (c.p[1] < '0' || c.p[1] > '9') && !f->begun;
    const bool link = *c.p == '[' && !prompt, item = topology_file_is_item(c);
    const bool node = !link && !item && topology_file_take_type(&c, &type);
    if (!link && !item && !node)
        return topology_file_pass_strange(f, c);
    f->begun = true;
    return link   ? topology_file_read_link(f, c)
           : item ? topology_file_read_item(f, c)
                  : topology_file_read_node(f, c, type);
}

static bool topology_file_read(struct topology_file *f, const char *content, size_t size)
{
    const char *p = content, *end = content + size;
    if (size >= 2 && (memcmp(p, "\xFF\xFE", 2) == 0 || memcmp(p, "\xFE\xFF", 2) == 0))
        return topology_file_refuse(f, 1, "is in UTF-16; save the file as UTF-8");
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *line_end = newline ? newline : end;
        f->line++;
        if (!topology_file_read_line(f, (struct cursor){p, line_end}))
            return false;
        p = newline ? newline + 1 : end;
    }
    f->line += f->line == 0; // an empty file
    return topology_file_connect_all(f);
}

struct fabric *topology_file_parse(const char *origin, const char *content, size_t size,
                                   struct error *err)
{
    static const char MARK[] = "\xEF\xBB\xBF"; // of UTF-8
    const size_t mark = size >= 3 && memcmp(content, MARK, 3) == 0 ? 3 : 0;
    content += mark;
    size -= mark;
    if (topology_csv_fits(content, size))
        return topology_csv_parse(origin, content, size, err);
    struct topology_file f = {
        .origin = origin, .builder = fabric_builder_new(), .node = FABRIC_NONE, .err = err};
    struct fabric *fabric = NULL;
    if (topology_file_read(&f, content, size))
        fabric = fabric_builder_finish(f.builder, 0, 0, true);
    else
        fabric_builder_free(f.builder);
    free(f.named);
    free(f.links);
    return fabric;
}

struct fabric *topology_file_load(const char *path, struct error *err)
{
    size_t size;
    char *content = regular_file_read(path, TOPOLOGY_FILE_SIZE_MAX, &size, err);
    struct fabric *fabric = content ? topology_file_parse(path, content, size, err) : NULL;
    free(content);
    return fabric;
}
