// SPDX-License-Identifier: BSD-2-Clause
#include "conf/schema.h"

#include "conf/check.h"
#include "conf/pairs.h"
#include "conf/pattern_checks.h"
#include "conf/receiver_checks.h"
#include "conf/section_checks.h"
#include "install.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define SIZE_OF(type, field) sizeof(((type *)NULL)->field)
#define IN(type, field)      .at = offsetof(type, field), .size = SIZE_OF(type, field)
#define IN_CONF(field)       IN(struct conf, field)
#define IN_RULE(field)       IN(struct conf_rule, field)
#define IN_RECEIVER(field)   IN(struct conf_receiver, field)
#define RANGE(least, most)   .low = (least), .high = (most)
#define COUNT(a)             (sizeof(a) / sizeof *(a))
#define PART(title, items)                                                                         \
    &(const struct schema_part)                                                                    \
    {                                                                                              \
        title, items, COUNT(items)                                                                 \
    }
#define DAY 86400
#define DERIVED(type, from, to)                                                                    \
    .derived_at = offsetof(type, from),                                                            \
    .derived_size = offsetof(type, to) + SIZE_OF(type, to) - offsetof(type, from)

static const struct schema_item FABRIC[] = {
    {"device", SCHEMA_TEXT, SCHEMA_RESTART, IN_CONF(fabric.device), .example = "\"mlx5_0\"",
     .help = "The adapter. Without it, the first one that has an active InfiniBand port. An "
             "instance of ibtrapd(8) has its own."},
    {"port", SCHEMA_NUMBER, SCHEMA_RESTART, IN_CONF(fabric.port), RANGE(0, 254), .initial = "0",
     .help = "The adapter's port. 0 is its first active one."},
    {"pkey", SCHEMA_TEXT, SCHEMA_RESTART, IN_CONF(fabric.pkey_text),
     DERIVED(struct conf, fabric.pkey, fabric.pkey), .check = check_pkey, .example = "\"0x8005\"",
     .help = "The P_Key of the partition in which ibtrapd asks the subnet manager and, unless the "
             "port is a full member of the default partition, reads counters. Without it, that of "
             "the default partition (0xFFFF, or 0x7FFF for a limited member), wherever it is in "
             "the port's table."},
    {"sa_key_file", SCHEMA_TEXT, SCHEMA_RESTART, IN_CONF(fabric.sa_key_file),
     DERIVED(struct conf, fabric.has_sa_key, fabric.sa_key), .check = check_path,
     .look = check_key_file, .example = "\"/etc/ibtrapd/sa_key\"",
     .help = "A file with the SA key of the subnet manager, decimal, or hexadecimal after 0x. "
             "Without the key the subnet manager does not report traps 256 to 259 (bad M_Key, "
             "P_Key and Q_Key). OpenSM's own default key is 1."},
    {"sa_key_guids", SCHEMA_TEXT, SCHEMA_RESTART, IN_CONF(fabric.sa_key_guids),
     DERIVED(struct conf, fabric.key_guids, fabric.key_guid_count), .check = check_guids,
     .example = "\"0x0002c90300a10001, 0x0002c90300a20001\"",
     .help = "The port GUIDs of the subnet managers that may get the SA key, at most 8. Others get "
             "none when they become master. Without this item whichever is master gets it: with "
             "the subscriptions to traps 256 to 259 first, and with every request to its SA once "
             "it has accepted it. The GUIDs keep a key from the wrong fabric, not from a node that "
             "pretends to have one of them."},
    {"all_traps", SCHEMA_BOOL, SCHEMA_RESTART, IN_CONF(fabric.all_traps), .initial = "false",
     .help =
         "Subscribe once to all generic traps (TrapNumber 0xFFFF) instead of to each known one, "
         "where the subnet manager takes that. It also brings traps that no document names yet, "
         "as `unknown-trap`. A subnet manager that has no room for more subscriptions gets "
         "this one anyway."},
    {"node_name_map", SCHEMA_TEXT, SCHEMA_LIVE, IN_CONF(fabric.node_name_map), .check = check_path,
     .look = check_name_map, .example = "\"/etc/opensm/ib-node-name-map\"",
     .help = "Names for nodes, in the format of ibnetdiscover(8): lines such as "
             "`0x0002c903000e1234 leaf12`. Virtual functions, which no sweep finds, can be named "
             "there, too, by the GUIDs of their ports."},
    {"expected_topology", SCHEMA_TEXT, SCHEMA_LIVE, IN_CONF(fabric.expected_topology),
     .check = check_path, .look = check_topology_file,
     .example = "\"/etc/ibtrapd/expected.topology\"",
     .help =
         "The fabric as it should be: a file that `ibtrapctl topology save` or ibnetdiscover(8) "
         "wrote, at most 192 MB. From the first sweep on, ibtrapd raises alarms about what is "
         "missing, cabled to another port, slower than in the file, or not in it. It reads the "
         "file at its start and at each reload, and does not notice changes between."},
    {"expected_match", SCHEMA_WORD, SCHEMA_LIVE, IN_CONF(fabric.expected_by_name),
     .words = WORDS_MATCH, .initial = "guid",
     .help =
         "How the nodes of `expected_topology` are found. With `name`, a host with a new adapter "
         "keeps its place if it has its old name; a node whose name is not unique, or not there, "
         "is found by its GUID."},
    {"verify_interval", SCHEMA_NUMBER, SCHEMA_RESTART, IN_CONF(fabric.verify_interval_s),
     RANGE(1, 3600), .initial = "5",
     .help = "Seconds between two checks that the subnet manager still holds the subscriptions."},
    {"refresh_interval", SCHEMA_NUMBER, SCHEMA_RESTART, IN_CONF(fabric.refresh_interval_s),
     RANGE(10, DAY), .initial = "300",
     .help = "Seconds between two renewals of each subscription."},
    {"active", SCHEMA_WORD, SCHEMA_LIVE, IN_CONF(fabric.with_master_sm), .words = WORDS_ACTIVE,
     .initial = "always",
     .help = "When receivers get events. With `with-master-sm` they get them only while the "
             "master subnet manager runs at this port, so that the gateways on the hosts of "
             "several subnet managers send every event once. The other gateways subscribe, sweep "
             "and keep a journal, too, and take over when mastership moves to their port. Events "
             "about the gateway itself, such as a failing receiver, are always sent."},
    {"without_sm", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(fabric.without_sm_s), RANGE(10, DAY),
     .initial = "120",
     .help =
         "Seconds without a master subnet manager anywhere, after which the gateway at the port "
         "of the last master sends what its sweeps find, with `with-master-sm`. If that port "
         "has left the fabric, each gateway does. Until then a handover may be under way."},
};

