// SPDX-License-Identifier: BSD-2-Clause
// Reads bodies of one format, each with a NUL behind it, and throws if the parser does not take one whole.
'use strict';

const assert = require('assert');
const fs = require('fs');

// A record that went through protobuf must come out as it was: a field that its messages do not have would be gone, a
// value of another type would differ.
function readOtlp(body) {
    const root = require('@opentelemetry/otlp-transformer/build/src/generated/root');
    const Request = root.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
    const sent = JSON.parse(body);
    const octets = Request.encode(Request.fromObject(sent)).finish();
    assert.deepEqual(Request.toObject(Request.decode(octets), {longs: String, enums: Number}), sent);
    return sent.resourceLogs[0].scopeLogs[0].logRecords.length;
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

const READERS = {
    'otlp': readOtlp,
    'cloudevents': readCloudEvents('application/cloudevents+json; charset=utf-8'),
    'cloudevents-batch': readCloudEvents('application/cloudevents-batch+json; charset=utf-8'),
};

const format = process.argv[2];
const bodies = fs.readFileSync(0, 'utf8').split('\0').slice(0, -1);
const events = bodies.reduce((sum, body) => sum + READERS[format](body), 0);
assert(events > 100);
console.log(`${format}: ${events} events in ${bodies.length} bodies`);
