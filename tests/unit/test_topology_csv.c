// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "model/topology_csv.h"
#include "model/topology_file.h"

static struct error err;

#define PARSE(content)           topology_file_parse("plan", content, sizeof content - 1, &err)
#define WRONG(content, sentence) check_error(content, sizeof content - 1, sentence)

static void check_error(const char *content, size_t size, const char *expected)
{
    assert_null(topology_file_parse("plan", content, size, &err));
    assert_string_equal(err.text, expected);
}

static uint32_t node_of(const struct fabric *fabric, const char *name)
{
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        if (strcmp(fabric->nodes[i].description, name) == 0)
            return i;
    }
    fail_msg("no node %s", name);
    return FABRIC_NONE;
}

static const struct fabric_port *check_link(const struct fabric *fabric, const char *a,
                                            uint8_t port, const char *b, uint8_t peer_port)
{
    const uint32_t at = fabric_find_port(fabric, node_of(fabric, a), port);
    assert_int_not_equal(at, FABRIC_NONE);
    assert_int_equal(fabric->ports[at].peer_node, node_of(fabric, b));
    assert_int_equal(fabric->ports[at].peer_port, peer_port);
    assert_true(fabric->ports[at].known && fabric->ports[at].state == FABRIC_ACTIVE);
    return &fabric->ports[at];
}

// leaf1 port 12 to spine1 port 3, leaf1 port 1 to "n1 mlx5_0" port 1.
static void check_plan(const char *content, size_t size)
{
    struct fabric *fabric = topology_file_parse("plan", content, size, &err);
    if (!fabric)
        fail_msg("%s: %s", content, err.text);
    assert_int_equal(fabric->node_count, 3);
    assert_int_equal(fabric_count_links(fabric), 2);
    const struct fabric_port *port = check_link(fabric, "leaf1", 12, "spine1", 3);
    assert_int_equal(port->width_active, 2);
    assert_int_equal(port->speed_active, FABRIC_EDR);
    check_link(fabric, "n1 mlx5_0", 1, "leaf1", 1);
    assert_int_equal(fabric->nodes[node_of(fabric, "leaf1")].type, FABRIC_SWITCH);
    assert_int_equal(fabric->nodes[node_of(fabric, "n1 mlx5_0")].type, FABRIC_CA);
    for (uint32_t i = 0; i < fabric->node_count; i++)
        assert_true(topology_csv_is_made(fabric->nodes[i].guid));
    fabric_unref(fabric);
}

TEST(tables_of_planners)
{
    static const char *const PLANS[] = {
        "Start Device,Start Port,End Device,End Port,Rate\n"
        "leaf1,12,spine1,3,4xEDR\nleaf1,1,n1 mlx5_0,1,4xEDR\n",
        "leaf1,12,spine1,3,EDR\nleaf1,1,n1 mlx5_0,1,EDR\n",
        "\xEF\xBB\xBF"
        "start_device;start_port;end_device;end_port;rate\r\n"
        "leaf1;12;spine1;3;100\r\n\r\nleaf1;1;n1 mlx5_0;1;100 Gb/s\r\n",
        "# made by hand\nStart Device\tStart Port\tEnd Device\tEnd Port\tRate\n"
        "\"leaf1\"\t12\tspine1\t 3 \tedr\n# the hosts\nn1 mlx5_0\t1\tleaf1\t1\tEDR100",
        "Rate,End Port,End Device,Rack,Start Port,Start Device\n"
        "4X EDR,3,spine1,\"a,b\",12,leaf1\n4X EDR,1,n1 mlx5_0,,1,leaf1\n",
        "[admin@ufm ~]$ cat ndt.csv\n"
        "rack #,U height,#Fields:StartDevice,StartPort,StartDeviceLocation,EndDevice,EndPort,"
        "EndDeviceLocation,U height_1,LinkType,Speed,_2,State,Domain\n"
        "#,,leaf1,Port 12,,spine1,Port 3,,,,100,,Active,In-Scope\n"
        "#,,leaf1,Port 1,,n1 mlx5_0,Port 1,,,,100,,Active,In-Scope\n"
        "#,,leaf1,Port 2,,,,,,,,,Disabled,In-Scope\n",
        "A-Node Name,A-Port,Z-Node Name,Z-Port,Speed\n"
        "leaf1,12,spine1,3,EDR\nspine1,3,leaf1,12,EDR\nn1 mlx5_0,1,leaf1,1,\n",
    };
    for (size_t i = 0; i < COUNT(PLANS); i++)
        check_plan(PLANS[i], strlen(PLANS[i]));
}