static const struct schema_item SWEEP[] = {
    {"method", SCHEMA_WORD, SCHEMA_LIVE, IN_CONF(sweep.method), .words = WORDS_METHOD,
     .initial = "smp",
     .help = "`smp` asks every node by directed route. `sa` asks the subnet manager for its "
             "tables, where other hosts' management packets are not welcome. `off` does neither: "
             "traps are all that is reported."},
    {"interval", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(sweep.interval_s), RANGE(5, DAY),
     .initial = "60", .help = "Seconds from one sweep to the next."},
    {"settle", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(sweep.settle_ms), RANGE(0, 60000),
     .initial = "500",
     .help = "A trap that reports a change is followed by a sweep after this many milliseconds "
             "of quiet, so that many traps cause one sweep."},
    {"in_flight", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(sweep.in_flight), RANGE(1, 256),
     .initial = "8",
     .help = "Packets that may wait for their answers at a time. More is faster, and more at "
             "once for the switches' small processors."},
    {"attempts", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(sweep.attempts), RANGE(1, 10), .initial = "4",
     .help = "How often each packet is sent. A node that never answers takes `attempts` times "
             "`timeout`."},
    {"timeout", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(sweep.timeout_ms), RANGE(10, 60000),
     .initial = "500", .help = "Milliseconds to wait for an answer each time."},
    {"max_nodes", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(sweep.nodes_max), RANGE(4, 131072),
     .initial = "65536",
     .help = "The most nodes that a sweep finds. A sweep that has reason to expect fewer ends "
             "sooner: at four times the nodes of the sweep before, and 1,024. So a switch that "
             "makes up nodes cannot use up memory. What was found by then is kept, and "
             "`sweep-overflow` is sent."},
    {"max_time", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(sweep.part_s_max), RANGE(10, DAY),
     .initial = "600",
     .help =
         "Seconds after which the search for nodes ends in any case, and as many for the "
         "queries for further speeds, for those to subnet managers, for those to I/O units, for "
         "P_Key tables, and for the counters. In a small fabric it is a minute, and the time in "
         "which every node could be silent."},
    {"mkey_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_CONF(sweep.mkey_file), .check = check_path,
     .look = check_key_file, .example = "\"/etc/ibtrapd/mkey\"",
     .help = "A file with the M_Key of the nodes, as that of `sa_key_file`. The own port is "
             "asked with it, too, whatever the `method`: where the subnet manager protects nodes "
             "from being read (OpenSM's m_key_protection_level 2 or 3), ibtrapd subscribes to "
             "nothing without it."},
    {"guid2mkey_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_CONF(sweep.guid2mkey_file), .check = check_path,
     .example = "\"/var/cache/opensm/guid2mkey\"",
     .help =
         "The file in which OpenSM keeps the M_Key of each port, or a copy of it, with the file "
         "`neighbors` beside it. ibtrapd reads both again when they change, while it sweeps. "
         "Ports that are not in the file have the M_Key of `mkey_file`."},
    {"pkeys", SCHEMA_BOOL, SCHEMA_LIVE, IN_CONF(sweep.pkeys), .initial = "false",
     .help = "Read the P_Key table of every port, too, and tell what changes as `pkeys-changed`: "
             "who came into a partition, or left one. This is a packet for each 32 entries of a "
             "table in each sweep; an adapter has 128 as a rule. By the method `sa` the subnet "
             "manager is asked for all tables at once; OpenSM shows them only to those who have "
             "its SA key (`sa_key_file` in section `fabric`)."},
};

static const struct schema_item COUNTERS[] = {
    {"ports", SCHEMA_WORD, SCHEMA_LIVE, IN_CONF(counters.ports), .words = WORDS_PORTS,
     .initial = "all",
     .help =
         "Which counters are read: those of `all` active ports, those of `switches` only "
         "(every link has one at a switch, so half the packets say nearly as much), or none "
         "with `off`. With `off` the IBSWITCH-MIB's table of port counters is empty, and the next "
         "sweep ends the alarms about counters."},
    {"interval", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(counters.interval_s), RANGE(5, DAY),
     .initial = "60", .help = "Seconds from one reading to the next."},
    {"thresholds", SCHEMA_PAIRS, SCHEMA_LIVE, IN_CONF(counters.thresholds),
     .pairs = &PAIRS_THRESHOLDS,
     .help = "By how much a counter has to grow from one reading to the next to be an event at "
             "once, up to 4294967295. 0 means never, and is the default of all but three; "
             "`error_rates` says when the others are too many. A counter that is not in the list "
             "keeps its default. The defaults are for an interval of a minute: change them "
             "together. A node that restarts takes its link down once, and the sweep reports "
             "that; twice in a minute is a link that flaps (LinkDownedCounter). Growing "
             "LocalLinkIntegrityErrors and ExcessiveBufferOverrunErrors become traps 129 and 130, "
             "which OpenSM does not pass on."},
    {"short_window", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(counters.window_min[0]), RANGE(1, 1440),
     .initial = "12",
     .help = "Minutes of the short window in which errors are counted: it finds bursts soon."},
    {"long_window", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(counters.window_min[1]), RANGE(1, 10080),
     .initial = "125",
     .help = "Minutes of the long window: it finds links that count few errors, but go on doing "
             "so. An alarm ends when both windows have few enough, so this is also how long it "
             "lasts at least after a burst."},
    {"bit_error_rates", SCHEMA_PAIRS, SCHEMA_LIVE, IN_CONF(counters.bit_error_rates),
     .pairs = &PAIRS_BIT_ERROR_RATES,
     .help = "Errors a bit that are too many, in the short and in the long window: a higher rate "
             "raises the alarm `link-errors-raised`, one for each link and counter. 0 means that "
             "`error_rates` decides. Used where width and speed of the link are known. At a rate "
             "of 1e-12, which the InfiniBand specification allows a link without error "
             "correction, a link of 100 Gb/s has an error in ten seconds; one in good order has "
             "less than one in a thousand times as many bits. The defaults for "
             "SymbolErrorCounter are between: 7.2 errors in 12 minutes or 7.5 in 125 at 100 Gb/s, "
             "28.8 or 30 at 400 Gb/s."},
    {"error_rates", SCHEMA_PAIRS, SCHEMA_LIVE, IN_CONF(counters.error_rates),
     .pairs = &PAIRS_ERROR_RATES,
     .help = "The same as errors an hour, for counters without a bit error rate and for links "
             "whose width or speed is not known. 0 means never, and a counter that is not in the "
             "list keeps its default. Counters whose default is 0 grow in healthy fabrics "
             "(PortRcvSwitchRelayErrors with multicast, PortXmitWait with load), repeat what "
             "another port counts (PortRcvRemotePhysicalErrors) or what traps 257 to 259 report "
             "(the constraint errors)."},
    {"errors_min", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(counters.errors_min), RANGE(1, 1000000),
     .initial = "5",
     .help = "Fewer errors in a window raise no alarm, whatever their rate: a single one says "
             "little about a slow link."},
    {"clear_below", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(counters.clear_percent), RANGE(1, 100),
     .initial = "50",
     .help = "Percent of the limits. An alarm about errors ends when the rates of both windows "
             "are no higher, so that a link which swings about a limit is one alarm."},
    {"congestion", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(counters.congestion_percent), RANGE(0, 100),
     .initial = "0",
     .help = "Percent of a window's time. A port that has data and cannot send it for more of the "
             "time, as PortXmitWait says, raises the alarm `congestion-raised`. 0 means never, as "
             "a busy fabric waits without a fault. PortXmitWait counts ticks, whose length the "
             "port says in PortSamplesControl. Where it does not say, a tick is taken to be ten "
             "bits of a lane, the shortest that the InfiniBand specification allows; where the "
             "real one is longer, the share is too small. It was never compared with real "
             "hardware: look at the shares of your fabric first, in `ibtrapctl links` or the "
             "metrics. A counter of 32 bits is full within seconds of waiting and then says "
             "nothing until it is reset; only that of PortCountersExtended has 64."},
    {"congestion_clear", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(counters.congestion_clear),
     RANGE(0, 100), .initial = "5",
     .help = "Percent of the time. The alarm about congestion ends when the shares of both "
             "windows are no larger."},
};

