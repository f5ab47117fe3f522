/* Preloaded before libumad2sim.so, makes a simulated port fit to receive Reports.
 *
 * ibsim hands an unsolicited MAD only to a client that called itself a subnet
 * manager when it connected. Asking umad2sim for that (SIM_SET_ISSM) would
 * also set IsSM on the port, so the connect message is changed instead.
 *
 * umad2sim loses the last 32 octets of each MAD and leaves whatever its memory
 * held in their place, so that no two copies of one MAD are the same. Here
 * they are zero. */

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { SIM_MAGIC = 0xdeadbeef, SIM_CTL_CONNECT = 1 };
enum { FIRST_SIM_FD = 1024, UMAD_HEADER_SIZE = 64, MAD_SIZE = 256, LOST_SIZE = 32 };

struct connect_message {
	uint32_t magic;
	uint32_t client;
	uint32_t type;
	uint32_t length;
	struct {
		uint32_t id;
		uint32_t qp;
		uint32_t issm;
		char node[32];
		char unused[20];
	} data;
};

_Static_assert(sizeof(struct connect_message) == 80, "a control message has 16 + 64 octets");

typedef ssize_t read_function(int fd, void *buffer, size_t size);
typedef ssize_t write_function(int fd, const void *buffer, size_t size);

static read_function *next_read(void)
{
	read_function *function;
	void *symbol = dlsym(RTLD_NEXT, "read");

	memcpy(&function, &symbol, sizeof(function));
	return function;
}

static write_function *next_write(void)
{
	write_function *function;
	void *symbol = dlsym(RTLD_NEXT, "write");

	memcpy(&function, &symbol, sizeof(function));
	return function;
}

ssize_t read(int fd, void *buffer, size_t size)
{
	ssize_t got = next_read()(fd, buffer, size);

	if (fd >= FIRST_SIM_FD && got == UMAD_HEADER_SIZE + MAD_SIZE)
		memset((char *)buffer + got - LOST_SIZE, 0, LOST_SIZE);
	return got;
}

ssize_t write(int fd, const void *buffer, size_t size)
{
	struct connect_message message;

	if (size != sizeof(message))
		return next_write()(fd, buffer, size);
	memcpy(&message, buffer, sizeof(message));
	if (message.magic == SIM_MAGIC && message.type == SIM_CTL_CONNECT)
		message.data.issm = 1;
	return next_write()(fd, &message, sizeof(message));
}
