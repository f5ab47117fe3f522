// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/fabric_pages.h"

#include "ctl/client.h"
#include "ctl/pages.h"
#include "ctl/show.h"
#include "model/fabric_builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The end of a link, until all nodes are known.
struct page_link {
    uint64_t peer;
    uint32_t node;
    uint8_t port, peer_port;
};

struct fabric_pages {
    struct fabric_builder *builder;
    struct page_link *links;
    size_t link_count, link_room;
    FILE *names; // lines of a node-name-map
    bool complete;
};

bool fabric_pages_each(const char *socket, const char *command,
                       bool (*each)(void *ctx, const json_t *page, bool first, struct error *err),
                       void *ctx, struct error *err)
{
    json_t *items = json_pack("{s:i}", "snapshot", 0);
    bool ok, more = false, first = true;
    do {
        json_t *page = client_request(socket, command, json_copy(items), err);
        ok = page && (json_is_array(json_object_get(page, "nodes")) || show_refuse_shape(err)) &&
             each(ctx, page, first, err);
        more = ok && pages_turn(items, page);
        first = false;
        json_decref(page);
    } while (more);
    json_decref(items);
    return ok;
}

static uint64_t page_guid(const json_t *object, const char *key)
{
    return strtoull(member_word(object, key), NULL, 16);
}

static uint8_t page_type(const json_t *node)
{
    const char *type = member_word(node, "type");
    return strcmp(type, "switch") == 0   ? FABRIC_SWITCH
           : strcmp(type, "router") == 0 ? FABRIC_ROUTER
                                         : FABRIC_CA;
}

static uint8_t page_state(const json_t *port)
{
    static const char *const WORDS[] = {[FABRIC_DOWN] = "down",
                                        [FABRIC_INITIALIZE] = "initialize",
                                        [FABRIC_ARMED] = "armed",
                                        [FABRIC_ACTIVE] = "active"};
    const char *state = member_word(port, "state");
    for (unsigned i = FABRIC_DOWN; i <= FABRIC_ACTIVE; i++) {
        if (strcmp(state, WORDS[i]) == 0)
            return (uint8_t)i;
    }
    return 0;
}

static uint8_t page_width(const json_t *port)
{
    for (unsigned bit = 1; bit <= 16; bit <<= 1) {
        if (fabric_lanes((uint8_t)bit) == member_count(port, "width"))
            return (uint8_t)bit;
    }
    return 0;
}

static uint16_t page_speed(const json_t *port)
{
    for (unsigned bit = FABRIC_SDR; bit <= FABRIC_FDR10; bit <<= 1) {
        if (strcmp(fabric_speed_word((uint16_t)bit), member_word(port, "speed")) == 0)
            return (uint16_t)bit;
    }
    return 0;
}

static bool keep_link(struct fabric_pages *p, uint32_t node, uint8_t number, const json_t *peer)
{
    if (p->link_count == p->link_room) {
        const size_t room = p->link_room > 0 ? 2 * p->link_room : 256;
        struct page_link *links = realloc(p->links, room * sizeof *links);
        if (!links)
            return false;
        p->links = links;
        p->link_room = room;
    }
    p->links[p->link_count++] =
        (struct page_link){.peer = page_guid(peer, "guid"),
                           .node = node,
                           .port = number,
                           .peer_port = (uint8_t)member_count(peer, "port")};
    return true;
}

static bool fabric_pages_add_port(struct fabric_pages *p, uint32_t node, const json_t *from)
{
    const json_t *peer = json_object_get(from, "peer");
    struct fabric_port port = {.guid = page_guid(from, "guid"),
                               .number = (uint8_t)member_count(from, "port"),
                               .lid = (uint16_t)member_count(from, "lid"),
                               .state = page_state(from),
                               .silent = json_is_true(json_object_get(from, "silent")),
                               .width_active = page_width(from),
                               .speed_active = page_speed(from)};
    port.known = port.state != 0;
    return fabric_builder_port(p->builder, node, &port) &&
           (!json_is_object(peer) || keep_link(p, node, port.number, peer));
}

static bool fabric_pages_add_node(struct fabric_pages *p, const json_t *from)
{
    struct fabric_node node = {.guid = page_guid(from, "guid"),
                               .system_guid = page_guid(from, "system_guid"),
                               .type = page_type(from),
                               .port_count = (uint8_t)member_count(from, "port_count"),
                               .silent = json_is_true(json_object_get(from, "silent"))};
    const char *name = member_word(from, "name"), *description = member_word(from, "description");
    struct text t = text_in(node.description, sizeof node.description);
    size_t i;
    const json_t *port;
    text_add(&t, description);
    // A name of blanks, or with a quotation mark, has no line in a map.
    if (strcmp(name, description) != 0 && name[strspn(name, " \t")] != '\0' && !strchr(name, '"'))
        fprintf(p->names, "0x%016" PRIx64 " \"%s\"\n", node.guid, name);
    const uint32_t number = fabric_builder_node(p->builder, &node);
    bool ok = number != FABRIC_NONE;
    json_array_foreach(json_object_get(from, "ports"), i, port) ok =
        ok && fabric_pages_add_port(p, number, port);
    return ok;
}

static bool take_page(void *ctx, const json_t *page, bool first, struct error *err)
{
    struct fabric_pages *p = ctx;
    size_t i;
    const json_t *node;
    if (first)
        p->complete = json_is_true(json_object_get(page, "complete"));
    json_array_foreach(json_object_get(page, "nodes"), i, node)
    {
        if (!fabric_pages_add_node(p, node))
            return error_set(err, "out of memory");
    }
    return true;
}

static bool connect_pages(struct fabric_pages *p)
{
    for (size_t i = 0; i < p->link_count; i++) {
        const struct page_link *link = &p->links[i];
        const uint32_t peer = fabric_builder_find(p->builder, link->peer);
        if (peer != FABRIC_NONE &&
            !fabric_builder_link(p->builder, link->node, link->port, peer, link->peer_port))
            return false;
    }
    return true;
}

static struct fabric *finish_pages(struct fabric_pages *p, struct error *err)
{
    struct fabric *fabric = NULL;
    if (connect_pages(p)) {
        fabric = fabric_builder_finish(p->builder, 0, 0, p->complete);
        p->builder = NULL;
    }
    if (!fabric)
        error_set(err, "out of memory");
    return fabric;
}

struct fabric *fabric_pages_read(const char *socket, const char *command, struct names **names,
                                 struct error *err)
{
    char *map = NULL;
    size_t size;
    struct fabric_pages p = {.builder = fabric_builder_new(), .names = open_memstream(&map, &size)};
    struct fabric *fabric = NULL;
    *names = NULL;
    if (!p.builder || !p.names)
        error_set(err, "out of memory");
    else if (fabric_pages_each(socket, command, take_page, &p, err))
        fabric = finish_pages(&p, err);
    if (p.names)
        fclose(p.names);
    if (fabric && !(*names = names_parse("names", map, size, err))) {
        fabric_unref(fabric);
        fabric = NULL;
    }
    fabric_builder_free(p.builder);
    free(p.links);
    free(map);
    return fabric;
}