static const struct schema_item JOURNAL[] = {
    {"directory", SCHEMA_TEXT, SCHEMA_RESTART, IN_CONF(journal.directory), .check = check_path,
     .initial = INSTALL_STATE_DIRECTORY, .help = "Where the journal is. An instance has its own."},
    {"rows", SCHEMA_NUMBER, SCHEMA_RESTART, IN_CONF(journal.rows_max), RANGE(1000, 1000000000),
     .initial = "1000000",
     .help = "Events at most, or 1024: the newest 1024 always stay, in spite of all three limits."},
    {"megabytes", SCHEMA_NUMBER, SCHEMA_RESTART, IN_CONF(journal.bytes_max), RANGE(1, 1000000),
     .factor = 1 << 20, .initial = "1024", .help = "Size at most."},
    {"days", SCHEMA_NUMBER, SCHEMA_RESTART, IN_CONF(journal.age_us), RANGE(1, 36500),
     .factor = DAY * CLOCK_US_PER_S, .initial = "31",
     .help = "Age at most. Events that a receiver still has to get are kept longer, as long as "
             "there is room."},
};

static const struct schema_item POLICY[] = {
    {"events", SCHEMA_PATTERNS, SCHEMA_LIVE, IN_RULE(events), .check = check_event_pattern,
     .example = "{\"link-*\", \"switch-removed\"}",
     .help = "Patterns of identifiers, see ibtrapd-events(7). Without it, all events."},
    {"nodes", SCHEMA_PATTERNS, SCHEMA_LIVE, IN_RULE(nodes), .check = check_any_pattern,
     .example = "{\"leaf*\", \"0x0002c903*\"}",
     .help = "Patterns of names or GUIDs, as 0x and 16 digits: the nodes that the event is "
             "about. Without it, all nodes."},
    {"enabled", SCHEMA_BOOL, SCHEMA_LIVE, IN_RULE(enabled), .unset = CONF_SAME, .shown = true,
     .example = "false",
     .help = "Whether receivers get the event. A built-in policy says false for "
             "`mcast-group-*`."},
    {"severity", SCHEMA_WORD, SCHEMA_LIVE, IN_RULE(severity), .words = WORDS_SEVERITY,
     .unset = CONF_SAME, .example = "\"warning\"", .help = "Instead of the event's own severity."},
    {"category", SCHEMA_WORD, SCHEMA_LIVE, IN_RULE(category), .words = WORDS_CATEGORY,
     .unset = CONF_SAME, .example = "\"link\"", .help = "Instead of the event's own category."},
    {"hold_down", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RULE(hold_down_s), RANGE(0, DAY),
     .unset = CONF_SAME, .example = "30",
     .help = "Seconds that an alarm has to be active before receivers are notified."},
};

static const struct schema_item REPEATS[] = {
    {"window", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(policy.repeat_window_s), RANGE(0, DAY),
     .initial = "60", .help = "Within so many seconds. With 0 every event is sent."},
};

static const struct schema_item FLAP[] = {
    {"changes", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(policy.flap_changes), RANGE(2, 16),
     .zero = true, .initial = "6",
     .help = "An alarm that is raised and cleared so many times is flapping. 0 means never, "
             "and ends the flapping that a reload finds."},
    {"within", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(policy.flap_within_s), RANGE(1, DAY),
     .initial = "300", .help = "If that happens within so many seconds."},
    {"quiet", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(policy.flap_quiet_s), RANGE(1, DAY),
     .initial = "300", .help = "Seconds without a change after which the alarm has settled."},
};

static const struct schema_item UNRELIABLE[] = {
    {"occasions", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(unreliable.occasions), RANGE(2, 16),
     .zero = true, .initial = "3",
     .help = "On so many occasions a link has to fail to raise `link-unreliable`. What happens "
             "within an hour is one occasion, as who works on a cable plugs it several times. 0 "
             "means never, and ends these alarms. If each of 50,000 links fails once in five "
             "years, one of them fails three times in 30 days by chance once in two years; a link "
             "with a bad connector does so within weeks."},
    {"days", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(unreliable.window_us), RANGE(1, 365),
     .factor = DAY * CLOCK_US_PER_S, .initial = "30",
     .help = "Within so many days. The alarm ends when there were fewer occasions than that in the "
             "last so many days. The journal remembers them, so its own `days` should not be "
             "fewer. After a reload with more days, the earlier occasions count from the next "
             "start on."},
};

