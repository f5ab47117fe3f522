# SPDX-License-Identifier: BSD-2-Clause
"""What librdkafka's mock cluster lacks, in front of it: brokers that compare the numbers of an idempotent producer's
requests, as Kafka's do, that lose requests and answers, and that want a password. Written from Kafka's protocol guide and
RFC 5802, without librdkafka."""

import base64
import hashlib
import hmac
import os
import socket
import struct
import threading

PRODUCE, METADATA, SASL_HANDSHAKE, API_VERSIONS, DESCRIBE_CONFIGS, SASL_AUTHENTICATE = 0, 3, 17, 18, 32, 36
NOT_LEADER, TOO_LARGE, UNSUPPORTED_VERSION, OUT_OF_ORDER, AUTHENTICATION_FAILED = 6, 10, 35, 45, 58
LATEST = {PRODUCE: 7, METADATA: 4}  # versions of requests that are read here
NOBODY = -1  # as a producer: not an idempotent one
REMEMBERED = 5  # requests of a producer for each partition, as a broker does
FRAME_MAX = 16 << 20


def _string(text):
    return struct.pack(">h", len(text)) + text.encode()


class _Reader:
    def __init__(self, data):
        self._data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from(f">{form}", self._data, self.at)
        self.at += struct.calcsize(f">{form}")
        return values if len(values) > 1 else values[0]

    def octets(self, size):
        self.at += max(size, 0)
        return self._data[self.at - max(size, 0):self.at]

    def string(self):
        return self.octets(self.take("h")).decode()


class Batch:
    """The records of one request to produce, all for one partition."""

    def __init__(self, body):
        r = _Reader(body)
        r.string()  # transactional id
        r.take("hi")  # acks, time limit
        assert r.take("i") == 1
        self.topic = r.string()
        assert r.take("i") == 1
        self.partition = r.take("i")
        records = r.octets(r.take("i"))
        self.size = len(records)
        magic, self.checksum = struct.unpack_from(">bI", records, 16)
        assert magic == 2
        self.producer, self.epoch, self.first, self.count = struct.unpack_from(">qhii", records, 43)

    def answer(self, error, offset):
        return (struct.pack(">i", 1) + _string(self.topic)
                + struct.pack(">iihqqqi", 1, self.partition, error, offset, -1, 0, 0))


def _read_answer(body):
    """Error and offset of the answer to a request to produce."""
    r = _Reader(body)
    r.take("i")
    r.string()
    _, _, error, offset = r.take("iihq")
    return error, offset


class Numbers:
    """The numbers of producers' requests: what a partition has stored of each."""

    def __init__(self):
        self._stored = {}  # (topic, partition, producer): the latest batches with their offsets
        self.repeats = self.gaps = 0
        self.wrong = []  # repetitions with another content

    def look(self, batch, deposed):
        """The answer, if the partition does not store the batch: it has it, or not the one before. deposed: the broker does
        not lead the partition any longer, which it says first."""
        stored = self._stored.get((batch.topic, batch.partition, batch.producer), [])
        for one, offset in stored:
            if (one.epoch, one.first, one.count) == (batch.epoch, batch.first, batch.count):
                self.repeats += 1
                if one.checksum != batch.checksum:
                    self.wrong.append((batch.topic, batch.partition, batch.first))
                return batch.answer(0, offset)
        last = stored[-1][0] if stored else None
        if batch.producer == NOBODY or batch.first == (last.first + last.count if last and last.epoch == batch.epoch else 0):
            return None
        self.gaps += not deposed
        return batch.answer(NOT_LEADER if deposed else OUT_OF_ORDER, -1)

    def store(self, batch, offset):
        stored = self._stored.setdefault((batch.topic, batch.partition, batch.producer), [])
        stored.append((batch, offset))
        del stored[:-REMEMBERED]


class Password:
    """What brokers ask of a client that authenticates itself: PLAIN (RFC 4616) or SCRAM (RFC 5802), with so many
    iterations."""

    def __init__(self, mechanism, user, password, iterations=4096):
        self.mechanism, self._user, self._password, self._iterations = mechanism, user, password, iterations

    def converse(self):
        """A generator: takes the client's messages, and yields the answers; False: refused."""
        message = yield
        if self.mechanism == "PLAIN":
            yield message == f"\0{self._user}\0{self._password}".encode() and b""
            return
        digest = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}[self.mechanism]
        header, first = message[:3], message[3:]
        attributes = dict(part.split(b"=", 1) for part in first.split(b","))
        salt, nonce = os.urandom(16), attributes[b"r"] + base64.b64encode(os.urandom(12))
        challenge = b"r=%s,s=%s,i=%d" % (nonce, base64.b64encode(salt), self._iterations)
        final = yield challenge
        without_proof, proof = final.rsplit(b",p=", 1)
        transcript = b",".join((first, challenge, without_proof))

        def mac(key, text):
            return hmac.new(key, text, digest).digest()

        salted = hashlib.pbkdf2_hmac(digest, self._password.encode(), salt, self._iterations)
        stored_key = hashlib.new(digest, mac(salted, b"Client Key")).digest()
        client_key = bytes(a ^ b for a, b in zip(base64.b64decode(proof), mac(stored_key, transcript)))
        binding, again = without_proof.split(b",r=", 1)
        # An older librdkafka, such as 2.0.2, repeats its part of the nonce: Kafka compares the end (before 3.8.1, nothing).
        good = (attributes[b"n"].decode() == self._user and binding == b"c=" + base64.b64encode(header)
                and again.endswith(nonce)
                and hashlib.new(digest, client_key).digest() == stored_key)
        yield good and b"v=" + base64.b64encode(mac(mac(salted, b"Server Key"), transcript))


