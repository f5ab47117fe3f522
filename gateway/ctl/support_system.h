// SPDX-License-Identifier: BSD-2-Clause
// What the support file says of the machine.
#ifndef IBTRAPD_CTL_SUPPORT_SYSTEM_H
#define IBTRAPD_CTL_SUPPORT_SYSTEM_H

#include <stdio.h>

// Each writes what it can read, and says what it cannot.
void support_system_write_versions(FILE *out);               // the kernel and the distribution
void support_system_write_ports(FILE *out, const char *top); // `top`: /sys/class
// The last lines that systemd's journal has of the gateway; `instance` NULL: of the only one. Waits
// ten seconds at most.
void support_system_write_log(FILE *out, const char *instance);

#endif