static const struct schema_item ALARMS[] = {
    {"missing_age", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(policy.missing_age_us), RANGE(0, 36500),
     .factor = DAY * CLOCK_US_PER_S, .initial = "30",
     .help =
         "Days after which an alarm ends by itself if its node, port, link, subnet manager or "
         "I/O unit is still missing. It is raised again after that has been seen again and "
         "goes missing. 0 means never. What the clock says of the time before a start counts an "
         "hour after that, so that a wrong clock can be set right."},
};

static const struct schema_item STORM[] = {
    {"rate", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(policy.storm_rate), RANGE(0, 100000),
     .initial = "50", .help = "More events of one kind in a second are a storm. 0 means never."},
    {"period", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(policy.storm_period_s), RANGE(1, 3600),
     .initial = "60", .help = "Seconds from one summary to the next."},
};

static const struct schema_item CONSEQUENCES[] = {
    {"hold", SCHEMA_BOOL, SCHEMA_LIVE, IN_CONF(policy.hold_consequences), .initial = "true",
     .help =
         "Whether the consequences of a dead node are suppressed as long as it is dead. Those of "
         "an alarm that a policy disables are not. A receiver whose filter refuses the event "
         "about the dead node gets them, too."},
};

#define SETS(field)                                                                                \
    {                                                                                              \
        "sets", SCHEMA_WORDS, SCHEMA_LIVE, IN_RECEIVER(field),                                     \
            .words = WORDS_SET, .example = "{\"sma\", \"switch\", \"own\", \"event\"}",            \
            .help = "Which notifications to send: `sma` of the IB-SMA-MIB, `switch` of the "       \
                    "IBSWITCH-MIB, `own` of the IBTRAPD-MIB, `event` for gswEventTrap of the "     \
                    "IBSWITCH-MIB, for every event about a switch that is at least as severe as "  \
                    "the switch's gswEventTrapLevel. Without it the first two, and the third for " \
                    "events that these two have none for."                                         \
    }

#define EXTRA_VARBINDS(field)                                                                      \
    {                                                                                              \
        "extra_varbinds", SCHEMA_BOOL, SCHEMA_LIVE, IN_RECEIVER(field),                            \
            .initial = "false",                                                                    \
            .help = "Append what the IBTRAPD-MIB has for every event to each notification that "   \
                    "lacks it: identifier, name, time, severity, category, alarm state and key, "  \
                    "node and port, text, what was derived, and whether it is a test."             \
    }

#define RATE(default, more)                                                                        \
    {                                                                                              \
        "rate", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(rate), RANGE(0, 1000000),                  \
            .initial = (default),                                                                  \
            .help = "Events a second at most. 0 means that there is no limit." more                \
    }

#define ADDRESS(shown_, example_, ports)                                                           \
    {                                                                                              \
        "address", SCHEMA_ADDRESS, SCHEMA_LIVE,                                                    \
            .at = offsetof(struct conf_receiver, host),                                            \
            .size = CONF_ADDRESS_SIZE + sizeof(uint16_t), .check = check_host, .shown = (shown_),  \
            .example = (example_),                                                                 \
            .help =                                                                                \
                "A host name, an IPv4 address, or an IPv6 address in brackets. " ports             \
                " Of a name with several addresses, the first is taken where the network does "    \
                "not say that nobody is there."                                                    \
    }

#define IPV6                                                                                       \
    {                                                                                              \
        "ipv6", SCHEMA_BOOL, SCHEMA_LIVE, IN_RECEIVER(ipv6),                                       \
            .initial = "false",                                                                    \
            .help = "Whether the IPv6 addresses of a name are tried first with UDP and DTLS. "     \
                    "Without it, its IPv4 addresses are, as with the tools of Net-SNMP: by "       \
                    "default snmptrapd(8) listens on IPv4 alone. With the other transports the "   \
                    "resolver decides."                                                            \
    }

static_assert(offsetof(struct conf_receiver, port) ==
                  offsetof(struct conf_receiver, host) + CONF_ADDRESS_SIZE,
              "a port stands behind its host");
static_assert(offsetof(struct conf_metrics, port) ==
                  offsetof(struct conf_metrics, host) + CONF_ADDRESS_SIZE,
              "a port stands behind its host");

