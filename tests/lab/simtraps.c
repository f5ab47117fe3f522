/* Preloaded before libumad2sim.so, lets an OpenSM of the simulator raise traps.
 *
 * OpenSM waits until its traps are answered or time out before it ends a sweep.
 * ibsim drops the answer (TrapRepress) and umad2sim knows no timeouts, so an
 * OpenSM that asks for mastership would wait for ever. A trap is sent, and
 * reported as not sent: then nobody waits. */

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_SIM_FD = 1024, UMAD_HEADER_SIZE = 64, MAD_SIZE = 256, METHOD = 3, TRAP = 0x05 };

typedef ssize_t write_function(int fd, const void *buffer, size_t size);

static write_function *next_write(void)
{
	write_function *function;
	void *symbol = dlsym(RTLD_NEXT, "write");

	memcpy(&function, &symbol, sizeof(function));
	return function;
}

static bool is_trap(int fd, const void *buffer, size_t size)
{
	const uint8_t *mad = (const uint8_t *)buffer + UMAD_HEADER_SIZE;

	return fd >= FIRST_SIM_FD && size == UMAD_HEADER_SIZE + MAD_SIZE && mad[METHOD] == TRAP;
}

ssize_t write(int fd, const void *buffer, size_t size)
{
	ssize_t written = next_write()(fd, buffer, size);

	if (!is_trap(fd, buffer, size))
		return written;
	errno = EIO;
	return -1;
}
