// SPDX-License-Identifier: BSD-2-Clause
// A fake service manager: a datagram socket that keeps all received notifications.
#pragma once

// Listens at a path, or, with a leading '@', at an abstract name. Fails the test on an error. The
// caller closes the descriptor.
int fake_manager_listen(const char *socket);

// The next message, valid until the next call; NULL: none has arrived.
const char *fake_manager_next(int fd);