static const struct schema_item SNMP[] = {
    ADDRESS(true, "\"nms.example.org\"",
            "The port is 162, with TLS and DTLS 10162, unless it follows after a colon. The item "
            "must be there."),
    IPV6,
    {"transport", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(transport), .words = WORDS_SNMP_TRANSPORT,
     .initial = "udp", .help = "How notifications are carried."},
    {"version", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(snmp.version), .words = WORDS_VERSION,
     .example = "\"2c\"",
     .help = "The version of SNMP. Without it, 3 with TLS and DTLS, and otherwise 2c."},
    {"inform", SCHEMA_BOOL, SCHEMA_LIVE, IN_RECEIVER(snmp.inform), .initial = "false",
     .example = "true", .shown = true,
     .help = "Whether the receiver confirms each notification, so that none is lost on the way. "
             "Not with version 1."},
    {"community", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(snmp.community), .secret = true,
     .check = check_community, .initial = "public", .help = "The community of versions 1 and 2c."},
    {"community_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(snmp.community_file),
     .check = check_path, .look = check_secret_file, .example = "\"/etc/ibtrapd/nms.community\"",
     .help = "A file with the community instead."},
    {"user", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(snmp.user), .high = 32, .example = "\"ibtrapd\"",
     .help = "The user of version 3."},
    {"context", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(snmp.context), .high = 32,
     .example = "\"fabric\"", .help = "The context of version 3."},
    {"auth", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(snmp.auth), .words = WORDS_AUTH,
     .initial = "none", .help = "Authentication in version 3."},
    {"auth_password_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(snmp.auth_password_file),
     .check = check_path, .look = check_secret_file, .example = "\"/etc/ibtrapd/nms.auth\"",
     .help = "A file with the password of `auth`, at least 8 characters."},
    {"privacy", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(snmp.privacy), .words = WORDS_PRIVACY,
     .initial = "none",
     .help = "Encryption in version 3. `AES-192-C` and `AES-256-C` are those two as Cisco has "
             "them."},
    {"privacy_password_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(snmp.privacy_password_file),
     .check = check_path, .look = check_secret_file, .example = "\"/etc/ibtrapd/nms.privacy\"",
     .help = "A file with the password of `privacy`, at least 8 characters."},
    {"timeout", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(snmp.timeout_ms), RANGE(100, 5000),
     .initial = "1000", .help = "Milliseconds to wait for the answer to an inform."},
    {"retries", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(snmp.retries), RANGE(0, 10), .initial = "3",
     .help = "Attempts to send an inform after the first."},
    {"window", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(snmp.window), RANGE(1, 512), .initial = "64",
     .help =
         "Informs that may wait for their answers at a time. An event with the alarm key of one of "
         "these, or with its root cause among them, is sent after them. snmptrapd(8) stumbles over "
         "more than 64, and over TLS, but not DTLS, over more than 1."},
    SETS(snmp.sets),
    EXTRA_VARBINDS(snmp.extra_varbinds),
    {"trap_address", SCHEMA_BOOL, SCHEMA_LIVE, IN_RECEIVER(snmp.trap_address), .initial = "false",
     .help = "Append snmpTrapAddress.0 with `agent_address`."},
    {"agent_address", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(snmp.agent_address),
     .check = check_ipv4, .example = "\"192.0.2.7\"",
     .help = "An IPv4 address, for version 1 and `trap_address`. Without it, version 1 has the "
             "host's first."},
    RATE("1000", " snmptrapd(8) takes about 11,000."),
};

static const struct schema_item SYSLOG[] = {
    {"transport", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(transport), .words = WORDS_SYSLOG_TRANSPORT,
     .initial = "local",
     .help = "How messages are carried. `local` is the socket `path`. If systemd's journal reads "
             "it, as it does /dev/log on most machines, and unless `format` asks for another than "
             "rfc3164, the journal gets each field of an event by its own protocol, such as "
             "IBTRAPD_NODE. `stdout` is standard output."},
    ADDRESS(false, "\"siem.example.org:6514\"",
            "The port is 514 with UDP and TCP, 6514 with TLS, and 2514 with RELP, unless it "
            "follows after a colon. The item must be there but with local and stdout."),
    IPV6,
    {"path", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(syslog.path), .check = check_path,
     .initial = "/dev/log", .help = "The local socket."},
    {"format", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(syslog.format), .words = WORDS_FORMAT,
     .unset = CONF_FORMAT_UNSET, .shown = true, .example = "\"rfc3164\"",
     .help = "`rfc5424` with structured data, `rfc3164` with the sentence and then fields as "
             "name=value, `ecs` in JSON behind a header of RFC 5424 without structured data, "
             "`cef` or `leef` behind a header of RFC 3164. Without it, rfc3164 with local, as "
             "rsyslog and journald read nothing else at their socket, and otherwise rfc5424."},
    {"framing", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(syslog.lines), .words = WORDS_FRAMING,
     .initial = "octet-counting",
     .help = "How messages are separated over TCP and TLS: `octet-counting`, each after its "
             "length in octets and a blank (RFC 6587 3.4.1, RFC 5425), or `lines`, each with a "
             "line feed behind it. No message has a line feed in it."},
    {"facility", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(syslog.facility), .words = WORDS_FACILITY,
     .initial = "daemon", .help = "The facility of the messages."},
    {"severity_map", SCHEMA_PAIRS, SCHEMA_LIVE, IN_RECEIVER(syslog.severities),
     .pairs = &PAIRS_SEVERITIES, .example = "{\"informational=notice\"}",
     .help = "What is sent for a severity. A severity that is not in the list is sent as it is."},
    RATE("0", ""),
};

static const struct schema_item FILE_ITEMS[] = {
    {"path", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(file.path), .check = check_output_path,
     .shown = true, .example = "\"/var/log/ibtrapd/events.json\"",
     .help = "Where to write, or `-` for standard output. The item must be there. The "
             "directories that the units of systemd let it write to are in ibtrapd(8)."},
    {"sync", SCHEMA_BOOL, SCHEMA_LIVE, IN_RECEIVER(file.sync), .initial = "true",
     .help = "An event counts as delivered when it is on disk, not before."},
    RATE("0", ""),
};

static const struct schema_item AGENTX[] = {
    {"socket", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(agentx.socket), .check = check_master,
     .may_be_empty = true, .initial = "/var/agentx/master",
     .help = "Where snmpd listens for subagents: a path (agentXSocket in snmpd.conf), or tcp: "
             "with an IP address and a port, such as `tcp:127.0.0.1:705`. The user of ibtrapd, "
             "and nobody else, needs `agentXPerms` that let it in."},
    {"context", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(agentx.context), .may_be_empty = true,
     .example = "\"fabric\"",
     .help = "The SNMP context of the notifications, of at most 32 octets."},
    SETS(agentx.sets),
    EXTRA_VARBINDS(agentx.extra_varbinds),
    RATE("1000", ""),
};

static const struct schema_item KAFKA[] = {
    {"brokers", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(kafka.brokers), .check = check_brokers,
     .shown = true, .example = "\"kafka1.example.org:9092, kafka2.example.org:9092\"",
     .help = "Some of the brokers, with commas between them; these tell of the others. The port is "
             "9092 unless it follows after a colon. The item must be there."},
    {"topic", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(kafka.topic), .check = check_topic,
     .initial = "ibtrapd",
     .help =
         "The topic. `{severity}` and `{category}` stand for those of the event, `{subnet}` for "
         "the 16 digits of the subnet prefix. All these topics must be there, or the brokers "
         "make them: events wait for a topic that is missing, and those behind them, too."},
    {"format", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(kafka.format), .words = WORDS_OBJECT_FORMAT,
     .initial = "json",
     .help = "What a message is: an object in JSON with every field, in the Elastic Common Schema "
             "(`ecs`), or a CloudEvent 1.0 with the former as its data (`cloudevents`)."},
    {"transport", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(transport), .words = WORDS_KAFKA_TRANSPORT,
     .initial = "tcp", .help = "How the brokers are reached."},
    {"sasl", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(kafka.sasl), .words = WORDS_SASL,
     .initial = "none", .help = "How a user and his password are told. `PLAIN` needs TLS."},
    {"user", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(kafka.user), .example = "\"ibtrapd\"",
     .help = "The user of `sasl`."},
    {"password_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(kafka.password_file),
     .check = check_path, .look = check_secret_file, .example = "\"/etc/ibtrapd/kafka.password\"",
     .help = "A file with the password of `sasl`."},
    {"settings", SCHEMA_PAIRS, SCHEMA_LIVE, IN_RECEIVER(kafka.settings), .pairs = &PAIRS_SETTINGS,
     .example = "{\"compression.codec=lz4\", \"linger.ms=20\"}",
     .help =
         "Settings of librdkafka, as in its CONFIGURATION.md, at most 16. Those that other items "
         "say or that the delivery rests on, such as acks, are refused."},
    RATE("0", ""),
};

