// SPDX-License-Identifier: BSD-2-Clause
#include "conf/schema.h"

#include "conf/check.h"
#include "conf/schema_rows.h"
#include "conf/section.h"
#include "install.h"
#include "model/severity.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const struct schema_item FABRIC[] = {
    {"name", SCHEMA_TEXT, SCHEMA_RESTART, IN_CONF(fabric.name), .check = check_name_characters,
     .example = "\"cluster-a\"",
     .help = "The name of the fabric in every output, of up to 63 letters, digits, '.', '_' and "
             "'-'. Almost all subnets have the same prefix; the name tells the subnets apart. The "
             "gateways of a fabric have one name. Without the item, it is the gateway's `name`."},
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
    {"host_names", SCHEMA_PATTERNS, SCHEMA_LIVE, IN_CONF(fabric.host_names),
     .check = check_host_pattern, .example = "{\"MF0;%h:%d\", \"%h %d\"}",
     .help =
         "How the names of nodes are composed, as in rdma-ndd(8): `%h` is the name of the host "
         "or switch, without a blank, and `%d` at the end the word of the adapter. All adapters "
         "with one `%h` are one host. The first pattern that fits a name counts; else the "
         "whole name is that of the host. A pattern with a blank is for hosts alone. Without "
         "this item, the patterns are those of the example: `gpu17 mlx5_3` is an adapter of "
         "gpu17."},
    {"no_names", SCHEMA_PATTERNS, SCHEMA_LIVE, IN_CONF(fabric.no_names),
     .check = check_node_pattern, .example = "{\"node[0-9]*\", \"* HCA-0\"}",
     .help = "Node descriptions that are no names, as patterns; without this item, those of "
             "factories, such as `MT25408 ConnectX Mellanox Technologies`, and those that several "
             "switches or adapters have. A node without a name is called by its place, `the host "
             "at leaf3 port 12`, or by the end of its GUID."},
    {"expected_topology", SCHEMA_TEXT, SCHEMA_LIVE, IN_CONF(fabric.expected_topology),
     .check = check_path, .look = check_topology_file,
     .example = "\"/etc/ibtrapd/expected.topology\"",
     .help =
         "The fabric as it should be: a file that `ibtrapctl topology save`, ibnetdiscover(8) or "
         "ibdiagnet wrote, or a planner's table of cables with the names of their ends (CSV), at "
         "most 192 MB. From the first sweep on, ibtrapd raises alarms about what is "
         "missing, cabled to another port, slower than in the file, or not in it. It reads the "
         "file at its start and at each reload, and does not notice changes between."},
    {"expected_match", SCHEMA_WORD, SCHEMA_LIVE, IN_CONF(fabric.expected_by_name),
     .words = WORDS_MATCH, .initial = "guid",
     .help =
         "How the nodes of `expected_topology` are found. With `name`, a host with a new adapter "
         "keeps its place if it has its old name; a node whose name is not unique, or not there, "
         "is found by its GUID."},
    {"notices", SCHEMA_TEXT, SCHEMA_LIVE, IN_CONF(fabric.notices), .check = check_path,
     .look = check_notices, .example = "\"/etc/ibtrapd/notices\"",
     .help =
         "What notices mean that ibtrapd does not know, such as those of vendors: a file with a "
         "line `NUMBER PRODUCER SEVERITY SENTENCE` for each. NUMBER is the trap number, or a "
         "vendor's DeviceID. PRODUCER is `host`, `switch`, `router`, `manager` or `any`, or the "
         "VendorID after 0x. In a sentence, {OFFSET:SIZE} is the number in these octets of the "
         "DataDetails; {OFFSET:SIZE:hex} and {OFFSET:SIZE:text} are other forms."},
    {"sm_log", SCHEMA_TEXT, SCHEMA_RESTART, IN_CONF(fabric.sm_log), .check = check_sm_log,
     .example = "\"/var/log/opensm.log\"",
     .help =
         "The log of OpenSM on this host. ibtrapd makes events of the lines about duplicated "
         "GUIDs, ports that do not answer, sweeps that fail, routes that cannot be made, other "
         "subnet managers and partitions: `sm-guid-duplicate` and the like. It begins at the "
         "end of the file, and goes on at its place after a restart and a rotation. The user "
         "of ibtrapd needs the right to read the file. `journald` reads the messages of OpenSM in "
         "the journal of systemd instead, `journald:NAMESPACE` those of a namespace."},
    {"unhealthy_ports", SCHEMA_TEXT, SCHEMA_RESTART, IN_CONF(fabric.unhealthy_ports),
     .check = check_path, .example = "\"/opt/ufm/log/opensm-unhealthy-ports.dump\"",
     .help =
         "The list in which the subnet manager of NVIDIA on this host, such as UFM's, keeps the "
         "ports that it calls unhealthy. Each is the alarm `sm-port-unhealthy` as long as the list "
         "has it. The user of ibtrapd needs the right to read the file."},
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
             "traps are all that is reported, and the alarms about the fabric end."},
    {"interval", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(sweep.interval_s), RANGE(5, DAY),
     .initial = "60", .help = "Seconds from one sweep to the next."},
    {"settle", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(sweep.settle_ms), RANGE(0, 60000),
     .initial = "500",
     .help = "A trap that reports a change is followed by a sweep after this many milliseconds "
             "of quiet, so that many traps cause one sweep."},
    {"inactive_sweeps", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(sweep.inactive_sweeps), RANGE(0, 100),
     .initial = "3",
     .help = "A link that so many sweeps in a row find connected and not active, in state Init or "
             "Armed, raises `link-inactive`: by default after two minutes, in which the subnet "
             "manager can set it up. Sweeps that a trap causes within the interval count once. 0: "
             "never."},
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
    {"vendor_registers", SCHEMA_BOOL, SCHEMA_LIVE, IN_CONF(sweep.vendor_registers),
     .initial = "false",
     .help = "Ask NVIDIA's switches and adapters at the ends of a link that went down for the "
             "reason, by class 0x0A: `link-down` then says that a cable was unplugged, and where. "
             "These are a packet once for each device and two for each end of a lost link. The "
             "message waits for the answers as long as `settle`, at most; later answers are "
             "added to the alarm. A device that does not answer is left alone for a day. "
             "The subagent reads ibtrapdModuleTable in the same way, when a manager asks for it. "
             "What devices tell of themselves and of their modules is read, too; see "
             "`vendor_interval`."},
    {"vendor_interval", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(sweep.vendor_interval_s), RANGE(0, DAY),
     .initial = "300",
     .help = "Seconds from one reading of cables, modules and the hardware of switches to the "
             "next, with `vendor_registers`: `module-hot`, `cable-replaced` and others come from "
             "it. A reading is a packet or two for each port, and some more for each switch, one "
             "at a time for each device and 1000 a second for all: 2,000 switches of 64 ports "
             "take four to five minutes. The reading of counters asks each active port for four "
             "packets more in this time. 0: no readings."},
    {"vskey_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_CONF(sweep.vskey_file), .check = check_path,
     .look = check_key_file, .example = "\"/etc/ibtrapd/vskey\"",
     .help = "A file with the key of the vendor class, as that of `sa_key_file`: where the subnet "
             "manager sets such keys (`vs_key_enable` of NVIDIA's OpenSM), devices tell "
             "registers only to those who have it."},
};