class Front:
    """Stands before the brokers of a MockCluster, on the loopback; `brokers` are the addresses. It is a context manager.

    lose_request, lose_answer: of requests to produce, each one of so many is lost, with its connection, before or after
    the partition stored it. password: a Password. tls: an ssl.SSLContext. crowd: it says that so many more brokers are
    there, which nobody can reach. largest: the octets of records that a request may have; 0: any number. partitions: it
    says that each topic has so many; 0: the cluster's. policy: the cleanup.policy of each topic; None: it tells no
    configuration."""

    def __init__(self, cluster, lose_request=0, lose_answer=0, password=None, tls=None, crowd=0, largest=0,
                 partitions=0, policy=None):  # pylint: disable=too-many-arguments
        self.crowd, self.partitions, self.policy = crowd, partitions, policy
        self.crowd_told = self.connected = 0  # answers with the crowd; connections
        self.described = 0  # configurations of topics that were told
        self.numbers = Numbers()
        self.produced = self.lost = self.refused = self.too_large = 0
        self._largest = largest
        self._lose_request, self._lose_answer, self._password, self._tls = lose_request, lose_answer, password, tls
        self._lock = threading.Lock()
        self._deposed = set()  # (port of the cluster, topic, partition): that broker said that it does not lead it
        self._listeners = {}  # port of the cluster: socket before it
        for broker in cluster.brokers.split(","):
            self._listeners[int(broker.rsplit(":", 1)[1])] = socket.create_server(("127.0.0.1", 0))
        self.brokers = ",".join(f"127.0.0.1:{one.getsockname()[1]}" for one in self._listeners.values())

    def __enter__(self):
        for port, listener in self._listeners.items():
            threading.Thread(target=self._listen, args=(listener, port), daemon=True).start()
        return self

    def __exit__(self, *_):
        for listener in self._listeners.values():
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def _listen(self, listener, port):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client, port), daemon=True).start()

    def _serve(self, client, port):
        with self._lock:
            self.connected += 1
        try:
            if self._tls:
                client = self._tls.wrap_socket(client, server_side=True)
            with client, socket.create_connection(("127.0.0.1", port)) as broker:
                _Connection(self, client, broker, port).run()
        except (OSError, EOFError):
            pass  # one of the two ended, as brokers and clients do
        finally:
            with self._lock:
                self.connected -= 1

    # Of the connections.

    @property
    def password(self):
        return self._password

    def rename(self, answer):
        """In what a broker says of the cluster, puts this front in the cluster's place."""
        for port, listener in self._listeners.items():
            answer = answer.replace(_string("127.0.0.1") + struct.pack(">i", port),
                                    _string("127.0.0.1") + struct.pack(">i", listener.getsockname()[1]))
        return answer

    def add_crowd(self, version, answer):
        """Adds the made-up brokers to an answer about the cluster."""
        self.crowd_told += self.crowd > 0
        at = 4 if version >= 3 else 0
        rack = struct.pack(">h", -1) if version >= 1 else b""
        more = b"".join(struct.pack(">i", 1000 + number) + _string("127.0.0.1") + struct.pack(">i", 1 + number) + rack
                        for number in range(self.crowd))
        return answer[:at] + struct.pack(">i", struct.unpack_from(">i", answer, at)[0] + self.crowd) + more + answer[at + 4:]

    def divide(self, version, body, port):
        """An answer about the topics of a request, each with the made-up partitions."""
        r, listener = _Reader(body), self._listeners[port]
        names = [r.string() for _ in range(max(r.take("i"), 0))]
        partitions = struct.pack(">i", self.partitions) + b"".join(
            struct.pack(">hiiii", 0, number, 1, 0, 0) for number in range(self.partitions))
        return (bytes(4 if version >= 3 else 0) + struct.pack(">ii", 1, 1) + _string("127.0.0.1")
                + struct.pack(">ihhii", listener.getsockname()[1], -1, -1, 1, len(names))
                + b"".join(struct.pack(">h", 0) + _string(name) + b"\0" + partitions for name in names))

    def name_controller(self, version, answer):
        """The mock cluster names a broker that is none as its controller, which knows the configurations."""
        r = _Reader(answer)
        r.octets(4 if version >= 3 else 0)
        for _ in range(r.take("i")):
            r.octets(4)
            r.string()
            r.octets(4)
            r.string()
        r.string()  # of the cluster
        return answer[:r.at] + struct.pack(">i", 1) + answer[r.at + 4:]

    def describe(self, body):
        """The configuration of the only topic of a request of version 0: its policy."""
        r = _Reader(body)
        self.described += 1
        assert r.take("ib") == (1, 2)
        return (struct.pack(">iihhb", 0, 1, 0, -1, 2) + _string(r.string()) + struct.pack(">i", 1)
                + _string("cleanup.policy") + _string(self.policy) + struct.pack(">bbb", 0, 0, 0))

    def produce(self, port, body, ask):
        """Answers a request to produce as a broker does; `ask` has the cluster's with that port answer it. None: lost."""
        with self._lock:
            batch = Batch(body)
            self.produced += 1
            if self._lose_request and self.produced % self._lose_request == 0:
                self.lost += 1
                return None
            if self._largest and batch.size > self._largest:
                self.too_large += 1
                return batch.answer(TOO_LARGE, -1)
            place = (port, batch.topic, batch.partition)
            answer = self.numbers.look(batch, place in self._deposed)
            if answer is None:
                answer = ask()
                error, offset = _read_answer(answer)
                (self._deposed.add if error == NOT_LEADER else self._deposed.discard)(place)
                if error == 0 and batch.producer != NOBODY:
                    self.numbers.store(batch, offset)
            if self._lose_answer and self.produced % self._lose_answer == 0:
                self.lost += 1
                return None
            return answer

    def refuse(self):
        self.refused += 1