static const struct schema_item EVERY_RECEIVER[] = {
    {"severity", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(filter.severity), .words = WORDS_SEVERITY,
     .initial = "debug",
     .help =
         "Send events of this severity and worse, and, as with the next items, those that clear an "
         "alarm which such an event raised."},
    {"security", SCHEMA_BOOL, SCHEMA_LIVE, IN_RECEIVER(filter.security), .initial = "true",
     .help = "Send events of the category security."},
    {"events", SCHEMA_PATTERNS, SCHEMA_LIVE, IN_RECEIVER(filter.events),
     .check = check_event_pattern, .example = "{\"link-*\", \"gid-*\"}",
     .help = "Patterns of identifiers, as in ibtrapd-events(7). Only these events are sent."},
    {"categories", SCHEMA_PATTERNS, SCHEMA_LIVE, IN_RECEIVER(filter.categories),
     .check = check_category_pattern, .example = "{\"link\", \"node\"}",
     .help = "Patterns of categories, which are those of a policy. Only these are sent."},
    {"nodes", SCHEMA_PATTERNS, SCHEMA_LIVE, IN_RECEIVER(filter.nodes), .check = check_node_pattern,
     .example = "{\"leaf*\"}",
     .help = "Patterns of the names of nodes that report an event or that it is about."},
    {"guids", SCHEMA_PATTERNS, SCHEMA_LIVE, IN_RECEIVER(filter.guids), .check = check_guid_pattern,
     .example = "{\"0x0002c903*\"}", .help = "Patterns of their GUIDs, as 0x and 16 digits."},
    {"switches", SCHEMA_PATTERNS, SCHEMA_LIVE, IN_RECEIVER(filter.switches),
     .check = check_any_pattern, .example = "{\"leaf1*\"}",
     .help =
         "Patterns of the names or GUIDs of switches and routers. An event belongs to the one "
         "that its trap names or comes from, or where the change is that a sweep found, such as "
         "the lost link of a host. Only events that belong to these are sent."},
    {"burst", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(burst), RANGE(1, 1000000), .initial = "100",
     .help = "Events at once at most. The default buffer of snmptrapd(8) holds 166 datagrams."},
    {"max_age", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(age_us), RANGE(0, INT64_C(365) * DAY),
     .factor = CLOCK_US_PER_S, .initial = "0",
     .help = "Seconds after which an event is not sent any more. 0 means that it is sent at any "
             "age."},
    {"start", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(from_backlog), .words = WORDS_START,
     .initial = "now",
     .help = "Where a receiver begins whose name was gone from the configuration: `now`, with new "
             "events, or with the `backlog`, where it stopped, as far as the journal still has "
             "the events. A new name begins with new events in any case. One that only changed, or "
             "that has another name and is otherwise equal, goes on where it was."},
};

static const struct schema_item TLS[] = {
    {"ca_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(tls.ca_file), .check = check_path,
     .example = "\"/etc/ibtrapd/nms-ca.pem\"",
     .help = "The authorities that may have signed the receiver's certificate. Without it, the "
             "authorities that the system trusts."},
    {"crl_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(tls.crl_file), .check = check_path,
     .example = "\"/etc/ibtrapd/nms.crl\"",
     .help = "Lists of revoked certificates (CRL), in PEM, one of each authority of the receiver's "
             "certificate. ibtrapd reads them when it connects. It refuses a revoked certificate, "
             "and every one if a list is missing or has expired. Without this item a revoked "
             "certificate is as good as others: ibtrapd asks nobody (OCSP), and ignores answers "
             "that a receiver attaches (stapling)."},
    {"certificate_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(tls.certificate_file),
     .check = check_path, .example = "\"/etc/ibtrapd/ibtrapd.pem\"",
     .help = "The certificate of ibtrapd. SNMP receivers must have one, as they derive the "
             "sender's name from it."},
    {"key_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(tls.key_file), .check = check_path,
     .look = check_tls_key, .example = "\"/etc/ibtrapd/ibtrapd.key\"",
     .help = "Its key, if it is not in that file, without a password."},
    {"server_name", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(tls.server_name),
     .check = check_server_name, .example = "\"nms.example.org\"",
     .help = "The name in the receiver's certificate, if it is not the host of the address."},
};

static const struct schema_item METRICS[] = {
    {"listen", SCHEMA_ADDRESS, SCHEMA_RESTART, .at = offsetof(struct conf, metrics.host),
     .size = CONF_ADDRESS_SIZE + sizeof(uint16_t), .low = 9117, .check = check_ip, .shown = true,
     .example = "\"127.0.0.1:9117\"",
     .help = "The IP address and port. The port is 9117 unless it follows after a colon. Without "
             "this item there are no metrics."},
    {"ports", SCHEMA_WORD, SCHEMA_LIVE, IN_CONF(metrics.ports), .words = WORDS_PORT_METRICS,
     .initial = "off",
     .help = "What the metrics tell of each port of the fabric: with `errors` whether its link is "
             "up, its state and rate, its error counters and error rates, with `all` its traffic, "
             "too. That is 16 or 22 series a port, two more with counters of an error correction, "
             "and four more for each counter that had errors "
             "lately; see the page about Prometheus. The counters are those that `counters` "
             "reads."},
    {"page", SCHEMA_BOOL, SCHEMA_LIVE, IN_CONF(metrics.page), .initial = "false",
     .help = "Whether a browser finds a page at /: the verdict, active alarms, last events, "
             "receivers, subscriptions and a map of the fabric. It only shows, and asks for no "
             "password."},
};

