// SPDX-License-Identifier: BSD-2-Clause
// Reads bodies of one format, each with a NUL behind it, and throws if the parser does not take one whole.
'use strict';

const assert = require('assert');
const fs = require('fs');

// A record that went through protobuf must come out as it was: a field that its messages do not have would be gone, a
// value of another type would differ. protobuf has no empty arrays.
function throughProtobuf(body, find) {
    const root = require('@opentelemetry/otlp-transformer/build/src/generated/root');
    const Request = find(root.opentelemetry.proto.collector);
    const sent = JSON.parse(body, (_, value) => Array.isArray(value) && value.length === 0 ? undefined : value);
    const octets = Request.encode(Request.fromObject(sent)).finish();
    assert.deepEqual(Request.toObject(Request.decode(octets), {longs: String, enums: Number}), sent);
    return sent;
}

function readOtlp(body) {
    const sent = throughProtobuf(body, (collector) => collector.logs.v1.ExportLogsServiceRequest);
    return sent.resourceLogs[0].scopeLogs[0].logRecords.length;
}

function readOtlpMetrics(body) {
    const sent = throughProtobuf(body, (collector) => collector.metrics.v1.ExportMetricsServiceRequest);
    return sent.resourceMetrics[0].scopeMetrics[0].metrics.length;
}

// toEvent validates an event by the JSON schema of the specification.
function readCloudEvents(type) {
    return (body) => {
        const {HTTP} = require('cloudevents');
        const read = HTTP.toEvent({headers: {'content-type': type}, body});
        const events = Array.isArray(read) ? read : [read];
        const sent = [].concat(JSON.parse(body));
        assert.deepEqual(events.map((event) => event.validate()), events.map(() => true));
        assert.deepEqual(events.map((event) => [event.id, event.data]), sent.map((event) => [event.id, event.data]));
        return events.length;
    };
}

// qryn serves Loki's and OpenTelemetry's protocols. Its handlers get the request that its server would give them, and here
// their database keeps what they insert: rows of fingerprint, nanoseconds, number, line and type, and for each
// fingerprint its labels.
async function askQryn(handler, body) {
    process.env.LOG_LEVEL = 'error';
    process.env.HASH = 'short'; // the other hash is there a while after the start only
    const rows = [], series = [];
    const database = require.resolve('qryn/lib/db/clickhouse');
    const cache = {bulk: {add: async (some) => rows.push(...some)}, bulk_labels: {add: async (some) => series.push(...some)},
                   labels: {add: () => {}}};
    require.cache[database] = {id: database, filename: database, loaded: true, exports: {cache}};
    const handle = require(`qryn/lib/handlers/${handler}`);
    delete require.cache[require.resolve(`qryn/lib/handlers/${handler}`)];
    let status = 200;
    const response = {code: (n) => { status = n; return response; }, send: () => response};
    response.status = response.code;
    const problems = [];
    const log = {debug: () => {}, error: (problem) => problems.push(problem)};
    await handle({body: JSON.parse(body), headers: {'content-type': 'application/json'}, log}, response);
    assert(status < 300, String(problems));
    const labels = new Map(series.map(([, fingerprint, text]) => [String(fingerprint), JSON.parse(text)]));
    return rows.map(([fingerprint, when, , line]) => ({labels: labels.get(String(fingerprint)), when: String(when), line}));
}

// It knows no structured metadata, and passes them over.
async function readLokiByQryn(body) {
    const entries = await askQryn('push', body);
    const sent = JSON.parse(body).streams;
    assert.deepEqual(entries, sent.map(({stream, values: [[when, line]]}) => ({labels: stream, when, line})));
    return entries.length;
}

// It makes text of all values, and of names what its own query language takes.
function qrynAttributes(...holders) {
    return Object.fromEntries(holders.flatMap((holder) => holder.attributes || []).map(({key, value}) =>
        [key.replace(/[^a-zA-Z0-9_]/g, '_'), String(Object.values(value)[0])]));
}

async function readOtlpByQryn(body) {
    const entries = await askQryn('otlp_log_push', body);
    const [{resource, scopeLogs: [{scope, logRecords}]}] = JSON.parse(body).resourceLogs;
    assert.deepEqual(entries, logRecords.map((record) => ({
        labels: {...qrynAttributes(resource, scope, record), level: record.severityText},
        when: record.timeUnixNano,
        line: record.body.stringValue,
    })));
    return entries.length;
}

const ECS_TYPES = {
    'keyword': (value) => typeof value === 'string',
    'wildcard': (value) => typeof value === 'string',
    'match_only_text': (value) => typeof value === 'string',
    'long': Number.isInteger,
    'date': (value) => !Number.isNaN(Date.parse(value)),
};

function checkEcsField(name, value) {
    const {EcsFlat} = require('@elastic/ecs');
    const field = EcsFlat[name];
    assert(field, `ECS has no ${name}`);
    assert.equal(Array.isArray(value), field.normalize.includes('array'), name);
    for (const one of [].concat(value)) {
        assert(ECS_TYPES[field.type](one), `${name}: ${one} is no ${field.type}`);
        assert(!field.allowed_values || field.allowed_values.some(({name: word}) => word === one), `${name}: ${one}`);
    }
}

function checkEcsObject(prefix, object) {
    for (const [name, value] of Object.entries(object)) {
        if (value instanceof Object && !Array.isArray(value))
            checkEcsObject(`${prefix}${name}.`, value);
        else
            checkEcsField(prefix + name, value);
    }
}

// Documents by the fields that Elastic's package has of ECS. The bulk's actions have the documents' identifiers.
function readEcs(body) {
    const {EcsFlat, EcsVersion} = require('@elastic/ecs');
    const lines = body.trimEnd().split('\n').map((line) => JSON.parse(line));
    for (let i = 0; i < lines.length; i += 2) {
        const {ibtrapd, ...document} = lines[i + 1];
        assert(ibtrapd.event && document.ecs.version === EcsVersion);
        assert.equal(lines[i].create._id, document.event.id);
        checkEcsObject('', document);
        const types = EcsFlat['event.category'].allowed_values
            .filter(({name}) => document.event.category.includes(name))
            .flatMap(({expected_event_types: expected}) => expected);
        assert(document.event.type.every((type) => types.includes(type)), `${document.event.category}: ${document.event.type}`);
    }
    return lines.length / 2;
}

const READERS = {
    'otlp': readOtlp,
    'otlp-metrics': readOtlpMetrics,
    'ecs': readEcs,
    'otlp-qryn': readOtlpByQryn,
    'loki-qryn': readLokiByQryn,
    'cloudevents': readCloudEvents('application/cloudevents+json; charset=utf-8'),
    'cloudevents-batch': readCloudEvents('application/cloudevents-batch+json; charset=utf-8'),
};

async function main() {
    const reader = process.argv[2];
    const bodies = fs.readFileSync(0, 'utf8').split('\0').slice(0, -1);
    let events = 0;
    for (const body of bodies)
        events += await READERS[reader](body);
    assert(events > (reader === 'otlp-metrics' ? 3 : 100));
    console.log(`${reader}: ${events} events in ${bodies.length} bodies`);
}

main();
