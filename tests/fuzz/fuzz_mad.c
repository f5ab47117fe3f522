// SPDX-License-Identifier: BSD-2-Clause
// An arbitrary MAD, through all functions that process a Report, and through the readers of all
// other answers.
#include "fuzz.h"

#include "event/event_builder.h"
#include "ib/mad.h"
#include "ib/node_mad.h"
#include "model/event_record.h"
#include "model/fabric.h"
#include "model/mib.h"
#include "sink/format.h"
#include "sink/snmp_pdu.h"
#include "support_clock.h"

#include <string.h>

static const char NAMES[] = "0x0002c90300001234 \"leaf]12\\\\\"\n"
                            "0x0002c903000e8acf \"\xC3\xBC \xF0\x9F\x98\x80\"\n";

static struct event_builder make_maker(void)
{
    static struct names *names;
    struct error err;
    if (!names)
        names = names_parse("names", NAMES, sizeof NAMES - 1, &err);
    REQUIRE(names);
    return (struct event_builder){.clock = &SUPPORT_STOPPED,
                                  .random = &SUPPORT_SAME,
                                  .names = names,
                                  .subnet_prefix = UINT64_C(0xfe80000000000000)};
}

// Every output is one line of valid UTF-8.
static void check_text(const char *s, size_t n)
{
    char clean[FORMAT_SIZE];
    text_clean(s, n, clean, sizeof clean);
    REQUIRE(strlen(clean) == n && memcmp(clean, s, n) == 0);
}

static void check_formats(const struct event *event)
{
    static const struct format_origin ORIGIN = {
        .facility = 3, .hostname = "host.example.org", .process_id = "4711"};
    for (int f = 0; f < FORMAT_COUNT; f++) {
        char buffer[FORMAT_SIZE_MIN];
        struct text t = text_in(buffer, sizeof buffer);
        format_message(&t, (enum format)f, &ORIGIN, event);
        REQUIRE(t.len < sizeof buffer && strlen(buffer) == t.len);
        for (char *tab = buffer; f == FORMAT_LEEF && (tab = strchr(tab, '\t')) != NULL;)
            *tab = ' '; // its delimiter
        check_text(buffer, t.len);
    }
}

static size_t size_of_pdu(netsnmp_pdu *pdu)
{
    size_t count = 0;
    REQUIRE(pdu);
    for (netsnmp_variable_list *v = pdu->variables; v; v = v->next_variable)
        count++;
    snmp_free_pdu(pdu);
    return count;
}

static void check_snmp(const struct event *event, unsigned sets)
{
    static const uint8_t ADDRESS[] = {192, 0, 2, 7};
    const struct mib_notification *notifications[SNMP_PDU_NOTIFICATIONS_MAX];
    size_t n = snmp_pdu_notifications(event, sets, false, notifications);
    REQUIRE(n <= SNMP_PDU_NOTIFICATIONS_MAX && (n >= 1 || sets != 0));
    for (size_t i = 0; i < n; i++) {
        const struct mib_notification *notification = notifications[i];
        const struct snmp_pdu_options plain = {.uptime_cs = 1}, full = {1, true, ADDRESS, ADDRESS};
        size_t objects = 0;
        while (objects < MIB_OBJECTS_MAX && notification->objects[objects])
            objects++;
        REQUIRE(size_of_pdu(snmp_pdu_make(SNMP_MSG_TRAP2, event, notification, &plain)) ==
                objects + 2);
        REQUIRE(size_of_pdu(snmp_pdu_make(SNMP_MSG_INFORM, event, notification, &full)) >
                objects + 2);
        REQUIRE(size_of_pdu(snmp_pdu_make_v1(event, notification, &full)) >= objects);
    }
}

// The journal's record has the whole event.
static void check_record(const struct event *event)
{
    uint8_t record[EVENT_RECORD_MAX], second[EVENT_RECORD_MAX];
    struct error err;
    size_t size = event_record_write(event, record);
    struct event *again = event_record_read(record, size, &err);
    REQUIRE(again && memcmp(&again->notice, &event->notice, sizeof event->notice) == 0);
    REQUIRE(event_record_write(again, second) == size && memcmp(record, second, size) == 0);
    event_unref(again);
}

static void check_event(struct event *event)
{
    REQUIRE(event && event->text[0] != '\0');
    check_text(event->text, strlen(event->text));
    check_formats(event);
    for (unsigned sets = 0; sets < 8; sets++)
        check_snmp(event, sets);
    check_record(event);
    event_unref(event);
}