static const struct schema_item SUBAGENT[] = {
    {"socket", SCHEMA_TEXT, SCHEMA_LIVE, IN_CONF(subagent.socket), .check = check_master,
     .may_be_empty = true, .shown = true, .initial = "", .example = "\"/var/agentx/master\"",
     .help = "Where snmpd listens for subagents: a path (agentXSocket in snmpd.conf), or tcp: "
             "with an IP address and a port, such as `tcp:127.0.0.1:705`. With an empty one there "
             "are no tables."},
    {"context", SCHEMA_TEXT, SCHEMA_LIVE, IN_CONF(subagent.context), .may_be_empty = true,
     .given_at = offsetof(struct conf, subagent.has_context), .example = "\"fabric-a\"",
     .help = "The SNMP context that has the tables, of at most 32 octets. An empty one is the "
             "default context. Without this item it is the name of the instance, such as "
             "`mlx5_0-1`, and the default context for the only gateway of a machine. The default "
             "context has the tables of the first gateway that comes, too. Managers name a context "
             "by SNMPv3, as with `snmpwalk -n`. To a community snmpd gives one by `com2sec -Cn`."},
    {"contexts", SCHEMA_WORD, SCHEMA_LIVE, IN_CONF(subagent.contexts), .words = WORDS_CONTEXTS,
     .initial = "switches",
     .help = "What is a device of its own to managers, in an SNMP context that is its port GUID, "
             "such as `0002c90200c10000`: each switch, with `all` also each port of a host or "
             "router. There are 4,096 contexts at most. `ibtrapctl contexts` lists them."},
    {"fabric_ports", SCHEMA_WORD, SCHEMA_LIVE, IN_CONF(subagent.fabric_ports),
     .words = WORDS_CONTEXTS, .initial = "switches",
     .help = "Whose ports are the interfaces of one more device, which is the whole fabric: those "
             "of switches, with `all` also those of hosts and routers. It is in the SNMP context "
             "`fabric`, of a gateway with a `context` behind a hyphen, such as `fabric-mlx5_0-1`, "
             "and at `fabric_socket`."},
    {"fabric_socket", SCHEMA_TEXT, SCHEMA_LIVE, IN_CONF(subagent.fabric_socket),
     .check = check_master, .may_be_empty = true, .initial = "",
     .example = "\"/run/ibtrapd-snmpd/agentx\"",
     .help = "Where an snmpd listens for subagents that shows the fabric as one device without "
             "a context, and nothing else, such as that of the service ibtrapd-snmpd. For managers "
             "that know no contexts."},
    {"writable", SCHEMA_BOOL, SCHEMA_LIVE, IN_CONF(subagent.writable), .initial = "false",
     .help = "Whether managers may set what the IBSWITCH-MIB lets them set, and ask the subnet "
             "manager for paths in ibSmPathReqTable. Which managers may is a matter of snmpd's "
             "access control."},
    {"event_trap_level", SCHEMA_WORD, SCHEMA_LIVE, IN_CONF(subagent.event_trap_level),
     .words = WORDS_EVENT_LEVEL, .initial = "informational",
     .help = "Events of a switch that are less severe are not sent as gswEventTrap, unless a "
             "manager set another level for the switch."},
    {"recipient_port", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(subagent.recipient_port),
     RANGE(1, 65535), .initial = "162",
     .help = "The UDP port of the trap recipients that managers set (gswAgtTrapRcp)."},
    {"reads_per_second", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(subagent.read_rate), RANGE(1, 10000),
     .initial = "500",
     .help = "The most queries a second that ibtrapd sends to the fabric for tables that no sweep "
             "reads, such as forwarding tables and service levels: for all managers together, "
             "repeats included. An answer is kept for a minute. A request whose values need more "
             "than three seconds is answered with genErr, and can be repeated."},
};

static const struct schema_item GATEWAY[] = {
    {"name", SCHEMA_TEXT, SCHEMA_RESTART, IN_CONF(name), .check = check_printable,
     .example = "\"gw1\"",
     .help = "The gateway's name in the keys of the alarms about itself, so that managers tell two "
             "gateways apart. Without it, the host's name, and behind a slash `device` and `port` "
             "of section `fabric`, such as `gw1/mlx5_0-1`."},
    {"heartbeat", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(heartbeat_s), RANGE(0, DAY), .initial = "0",
     .help = "Seconds between two events `heartbeat` to the receivers. 0 means that there are "
             "none. A receiver that misses one knows that something is wrong between the fabric "
             "and itself."},
};

static const struct schema_item CONTROL[] = {
    {"socket", SCHEMA_TEXT, SCHEMA_RESTART, IN_CONF(socket), .check = check_path,
     .initial = INSTALL_CONTROL_SOCKET,
     .help = "Where ibtrapctl(8) reaches ibtrapd. An instance has its own."},
    {"group", SCHEMA_TEXT, SCHEMA_RESTART, IN_CONF(group),
     DERIVED(struct conf, socket_group, socket_group), .look = check_group, .example = "\"adm\"",
     .help = "The socket's group. Its members may use ibtrapctl(8), as root and the user that "
             "runs ibtrapd may. Without this item it is that user's own group. With it, that user "
             "must be in the group, which under systemd is a matter of `SupplementaryGroups=`. "
             "Other users that reach the socket, because its mode was changed, may look but "
             "change nothing."},
};

static const struct schema_item LOG[] = {
    {"level", SCHEMA_WORD, SCHEMA_LIVE, IN_CONF(log_level), .words = WORDS_LOG_LEVEL,
     .initial = "info", .help = "Lines of this level and worse are written."},
    {"levels", SCHEMA_PAIRS, SCHEMA_LIVE, IN_CONF(folder_levels), .pairs = &PAIRS_LEVELS,
     .example = "{\"ib=debug\", \"sink=warning\"}",
     .help = "Other levels for some of the folders of ibtrapd's sources."},
};

// A section's own items have no title of their own.
#define OWN(items) PART(NULL, items)
#define RECEIVER   PART("Every receiver", EVERY_RECEIVER)
#define WITH_TLS   PART("TLS", TLS)

