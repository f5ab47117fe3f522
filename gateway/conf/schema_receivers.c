// SPDX-License-Identifier: BSD-2-Clause
#include "conf/check.h"
#include "conf/schema_rows.h"
#include "model/severity.h"

#include <assert.h>

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

#define STATE_REFRESH(field, what)                                                                 \
    {                                                                                              \
        "state_refresh", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(field),                           \
            RANGE(10, INT64_C(7) * DAY), .initial = "3600", .help = "Seconds until " what          \
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
const struct schema_part SCHEMA_SNMP = {NULL, SNMP, COUNT(SNMP)};

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
     .unset = FORMAT_UNSET, .shown = true, .example = "\"rfc3164\"",
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
const struct schema_part SCHEMA_SYSLOG = {NULL, SYSLOG, COUNT(SYSLOG)};

static const struct schema_item FILE_ITEMS[] = {
    {"path", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(file.path), .check = check_output_path,
     .needed = "it says where to write", .shown = true,
     .example = "\"/var/log/ibtrapd/events.json\"",
     .help = "Where to write, or `-` for standard output. The item must be there. The "
             "directories that the units of systemd let it write to are in ibtrapd(8)."},
    {"sync", SCHEMA_BOOL, SCHEMA_LIVE, IN_RECEIVER(file.sync), .initial = "true",
     .help = "An event counts as delivered when it is on disk, not before."},
    RATE("0", ""),
};
const struct schema_part SCHEMA_FILE = {NULL, FILE_ITEMS, COUNT(FILE_ITEMS)};

static const struct schema_item AGENTX[] = {
    {"socket", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(agentx.socket), .check = check_master,
     .needed = "it says where the master agent listens", .may_be_empty = true,
     .initial = "/var/agentx/master",
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
const struct schema_part SCHEMA_AGENTX = {NULL, AGENTX, COUNT(AGENTX)};

static const struct schema_item KAFKA[] = {
    {"brokers", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(kafka.brokers), .check = check_brokers,
     .needed = "it says where Kafka is", .shown = true,
     .example = "\"kafka1.example.org:9092, kafka2.example.org:9092\"",
     .help = "Some of the brokers, with commas between them; these tell of the others. The port is "
             "9092 unless it follows after a colon. The item must be there."},
    {"topic", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(kafka.topic), .check = check_topic,
     .initial = "ibtrapd",
     .help =
         "The topic. `{severity}` and `{category}` stand for those of the event, `{subnet}` for "
         "the 16 digits of the subnet prefix. All these topics must be there, or the brokers "
         "make them: events wait for a topic that is missing, and those behind them, too."},
    {"state_topic", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(kafka.state_topic),
     .check = check_state_topic, .example = "\"ibtrapd-alarms\"",
     .help =
         "Keep the alarms as they are now in this compacted topic, instead of sending events to "
         "`topic`. The key is the name of the fabric, a blank and the key of the alarm; the "
         "value is the alarm as in `ibtrapctl --json alarms`, and nothing once it is over. All "
         "alarms are there: the items that choose events choose none of them. The user needs "
         "the right Read, too."},
    STATE_REFRESH(kafka.state_refresh_s,
                  "the gateway reads its part of `state_topic` again, and writes every "
                  "alarm anew."),
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
     .secret = true, .example = "{\"compression.codec=lz4\", \"linger.ms=20\"}",
     .help =
         "Settings of librdkafka, as in its CONFIGURATION.md, at most 16. Those that other items "
         "say or that the delivery rests on, such as acks, are refused."},
    RATE("0", ""),
};
const struct schema_part SCHEMA_KAFKA = {NULL, KAFKA, COUNT(KAFKA)};

static const struct schema_item HTTP[] = {
    {"url", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(http.url), .check = check_url,
     .needed = "it says where to send events", .shown = true,
     .example = "\"https://collector.example.org:8443/events\"",
     .help = "Where to send events: a URL with http or https. The item must be there."},
    {"format", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(http.format), .words = WORDS_HTTP_FORMAT,
     .initial = "json",
     .help =
         "What a request is: `json`, an array of objects with every field; `cloudevents`, a "
         "batch of CloudEvents 1.0 with these as their data, with `batch = 1`, one CloudEvent "
         "in structured mode; `otlp`, logs of OpenTelemetry in JSON; `loki`, a push to "
         "Grafana Loki; `splunk`, events for Splunk's HTTP Event Collector; `elasticsearch`, "
         "a bulk of documents in ECS, for OpenSearch as well; `otlp-metrics`, no events, but the "
         "metrics of OpenTelemetry in JSON."},
    {"batch", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(http.batch), RANGE(1, 512), .initial = "256",
     .help = "Events of a request at most. An event does not wait for others: a request has what "
             "came while the one before it was under way."},
    {"batch_size", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(http.batch_size), RANGE(16384, 16 << 20),
     .initial = "524288",
     .help = "Octets of a request's body at most, before `gzip`; a single event may be larger. "
             "Of a server that says that a request is too large (413), ibtrapd finds a smaller "
             "size by itself."},
    {"gzip", SCHEMA_BOOL, SCHEMA_LIVE, IN_RECEIVER(http.gzip), .initial = "false",
     .help = "Pack what is sent, from 1,024 octets on. Not every server takes that."},
    {"timeout", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(http.timeout), RANGE(1, 300),
     .initial = "30", .help = "Seconds for a request and its answer."},
    {"interval", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(http.interval_s), RANGE(1, 3600),
     .initial = "60", .help = "Seconds between two posts of `otlp-metrics`."},
    {"index", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(http.index), .check = check_printable,
     .example = "\"fabric\"",
     .help = "The index of Splunk, or the index or data stream of Elasticsearch, if neither the "
             "token nor the URL says it."},
    {"state_index", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(http.state_index), .check = check_index,
     .example = "\"ibtrapd-alarms\"",
     .help = "With `elasticsearch`, keep the alarms as they are now in this index, a document for "
             "each, instead of sending events. The URL ends with /_bulk, without an index."},
    STATE_REFRESH(http.state_refresh_s,
                  "the gateway writes every alarm anew, and deletes the others of its fabric."),
    {"ack", SCHEMA_BOOL, SCHEMA_LIVE, IN_RECEIVER(http.ack), .initial = "false",
     .help = "With Splunk, an event is delivered when the indexers have it: turn on indexer "
             "acknowledgement for the token. Otherwise, when the collector has taken it."},
    RATE("0", ""),
};
const struct schema_part SCHEMA_HTTP = {NULL, HTTP, COUNT(HTTP)};

static const struct schema_item HTTP_ACCESS[] = {
    {"user", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(http_access.user), .check = check_user,
     .example = "\"ibtrapd\"", .help = "The user of basic authentication."},
    {"password_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(http_access.password_file),
     .check = check_path, .look = check_secret_file, .example = "\"/etc/ibtrapd/http.password\"",
     .help = "A file with the password of `user`. It is read again whenever ibtrapd connects after "
             "a failure."},
    {"token_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(http_access.token_file),
     .check = check_path, .look = check_secret_file, .example = "\"/etc/ibtrapd/http.token\"",
     .help = "A file with a token instead (`Authorization: Bearer`; for Splunk `Splunk`, for "
             "Elasticsearch `ApiKey`), read likewise."},
    {"headers", SCHEMA_PAIRS, SCHEMA_LIVE, IN_RECEIVER(http_access.headers),
     .pairs = &PAIRS_HEADERS, .secret = true, .example = "{\"X-Scope-OrgID: fabric\"}",
     .help = "Further headers of each request, at most 8. A secret belongs into `header_file`."},
    {"header_file", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(http_access.header_file),
     .check = check_path, .look = check_header_file, .example = "\"/etc/ibtrapd/http.header\"",
     .help = "A file with a further header that has a secret, such as `X-Api-Key: KEY`, read as "
             "`token_file` is."},
};
const struct schema_part SCHEMA_HTTP_ACCESS = {"HTTP", HTTP_ACCESS, COUNT(HTTP_ACCESS)};

static const struct schema_item ALERTMANAGER[] = {
    {"urls", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(alertmanager.urls), .check = check_urls,
     .needed = "it says where the Alertmanagers are", .shown = true,
     .example = "\"http://am1.example.org:9093, http://am2.example.org:9093\"",
     .help = "The Alertmanagers of one cluster, at most 8, with commas between them, without "
             "/api/v2. Each gets every alert. The item must be there."},
    {"source", SCHEMA_TEXT, SCHEMA_LIVE, IN_RECEIVER(alertmanager.source),
     .check = check_name_characters, .example = "\"fabric1\"",
     .help = "The label `source` of each alert: letters, digits and `._-`. The other gateway of a "
             "pair with `active = \"with-master-sm\"` should have the same one: then alerts go on "
             "when the other one takes over. Without it, the gateway's name."},
    {"expire", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(alertmanager.expire_s), RANGE(20, 86400),
     .initial = "300",
     .help =
         "Seconds after which an Alertmanager ends an alert that is not posted again, as when "
         "ibtrapd is down. Each alert, and for that long its end, is posted again after a quarter "
         "of that."},
};
const struct schema_part SCHEMA_ALERTMANAGER = {NULL, ALERTMANAGER, COUNT(ALERTMANAGER)};

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
    {"each_part", SCHEMA_BOOL, SCHEMA_LIVE, IN_RECEIVER(filter.each_part), .unset = CONF_SAME,
     .shown = true, .example = "false",
     .help =
         "Whether a host that leaves is an event for each of its adapters, and a switch one for "
         "each of its ASICs, instead of one for the whole, whether many nodes that leave at once "
         "have an event each, and whether the traps 64, 65 and 128 are sent although a sweep "
         "explains them. Without this item, SNMP and AgentX receivers get each of them, other "
         "receivers one."},
    {"burst", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(burst), RANGE(1, 1000000), .initial = "100",
     .help = "Events at once at most. The default buffer of snmptrapd(8) holds 166 datagrams."},
    {"max_age", SCHEMA_NUMBER, SCHEMA_LIVE, IN_RECEIVER(age_us), RANGE(0, INT64_C(365) * DAY),
     .factor = CLOCK_US_PER_S, .initial = "0",
     .help = "Seconds after which an event is not sent any more. 0 means that it is sent at any "
             "age."},
    {"start", SCHEMA_WORD, SCHEMA_LIVE, IN_RECEIVER(from_backlog), .words = WORDS_START,
     .initial = "now",
     .help =
         "Where a receiver begins whose name was gone from the configuration: `now`, with new "
         "events, or with the `backlog`, where it stopped, as far as the journal still has "
         "the events. With `now` it gets the ends of alarms that it missed, and the active "
         "alarms, first. A new name begins with new events in any case. One that only changed, or "
         "that has another name and is otherwise equal, goes on where it was."},
};
const struct schema_part SCHEMA_EVERY_RECEIVER = {"Every receiver", EVERY_RECEIVER,
                                                  COUNT(EVERY_RECEIVER)};

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
const struct schema_part SCHEMA_TLS = {"TLS", TLS, COUNT(TLS)};
