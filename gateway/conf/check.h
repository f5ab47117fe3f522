// Checks of single values, called by libconfuse while the line is known. Each returns 0, or -1
// after telling item, value and reason.
#ifndef IBTRAPD_CONF_CHECK_H
#define IBTRAPD_CONF_CHECK_H

#include "conf/conf.h"

#include <confuse.h>

#define CHECK_COUNT(a) (sizeof(a) / sizeof *(a))

struct check {
    const char *item; // "section|item"
    cfg_validate_callback_t check;
};

extern const struct check CHECKS[];
extern const size_t CHECKS_COUNT;

// The words of an item, in the order of its numbers.
extern const char *const CHECK_FACILITIES[24], *const CHECK_TRANSPORTS[8],
                                                   *const CHECK_SEVERITIES[8];
extern const char *const CHECK_METHODS[3], *const CHECK_PORTS[3];
extern const char *const CHECK_TRAP_LEVELS[6];                             // GswEventSeverity
extern const char *const CHECK_CATEGORIES[11];                             // from CATEGORY_FABRIC
int check_find_word(const char *const *words, size_t n, const char *word); // -1: none

// Reads a number, where libconfuse would not say what stood there instead.
int check_read_number(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result);

// The number of a group that the system knows; (gid_t)-1: none.
gid_t check_find_group(const char *name);

// Splits "host", "host:port", "1.2.3.4:port", "[v6]", "[v6]:port"; `port` stays as it is when none
// follows. NULL, or what is wrong.
const char *check_split_address(const char *address, char host[CONF_ADDRESS_SIZE], uint16_t *port);

// Splits "SymbolErrorCounter=10". NULL, or what is wrong.
const char *check_split_threshold(const char *threshold, enum counter *counter, uint64_t *limit);

// Splits "ib=debug". NULL, or what is wrong.
const char *check_split_level(const char *pair, enum log_folder *folder, enum log_level *level);

#endif
