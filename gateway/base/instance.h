// One gateway of several on a machine: the port it serves, and the files that are its own.
#ifndef IBTRAPD_BASE_INSTANCE_H
#define IBTRAPD_BASE_INSTANCE_H

#include "base/error.h"

enum { INSTANCE_DEVICE_SIZE = 64, INSTANCE_PATH_SIZE = 108 };

struct instance {
    char device[INSTANCE_DEVICE_SIZE]; // empty: any
    unsigned port;                     // 0: any
    char config[INSTANCE_PATH_SIZE];
    char state[INSTANCE_PATH_SIZE];  // directory
    char socket[INSTANCE_PATH_SIZE]; // of control
};

// `name` is DEVICE-PORT, such as "mlx5_0-1"; NULL: the machine's only gateway, whose paths carry no
// name. False with a sentence when it is neither.
bool instance_find(const char *name, struct instance *out, struct error *err);

#endif
