// SPDX-License-Identifier: BSD-2-Clause
#include "sink/module.h"

#include "base/memory.h"
#include "install.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *module_directory = INSTALL_MODULE_DIRECTORY;

void module_set_directory(const char *directory)
{
    module_directory = directory;
}

// Loading. The code runs with all rights of the daemon, so only users who may write the daemon may
// write a module.

static bool module_check_place(const char *path, const struct stat *st, struct error *err)
{
    if (st->st_uid != 0 && st->st_uid != geteuid())
        return error_set(err,
                         "'%s' belongs to user %u: a module must belong to root, as must its "
                         "directory",
                         path, (unsigned)st->st_uid);
    return (st->st_mode & (S_IWGRP | S_IWOTH)) == 0 ||
           error_set(err, "others can write '%s' (mode %04o): run chmod go-w on it", path,
                     (unsigned)st->st_mode & 07777U);
}

static bool module_check_file(const struct module_use *use, const char *path, struct error *err)
{
    struct stat directory, file;
    if (stat(module_directory, &directory) == 0 && stat(path, &file) == 0)
        return (S_ISREG(file.st_mode) || error_set(err, "'%s' is not a regular file", path)) &&
               module_check_place(module_directory, &directory, err) &&
               module_check_place(path, &file, err);
    if (errno != ENOENT)
        return error_set(err, "cannot examine '%s': %s", path, strerror(errno));
    return error_set(err, "receivers of the kind %s need the package %s: there is no %s", use->kind,
                     use->package, path);
}

// Whether this daemon and that module were built together.
static bool module_fits(const struct module *m, const char *path, struct error *err)
{
    if (m->interface == MODULE_INTERFACE && strcmp(m->version, INSTALL_VERSION) == 0 &&
        m->event_size == sizeof(struct event))
        return true;
    bool other = m->interface != MODULE_INTERFACE || strcmp(m->version, INSTALL_VERSION) != 0;
    return error_set(err,
                     "'%s' is of %s %s, and ibtrapd is %s: install the same version of both, and "
                     "restart ibtrapd",
                     path, other ? "version" : "another build of version", m->version,
                     INSTALL_VERSION);
}

// The modules that were loaded. A further one would not be waited for.
enum { MODULE_KEPT_MAX = 8 };
static struct {
    pthread_mutex_t lock;
    const struct module *all[MODULE_KEPT_MAX];
    size_t count;
} module_kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void module_remember(const struct module *m)
{
    size_t i = 0;
    pthread_mutex_lock(&module_kept.lock);
    while (i < module_kept.count && module_kept.all[i] != m)
        i++;
    if (i == module_kept.count && i < MODULE_KEPT_MAX)
        module_kept.all[module_kept.count++] = m;
    pthread_mutex_unlock(&module_kept.lock);
}

bool module_settle(int64_t patience_us)
{
    bool settled = true;
    for (size_t i = 0; i < module_kept.count; i++) {
        const struct module *m = module_kept.all[i];
        settled &= !m->settle || m->settle(patience_us);
    }
    return settled;
}

// Loads the module. NULL with a sentence. Only the first call for a module reads its file.
static const struct module *module_load(const struct module_use *use, struct error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.so", module_directory, use->file);
    if (!module_check_file(use, path, err))
        return NULL;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        error_set(err, "cannot load the module of the package %s: %s", use->package, dlerror());
        return NULL;
    }
    const struct module *m = dlsym(handle, MODULE_SYMBOL);
    if (!m)
        error_set(err, "'%s' is not a module of ibtrapd", path);
    if (m && module_fits(m, path, err)) {
        module_remember(m);
        return m;
    }
    dlclose(handle);
    return NULL;
}

bool module_check(const struct module_use *use, struct error *err)
{
    const struct module *m = module_load(use, err);
    return m && m->check(use->kind, use->options, err);
}

// The sink: the module's behind one that loads it.

struct module_sink {
    struct module_use use;
    char name[sizeof(((struct sink *)NULL)->name)];
    bool made;
    struct sink inner; // once made
};

static bool module_sink_make(struct module_sink *s, struct error *err)
{
    const struct module *m = s->made ? NULL : module_load(&s->use, err);
    if (m)
        s->made = m->make(&s->inner, s->use.kind, s->name, s->use.options, &s->use.host, err);
    return s->made;
}

static bool module_open(void *self, struct tickets *tickets, struct error *err)
{
    struct module_sink *s = self;
    return module_sink_make(s, err) &&
           (!s->inner.open || s->inner.open(s->inner.self, tickets, err));
}

static enum sink_result module_send(void *self, const struct event *event, struct error *err)
{
    struct module_sink *s = self;
    return s->inner.send ? s->inner.send(s->inner.self, event, err) : SINK_SKIPPED;
}

static bool module_wait(void *self, int timeout_ms, struct error *err)
{
    struct module_sink *s = self;
    return !s->inner.wait || s->inner.wait(s->inner.self, timeout_ms, err);
}

static void module_idle(void *self)
{
    struct module_sink *s = self;
    if (s->inner.idle)
        s->inner.idle(s->inner.self);
}

static bool module_keep_state(void *self, struct sink_progress *progress, struct error *err)
{
    struct module_sink *s = self;
    return s->inner.keep(s->inner.self, progress, err);
}

static void module_close(void *self)
{
    struct module_sink *s = self;
    s->inner.close(s->inner.self);
}

static void module_free(void *self)
{
    struct module_sink *s = self;
    if (s->made)
        s->inner.free(s->inner.self);
    free(s);
}

void module_sink(struct sink *out, const char *name, const struct module_use *use)
{
    struct module_sink *s = memory_zeroed(1, sizeof *s);
    s->use = *use;
    snprintf(s->name, sizeof s->name, "%s", name);
    *out = (struct sink){.open = module_open,
                         .send = module_send,
                         .wait = module_wait,
                         .idle = module_idle,
                         .keep = use->keeps_state ? module_keep_state : NULL,
                         .close = module_close,
                         .free = module_free,
                         .self = s,
                         .in_flight_max = use->in_flight_max,
                         .kind = use->kind};
    snprintf(out->name, sizeof out->name, "%s", name);
}
