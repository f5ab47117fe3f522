// SPDX-License-Identifier: BSD-2-Clause
#include "conf/word.h"

#include "conf/conf.h"

#include <stddef.h>

const struct word WORDS_ACTIVE[] = {{false, "always"}, {true, "with-master-sm"}, {0, NULL}};

const struct word WORDS_MATCH[] = {{false, "guid"}, {true, "name"}, {0, NULL}};

const struct word WORDS_START[] = {{false, "now"}, {true, "backlog"}, {0, NULL}};

const struct word WORDS_METHOD[] = {
    {SWEEP_SMP, "smp"}, {SWEEP_SA, "sa"}, {SWEEP_OFF, "off"}, {0, NULL}};

const struct word WORDS_PORTS[] = {
    {COUNTERS_OF_ALL, "all"}, {COUNTERS_OF_SWITCHES, "switches"}, {COUNTERS_OFF, "off"}, {0, NULL}};

const struct word WORDS_PORT_METRICS[] = {{CONF_PORT_METRICS_OFF, "off"},
                                          {CONF_PORT_METRICS_ERRORS, "errors"},
                                          {CONF_PORT_METRICS_ALL, "all"},
                                          {0, NULL}};

const struct word WORDS_CONTEXTS[] = {
    {CONTEXTS_SWITCHES, "switches"}, {CONTEXTS_ALL, "all"}, {CONTEXTS_OFF, "off"}, {0, NULL}};

const struct word WORDS_SNMP_TRANSPORT[] = {{TRANSPORT_UDP, "udp"},
                                            {TRANSPORT_TCP, "tcp"},
                                            {TRANSPORT_TLS, "tls"},
                                            {TRANSPORT_DTLS, "dtls"},
                                            {0, NULL}};

const struct word WORDS_SYSLOG_TRANSPORT[] = {
    {TRANSPORT_LOCAL, "local"},   {TRANSPORT_UDP, "udp"},
    {TRANSPORT_TCP, "tcp"},       {TRANSPORT_TLS, "tls"},
    {TRANSPORT_RELP, "relp"},     {TRANSPORT_RELP_TLS, "relp-tls"},
    {TRANSPORT_STDOUT, "stdout"}, {0, NULL}};

const struct word WORDS_VERSION[] = {{1, "1"}, {2, "2c"}, {3, "3"}, {0, NULL}};

const struct word WORDS_AUTH[] = {{SNMP_NO_AUTH, "none"},
                                  {SNMP_SHA1, "SHA"},
                                  {SNMP_SHA224, "SHA-224"},
                                  {SNMP_SHA256, "SHA-256"},
                                  {SNMP_SHA384, "SHA-384"},
                                  {SNMP_SHA512, "SHA-512"},
                                  {0, NULL}};

const struct word WORDS_PRIVACY[] = {{SNMP_NO_PRIV, "none"},
                                     {SNMP_AES128, "AES"},
                                     {SNMP_AES192, "AES-192"},
                                     {SNMP_AES256, "AES-256"},
                                     {SNMP_AES192_CISCO, "AES-192-C"},
                                     {SNMP_AES256_CISCO, "AES-256-C"},
                                     {0, NULL}};

const struct word WORDS_SET[] = {{SNMP_SET_SMA, "sma"},
                                 {SNMP_SET_SWITCH, "switch"},
                                 {SNMP_SET_OWN, "own"},
                                 {SNMP_SET_EVENT, "event"},
                                 {0, NULL}};

const struct word WORDS_FORMAT[] = {{FORMAT_RFC5424, "rfc5424"}, {FORMAT_RFC3164, "rfc3164"},
                                    {FORMAT_ECS, "ecs"},         {FORMAT_CEF, "cef"},
                                    {FORMAT_LEEF, "leef"},       {0, NULL}};

// The formats that are JSON objects.
const struct word WORDS_OBJECT_FORMAT[] = {
    {FORMAT_JSON, "json"}, {FORMAT_ECS, "ecs"}, {FORMAT_CLOUDEVENTS, "cloudevents"}, {0, NULL}};

const struct word WORDS_HTTP_FORMAT[] = {{HTTP_JSON, "json"},
                                         {HTTP_CLOUDEVENTS, "cloudevents"},
                                         {HTTP_OTLP, "otlp"},
                                         {HTTP_LOKI, "loki"},
                                         {HTTP_SPLUNK, "splunk"},
                                         {HTTP_ELASTIC, "elasticsearch"},
                                         {HTTP_OTLP_METRICS, "otlp-metrics"},
                                         {0, NULL}};

const struct word WORDS_KAFKA_TRANSPORT[] = {
    {TRANSPORT_TCP, "tcp"}, {TRANSPORT_TLS, "tls"}, {0, NULL}};

const struct word WORDS_FRAMING[] = {{false, "octet-counting"}, {true, "lines"}, {0, NULL}};

// RFC 5424 6.2.1.
const struct word WORDS_FACILITY[] = {
    {0, "kern"},      {1, "user"},    {2, "mail"},    {3, "daemon"},  {4, "auth"},
    {5, "syslog"},    {6, "lpr"},     {7, "news"},    {8, "uucp"},    {9, "cron"},
    {10, "authpriv"}, {11, "ftp"},    {12, "ntp"},    {13, "audit"},  {14, "alert"},
    {15, "clock"},    {16, "local0"}, {17, "local1"}, {18, "local2"}, {19, "local3"},
    {20, "local4"},   {21, "local5"}, {22, "local6"}, {23, "local7"}, {0, NULL}};