static const struct schema_item COUNTERS[] = {
    {"ports", SCHEMA_WORD, SCHEMA_LIVE, IN_CONF(counters.ports), .words = WORDS_PORTS,
     .initial = "all",
     .help = "Which counters are read: those of `all` active ports, those of `switches` only "
             "(every link has one at a switch, so half the packets say nearly as much), or none "
             "with `off`. With `off` the IBSWITCH-MIB's table of port counters is empty, and the "
             "alarms about counters end."},
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
     .help = "Errors a bit that are too many on a link without error correction, in the short and "
             "in the long window: a higher rate raises the alarm `link-errors-raised`, one for "
             "each link and counter. It is a warning. Two more rates, behind another /, make it an "
             "error. 0 is no limit. Used where width and speed of the link are known. A counter "
             "without a limit has that of `error_rates`. The InfiniBand specification allows a "
             "link without error correction 1e-12, which is an error in ten seconds at 100 Gb/s. "
             "A link in good order has less than one in a thousand times as many bits. The "
             "defaults of a warning are between: 7.2 errors in 12 minutes or 7.5 in 125 at "
             "100 Gb/s."},
    {"fec_bit_error_rates", SCHEMA_PAIRS, SCHEMA_LIVE, IN_CONF(counters.fec_bit_error_rates),
     .pairs = &PAIRS_FEC_BIT_ERROR_RATES,
     .help = "The same for links with error correction: those of HDR and faster, and those whose "
             "ports say that they have corrected errors. The defaults are the limits of NVIDIA. "
             "For SymbolErrorCounter at 400 Gb/s, more than 15 errors in 125 minutes are a "
             "warning, and 3 in 12 minutes or more than 30 in 125 an error. In the first "
             "`long_window` after a link came up it may have ten times as many, as it may of "
             "`bit_error_rates` and `fec_loss_rates`, and these errors do not count later."},
    {"fec_loss_rates", SCHEMA_PAIRS, SCHEMA_LIVE, IN_CONF(counters.fec_loss_rates),
     .pairs = &PAIRS_FEC_LOSS_RATES,
     .help = "Errors for each packet that the port receives that are too many on a link with error "
             "correction. Used where a port has 64-bit counters of packets. The default is "
             "NVIDIA's, and means that any packet lost is worth a warning: no port receives 1e12 "
             "packets in a window."},
    {"error_rates", SCHEMA_PAIRS, SCHEMA_LIVE, IN_CONF(counters.error_rates),
     .pairs = &PAIRS_ERROR_RATES,
     .help = "The same as errors an hour, for counters without such a limit and for links whose "
             "width or speed is not known. 0 means never, and a counter that is not in the "
             "list keeps its default. Counters whose default is 0 grow in healthy fabrics "
             "(PortRcvSwitchRelayErrors with multicast, PortXmitWait with load), repeat what "
             "another port counts (PortRcvRemotePhysicalErrors) or what traps 257 to 259 report "
             "(the constraint errors)."},
    {"errors_min", SCHEMA_NUMBER, SCHEMA_LIVE, IN_CONF(counters.errors_min), RANGE(1, 1000000),
     .initial = "5",
     .help = "Fewer errors in a window raise no alarm, whatever their rate: a single one says "
             "little about a slow link. The limits of `fec_bit_error_rates` and `fec_loss_rates` "
             "have no such minimum."},
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

