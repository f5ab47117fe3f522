// SPDX-License-Identifier: BSD-2-Clause
#include "scratch.h"
#include "support.h"

#include "model/topology_file.h"

#include <stdlib.h>
#include <unistd.h>

#define PARSE(content)           topology_file_parse("net", content, sizeof content - 1, &err)
#define WRONG(content, sentence) check_error(content, sizeof content - 1, sentence)

#define LEAF  UINT64_C(0x0002c90200c10000)
#define SPINE UINT64_C(0x0002c90200c20000)
#define HOST  UINT64_C(0x0002c90300b10000)

#define LEAF_LINE "Switch\t12 \"S-0002c90200c10000\"\t\t# \"leaf1\" base port 0 lid 2 lmc 0\n"
#define SPINE_LINE                                                                                 \
    "Switch\t36 \"S-0002c90200c20000\"\t\t# \"spine \"one\"\" enhanced port 0 lid 3\n"
#define HOST_LINE "Ca\t2 \"H-0002c90300b10000\"\t\t# \"node1 HCA-1\"\n"

// In the layout of ibnetdiscover(8).
static const char WHOLE[] =
    "#\n# Topology file: generated on Sun Nov 22 14:59:07 2026\n#\n"
    "# Initiated from node 0002c90300b20000 port 0002c90300b20001\n\n"
    "vendid=0x2c9\ndevid=0xc738\nsysimgguid=0x2c90200c1ffff\n"
    "switchguid=0x2c90200c10000(2c90200c10000)\n" LEAF_LINE
    "[3]\t\"H-0002c90300b10000\"[1](2c90300b10001) \t\t# \"node1 HCA-1\" lid 6 4xEDR\n"
    "[11]\t\"S-0002c90200c20000\"[12]\t\t# \"spine \"one\"\" lid 3 12xFDR10\n\n"
    "vendid=0x2c9\ndevid=0xc738\n"
    "switchguid=0x2c90200c20000(2c90200c20000)\n" SPINE_LINE
    "[12]\t\"S-0002c90200c10000\"[11]\t\t# \"leaf1\" lid 2 12xFDR10\n\n"
    "vendid=0x2c9\ndevid=0x1017\ncaguid=0x2c90300b10000\n" HOST_LINE
    "[1](2c90300b10001) \t\"S-0002c90200c10000\"[3]\t\t# lid 6 lmc 0 \"leaf1\" lid 2 4xEDR\n";

static struct error err;

static void check_error(const char *content, size_t size, const char *expected)
{
    assert_null(topology_file_parse("net", content, size, &err));
    assert_string_equal(err.text, expected);
}

static const struct fabric_node *node_of(const struct fabric *fabric, uint64_t guid)
{
    const uint32_t node = fabric_find_node(fabric, guid);
    assert_int_not_equal(node, FABRIC_NONE);
    return &fabric->nodes[node];
}

static const struct fabric_port *port_of(const struct fabric *fabric, uint64_t guid, uint8_t number)
{
    const uint32_t port = fabric_find_port(fabric, fabric_find_node(fabric, guid), number);
    assert_int_not_equal(port, FABRIC_NONE);
    return &fabric->ports[port];
}

static void check_link(const struct fabric *fabric, uint64_t guid, uint8_t port, uint64_t peer,
                       uint8_t peer_port)
{
    const struct fabric_port *p = port_of(fabric, guid, port);
    assert_int_equal(p->peer_node, fabric_find_node(fabric, peer));
    assert_int_equal(p->peer_port, peer_port);
}

