// SPDX-License-Identifier: BSD-2-Clause
// An instance: one of several gateways on a machine, with its port and its own files.
//
// Decides: Which files does an instance of the gateway have?
#pragma once

#include "base/error.h"

enum { INSTANCE_DEVICE_SIZE = 64, INSTANCE_PATH_SIZE = 108 };

struct instance {
    char device[INSTANCE_DEVICE_SIZE]; // empty: any
    unsigned port;                     // 0: any
    char config[INSTANCE_PATH_SIZE];
    char state[INSTANCE_PATH_SIZE];  // directory
    char logs[INSTANCE_PATH_SIZE];   // directory for files of receivers
    char socket[INSTANCE_PATH_SIZE]; // of control
};

// Fills `out` for the name DEVICE-PORT, for instance "mlx5_0-1"; NULL: the machine's only gateway,
// without a name in its paths. False with a sentence: the name has another form.
bool instance_find(const char *name, struct instance *out, struct error *err);
