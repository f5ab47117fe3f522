// SPDX-License-Identifier: BSD-2-Clause
// Arbitrary PDUs of a master agent, in every state of the session: any octets, names of any length.
// The first octet selects how far the session gets before the rest of the input arrives.
#include "fuzz.h"

#include "agentx/client.h"
#include "agentx/pdu.h"
#include "scratch.h"
#include "support_clock.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SESSION = 42 };

static const uint32_t ROOT[] = {1, 3, 6, 1, 4, 1, 8072};

// The tables: instances ROOT.0 to ROOT.9.

static void check_oid(const struct agentx_oid *oid)
{
    REQUIRE(oid->length <= AGENTX_OID_MAX);
}

static void get(void *ctx, const char *context, const struct agentx_oid *name,
                struct agentx_value *value)
{
    REQUIRE(strlen(context) < AGENTX_CONTEXT_SIZE);
    (void)ctx;
    check_oid(name);
    value->type = AGENTX_OID;
    value->oid = *name;
}

static bool get_next(void *ctx, const char *context, const struct agentx_oid *name, bool include,
                     const struct agentx_oid *end, struct agentx_oid *found,
                     struct agentx_value *value)
{
    (void)ctx;
    REQUIRE(strlen(context) < AGENTX_CONTEXT_SIZE);
    check_oid(name);
    check_oid(end);
    for (uint32_t i = 0; i < 10; i++) {
        found->length = sizeof ROOT / sizeof *ROOT;
        memcpy(found->ids, ROOT, sizeof ROOT);
        agentx_oid_add(found, i);
        int order = agentx_oid_compare(found->ids, found->length, name->ids, name->length);
        value->type = AGENTX_INTEGER;
        value->number = i;
        if (order > 0 || (include && order == 0))
            return true;
    }
    return false;
}

// The phases of a Set must come in order.
static enum { IDLE, TESTED, COMMITTED } phase;

static enum agentx_error test(void *ctx, const char *context, const struct agentx_varbind *varbinds,
                              size_t n, size_t *failed)
{
    REQUIRE(strlen(context) < AGENTX_CONTEXT_SIZE);
    (void)ctx;
    REQUIRE(phase == IDLE && n <= AGENTX_SET_MAX);
    for (size_t i = 0; i < n; i++) {
        check_oid(&varbinds[i].name);
        bool has_octets =
            varbinds[i].value.type == AGENTX_OCTETS || varbinds[i].value.type == AGENTX_OPAQUE;
        REQUIRE(!has_octets || varbinds[i].value.size <= AGENTX_OCTETS_MAX);
    }
    *failed = n > 0 ? n - 1 : 0;
    phase = n % 2 == 0 ? TESTED : IDLE;
    return n % 2 == 0 ? AGENTX_NO_ERROR : AGENTX_WRONG_VALUE;
}

static enum agentx_error commit(void *ctx)
{
    (void)ctx;
    REQUIRE(phase == TESTED);
    phase = COMMITTED;
    return AGENTX_NO_ERROR;
}

static enum agentx_error undo(void *ctx)
{
    (void)ctx;
    REQUIRE(phase == COMMITTED);
    phase = IDLE;
    return AGENTX_NO_ERROR;
}

static void cleanup(void *ctx)
{
    (void)ctx;
    REQUIRE(phase != IDLE);
    phase = IDLE;
}

// The master agent.

static struct support_time now;
static uint8_t zero;

static struct sockaddr_un address = {.sun_family = AF_UNIX};

static int listener(void)
{
    static int fd = -1;
    if (fd >= 0)
        return fd;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/master", scratch_make());
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    REQUIRE(bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 4) == 0);
    return fd;
}

static void respond(int fd, uint32_t packet)
{
    uint8_t octets[64];
    struct pdu_writer w = {.octets = octets, .size = sizeof octets};
    pdu_begin(&w, PDU_RESPONSE, SESSION, 0, packet, "");
    pdu_add_result(&w, AGENTX_NO_ERROR, 0);
    REQUIRE(pdu_end(&w));
    REQUIRE(send(fd, octets, w.used, MSG_NOSIGNAL) == (ssize_t)w.used);
}

// The subagent sends valid AgentX whatever it receives.
static void read_all(int fd)
{
    static uint8_t in[PDU_SIZE_MAX];
    struct pdu_header header;
    size_t size = 0, used = 0;
    ssize_t n;
    while (size < sizeof in && (n = recv(fd, in + size, sizeof in - size, MSG_DONTWAIT)) > 0)
        size += (size_t)n;
    while (pdu_parse(in + used, size - used, &header) == 1)
        used += PDU_HEADER_SIZE + header.payload;
    REQUIRE(used == size || pdu_parse(in + used, size - used, &header) == 0);
}

static void tell(struct agentx_client *client, int fd, const uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t n = send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        agentx_client_run(client, POLLIN);
        read_all(fd);
        if (n <= 0)
            return;
        data += n;
        size -= (size_t)n;
    }
    now.monotonic += 61 * CLOCK_US_PER_S;
    agentx_client_run(client, POLLIN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct clock clock = support_clock(&now);
    const struct random random = support_constant(&zero);
    struct error err;
    struct agentx_region regions[] = {
        {.ids = ROOT, .length = sizeof ROOT / sizeof *ROOT},
        {.ids = ROOT, .length = sizeof ROOT / sizeof *ROOT, .context = "a", .optional = true}};
    int server = listener();
    const struct agentx_options options = {.master = address.sun_path,
                                           .description = "fuzz",
                                           .regions = regions,
                                           .region_count = 2,
                                           .handler = {.get = get,
                                                       .get_next = get_next,
                                                       .test = test,
                                                       .commit = commit,
                                                       .undo = undo,
                                                       .cleanup = cleanup},
                                           .clock = &clock,
                                           .random = &random};
    if (size == 0)
        return 0;
    phase = IDLE;
    struct agentx_client *client = agentx_client_new(&options, &err);
    REQUIRE(client);
    agentx_client_run(client, 0);
    int fd = accept(server, NULL, NULL);
    REQUIRE(fd >= 0);
    // Answers the open and up to two registrations.
    for (uint32_t packet = 1; packet <= data[0] % 4U; packet++) {
        respond(fd, packet);
        agentx_client_run(client, POLLIN);
    }
    tell(client, fd, data + 1, size - 1);
    agentx_client_free(client);
    REQUIRE(phase == IDLE);
    for (; fd >= 0; fd = accept(server, NULL, NULL)) // it may have connected again
        close(fd);
    return 0;
}