TEST(what_ibnetdiscover_writes)
{
    struct fabric *fabric = PARSE(WHOLE);
    assert_non_null(fabric);
    assert_int_equal(fabric->node_count, 3);
    assert_int_equal(fabric_count_links(fabric), 2);
    const struct fabric_node *leaf = node_of(fabric, LEAF), *host = node_of(fabric, HOST);
    assert_int_equal(leaf->type, FABRIC_SWITCH);
    assert_int_equal(leaf->port_count, 12);
    assert_int_equal(leaf->system_guid, UINT64_C(0x2c90200c1ffff));
    assert_int_equal(leaf->vendor, 0x2c9);
    assert_int_equal(leaf->device, 0xc738);
    assert_string_equal(leaf->description, "leaf1");
    assert_string_equal(node_of(fabric, SPINE)->description, "spine \"one\"");
    assert_int_equal(node_of(fabric, SPINE)->system_guid, 0);
    assert_int_equal(host->type, FABRIC_CA);
    assert_string_equal(host->description, "node1 HCA-1");
    check_link(fabric, LEAF, 3, HOST, 1);
    check_link(fabric, HOST, 1, LEAF, 3);
    check_link(fabric, LEAF, 11, SPINE, 12);
    assert_int_equal(port_of(fabric, HOST, 1)->guid, HOST + 1);
    assert_int_equal(port_of(fabric, LEAF, 3)->guid, 0);
    assert_int_equal(port_of(fabric, LEAF, 3)->width_active, 2);
    assert_int_equal(port_of(fabric, LEAF, 3)->speed_active, FABRIC_EDR);
    assert_int_equal(port_of(fabric, LEAF, 11)->width_active, 8);
    assert_int_equal(port_of(fabric, LEAF, 11)->speed_active, FABRIC_QDR);
    fabric_unref(fabric);
}

TEST(groups_and_full_information)
{
    struct fabric *fabric = PARSE(
        "\nChassis 1 (guid 0x1)\n# Spine Nodes\nHostname: x = [1]\n"
        "switchguid=0x2c90200c10000(2c90200c10000)\t# Spine 1 Chip 1\n" LEAF_LINE
        "[3][ext 7]\t\"S-0002c90200c20000\"[4][ext 12]\t\t# \"spine\" lid 3 2xNDR s=4 w=2 v=4\n"
        "\nNon-Chassis Nodes\n\n"
        "switchguid=0x2c90200c20000(2c90200c20000)\r\n" SPINE_LINE);
    assert_non_null(fabric);
    check_link(fabric, SPINE, 4, LEAF, 3);
    assert_int_equal(port_of(fabric, LEAF, 3)->width_active, 16);
    assert_int_equal(port_of(fabric, LEAF, 3)->speed_active, FABRIC_NDR);
    fabric_unref(fabric);
}

TEST(nets_of_ibsim_with_guids)
{
    struct fabric *fabric = PARSE("caguid=0x0002c90300b10000\nHca\t1 \"node1\"\n[1]\t\"leaf1\"[3]\n"
                                  "switchguid=0x0002c90200c10000\nSwitch 12 \"leaf1\"\n"
                                  "[3] \"node1\"[1]");
    assert_non_null(fabric);
    assert_string_equal(node_of(fabric, HOST)->description, "node1");
    check_link(fabric, HOST, 1, LEAF, 3);
    assert_int_equal(port_of(fabric, LEAF, 3)->width_active, 0);
    fabric_unref(fabric);
}

// ibdiagnet writes the GUID of the director in front of that of its ASIC.
TEST(directors_as_ibdiagnet_writes_them)
{
    struct fabric *fabric =
        PARSE("switchguid=0x2c90200d10000(2c90200c10000)\n" LEAF_LINE
              "[3]\t\"S-0002c90200c20000\"[4]\t\t# \"MF0;dir:CS7500/S01/U1\" lid 3 4xEDR\n\n"
              "sysimgguid=0x2c90200d1ffff\nswitchguid=0x2c90200d10000(2c90200c20000)\n" SPINE_LINE);
    assert_non_null(fabric);
    assert_int_equal(fabric->node_count, 2);
    assert_int_equal(node_of(fabric, LEAF)->system_guid, UINT64_C(0x2c90200d10000));
    assert_int_equal(node_of(fabric, SPINE)->system_guid, UINT64_C(0x2c90200d1ffff));
    check_link(fabric, SPINE, 4, LEAF, 3);
    fabric_unref(fabric);
    WRONG("switchguid=0x1(2c90200c20000)\n" LEAF_LINE,
          "net:2: the line before has the GUID 0x0000000000000001, and this one "
          "\"S-0002c90200c10000\"; make them agree");
}