static_assert(offsetof(struct conf_metrics, port) ==
                  offsetof(struct conf_metrics, host) + CONF_ADDRESS_SIZE,
              "a port stands behind its host");

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
    {"hosts", SCHEMA_PATTERNS, SCHEMA_RESTART, IN_CONF(metrics.hosts),
     .example = "{\"gw1.example.org\"}",
     .help = "Patterns of the names by which clients ask. IP addresses and names without a dot are "
             "always good; any other name is refused, as a foreign page in somebody's browser "
             "could use such a name to read the answers."},
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
     .help = "Whether managers may set what the IBSWITCH-MIB lets them set, switch the LEDs of "
             "nodes (gswBeaconAdmStatus), and ask the subnet manager for paths in "
             "ibSmPathReqTable. Which managers may is a matter of snmpd's access control."},
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
     .parts = {&SCHEMA_SNMP, &SCHEMA_TLS, &SCHEMA_EVERY_RECEIVER}, .check = section_check_snmp,
     .help = "A receiver of SNMP notifications: one section each, with a name of your choice. "
             "Passwords of version 3 are in files that only their owner can read. Over TLS and "
             "DTLS (RFC 6353) certificates take the place of user and passwords."},
    {"syslog", SCHEMA_RECEIVER, CONF_SYSLOG, .title = "local",
     .parts = {&SCHEMA_SYSLOG, &SCHEMA_TLS, &SCHEMA_EVERY_RECEIVER}, .check = section_check_syslog,
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
     .parts = {&SCHEMA_FILE, &SCHEMA_EVERY_RECEIVER},
     .help = "A file that gets a JSON object a line. SIGHUP makes ibtrapd open it again "
             "(logrotate(8): `systemctl reload ibtrapd`). An instance under systemd writes to "
             "/var/log/ibtrapd-INSTANCE only."},
    {"agentx", SCHEMA_RECEIVER, CONF_AGENTX, .title = "snmpd", .commented = true,
     .parts = {&SCHEMA_AGENTX, &SCHEMA_EVERY_RECEIVER}, .check = section_check_agentx,
     .help = "A receiver of SNMP notifications behind net-snmp's snmpd on this host: its trap "
             "sinks, targets and notification log apply. It has to have `master agentx` in its "
             "configuration."},
    {"kafka", SCHEMA_RECEIVER, CONF_KAFKA, .title = "bus", .commented = true,
     .parts = {&SCHEMA_KAFKA, &SCHEMA_TLS, &SCHEMA_EVERY_RECEIVER}, .check = section_check_kafka,
     .help = "A receiver behind Apache Kafka. It needs the package ibtrapd-kafka. An event is "
             "delivered when all replicas in sync have it."},
    {"http", SCHEMA_RECEIVER, CONF_HTTP, .title = "collector", .commented = true,
     .parts = {&SCHEMA_HTTP, &SCHEMA_HTTP_ACCESS, &SCHEMA_TLS, &SCHEMA_EVERY_RECEIVER},
     .check = section_check_http,
     .help = "A receiver behind an HTTP server. It needs the package ibtrapd-http. An event is "
             "delivered when the server has answered its request with a status of 2xx."},
    {"alertmanager", SCHEMA_RECEIVER, CONF_ALERTMANAGER, .title = "alerts", .commented = true,
     .parts = {&SCHEMA_ALERTMANAGER, &SCHEMA_HTTP_ACCESS, &SCHEMA_TLS, &SCHEMA_EVERY_RECEIVER},
     .check = section_check_alertmanager,
     .help = "Prometheus Alertmanagers, whose alerts are kept as the alarm list is. It needs the "
             "package ibtrapd-http. It gets a state and not each event: what began and ended "
             "while an Alertmanager was away is not told."},
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
    {"log", SCHEMA_CONF, .parts = {OWN(LOG)},
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
