// SPDX-License-Identifier: BSD-2-Clause
/* Gives a gateway Reports at a subnet manager's own port. The simulator delivers all unsolicited
 * MADs at a port to one client, the subnet manager. The subnet manager forwards them to the gateway
 * through a Unix socket. */

#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The address of the gateway's end of the socket, at this process's host. */
static inline socklen_t beside_name(struct sockaddr_un *name)
{
    const char *fabric = getenv("IBSIM_SOCKNAME"), *host = getenv("SIM_HOST");

    memset(name, 0, sizeof(*name));
    name->sun_family = AF_UNIX;
    int length = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "beside-%s-%s",
                          fabric ? fabric : "", host ? host : "");
    return (socklen_t)(sizeof(sa_family_t) + 1 + (size_t)length);
}