// What editors, terminals and other systems add.
TEST(marks_prompts_and_carriage_returns_are_passed_over)
{
    static const char *const BEFORE[] = {
        "", "\xEF\xBB\xBF", "[root@gw1 ~]# ibnetdiscover\n",
        "\xEF\xBB\xBF"
        "gw1:~ $ sudo ibnetdiscover\r\n[sudo] password for x: \r\n"
        "src/query_smp.c:197; umad (DR path slid 0; dlid 0; 0,1 Attr 0x15:0) bad status 110\n"};
    for (size_t i = 0; i < COUNT(BEFORE); i++) {
        char content[2 * sizeof WHOLE + 512];
        size_t n = (size_t)snprintf(content, sizeof content, "%s", BEFORE[i]);
        for (const char *p = WHOLE; *p; p++) {
            if (*p == '\n')
                content[n++] = '\r';
            content[n++] = *p;
        }
        struct fabric *fabric = topology_file_parse("net", content, n, &err);
        assert_non_null(fabric);
        assert_int_equal(fabric->node_count, 3);
        assert_string_equal(node_of(fabric, LEAF)->description, "leaf1");
        assert_int_equal(port_of(fabric, LEAF, 3)->speed_active, FABRIC_EDR);
        fabric_unref(fabric);
    }
    WRONG("\xFF\xFE#\0", "net:1: is in UTF-16; save the file as UTF-8");
    WRONG(
        "# x\n[root@gw1 ~]# ibnetdiscover\n",
        "net:2: '[root@gw1 ~]# ibnetdiscover' is no line of ibnetdiscover(8); write the file with "
        "'ibnetdiscover' or 'ibtrapctl topology save'");
    WRONG(LEAF_LINE "[root@gw1 ~]#\n", "net:2: a link must look like: [3] "
                                       "\"H-0002c90300b10000\"[1], with ports from 1 to 254");
    WRONG(LEAF_LINE "gw1:~ $\n", "net:2: 'gw1:~ $' is no line of ibnetdiscover(8); write the file "
                                 "with 'ibnetdiscover' or 'ibtrapctl topology save'");
}

TEST(damaged_dumps_are_refused_with_the_line)
{
    static const char NO_LID[] = "the LID is below 0, so the program that wrote the file did not "
                                 "reach the node; write the file again";
    char expected[256];
    snprintf(expected, sizeof expected, "net:1: %s", NO_LID);
    WRONG("Switch 12 \"S-0002c90200c10000\" # \"leaf1\" base port 0 lid -1 lmc -1\n", expected);
    snprintf(expected, sizeof expected, "net:2: %s", NO_LID);
    WRONG(HOST_LINE "[1](2c90300b10001) \"S-0002c90200c10000\"[3] # lid -1 lmc 0 \"leaf1\" lid 2 "
                    "4xEDR\n" LEAF_LINE,
          expected);
    WRONG(HOST_LINE "[1](2c90300b10001) \"S-0002c90200c10000\"[3] # lid 1 lmc 0 \"leaf1\" lid -1 "
                    "4xEDR\n" LEAF_LINE,
          expected);
    WRONG("caguid=0x2c90x00b10000\n",
          "net:1: 'caguid' must be 0x and hexadecimal digits, 16 at most");
    WRONG("switchguid=0x2c90200c10000(2c90x00c10000)\n",
          "net:1: 'switchguid' must be 0x and hexadecimal digits, 16 at most");
    WRONG("switchguid=0x2c90200c10000\nSwitch 12 \"S-0002c90x00c10000\"\n",
          "net:2: \"S-0002c90x00c10000\" is no GUID; the file is damaged, write it again");
    WRONG(LEAF_LINE "[3] \"S-0002c90x00c20000\"[4]\n" SPINE_LINE,
          "net:2: \"S-0002c90x00c20000\" is no GUID; the file is damaged, write it again");
    struct fabric *fabric = PARSE("Switch 12 \"S-0002c90200c10000\" # \"a lid -1\" base port 0 lid "
                                  "0 lmc 0\n");
    assert_non_null(fabric); // it is its name
    fabric_unref(fabric);
}

