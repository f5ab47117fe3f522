// SPDX-License-Identifier: BSD-2-Clause
// What is wrong with a device of NVIDIA or with a module, as a register says, by the limits that
// the device or the module has itself. What was never good is not there, and is no fault: directors
// report power supplies that they do not have. Pure.
//
// Decides: When is a module or a switch too hot?
// Decides: When was a cable replaced?
// Decides: When has a fan or a power supply failed?
#pragma once

#include "base/text.h"
#include "model/catalogue.h"
#include "topology/devices.h"

struct device_case {
    struct devices *devices;            // for other pages of the device
    const struct device_record *before; // of the same page; NULL: none
    struct device_record *now;          // the rules set `good`
    const char *serial;                 // of the last module in the port; empty: not known
    bool raised;                        // the alarm of the rule is raised
};

enum device_verdict {
    DEVICE_SAYS_NOTHING, // the alarm stays as it is
    DEVICE_IS_GOOD,
    DEVICE_IS_BAD, // or, of an event that is no alarm: it happened
};

struct device_rule {
    enum catalogue_event event;
    enum register_page page;
    // Adds to `why` a piece of a sentence.
    enum device_verdict (*judge)(const struct device_case *c, struct text *why);
};

// The rule with that number, from 0 on; NULL: there are no more.
const struct device_rule *device_rules_at(size_t number);
