// Stands in for the service manager: a datagram socket that keeps what it is sent.
#ifndef IBTRAPD_TESTS_FAKE_MANAGER_H
#define IBTRAPD_TESTS_FAKE_MANAGER_H

// Listens at a path, or at '@' and an abstract name. Fails the test when it cannot. The descriptor
// is the caller's.
int fake_manager_listen(const char *socket);

// The next message, until the next call; NULL when none waits.
const char *fake_manager_next(int fd);

#endif