// A node that did not tell the number of its ports.
TEST(any_number_of_ports)
{
    struct fabric *fabric =
        PARSE("Switch 0 \"S-0002c90200c10000\"\n[254] \"S-0002c90200c20000\"[4]\n"
              "Switch 0 \"S-0002c90200c20000\"\n");
    assert_non_null(fabric);
    check_link(fabric, LEAF, 254, SPINE, 4);
    fabric_unref(fabric);
}

// Words that are no rate say nothing about the rate.
TEST(a_rate_may_be_unknown)
{
    static const char *const RATES[] = {"",   "lid 4 ?????", "lid 4 4x???",     "lid 4 ??EDR",
                                        "4x", "x",           "999999999999xEDR"};
    for (size_t i = 0; i < COUNT(RATES); i++) {
        char content[512];
        const int n = snprintf(
            content, sizeof content,
            LEAF_LINE "[3] \"S-0002c90200c20000\"[4] # \"4xEDR\" %s\n" SPINE_LINE, RATES[i]);
        struct fabric *fabric = topology_file_parse("net", content, (size_t)n, &err);
        assert_non_null(fabric);
        assert_int_equal(port_of(fabric, LEAF, 3)->speed_active, 0);
        fabric_unref(fabric);
    }
}

TEST(errors_name_the_line_and_say_what_to_do)
{
    WRONG("", "net:1: there is no node in it; write it with 'ibnetdiscover' or 'ibtrapctl topology "
              "save'");
    WRONG("\nibwarn: [1] sm\n", "net:2: 'ibwarn: [1] sm' is no line of ibnetdiscover(8); write the "
                                "file with 'ibnetdiscover' or 'ibtrapctl topology save'");
    WRONG("[1] \"S-0002c90200c20000\"[4]\n",
          "net:1: this link belongs to no node; is the file's begin missing?");
    WRONG(LEAF_LINE "[3] \"S-0002c90200c20000\"[4]\n",
          "net:2: the file does not describe \"S-0002c90200c20000\"; is it complete? Otherwise "
          "remove the lines of its links, too");
    WRONG(LEAF_LINE "[13] \"S-0002c90200c20000\"[4]\n" SPINE_LINE,
          "net:2: the node has 12 ports, and no port 13");
    WRONG(LEAF_LINE "[3] \"S-0002c90200c20000\"[37]\n" SPINE_LINE,
          "net:2: \"S-0002c90200c20000\" has 36 ports, and no port 37");
    WRONG(LEAF_LINE "[3] \"S-0002c90200c20000\"[4]\n[3] \"S-0002c90200c20000\"[5]\n" SPINE_LINE,
          "net:3: port 3 of the node has a line already; remove one of both");
    WRONG(LEAF_LINE "[3] \"S-0002c90200c20000\"[4]\n" SPINE_LINE "[4] \"S-0002c90200c10000\"[5]\n",
          "net:4: another line connects one of both ports to another one; make the lines of both "
          "ends agree");
    WRONG(LEAF_LINE "[3] \"S-0002c90200c20000\"[4]\n[5] \"S-0002c90200c20000\"[4]\n" SPINE_LINE,
          "net:3: another line connects one of both ports to another one; make the lines of both "
          "ends agree");
    WRONG(LEAF_LINE "[3] \"S-0002c90200c10000\"[3]\n", "net:2: the port is connected to itself");
    WRONG(LEAF_LINE LEAF_LINE, "net:2: the node with the GUID 0x0002c90200c10000 is described for "
                               "the second time; remove one of both");
    WRONG("switchguid=0x1\n" LEAF_LINE,
          "net:2: the line before has the GUID 0x0000000000000001, and this one "
          "\"S-0002c90200c10000\"; make them agree");
    WRONG("Switch 4 \"leaf1\"\n", "net:1: the GUID of \"leaf1\" is missing; put a line such as "
                                  "switchguid=0x... before");
    WRONG("switchguid=1\n", "net:1: 'switchguid' must be 0x and hexadecimal digits, 16 at most");
    WRONG("switchguid=0x\n", "net:1: 'switchguid' must be 0x and hexadecimal digits, 16 at most");
    WRONG("switchguid=0x1\nSwitch 4 \"a\"\nswitchguid=0x2\nSwitch 4 \"a\"\n",
          "net:4: two nodes are called \"a\"; rename one");
    static const char NODE[] = "net:1: a node must look like: Switch 36 \"S-0002c90200c10000\", "
                               "with 254 ports at most";
    WRONG("Switch 255 \"S-0002c90200c10000\"\n", NODE);
    WRONG("Switch \"S-0002c90200c10000\"\n", NODE);
    WRONG("Switch 4 \"S-0002c90200c10000\n", NODE);
    WRONG("Switch 4 \"\"\n", NODE);
    WRONG("Switch 4 \"S-0002c90200c10000\" leaf1\n", NODE);
    static const char LINK[] = "net:2: a link must look like: [3] \"H-0002c90300b10000\"[1], with "
                               "ports from 1 to 254";
    WRONG(LEAF_LINE "[0] \"S-0002c90200c20000\"[4]\n", LINK);
    WRONG(LEAF_LINE "[3] S-0002c90200c20000[4]\n", LINK);
    WRONG(LEAF_LINE "[3] \"S-0002c90200c20000\"\n", LINK);
    WRONG(LEAF_LINE "[3] \"S-0002c90200c20000\"[4] 4xEDR\n", LINK);
    WRONG(LEAF_LINE "[3](12345678901234567) \"S-0002c90200c20000\"[4]\n", LINK);
    WRONG(LEAF_LINE "[", LINK);
}