static void count_trap(void *ctx, uint32_t trap)
{
    REQUIRE(trap <= MAD_TRAP_VENDOR);
    ++*(size_t *)ctx;
}

// Reads all octets: a sanitizer finds a wrong size.
static void take_record(void *ctx, const uint8_t *record, size_t size)
{
    uint8_t sum = 0;
    REQUIRE(size >= *(size_t *)ctx);
    for (size_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + record[i]);
    static volatile uint8_t sink;
    sink = sum;
    (void)sink;
}

static void read_tables(const uint8_t *data, size_t size)
{
    static const size_t SIZES[] = {6, 64, 108}; // LinkRecord, PortInfoRecord, NodeRecord
    struct error err;
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        size_t wanted = SIZES[i];
        mad_read_table(data, size, wanted, take_record, &wanted, &err);
    }
}

static void read_answers(const uint8_t *data, size_t size)
{
    struct mad_header header;
    struct mad_subscriptions list;
    struct mad_node node;
    struct mad_port port;
    uint8_t answer[MAD_SIZE];
    size_t records = 0;
    if (mad_read_subscriptions(data, size, &list, count_trap, &records))
        REQUIRE(records == list.records);
    if (mad_read_node(data, size, &node))
        REQUIRE(strlen(node.description) <= 64);
    if (mad_read_own_port(data, size, &port))
        REQUIRE(fabric_state_word(port.state));
    if (mad_read_header(data, size, &header)) {
        REQUIRE(mad_status_words(header.status));
        mad_answer_report(answer, data, size, 0);
        REQUIRE(answer[3] == (data[3] | MAD_METHOD_RESPONSE));
    }
}

// Attributes of a fabric's nodes, of arbitrary octets.
static void read_attributes(const uint8_t *data)
{
    struct fabric_node node;
    struct fabric_port port;
    uint64_t guid;
    uint8_t number;
    char description[FABRIC_DESCRIPTION_SIZE];
    if (smp_read_node_info(data, &node, &guid, &number))
        REQUIRE(node.guid != 0 && number <= node.port_count && node.port_count < 255);
    for (uint8_t type = FABRIC_CA; type <= FABRIC_ROUTER; type++) {
        smp_read_port_info(data, type, 1, &port);
        REQUIRE(port.known && port.number == 1 && port.peer_node == FABRIC_NONE);
        REQUIRE(port.lid == 0 || type != FABRIC_SWITCH);
    }
    smp_read_description(data, description);
    check_text(description, strlen(description));
}

static void read_management(const uint8_t *data)
{
    struct gmp_counting counting;
    struct fabric_controller controller = {0};
    uint64_t values[COUNTER_COUNT];
    uint8_t slots[GMP_SLOTS_MAX];
    gmp_read_counting(data, &counting);
    gmp_read_counters(data, data[1], false, 0, values);
    gmp_read_counters(data, data[1], true, 0, values);
    for (int i = 0; i < 2; i++) {
        struct error_details details = {.port = data[0],
                                        .counter = i ? COUNTER_RCV_ERRORS : COUNTER_XMIT_DISCARDS};
        char words[256];
        struct text t = text_in(words, sizeof words);
        gmp_read_details(data, &details);
        error_details_describe(&t, &details);
        REQUIRE(details.known == (data[1] == data[0]) && !t.cut);
    }
    REQUIRE(gmp_read_slots(data, slots) <= GMP_SLOTS_MAX);
    if (gmp_read_controller(data, &controller)) {
        REQUIRE(controller.guid != 0);
        check_text(controller.name, strlen(controller.name));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct event_builder builder = make_maker();
    struct error err;
    read_answers(data, size);
    read_tables(data, size);
    if (size >= SMP_DATA_SIZE)
        read_attributes(data + size - SMP_DATA_SIZE);
    if (size >= GMP_DATA_SIZE)
        read_management(data + size - GMP_DATA_SIZE);
    for (unsigned attribute = SMP_NODE_DESCRIPTION; attribute <= SMP_SM_INFO; attribute++) {
        const uint8_t *answer = node_mad_answer(data, size, MAD_CLASS_SMP_LID, (uint16_t)attribute);
        REQUIRE(!answer || answer + SMP_DATA_SIZE <= data + size);
    }
    if (mad_check_report(data, size, &err))
        check_event(event_builder_from_notice(&builder, mad_notice(data)));
    else
        check_event(event_builder_from_malformed(&builder, 1, err.text, data, size));
    if (size >= NOTICE_SIZE)
        check_event(event_builder_from_notice(&builder, data + size - NOTICE_SIZE));
    return 0;
}
