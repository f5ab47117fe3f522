// SPDX-License-Identifier: BSD-2-Clause
// Has the kernel restart the calls that libFuzzer's clock interrupts (SIGALRM, each half of
// -timeout): without this a connect() fails now and then for that reason alone. Linked with
// --wrap=sigaction.
#include <signal.h>
#include <stddef.h>

int __real_sigaction(int number, const struct sigaction *action, struct sigaction *old);
int __wrap_sigaction(int number, const struct sigaction *action, struct sigaction *old);

int __wrap_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (!action || number != SIGALRM)
        return __real_sigaction(number, action, old);
    struct sigaction restarting = *action;
    restarting.sa_flags |= SA_RESTART;
    return __real_sigaction(number, &restarting, old);
}
