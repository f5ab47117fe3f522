// SPDX-License-Identifier: BSD-2-Clause
// The configuration: values that are refused.
#include "conf_fixture.h"

#include "base/text.h"

TEST(bad_values_are_told_with_line_item_value_and_reason)
{
    static const char FACILITIES[] =
        "1: item 'facility': value 'local8': must be one of kern, user, mail, daemon, auth, "
        "syslog, "
        "lpr, news, uucp, cron, authpriv, ftp, ntp, audit, alert, clock, local0, local1, local2, "
        "local3, local4, local5, local6, local7";
    static const struct {
        const char *content, *error;
    } ROWS[] = {
        {"fabric { device = \"\" }", "1: item 'device': value '': must not be empty"},
        {"fabric {\n port = 255\n}", "2: item 'port': value '255': must be from 0 to 254"},
        {"fabric {\n port = -1\n}", "2: item 'port': value '-1': must be from 0 to 254"},
        {"fabric {\n\n port = one\n}", "3: item 'port': value 'one': must be a whole number"},
        {"fabric { port = 1.5 }", "1: item 'port': value '1.5': must be a whole number"},
        {"fabric { port = \"\" }", "1: item 'port': value '': must be a whole number"},
        {"fabric { port = 99999999999999999999 }",
         "1: item 'port': value '99999999999999999999': must be a whole number"},
        {"fabric { verify_interval = 0 }",
         "1: item 'verify_interval': value '0': must be from 1 to 3600"},
        {"fabric { verify_interval = 3601 }",
         "1: item 'verify_interval': value '3601': must be from 1 to 3600"},
        {"fabric { refresh_interval = 9 }",
         "1: item 'refresh_interval': value '9': must be from 10 to 86400"},
        {"fabric { refresh_interval = 86401 }",
         "1: item 'refresh_interval': value '86401': must be from 10 to 86400"},
        {"fabric { sa_key_file = \"key\" }", "1: item 'sa_key_file': must be an absolute path"},
        {"fabric { sa_key_guids = \"0x1, x\" }",
         "1: item 'sa_key_guids': value '0x1, x': 'x' is no GUID, such as 0x0002c90300a10001"},
        {"fabric { pkey = \"0\" }", "1: item 'pkey': value '0': must be a P_Key, such as 0x8005"},
        {"fabric { pkey = \"65536\" }",
         "1: item 'pkey': value '65536': must be a P_Key, such as 0x8005"},
        {"fabric { pkey = \"0x8005x\" }",
         "1: item 'pkey': value '0x8005x': must be a P_Key, such as 0x8005"},
        {"fabric { pkey = \"0x0000800005\" }",
         "1: item 'pkey': value '0x0000800005': must be a P_Key, such as 0x8005"},
        {"fabric { sa_key_guids = \"\" }", "1: item 'sa_key_guids': value '': has no GUID"},
        {"fabric { sa_key_guids = \"0\" }",
         "1: item 'sa_key_guids': value '0': '0' is no GUID, such as 0x0002c90300a10001"},
        {"fabric { sa_key_guids = \"18446744073709551616\" }",
         "1: item 'sa_key_guids': value '18446744073709551616': '18446744073709551616' is no GUID, "
         "such as 0x0002c90300a10001"},
        {"fabric { sa_key_guids = \"1 2 3 4 5 6 7 8 9\" }",
         "1: item 'sa_key_guids': value '1 2 3 4 5 6 7 8 9': has more than 8 GUIDs"},
        {"fabric { sa_key_file = \"/nonexistent\" }",
         "1: item 'sa_key_file': value '/nonexistent': cannot open '/nonexistent': No such file or "
         "directory"},
        {"fabric { active = \"never\" }",
         "1: item 'active': value 'never': must be one of always, with-master-sm"},
        {"sweep {\n method = \"fast\"\n}",
         "2: item 'method': value 'fast': must be one of smp, sa, off"},
        {"sweep { interval = 4 }", "1: item 'interval': value '4': must be from 5 to 86400"},
        {"sweep { settle = 60001 }", "1: item 'settle': value '60001': must be from 0 to 60000"},
        {"sweep { in_flight = 0 }", "1: item 'in_flight': value '0': must be from 1 to 256"},
        {"sweep { in_flight = 257 }", "1: item 'in_flight': value '257': must be from 1 to 256"},
        {"sweep { attempts = 11 }", "1: item 'attempts': value '11': must be from 1 to 10"},
        {"sweep { timeout = 9 }", "1: item 'timeout': value '9': must be from 10 to 60000"},
        {"sweep { mkey_file = \"key\" }", "1: item 'mkey_file': must be an absolute path"},
        {"counters { ports = \"1\" }",
         "1: item 'ports': value '1': must be one of all, switches, off"},
        {"counters { interval = 86401 }",
         "1: item 'interval': value '86401': must be from 5 to 86400"},
        {"counters {\n thresholds = {\"VL15Dropped=1\",\n \"VL15Drops=1\"}\n}",
         "3: item 'thresholds': value 'VL15Drops=1': there is no such counter"},
        {"counters { thresholds = {\"=1\"} }",
         "1: item 'thresholds': value '=1': there is no such counter"},
        {"counters { thresholds = {\"VL15Dropped\"} }",
         "1: item 'thresholds': value 'VL15Dropped': must be a counter and its threshold, such as "
         "\"SymbolErrorCounter=10\""},
        {"counters { thresholds = {\"VL15Dropped=\"} }",
         "1: item 'thresholds': value 'VL15Dropped=': the threshold must be a whole number from 0 "
         "to "
         "4294967295"},
        {"counters { thresholds = {\"VL15Dropped=-1\"} }",
         "1: item 'thresholds': value 'VL15Dropped=-1': the threshold must be a whole number from "
         "0 to "
         "4294967295"},
        {"counters { thresholds = {\"VL15Dropped=4294967296\"} }",
         "1: item 'thresholds': value 'VL15Dropped=4294967296': the threshold must be a whole "
         "number "
         "from 0 to 4294967295"},
        {"counters { bit_error_rates = {\"SymbolError=1e-12\"} }",
         "1: item 'bit_error_rates': value 'SymbolError=1e-12': must be two rates from 0 to 1, for "
         "the short and for the long window, with \"/\" between them, or four: two more for an "
         "error"},
        {"counters { bit_error_rates = {\"SymbolError=2/1\"} }",
         "1: item 'bit_error_rates': value 'SymbolError=2/1': must be two rates from 0 to 1, for "
         "the short and for the long window, with \"/\" between them, or four: two more for an "
         "error"},
        {"counters { bit_error_rates = {\"SymbolError\"} }",
         "1: item 'bit_error_rates': value 'SymbolError': must be a counter and its two rates, "
         "such as \"SymbolErrorCounter=1e-13/1e-14\""},
        {"counters { error_rates = {\"RcvErrors=0x10/1\"} }",
         "1: item 'error_rates': value 'RcvErrors=0x10/1': must be two rates from 0 to "
         "4.29497e+09, for the short and for the long window, with \"/\" between them, or four: "
         "two more for an "
         "error"},
        {"counters { error_rates = {\"Errors=1/1\"} }",
         "1: item 'error_rates': value 'Errors=1/1': there is no such counter"},
        {"counters { short_window = 60 long_window = 60 }",
         "1: counters: 'long_window' must be longer than 'short_window'"},
        {"policy \"a\" { events = {\"link-dwon\"} }",
         "1: item 'events': value 'link-dwon': there is no such event; did you mean "
         "'link-down'?"},
        {"policy \"a\" { events = {\"\"} }", "1: item 'events': value '': must not be empty"},
        {"policy \"a\" { nodes = {\"\"} }", "1: item 'nodes': value '': must not be empty"},
        {"policy \"a\" {\n severity = \"high\"\n}",
         "2: item 'severity': value 'high': must be one of emergency, alert, critical, error, "
         "warning, "
         "notice, informational, debug"},
        {"policy \"a\" { category = \"links\" }",
         "1: item 'category': value 'links': must be one of fabric, link, port, node, security, "
         "multicast, "
         "sm, io, counter, gateway, vendor"},
        {"policy \"a\" { hold_down = 86401 }",
         "1: item 'hold_down': value '86401': must be from 0 to 86400"},
        {"policy \"a\" { hold_down = -1 }",
         "1: item 'hold_down': value '-1': must be from 0 to 86400"},
        {"policy \"a b\" { }",
         "1: item 'policy': value 'a b': a policy's name has letters, digits, '.', '_', '-'"},
        {"policy \"\" { }", "1: item 'policy': value '': a policy's name has 1 to 63 characters"},
        {"repeats { window = 86401 }", "1: item 'window': value '86401': must be from 0 to 86400"},
        {"flap { changes = 1 }", "1: item 'changes': value '1': must be 0 or from 2 to 16"},
        {"flap { changes = 17 }", "1: item 'changes': value '17': must be 0 or from 2 to 16"},
        {"flap { within = 0 }", "1: item 'within': value '0': must be from 1 to 86400"},
        {"flap { quiet = 0 }", "1: item 'quiet': value '0': must be from 1 to 86400"},
        {"storm { rate = 100001 }", "1: item 'rate': value '100001': must be from 0 to 100000"},
        {"storm { period = 0 }", "1: item 'period': value '0': must be from 1 to 3600"},
        {"storm { period = 3601 }", "1: item 'period': value '3601': must be from 1 to 3600"},
        {"fabric { host_names = {\"%d\"} }",
         "1: item 'host_names': value '%d': must have one %h, the name of the host, and may have "
         "%d at its end"},
        {"fabric { node_name_map = \"map\" }",
         "1: item 'node_name_map': value 'map': must be an absolute path"},
        {"fabric { node_name_map = \"/nonexistent\" }",
         "1: item 'node_name_map': value '/nonexistent': node-name-map: cannot open "
         "'/nonexistent': "
         "No such file or directory"},
        {"snmp \"a\" { address = \"\" }", "1: item 'address': value '': the host is missing"},
        {"snmp \"a\" { address = \":162\" }",
         "1: item 'address': value ':162': the host is missing"},
        {"snmp \"a\" { address = \"[]\" }", "1: item 'address': value '[]': the host is missing"},
        {"snmp \"a\" { address = \"::1\" }",
         "1: item 'address': value '::1': an IPv6 address must stand in brackets, such as "
         "[2001:db8::1]:162"},
        {"snmp \"a\" { address = \"[::1\" }",
         "1: item 'address': value '[::1': the closing bracket is missing"},
        {"snmp \"a\" { address = \"[::1]162\" }",
         "1: item 'address': value '[::1]162': after the bracket only ':port' may follow"},
        {"snmp \"a\" { address = \"a:0\" }",
         "1: item 'address': value 'a:0': the port must be a number from 1 to 65535"},
        {"snmp \"a\" { address = \"a:65536\" }",
         "1: item 'address': value 'a:65536': the port must be a number from 1 to 65535"},
        {"snmp \"a\" { address = \"a:\" }",
         "1: item 'address': value 'a:': the port must be a number from 1 to 65535"},
        {"snmp \"a\" { address = \"a:16x\" }",
         "1: item 'address': value 'a:16x': the port must be a number from 1 to 65535"},
        {"snmp \"a\" { address = \"nms 162\" }",
         "1: item 'address': value 'nms 162': must be a host name or an IP address, and a port "
         "behind a colon, such as nms:162"},
        {"snmp \"a\" { address = \"nms/162\" }",
         "1: item 'address': value 'nms/162': must be a host name or an IP address, and a port "
         "behind a colon, such as nms:162"},
        {"syslog \"a\" { address = \"udp6:nms\" }",
         "1: item 'address': value 'udp6:nms': the port must be a number from 1 to 65535"},
        {"snmp \"a\" { address = \"[2001:db8::x]:162\" }",
         "1: item 'address': value '[2001:db8::x]:162': there is no such IPv6 "
         "address"},
        {"snmp \"a\" { address = \"192.0.2\" }",
         "1: item 'address': value '192.0.2': must be an IPv4 address with four numbers from 0 to "
         "255"},
        {"snmp \"a\" { address = \"192.0.2.256:162\" }",
         "1: item 'address': value '192.0.2.256:162': must be an IPv4 address with four numbers "
         "from 0 to 255"},
        {"snmp \"a\" { server_name = \"nms .example.org\" }",
         "1: item 'server_name': value 'nms .example.org': must be a host name or an IP address"},
        {"snmp \"a\" {\n address = \"a\"\n community = \"\"\n}",
         "3: item 'community': must have 1 to 255 octets"},
        {"syslog \"a\" {\n transport = \"http\"\n}",
         "2: item 'transport': value 'http': must be one of local, udp, tcp, tls, relp, "
         "relp-tls, stdout"},
        {"syslog \"a\" {\n format = \"xml\"\n}",
         "2: item 'format': value 'xml': must be one of rfc5424, rfc3164, ecs, cef, leef"},
        {"syslog \"a\" {\n framing = \"nul\"\n}",
         "2: item 'framing': value 'nul': must be one of octet-counting, lines"},
        {"syslog \"a\" { ca_file = \"ca\" }",
         "1: item 'ca_file': value 'ca': must be an absolute path"},
        {"syslog \"a\" { certificate_file = \"c\" }",
         "1: item 'certificate_file': value 'c': must be an absolute path"},
        {"syslog \"a\" { key_file = \"\" }",
         "1: item 'key_file': value '': must be an absolute path"},
        {"syslog \"a\" { server_name = \"\" }",
         "1: item 'server_name': value '': must not be empty"},
        {"snmp \"a\" { transport = \"relp\" }",
         "1: item 'transport': value 'relp': must be one of udp, tcp, tls, dtls"},
        {"snmp \"a\" { certificate_file = \"c\" }",
         "1: item 'certificate_file': value 'c': must be an absolute path"},
        {"snmp \"a\" { version = \"2\" }", "1: item 'version': value '2': must be one of 1, 2c, 3"},
        {"snmp \"a\" { user = \"\" }", "1: item 'user': value '': must not be empty"},
        {"snmp \"a\" { context = \"\" }", "1: item 'context': value '': must not be empty"},
        {"snmp \"a\" { auth = \"MD5\" }", "1: item 'auth': value 'MD5': must be one of none, SHA, "
                                          "SHA-224, SHA-256, SHA-384, SHA-512"},
        {"snmp \"a\" { privacy = \"DES\" }",
         "1: item 'privacy': value 'DES': must be one of none, AES, AES-192, AES-256, "
         "AES-192-C, AES-256-C"},
        {"snmp \"a\" { community_file = \"c\" }",
         "1: item 'community_file': must be an absolute path"},
        {"snmp \"a\" { auth_password_file = \"/nonexistent\" }",
         "1: item 'auth_password_file': value '/nonexistent': cannot open '/nonexistent': No such "
         "file or directory"},
        {"snmp \"a\" { privacy_password_file = \"/\" }",
         "1: item 'privacy_password_file': value '/': '/' is not a regular file"},
        {"snmp \"a\" { timeout = 99 }", "1: item 'timeout': value '99': must be from 100 to 5000"},
        {"snmp \"a\" { timeout = 5001 }",
         "1: item 'timeout': value '5001': must be from 100 to 5000"},
        {"snmp \"a\" { retries = -1 }", "1: item 'retries': value '-1': must be from 0 to 10"},
        {"snmp \"a\" { retries = 11 }", "1: item 'retries': value '11': must be from 0 to 10"},
        {"snmp \"a\" { window = 0 }", "1: item 'window': value '0': must be from 1 to 512"},
        {"snmp \"a\" { window = 513 }", "1: item 'window': value '513': must be from 1 to 512"},
        {"snmp \"a\" {\n sets = {\"sma\",\n \"all\"}\n}",
         "3: item 'sets': value 'all': must be one of sma, switch, own, event"},
        {"snmp \"a\" { agent_address = \"::1\" }",
         "1: item 'agent_address': value '::1': must be an IPv4 address"},
        {"file \"a\" { path = \"log\" }", "1: item 'path': value 'log': must be an absolute path"},
        {"file \"a\" { path = \"\" }", "1: item 'path': value '': must be an absolute path"},
        {"journal { directory = \"j\" }",
         "1: item 'directory': value 'j': must be an absolute path"},
        {"journal { rows = 999 }", "1: item 'rows': value '999': must be from 1000 to 1000000000"},
        {"journal { rows = 1000000001 }",
         "1: item 'rows': value '1000000001': must be from 1000 to 1000000000"},
        {"journal { megabytes = 0 }", "1: item 'megabytes': value '0': must be from 1 to 1000000"},
        {"journal { megabytes = 1000001 }",
         "1: item 'megabytes': value '1000001': must be from 1 to 1000000"},
        {"journal { days = 0 }", "1: item 'days': value '0': must be from 1 to 36500"},
        {"journal { days = 36501 }", "1: item 'days': value '36501': must be from 1 to 36500"},
        {"journal { days = many }", "1: item 'days': value 'many': must be a whole number"},
        {"syslog \"a\" { facility = \"local8\" }", FACILITIES},
        {"syslog \"a\" { path = \"log\" }",
         "1: item 'path': value 'log': must be an absolute path"},
        {"syslog \"a\" { address = \"1:2:3\" }",
         "1: item 'address': value '1:2:3': an IPv6 address must stand in brackets, such as "
         "[2001:db8::1]:162"},
        {"control { group = \"no such\" }",
         "1: item 'group': value 'no such': there is no such group"},
        {"control { group = \"\" }", "1: item 'group': value '': must not be empty"},
        {"metrics { listen = \"localhost:9117\" }",
         "1: item 'listen': value 'localhost:9117': must be an IP address and a port, such as "
         "127.0.0.1:9117"},
        {"metrics { listen = \"127.0.0.1:0\" }",
         "1: item 'listen': value '127.0.0.1:0': the port must be a number from 1 to 65535"},
        {"metrics { listen = \"::1\" }",
         "1: item 'listen': value '::1': an IPv6 address must stand in "
         "brackets, such as [2001:db8::1]:162"},
        {"subagent { socket = \"master\" }",
         "1: item 'socket': value 'master': must be an absolute path, or like tcp:127.0.0.1:705"},
        {"subagent { socket = \"tcp:localhost:705\" }",
         "1: item 'socket': value 'tcp:localhost:705': the host must be an IP address"},
        {"subagent { socket = \"tcp:127.0.0.1\" }",
         "1: item 'socket': value 'tcp:127.0.0.1': the port is missing"},
        {"subagent { socket = \"tcp:127.0.0.1:0\" }",
         "1: item 'socket': value 'tcp:127.0.0.1:0': the port must be a number from 1 to 65535"},
        {"subagent { context = \"123456789012345678901234567890123\" }",
         "1: item 'context': value '123456789012345678901234567890123': is longer than 32 octets"},
        {"subagent { event_trap_level = \"notice\" }",
         "1: item 'event_trap_level': value 'notice': must be one of none, critical, error, "
         "warning, "
         "informational, debug"},
        {"subagent { recipient_port = 0 }",
         "1: item 'recipient_port': value '0': must be from 1 to 65535"},
        {"snmp \"recipient-192.0.2.1-1\" { address = \"192.0.2.1\" }",
         "1: item 'snmp': value 'recipient-192.0.2.1-1': names that begin with 'recipient-' are "
         "those "
         "of trap recipients"},
        {"gateway { name = \"gw 1\" }",
         "1: item 'name': value 'gw 1': must be ASCII without blanks"},
        {"gateway { name = \"g\303\274\" }",
         "1: item 'name': value 'g\303\274': must be ASCII without blanks"},
        {"gateway { name = \"a-name-that-is-longer-than-forty-five-octets-is\" }",
         "1: item 'name': value 'a-name-that-is-longer-than-forty-five-octets-is': is longer than "
         "45 "
         "octets"},
        {"gateway { heartbeat = -1 }", "1: item 'heartbeat': value '-1': must be from 0 to 86400"},
        {"gateway { heartbeat = 86401 }",
         "1: item 'heartbeat': value '86401': must be from 0 to 86400"},
        {"control { socket = \"s\" }", "1: item 'socket': value 's': must be an absolute path"},
        {"log { level = \"loud\" }",
         "1: item 'level': value 'loud': must be one of error, warning, info, debug"},
        {"snmp \"\" { address = \"a\" }",
         "1: item 'snmp': value '': a receiver's name has 1 to 64 characters"},
        {"file \"a/b\" { }",
         "1: item 'file': value 'a/b': a receiver's name has letters, digits, '.', '_', '-'"},
        {"log { levels = {\"ib\"} }",
         "1: item 'levels': value 'ib': must be a folder of the gateway and "
         "its level, such as \"ib=debug\""},
        {"log { levels = {\"ib=debug\",\n\"ibs=debug\"} }",
         "2: item 'levels': value 'ibs=debug': no folder of that name has debug messages; these "
         "have: "
         "ib topology policy journal sink agentx agent pipeline control daemon"},
        {"log { levels = {\"model=debug\"} }",
         "1: item 'levels': value 'model=debug': no folder of that name has debug messages; these "
         "have: ib topology policy journal sink agentx agent pipeline control daemon"},
        {"log { levels = {\"ib=loud\"} }",
         "1: item 'levels': value 'ib=loud': the level must be one of error, warning, info, debug"},
        {"syslog \"a b\" { }",
         "1: item 'syslog': value 'a b': a receiver's name has letters, digits, '.', '_', '-'"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        assert_string_equal(error_of(ROWS[i].content), ROWS[i].error);
}

// The items that every kind of receiver has.
TEST(bad_values_are_told_in_every_kind_of_receiver)
{
    static const char *const KINDS[] = {"snmp", "syslog", "file", "agentx"};
    static const struct {
        const char *items, *error;
    } ROWS[] = {
        {"severity = \"bad\"",
         "item 'severity': value 'bad': must be one of emergency, alert, critical, "
         "error, warning, notice, informational, debug"},
        {"events = {\"link-*\", \"\"}", "item 'events': value '': must not be empty"},
        {"events = {\"link_down\"}", "item 'events': value 'link_down': there is no such event; "
                                     "did you mean 'link-down'?"},
        {"categories = {\"link\", \"lnik*\"}", "item 'categories': value 'lnik*': must be one of "
                                               "fabric, link, port, node, security, multicast, "
                                               "sm, io, counter, gateway, vendor"},
        {"categories = {\"\"}", "item 'categories': value '': must not be empty"},
        {"nodes = {\"\"}", "item 'nodes': value '': must not be empty"},
        {"guids = {\"\"}", "item 'guids': value '': must not be empty"},
        {"switches = {\"\"}", "item 'switches': value '': must not be empty"},
        {"rate = -1", "item 'rate': value '-1': must be from 0 to 1000000"},
        {"rate = 1000001", "item 'rate': value '1000001': must be from 0 to 1000000"},
        {"rate = 0.5", "item 'rate': value '0.5': must be a whole number"},
        {"burst = 0", "item 'burst': value '0': must be from 1 to 1000000"},
        {"burst = 1000001", "item 'burst': value '1000001': must be from 1 to 1000000"},
        {"max_age = -1", "item 'max_age': value '-1': must be from 0 to 31536000"},
        {"max_age = 31536001", "item 'max_age': value '31536001': must be from 0 to 31536000"},
    };
    for (size_t i = 0; i < COUNT(ROWS) * COUNT(KINDS); i++) {
        char content[200], expected[300];
        snprintf(content, sizeof content, "%s \"a\" {\n%s\n}\n", KINDS[i % COUNT(KINDS)],
                 ROWS[i / COUNT(KINDS)].items);
        snprintf(expected, sizeof expected, "2: %s", ROWS[i / COUNT(KINDS)].error);
        assert_string_equal(error_of(content), expected);
    }
}

TEST(what_is_neither_true_nor_false_is_told)
{
    static const char *const FILES[] = {
        "snmp \"a\" {\ninform = maybe\n}", "snmp \"a\" {\nextra_varbinds = 2\n}",
        "snmp \"a\" {\ntrap_address = \"\"\n}", "syslog \"a\" {\nsecurity = 1.5\n}",
        "file \"a\" {\nsync = full\n}"};
    for (size_t i = 0; i < COUNT(FILES); i++) {
        assert_memory_equal(error_of(FILES[i]), "2: ", 3);
        assert_non_null(strstr(err.text, "boolean"));
    }
}

static void check_too_long(const char *before, size_t max, const char *after, const char *reason)
{
    char content[700], value[500];
    assert_in_range(max, 1, sizeof value - 2);
    memset(value, 'a', sizeof value);
    value[0] = '/';
    value[max + 1] = '\0';
    snprintf(content, sizeof content, "%s%s%s", before, value, after);
    const char *told = error_of(content);
    assert_string_equal(told + strlen(told) - strlen(reason), reason);
}

TEST(values_too_long_are_told)
{
    check_too_long("fabric { device = \"", 63, "\" }", "': is longer than 63 octets");
    check_too_long("control { socket = \"", 107, "\" }", "': is longer than 107 octets");
    check_too_long("syslog \"a\" { path = \"", 107, "\" }", "': is longer than 107 octets");
    check_too_long("sweep { mkey_file = \"", 107, "\" }", "': is longer than 107 octets");
    check_too_long("snmp \"a\" { community = \"", 255, "\" }", "': must have 1 to 255 octets");
    assert_null(strstr(err.text, "aaaa")); // the value is a secret
    check_too_long("snmp \"a\" { address = \"", 299, "\" }", "': the host is too long");
    check_too_long("snmp \"a\" { user = \"", 32, "\" }", "': is longer than 32 octets");
    check_too_long("snmp \"a\" { context = \"", 32, "\" }", "': is longer than 32 octets");
    check_too_long("syslog \"a\" { server_name = \"", 299, "\" }", "': is longer than 299 octets");
    check_too_long("syslog \"a\" { ca_file = \"", 107, "\" }", "': is longer than 107 octets");
    check_too_long("file \"a\" { path = \"", 107, "\" }", "': is longer than 107 octets");
    check_too_long("file \"a\" { nodes = {\"", 127, "\"} }", "': is longer than 127 octets");
    check_too_long("journal { directory = \"", 107, "\" }", "': is longer than 107 octets");
    check_too_long("snmp \"", 64, "\" { }", "': a receiver's name has 1 to 64 characters");
}

TEST(a_bad_name_map_is_told_with_its_own_line)
{
    char content[300], expected[600];
    const char *map = support_file("map", "0x1 a\nnonsense\n", 0644);
    snprintf(content, sizeof content, "fabric { node_name_map = \"%s\" }", map);
    snprintf(expected, sizeof expected,
             "1: item 'node_name_map': value '%s': %s:2: a line must begin with a GUID such as "
             "0x0002c90200001234",
             map, map);
    assert_string_equal(error_of(content), expected);
}

TEST(what_does_not_go_together_is_told)
{
    assert_string_equal(error_of("snmp \"a\" { address = \"x\" version = \"1\" inform = true }"),
                        "1: snmp 'a': version 1 has no informs");
    assert_string_equal(error_of("snmp \"a\" { address = \"x\" trap_address = true }"),
                        "1: snmp 'a': item 'trap_address' needs item 'agent_address'");
}

TEST(what_would_have_no_effect_is_told)
{
    const char *secret = support_file("secret", "long enough\n", 0600);
    static const struct {
        const char *section, *items, *item, *needs; // of %s: a file with a secret
    } ROWS[] = {
        {"snmp", "user = \"u\"", "user", "version = \"3\""},
        {"snmp", "context = \"c\"", "context", "version = \"3\""},
        {"snmp", "auth = \"SHA\"", "auth", "version = \"3\""},
        {"snmp", "auth_password_file = \"%s\"", "auth_password_file", "version = \"3\""},
        {"snmp", "privacy = \"AES\"", "privacy", "version = \"3\""},
        {"snmp", "version = \"1\" privacy_password_file = \"%s\"", "privacy_password_file",
         "version = \"3\""},
        {"snmp", "version = \"3\" user = \"u\" auth_password_file = \"%s\"", "auth_password_file",
         "item 'auth'"},
        {"snmp", "version = \"3\" user = \"u\" privacy_password_file = \"%s\"",
         "privacy_password_file", "item 'privacy'"},
        {"snmp", "version = \"3\" user = \"u\" community = \"c\"", "community",
         "version = \"1\" or \"2c\""},
        {"snmp", "version = \"3\" user = \"u\" community_file = \"%s\"", "community_file",
         "version = \"1\" or \"2c\""},
        {"snmp", "ca_file = \"/c\"", "ca_file", "transport = \"tls\" or \"dtls\""},
        {"snmp", "transport = \"tcp\" certificate_file = \"/c\"", "certificate_file",
         "transport = \"tls\" or \"dtls\""},
        {"snmp", "key_file = \"/k\"", "key_file", "transport = \"tls\" or \"dtls\""},
        {"snmp", "server_name = \"n\"", "server_name", "transport = \"tls\" or \"dtls\""},
        {"snmp", "ipv6 = true transport = \"tcp\"", "ipv6", "transport = \"udp\" or \"dtls\""},
        {"syslog", "ipv6 = true", "ipv6", "transport = \"udp\""},
        {"snmp", "timeout = 2000", "timeout", "inform = true"},
        {"snmp", "retries = 0", "retries", "inform = true"},
        {"snmp", "window = 1", "window", "inform = true"},
        {"snmp", "agent_address = \"192.0.2.7\"", "agent_address",
         "version = \"1\" or trap_address = true"},
        {"syslog", "", "address",
         "transport = \"udp\", \"tcp\", \"tls\", \"relp\" or \"relp-tls\""},
        {"syslog", "transport = \"stdout\"", "address",
         "transport = \"udp\", \"tcp\", \"tls\", \"relp\" or \"relp-tls\""},
        {"syslog", "transport = \"udp\" path = \"/run/log\"", "path", "transport = \"local\""},
        {"syslog", "transport = \"udp\" framing = \"lines\"", "framing",
         "transport = \"tcp\" or \"tls\""},
        {"syslog", "transport = \"tcp\" ca_file = \"/c\"", "ca_file",
         "transport = \"tls\" or \"relp-tls\""},
        {"syslog", "transport = \"relp\" certificate_file = \"/c\"", "certificate_file",
         "transport = \"tls\" or \"relp-tls\""},
        {"syslog", "key_file = \"/k\"", "key_file", "transport = \"tls\" or \"relp-tls\""},
        {"syslog", "server_name = \"n\"", "server_name", "transport = \"tls\" or \"relp-tls\""},
        {"syslog", "transport = \"tls\" key_file = \"/k\"", "key_file", "item 'certificate_file'"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char content[400], expected[300];
        snprintf(content, sizeof content, "%s \"a\" { address = \"x\" %s }", ROWS[i].section,
                 ROWS[i].items);
        name_file(content, sizeof content, secret);
        snprintf(expected, sizeof expected, "1: %s 'a': item '%s' has no effect without %s",
                 ROWS[i].section, ROWS[i].item, ROWS[i].needs);
        assert_string_equal(error_of(content), expected);
    }
    assert_string_equal(error_of("subagent { writable = true }"),
                        "1: subagent: item 'writable' has no effect without item 'socket'");
    assert_string_equal(error_of("subagent { context = \"\" }"),
                        "1: subagent: item 'context' has no effect without item 'socket'");
    assert_non_null(strstr(error_of("subagent { socket = \"/a\" fabric_socket = \"/a\" }"),
                           "1: subagent: 'fabric_socket' is 'socket'"));
}

// An item with the number of values, and one more if `more`.
static void fill_item(char content[4096], const char *section, const char *item, const char *value,
                      bool more)
{
    struct text t = text_in(content, 4096);
    text_addf(&t, "%s %s = {%s", section, item, value);
    for (int i = 1; i < FILTER_PATTERNS_MAX + more; i++)
        text_addf(&t, ", %s", value);
    text_add(&t, "} }");
}

TEST(there_is_room_for_so_many_patterns)
{
    static const char FILE_[] = "file \"a\" { path = \"/x\"",
                      POLICY[] = "policy \"a\" { enabled = false";
    static const struct {
        const char *section, *kind, *item, *value;
    } ROWS[] = {{FILE_, "file", "events", "link-up"}, {FILE_, "file", "categories", "link"},
                {FILE_, "file", "nodes", "node1"},    {FILE_, "file", "guids", "0x1*"},
                {FILE_, "file", "switches", "leaf1"}, {POLICY, "policy", "events", "link-up"},
                {POLICY, "policy", "nodes", "node1"}};
    char content[4096], expected[100];
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        fill_item(content, ROWS[i].section, ROWS[i].item, ROWS[i].value, false);
        load(content);
        fill_item(content, ROWS[i].section, ROWS[i].item, ROWS[i].value, true);
        snprintf(expected, sizeof expected, "1: %s 'a': item '%s' has more than 64 values",
                 ROWS[i].kind, ROWS[i].item);
        assert_string_equal(error_of(content), expected);
    }
    fill_item(content, FILE_, "switches", "leaf1", false);
    load(content);
    assert_int_equal(conf.receivers[0].filter.switches.count, FILTER_PATTERNS_MAX);
    assert_string_equal(conf.receivers[0].filter.switches.patterns[63], "leaf1");
}

TEST(a_pattern_that_nothing_fits_is_told)
{
    static const struct {
        const char *item, *good, *bad;
    } ROWS[] = {
        {"nodes", "leaf[0-9]", "leaf[0-9]+"},
        {"nodes", "a.b+c (1)", "leaf(1|2)"},
        {"nodes", "leaf[!a]*", "^leaf"},
        {"nodes", "leaf\\\\*", "leaf\\\\d"},
        {"nodes", "$1 node", "leaf.$"},
        {"nodes", "host 12:34", "0002:c903:000e:1234"},
        {"nodes", "fe80::x", "00:02:c9:*"},
        {"nodes", "0x12 node", "0x0002c903000e1234"},
        {"guids", "0x0002c903000e1234", "0002:c903:000e:1234"},
        {"guids", "*1234", "0x0002C903000e1234"},
        {"guids", "0x[0-3]*", "0x[g-z]*"},
        {"guids", "0x0002c903??????34", "0x0002c903"},
        {"guids", "[!1]*", "[!0]*"},
        {"guids", "*", "0x0002c903000e1234*5"},
        {"guids", "0x[]0]*", "0x[]*"},
        {"guids", "0x0002c903000e123\\\\4", "0x0002c903000e123\\\\g"},
        {"switches", "leaf*", "leaf(1|2)"},
        {"switches", "0x0002c9*", "0x0002C9*"},
        {"switches", "leaf1", "0002:c903:000e:1234"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char content[200];
        snprintf(content, sizeof content, "file \"a\" { path = /x %s = {\"%s\"} }", ROWS[i].item,
                 ROWS[i].good);
        load(content);
        snprintf(content, sizeof content, "file \"a\" { path = /x\n%s = {\"%s\"} }", ROWS[i].item,
                 ROWS[i].bad);
        assert_memory_equal(error_of(content), "2: item '", 9);
    }
    assert_string_equal(error_of("policy \"p\" { enabled = no nodes = \"0X12\" events = x }"),
                        "1: item 'events': value 'x': there is no such event; 'ibtrapctl "
                        "catalogue' lists them");
    assert_string_equal(error_of("file \"a\" { path = /x nodes = \"leaf[0-9]+\" }"),
                        "1: item 'nodes': value 'leaf[0-9]+': looks like a regular expression: a "
                        "pattern has *, ? and [a-z] only, and other characters stand for "
                        "themselves");
    assert_string_equal(
        error_of("file \"a\" { path = /x guids = \"0002:c903:000e:1234\" }"),
        "1: item 'guids': value '0002:c903:000e:1234': no GUID fits it: write 0x and "
        "16 lower-case digits, such as 0x0002c903000e1234, or a part of them with *");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONF_TEST(bad_values_are_told_with_line_item_value_and_reason),
        CONF_TEST(bad_values_are_told_in_every_kind_of_receiver),
        CONF_TEST(what_is_neither_true_nor_false_is_told),
        CONF_TEST(values_too_long_are_told),
        CONF_TEST(a_bad_name_map_is_told_with_its_own_line),
        CONF_TEST(what_does_not_go_together_is_told),
        CONF_TEST(what_would_have_no_effect_is_told),
        CONF_TEST(there_is_room_for_so_many_patterns),
        CONF_TEST(a_pattern_that_nothing_fits_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
