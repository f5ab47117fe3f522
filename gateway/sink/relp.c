#include "sink/relp.h"

#include "sink/resolve.h"

#include <librelp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Seconds to connect, and for each answer; and how many addresses of a host are tried.
enum { CONNECT_TIMEOUT = 2, ANSWER_TIMEOUT = 3, ADDRESSES_MAX = 2 };

struct relp {
    const char *host;
    uint16_t port;
    relpEngine_t *engine;
    relpClt_t *client; // NULL: no session
    uint64_t sent, confirmed;
    uint64_t sent_before; // this session
    char problem[256];    // the first that librelp reported in this session; empty: none
};

static void note(struct relp *r, const char *problem)
{
    if (r->problem[0] == '\0')
        snprintf(r->problem, sizeof r->problem, "%s", problem);
}

static void take_error(void *self, char *object, char *message, relpRetVal code)
{
    (void)object;
    (void)code;
    note(self, message);
}

static void say_nothing(char *format, ...)
{
    (void)format;
}

static bool fail(const struct relp *r, const char *what, relpRetVal code, struct error *err)
{
    return error_set(err, "%s: %s (librelp %d)", what, r->problem[0] ? r->problem : "no answer",
                     code);
}

static relpRetVal connect_to(struct relp *r, const struct resolve_address *to)
{
    char host[sizeof to->text], port[8];
    snprintf(host, sizeof host, "%s", to->text);
    snprintf(port, sizeof port, "%u", r->port);
    r->problem[0] = '\0';
    relpRetVal code = relpEngineCltConstruct(r->engine, &r->client);
    if (code != RELP_RET_OK) {
        r->client = NULL;
        return code;
    }
    relpCltSetUsrPtr(r->client, r);
    relpCltSetConnTimeout(r->client, CONNECT_TIMEOUT);
    relpCltSetTimeout(r->client, ANSWER_TIMEOUT);
    relpCltSetWindowSize(r->client, RELP_WINDOW);
    code = relpCltConnect(r->client, to->storage.ss_family, (unsigned char *)port,
                          (unsigned char *)host);
    if (code != RELP_RET_OK)
        relpEngineCltDestruct(r->engine, &r->client);
    return code;
}

static bool start_session(struct relp *r, struct error *err)
{
    struct resolve_address all[RESOLVE_MAX];
    size_t count = resolve_all(r->host, r->port, all, err);
    for (size_t i = 0; i < count && i < ADDRESSES_MAX; i++) {
        relpRetVal code = connect_to(r, &all[i]);
        if (code == RELP_RET_OK) {
            r->sent_before = r->sent;
            r->problem[0] = '\0';
            return true;
        }
        char what[128];
        snprintf(what, sizeof what, "cannot open a RELP session with %s port %u", all[i].text,
                 r->port);
        fail(r, what, code, err);
    }
    return false;
}

static bool start_engine(struct relp *r, struct error *err)
{
    static unsigned char command[] = "syslog";
    if (relpEngineConstruct(&r->engine) != RELP_RET_OK) {
        r->engine = NULL;
        return error_set(err, "cannot start librelp");
    }
    relpEngineSetDbgprint(r->engine, say_nothing);
    relpEngineSetOnErr(r->engine, take_error);
    relpEngineSetOnAuthErr(r->engine, take_error);
    return relpEngineSetEnableCmd(r->engine, command, eRelpCmdState_Required) == RELP_RET_OK ||
           error_set(err, "cannot start librelp");
}

struct relp *relp_open(const char *host, uint16_t port, struct error *err)
{
    struct relp *r = calloc(1, sizeof *r);
    if (!r) {
        error_set(err, "out of memory");
        return NULL;
    }
    r->host = host;
    r->port = port;
    if (start_engine(r, err) && start_session(r, err))
        return r;
    relp_close(r);
    return NULL;
}

bool relp_send(struct relp *relp, const char *message, size_t size, struct error *err)
{
    if (!relp->client && !start_session(relp, err))
        return false;
    relpRetVal code = relpCltSendSyslog(relp->client, (unsigned char *)message, size);
    if (code != RELP_RET_OK || relp->problem[0] != '\0')
        return fail(relp, "the RELP session broke", code, err);
    relp->sent++;
    if (relp->sent - relp->sent_before > RELP_WINDOW)
        relp->confirmed = relp->sent - RELP_WINDOW;
    return true;
}

uint64_t relp_confirmed(const struct relp *relp)
{
    return relp->confirmed;
}

bool relp_finish(struct relp *relp, struct error *err)
{
    if (!relp->client)
        return true;
    relpRetVal code = relpEngineCltDestruct(relp->engine, &relp->client);
    relp->client = NULL;
    if (code != RELP_RET_OK || relp->problem[0] != '\0')
        return fail(relp, "the RELP session did not end well", code, err);
    relp->confirmed = relp->sent;
    return true;
}

void relp_close(struct relp *relp)
{
    if (relp->client)
        relpEngineCltDestruct(relp->engine, &relp->client);
    if (relp->engine)
        relpEngineDestruct(&relp->engine);
    free(relp);
}
