// SPDX-License-Identifier: BSD-2-Clause
/* Sends and receives raw MADs for the tests.
 *
 * Usage: madsend [DEVICE [PORT]]
 *
 * Reads commands from standard input, answers each with one line:
 *
 *   CLASS DLID QPN HEX    sends the 256 octets of HEX            -> sent
 *   recv SECONDS          waits for a MAD sent to this program   -> LID HEX
 *                         a MAD of its own came back undelivered -> failed STATUS
 *                         nothing came                           -> none
 *
 * It receives MADs only of classes in which it has sent one before. */

#include <endian.h>
#include <infiniband/umad.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAD_SIZE = 256,
    SA_CLASS = 0x03,
    QP1_QKEY = 0x80010000u,
    METHOD = 3,
    RESPONSE = 0x80,
    TIMEOUT_MS = 1000
};

struct port {
    int fd;
    int agents[256];
    void *umad;
};

static void fail(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static struct port port_open(const char *device, int number)
{
    struct port port;

    if (umad_init() < 0)
        fail("madsend: umad_init");
    port.fd = umad_open_port(device, number);
    if (port.fd < 0)
        fail("madsend: umad_open_port");
    port.umad = umad_alloc(1, umad_size() + MAD_SIZE);
    if (!port.umad)
        fail("madsend: umad_alloc");
    for (size_t i = 0; i < 256; i++)
        port.agents[i] = -1;
    return port;
}

static void port_close(struct port *port)
{
    umad_free(port->umad);
    umad_close_port(port->fd);
}

static int port_agent(struct port *port, uint8_t class)
{
    int *agent = &port->agents[class];

    if (*agent < 0)
        *agent = umad_register(port->fd, class, class == SA_CLASS ? 2 : 1, 0, NULL);
    if (*agent < 0)
        fail("madsend: umad_register");
    return *agent;
}

static bool hex_decode(const char *hex, uint8_t octets[MAD_SIZE])
{
    for (size_t i = 0; i < MAD_SIZE; i++)
        if (sscanf(hex + 2 * i, "%2hhx", &octets[i]) != 1)
            return false;
    return true;
}

static void hex_print(const uint8_t octets[MAD_SIZE])
{
    for (size_t i = 0; i < MAD_SIZE; i++)
        printf("%02x", octets[i]);
    putchar('\n');
}

static void send_mad(struct port *port, uint8_t class, int dlid, int qpn, const char *hex)
{
    uint8_t *mad = umad_get_mad(port->umad);

    memset(port->umad, 0, umad_size() + MAD_SIZE);
    if (!hex_decode(hex, mad)) {
        puts("error: not 512 hexadecimal digits");
        return;
    }
    umad_set_addr(port->umad, dlid, qpn, 0, qpn == 1 ? (int)QP1_QKEY : 0);
    if (umad_send(port->fd, port_agent(port, class), port->umad, MAD_SIZE,
                  mad[METHOD] & RESPONSE ? 0 : TIMEOUT_MS, 0) < 0)
        fail("madsend: umad_send");
    puts("sent");
}

static void receive_mad(struct port *port, int seconds)
{
    int length = MAD_SIZE;

    memset(port->umad, 0, umad_size() + MAD_SIZE);
    if (umad_recv(port->fd, port->umad, &length, seconds * 1000) < 0) {
        puts("none");
    } else if (umad_status(port->umad) != 0) {
        printf("failed %d\n", umad_status(port->umad));
    } else {
        printf("%u ", be16toh(umad_get_mad_addr(port->umad)->lid));
        hex_print(umad_get_mad(port->umad));
    }
}

static void obey(struct port *port, const char *line)
{
    uint8_t class;
    int dlid, qpn, seconds;
    char hex[2 * MAD_SIZE + 1];

    if (sscanf(line, "recv %d", &seconds) == 1)
        receive_mad(port, seconds);
    else if (sscanf(line, "%hhi %i %i %512s", &class, &dlid, &qpn, hex) == 4)
        send_mad(port, class, dlid, qpn, hex);
    else
        puts("error: expected CLASS DLID QPN HEX or recv SECONDS");
}

int main(int argc, char **argv)
{
    char line[1024];
    struct port port = port_open(argc > 1 ? argv[1] : NULL, argc > 2 ? atoi(argv[2]) : 0);

    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("ready");
    while (fgets(line, sizeof(line), stdin))
        obey(&port, line);
    port_close(&port);
    return EXIT_SUCCESS;
}
