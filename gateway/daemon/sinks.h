// SPDX-License-Identifier: BSD-2-Clause
// Makes the sink of a receiver from its configuration, and checks the files and sockets of the
// sink.
// Decides: Which sink does a receiver of the configuration get?
#pragma once

#include "base/error.h"
#include "conf/conf.h"
#include "sink/module.h"

// Fills `out`. The sink points into `conf`; the sink of a kind that keeps a state also points to
// `alarms`. Returns false with a sentence if libsnmp lacks a protocol of `conf`.
bool sinks_make(struct sink *out, const struct conf_receiver *conf, const struct clock *clock,
                int64_t started_at, const struct module_alarms *alarms, struct log *log,
                struct error *err);

// Whether the receiver could now use the files, directories and sockets of `conf`. Opens files as
// this process, and never waits. False with a sentence that names the receiver.
bool sinks_check(const struct conf_receiver *conf, struct error *err);

// Whether the text can name a socket: the path is a socket, nothing is at the path yet, or the text
// is no path. False with a sentence.
bool sinks_check_socket(const char *path, struct error *err);
