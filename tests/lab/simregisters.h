// SPDX-License-Identifier: BSD-2-Clause
/* Gives the nodes of the simulator the vendor class of NVIDIA's devices (0x0A), which it drops.
 *
 * A register is a file in the directory that SIM_REGISTERS names. Its name is
 * LID-ATTRIBUTE-MODIFIER-INDEX, in hexadecimal but for the LID; the index is the first 8 octets of
 * the register in the request. Its content is what follows octet 32 (GeneralInfo) or 36
 * (AccessRegister) of the answer. A request without a file gets the status 0x14. Without
 * SIM_REGISTERS there is no such class.
 *
 * A request goes to the simulator as one for the ClassPortInfo of performance management, so that a
 * node answers only if it is there. With SIM_REGISTERS_AGENT, the program gets an agent of this
 * class, as umad2sim drops answers without one. */

#pragma once

#include <endian.h>
#include <rdma/ib_user_mad.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { REGISTERS_UMAD_LID = 28, REGISTERS_UMAD_HEADER = 64, REGISTERS_MAD = 256 };
enum { REGISTERS_CLASS = 0x0A, REGISTERS_CARRIER = 0x04, REGISTERS_ACCESS = 0x51 };
enum { REGISTERS_PENDING = 256, REGISTERS_TID = 12, REGISTERS_NONE = 0x14 };

static struct sim_register {
    uint8_t mad[REGISTERS_MAD];     /* the request */
    unsigned lid;                   /* 0: none */
} sim_registers[REGISTERS_PENDING]; /* by the last octet of their TransactionID */

/* Registers the class of the carriers, once; it may be registered. */
static inline void sim_register_agent(int fd)
{
    static bool done;
    struct ib_user_mad_reg_req request = {
        .qpn = 1, .mgmt_class = REGISTERS_CARRIER, .mgmt_class_version = 1};

    if (!done && getenv("SIM_REGISTERS_AGENT"))
        ioctl(fd, IB_USER_MAD_REGISTER_AGENT, &request);
    done = true;
}

/* Before a MAD is sent; `umad` is a copy. */
static inline void sim_register_ask(int fd, uint8_t *umad)
{
    uint8_t *mad = umad + REGISTERS_UMAD_HEADER;
    struct sim_register *one = &sim_registers[mad[REGISTERS_TID + 3]];

    if (!getenv("SIM_REGISTERS") || mad[1] != REGISTERS_CLASS)
        return;
    sim_register_agent(fd);
    memcpy(one->mad, mad, sizeof one->mad);
    one->lid = (unsigned)umad[REGISTERS_UMAD_LID] << 8 | umad[REGISTERS_UMAD_LID + 1];
    mad[1] = REGISTERS_CARRIER;
    mad[16] = 0;
    mad[17] = 1; /* ClassPortInfo */
    memset(mad + 20, 0, REGISTERS_MAD - 20);
}

static inline FILE *sim_register_open(const struct sim_register *one)
{
    char path[512];
    uint16_t attribute;
    uint32_t modifier;
    uint64_t index;

    memcpy(&attribute, one->mad + 16, sizeof attribute);
    memcpy(&modifier, one->mad + 20, sizeof modifier);
    memcpy(&index, one->mad + 36, sizeof index);
    snprintf(path, sizeof path, "%s/%u-%x-%x-%llx", getenv("SIM_REGISTERS"), one->lid,
             be16toh(attribute), be32toh(modifier), (unsigned long long)be64toh(index));
    return fopen(path, "r");
}

/* After a MAD was received. */
static inline void sim_register_answer(uint8_t *mad)
{
    struct sim_register *one = &sim_registers[mad[REGISTERS_TID + 3]];
    const unsigned at = one->mad[17] == REGISTERS_ACCESS ? 36 : 32;

    if (!getenv("SIM_REGISTERS") || mad[1] != REGISTERS_CARRIER || one->lid == 0 ||
        memcmp(one->mad + REGISTERS_TID, mad + REGISTERS_TID, 4) != 0)
        return;
    memcpy(mad, one->mad, REGISTERS_MAD);
    mad[3] |= 0x80;
    FILE *file = sim_register_open(one);
    if (!file || fread(mad + at, 1, REGISTERS_MAD - at, file) == 0)
        mad[5] = REGISTERS_NONE;
    if (file)
        fclose(file);
    one->lid = 0;
}