TEST(hostile_texts_become_harmless)
{
    struct fabric *fabric =
        PARSE("switchguid=0x1\nSwitch 4 \"S-0000000000000001\" # \"a\033[2Jb\"\n");
    assert_non_null(fabric);
    assert_string_equal(fabric->nodes[0].description, "a?[2Jb");
    fabric_unref(fabric);
    WRONG("\033[2J\n", "net:1: '?[2J' is no line of ibnetdiscover(8); write the file with "
                       "'ibnetdiscover' or 'ibtrapctl topology save'");
    assert_null(PARSE("Switch 4 \"S-0000000000000001\"\0\n"));
}

TEST(a_truncated_file_lacks_the_other_ends_of_links)
{
    for (size_t size = 0; size < sizeof WHOLE - 1; size++) {
        struct fabric *fabric = topology_file_parse("net", WHOLE, size, &err);
        // The links of the first switch name the last node: it has to be there.
        assert_true(!fabric || fabric->node_count == 3 || fabric_count_links(fabric) == 0);
        fabric_unref(fabric);
    }
}

TEST(files_are_read_whole)
{
    const char *directory = scratch_make();
    char path[512];
    snprintf(path, sizeof path, "%s/net", directory);
    assert_null(topology_file_load(path, &err));
    assert_non_null(strstr(err.text, "No such file"));
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(WHOLE, f);
    fclose(f);
    struct fabric *fabric = topology_file_load(path, &err);
    assert_non_null(fabric);
    assert_int_equal(fabric->node_count, 3);
    fabric_unref(fabric);
    assert_int_equal(truncate(path, (off_t)TOPOLOGY_FILE_SIZE_MAX + 1), 0);
    assert_null(topology_file_load(path, &err));
    assert_non_null(strstr(err.text, "is longer than"));
    assert_null(topology_file_load(directory, &err));
    scratch_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ibnetdiscover_writes),
        cmocka_unit_test(groups_and_full_information),
        cmocka_unit_test(nets_of_ibsim_with_guids),
        cmocka_unit_test(directors_as_ibdiagnet_writes_them),
        cmocka_unit_test(marks_prompts_and_carriage_returns_are_passed_over),
        cmocka_unit_test(damaged_dumps_are_refused_with_the_line),
        cmocka_unit_test(any_number_of_ports),
        cmocka_unit_test(a_rate_may_be_unknown),
        cmocka_unit_test(errors_name_the_line_and_say_what_to_do),
        cmocka_unit_test(hostile_texts_become_harmless),
        cmocka_unit_test(a_truncated_file_lacks_the_other_ends_of_links),
        cmocka_unit_test(files_are_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