class _Connection:
    def __init__(self, front, client, broker, port):
        self._front, self._client, self._broker, self._port = front, client, broker, port
        self._talk = None  # of the password
        self._trusted = front.password is None

    def run(self):
        while True:
            frame = _receive(self._client)
            r = _Reader(frame)
            kind, version, number = r.take("hhi")
            r.string()  # the client's name; the flexible versions' header, which follows, stays unread
            answer = self._answer(kind, version, r.octets(1 << 30), frame)
            if answer is None:
                return
            _send(self._client, struct.pack(">i", number) + answer)

    def _ask(self, frame):
        _send(self._broker, frame)
        return _receive(self._broker)[4:]

    def _answer(self, kind, version, body, frame):
        if kind == API_VERSIONS:
            return self._answer_versions(version, frame)
        if not self._trusted:
            return self._answer_stranger(kind, body)
        if kind == PRODUCE:
            assert version == 7
            return self._front.produce(self._port, body, lambda: self._ask(frame))
        if kind == METADATA and self._front.partitions:
            return self._front.divide(version, body, self._port)
        if kind == DESCRIBE_CONFIGS:
            return self._front.describe(body)
        answer = self._ask(frame)
        if kind != METADATA:
            return answer
        answer = self._front.name_controller(version, answer) if self._front.policy else answer
        return self._front.add_crowd(version, self._front.rename(answer))

    def _answer_versions(self, version, frame):
        if version > 0:
            return struct.pack(">hihhh", UNSUPPORTED_VERSION, 1, API_VERSIONS, 0, 0)
        r = _Reader(self._ask(frame))
        error, count = r.take("hi")
        found = [r.take("hhh") for _ in range(count)] + [(SASL_HANDSHAKE, 0, 1), (SASL_AUTHENTICATE, 0, 0)]
        found += [(DESCRIBE_CONFIGS, 0, 0)] if self._front.policy else []
        mine = [(kind, low, min(high, LATEST.get(kind, high))) for kind, low, high in found]
        return struct.pack(">hi", error, len(mine)) + b"".join(struct.pack(">hhh", *one) for one in mine)

    def _answer_stranger(self, kind, body):
        r, mechanism = _Reader(body), self._front.password.mechanism
        if kind == SASL_HANDSHAKE:
            error = 0 if r.string() == mechanism else 33
            self._talk = self._front.password.converse()
            next(self._talk)
            return struct.pack(">hi", error, 1) + _string(mechanism)
        if kind != SASL_AUTHENTICATE or not self._talk:
            return None  # a stranger may not ask anything else
        reply = self._talk.send(r.octets(r.take("i")))
        if reply is False:
            self._front.refuse()
            return struct.pack(">h", AUTHENTICATION_FAILED) + _string("wrong password") + struct.pack(">i", 0)
        self._trusted = mechanism == "PLAIN" or reply.startswith(b"v=")
        return struct.pack(">hhi", 0, -1, len(reply)) + reply


def _receive(peer):
    def exactly(size):
        data = b""
        while len(data) < size:
            more = peer.recv(size - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    size = struct.unpack(">i", exactly(4))[0]
    if not 4 <= size <= FRAME_MAX:
        raise EOFError
    return exactly(size)


def _send(peer, frame):
    peer.sendall(struct.pack(">i", len(frame)) + frame)