const struct schema_section SCHEMA[] = {
    {"fabric", SCHEMA_CONF, .parts = {OWN(FABRIC)}, .check = section_check_fabric,
     .help = "The port through which ibtrapd talks to the subnet manager, and what it knows of "
             "the fabric."},
    {"sweep", SCHEMA_CONF, .parts = {OWN(SWEEP)}, .check = section_check_sweep,
     .help = "Sweeping the fabric: which nodes, links and subnet managers there are, and what "
             "changed."},
    {"counters", SCHEMA_CONF, .parts = {OWN(COUNTERS)}, .check = section_check_counters,
     .help = "The counters of the ports (perfquery(8) shows them). ibtrapd never resets them."},
    {"journal", SCHEMA_CONF, .parts = {OWN(JOURNAL)},
     .help = "Every event is on disk before the subnet manager hears that it arrived, and stays "
             "there until all receivers have it, and longer: up to so many events, megabytes and "
             "days."},
    {"policy", SCHEMA_RULE, .title = "no-drains", .commented = true, .parts = {OWN(POLICY)},
     .check = section_check_rule,
     .help = "Which events receivers get. Every event is in the journal, with the reason why "
             "receivers did not get it. Of the policies that fit an event, the last one that says "
             "something of an item decides it, so the general ones come first. Without any, "
             "receivers get everything but events about multicast groups."},
    {"repeats", SCHEMA_CONF, .parts = {OWN(REPEATS)},
     .help = "Equal events become one, and a count."},
    {"flap", SCHEMA_CONF, .parts = {OWN(FLAP)},
     .help = "Receivers are notified once that an alarm is flapping, and once when it has "
             "settled."},
    {"unreliable", SCHEMA_CONF, .parts = {OWN(UNRELIABLE)},
     .help = "When a link is unreliable: it went down, flapped or had too many errors again and "
             "again (`ibtrapctl links --worst` lists such links)."},
    {"alarms", SCHEMA_CONF, .parts = {OWN(ALARMS)},
     .help = "How alarms end that nothing else ends."},
    {"storm", SCHEMA_CONF, .parts = {OWN(STORM)},
     .help = "Masses of events of one kind are summed up, with counts and the nodes most "
             "concerned, at once and then periodically."},
    {"consequences", SCHEMA_CONF, .parts = {OWN(CONSEQUENCES)},
     .help = "Events that follow from a dead node, such as those of its links and of the hosts "
             "behind it."},
    {"snmp", SCHEMA_RECEIVER, CONF_SNMP, .title = "nms", .commented = true,
     .parts = {OWN(SNMP), WITH_TLS, RECEIVER}, .check = section_check_snmp,
     .help = "A receiver of SNMP notifications: one section each, with a name of your choice. "
             "Passwords of version 3 are in files that only their owner can read. Over TLS and "
             "DTLS (RFC 6353) certificates take the place of user and passwords."},
    {"syslog", SCHEMA_RECEIVER, CONF_SYSLOG, .title = "local",
     .parts = {OWN(SYSLOG), WITH_TLS, RECEIVER}, .check = section_check_syslog,
     .help = "A receiver of syslog messages. Without any receiver in this file, events go to the "
             "local syslog.",
     .more = "syslog \"siem\" {\n"
             "    transport = \"tls\"\n"
             "    address = \"siem.example.org:6514\"\n"
             "    ca_file = \"/etc/ibtrapd/siem-ca.pem\"\n"
             "    server_name = \"siem.example.org\"\n"
             "    facility = \"local3\"\n"
             "    severity_map = {\"informational=notice\"}\n"
             "    severity = \"warning\"\n"
             "}\n"},
    {"file", SCHEMA_RECEIVER, CONF_FILE, .title = "archive", .commented = true,
     .parts = {OWN(FILE_ITEMS), RECEIVER}, .check = section_check_file,
     .help = "A file that gets a JSON object a line. SIGHUP makes ibtrapd open it again "
             "(logrotate(8): `systemctl reload ibtrapd`). An instance under systemd writes to "
             "/var/log/ibtrapd-INSTANCE only."},
    {"agentx", SCHEMA_RECEIVER, CONF_AGENTX, .title = "snmpd", .commented = true,
     .parts = {OWN(AGENTX), RECEIVER}, .check = section_check_agentx,
     .help = "A receiver of SNMP notifications behind net-snmp's snmpd on this host: its trap "
             "sinks, targets and notification log apply. It has to have `master agentx` in its "
             "configuration."},
    {"kafka", SCHEMA_RECEIVER, CONF_KAFKA, .title = "bus", .commented = true,
     .parts = {OWN(KAFKA), WITH_TLS, RECEIVER}, .check = section_check_kafka,
     .help = "A receiver behind Apache Kafka. It needs the package ibtrapd-kafka. An event is "
             "delivered when all replicas in sync have it."},
    {"metrics", SCHEMA_CONF, .commented = true, .parts = {OWN(METRICS)},
     .help = "Metrics for Prometheus, over HTTP at /metrics. There is neither password nor "
             "encryption: 127.0.0.1 lets this host alone read them."},
    {"subagent", SCHEMA_CONF, .commented = true, .parts = {OWN(SUBAGENT)},
     .check = section_check_subagent,
     .help = "The tables of the MIBs for SNMP managers, below net-snmp's snmpd, which has to have "
             "`master agentx` in its configuration."},
    {"gateway", SCHEMA_CONF, .parts = {OWN(GATEWAY)}, .help = "The gateway itself."},
    {"control", SCHEMA_CONF, .parts = {OWN(CONTROL)}, .check = section_check_control,
     .help = "The socket of ibtrapctl(8)."},
    {"log", SCHEMA_CONF, .parts = {OWN(LOG)}, .check = section_check_log,
     .help = "What ibtrapd writes about itself on standard error."},
};
const size_t SCHEMA_COUNT = COUNT(SCHEMA);
static_assert(COUNT(SCHEMA) <= SCHEMA_SECTIONS_MAX, "every section has a place");

const struct schema_section *schema_section(const char *name)
{
    for (size_t i = 0; i < SCHEMA_COUNT; i++) {
        if (strcmp(SCHEMA[i].name, name) == 0)
            return &SCHEMA[i];
    }
    return NULL;
}

const char *schema_new_name(const char *section)
{
    return strcmp(section, "tables") == 0 ? "subagent" : NULL;
}