TEST(rates_are_written_in_many_ways)
{
    static const struct {
        const char *rate;
        uint8_t width;
        uint16_t speed;
    } RATES[] = {{"", 0, 0},
                 {"4xHDR", 2, FABRIC_HDR},
                 {"2xHDR", 16, FABRIC_HDR},
                 {"HDR", 2, FABRIC_HDR},
                 {"HDR100", 16, FABRIC_HDR},
                 {"hdr200", 2, FABRIC_HDR},
                 {"400", 2, FABRIC_NDR},
                 {"400G", 2, FABRIC_NDR},
                 {"10 Gb/s", 2, FABRIC_SDR},
                 {"12x QDR", 8, FABRIC_QDR},
                 {"12xQDR", 8, FABRIC_QDR},
                 {"4", 0, 0xFFFF},
                 {"100 apples", 0, 0xFFFF},
                 {"4x", 0, 0xFFFF},
                 {"NDR800", 4, FABRIC_NDR}};
    for (size_t i = 0; i < COUNT(RATES); i++) {
        char plan[128];
        const int n = snprintf(plan, sizeof plan, "a,3,b,4,%s\n", RATES[i].rate);
        struct fabric *fabric = topology_file_parse("plan", plan, (size_t)n, &err);
        if (!fabric != (RATES[i].speed == 0xFFFF))
            fail_msg("'%s': %s", RATES[i].rate, fabric ? "taken" : err.text);
        if (!fabric)
            continue;
        const struct fabric_port *port = check_link(fabric, "a", 3, "b", 4);
        assert_int_equal(port->width_active, RATES[i].width);
        assert_int_equal(port->speed_active, RATES[i].speed);
        fabric_unref(fabric);
    }
}

TEST(errors_name_the_line_and_say_what_to_do)
{
    WRONG("a,1,b,1\na,1,c,1\n",
          "plan:2: port 1 of a has another cable in an earlier line; remove one of both");
    WRONG("a,1,b,1\nc,1,b,1\n",
          "plan:2: port 1 of b has another cable in an earlier line; remove one of both");
    WRONG("a,1,b,1\na,2,a,2\n", "plan:2: the port is connected to itself");
    WRONG("a,1,b,1\n\na,1/2,b,2\n",
          "plan:3: the port '1/2' of a is no number from 1 to 254; write the port's number as "
          "'ibtrapctl topology' shows it");
    WRONG("a,1,b,1\na,2,b,255\n",
          "plan:2: the port '255' of b is no number from 1 to 254; write the port's number as "
          "'ibtrapctl topology' shows it");
    WRONG("a,1,b,1\n,2,b,2\n", "plan:2: a device has no name; give both ends of the cable");
    WRONG("a,1,b,1\na,2,b\n", "plan:2: the port '' of b is no number from 1 to 254; write the "
                              "port's number as 'ibtrapctl topology' shows it");
    WRONG("a,1,b,1,fast\n", "plan:1: the rate 'fast' must look like 4xEDR, EDR or 100, in Gb/s, or "
                            "be left out");
    WRONG("a,1,b,1\n\"a,2,b,2\n", "plan:2: a text in quotation marks has no end");
    WRONG("start device,start port,end device,end port\n", "plan:1: there is no link in it");
    WRONG("start device,start port,end device\n",
          "plan:1: 'start device,start port,end device' is no line of ibnetdiscover(8); write the "
          "file with 'ibnetdiscover' or 'ibtrapctl topology save'");
}

TEST(hostile_names_become_harmless)
{
    struct fabric *fabric = PARSE("a\033[2J,1,\"b\"\"c\",1\n");
    assert_non_null(fabric);
    check_link(fabric, "a?[2J", 1, "b\"c", 1);
    fabric_unref(fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_planners),
        cmocka_unit_test(rates_are_written_in_many_ways),
        cmocka_unit_test(errors_name_the_line_and_say_what_to_do),
        cmocka_unit_test(hostile_names_become_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
