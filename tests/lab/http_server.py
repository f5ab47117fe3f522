# SPDX-License-Identifier: BSD-2-Clause
"""An HTTP server for tests that fails in every way. It reads requests with its own code, on plain sockets."""

import gzip
import json
import socket
import ssl
import threading
import time


class Request:
    """What came: method, target, headers with names in lower case, and the body as it was before compression."""

    def __init__(self, method, target, headers, body):
        self.method, self.target, self.headers, self.raw = method, target, headers, body
        self.body = gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body
        self.accepted = False  # answered with 2xx

    @property
    def json(self):
        return json.loads(self.body)


class Closed(Exception):
    pass


class Connection:
    """A connection to a client, for the behaviours."""

    def __init__(self, sock, server):
        self.socket, self.server, self._rest = sock, server, b""

    def _more(self):
        octets = self.socket.recv(65536)
        if not octets:
            raise Closed
        self._rest += octets

    def read(self):
        """The next request."""
        while b"\r\n\r\n" not in self._rest:
            self._more()
        head, self._rest = self._rest.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("ascii").split("\r\n")
        method, target, version = first.split(" ")
        assert version == "HTTP/1.1", version
        headers = {}
        for line in lines:
            name, value = line.split(":", 1)
            assert name.lower() not in headers, f"{name} twice"
            headers[name.lower()] = value.strip()
        size = int(headers.get("content-length", 0))
        if self.server.limit is not None and size > self.server.limit:
            answer(413, "Connection: close")(self, Request(method, target, {}, b""))
            raise Closed
        while len(self._rest) < size:
            self._more()
        body, self._rest = self._rest[:size], self._rest[size:]
        return Request(method, target, headers, body)

    def send(self, text):
        self.socket.sendall(text if isinstance(text, bytes) else text.encode())


class Server:
    """Answers each request with the next behaviour of `script`, and then with the last one. A behaviour takes the
    connection and the request, and returns whether the connection stays open. A body of more octets than `limit` is
    refused before it is read. It is a context manager."""

    def __init__(self, *script, context=None, limit=None, host="127.0.0.1", port=0):
        self.limit = limit
        self.script, self.context = list(script) or [answer(200)], context
        self.requests, self.connections, self.errors = [], 0, []
        self._lock, self._open, self.done = threading.Lock(), [], threading.Event()
        self._listener = socket.create_server((host, port))
        self.port = self._listener.getsockname()[1]
        self.url = f"{'https' if context else 'http'}://{host}:{self.port}"

    def __enter__(self):
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.break_off()
        assert not self.errors, self.errors

    def break_off(self):
        """Ends all connections."""
        with self._lock:
            for one in self._open:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def _listen(self):
        while not self.done.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock):
        try:
            with sock:
                if self.context:
                    sock = self.context.wrap_socket(sock, server_side=True)
                with self._lock:
                    self._open.append(sock)
                self._talk(Connection(sock, self))
        except (Closed, OSError, ssl.SSLError):
            pass
        except Exception as problem:  # pylint: disable=broad-except
            self.errors.append(repr(problem))

    def _talk(self, connection):
        while True:
            request = connection.read()
            with self._lock:
                behaviour = self.script.pop(0) if len(self.script) > 1 else self.script[0]
                self.requests.append(request)
            if not behaviour(connection, request):
                return

    @property
    def accepted(self):
        return [one for one in self.requests if one.accepted]


# Behaviours.

def answer(status, *headers, body="{}", keep=True):
    """An answer of that status."""
    def behave(connection, request):
        request.accepted = 200 <= status < 300
        extra = "".join(f"{header}\r\n" for header in headers)
        connection.send(f"HTTP/1.1 {status} Some words\r\nContent-Type: application/json\r\n{extra}"
                        f"Content-Length: {len(body.encode())}\r\n\r\n{body}")
        return keep
    return behave


def raw(text, keep=False):
    """Some octets, which need not be HTTP; a 2xx in them accepts nothing."""
    def behave(connection, _):
        connection.send(text)
        return keep
    return behave


def close(_, __):
    """No answer at all."""
    return False


def hang(connection, _):
    """No answer, on an open connection."""
    connection.server.done.wait(30)
    return False


def trickle(text, pause=0.1):
    """An answer whose octets come one by one, without end."""
    def behave(connection, _):
        connection.send(text)
        while not connection.server.done.is_set():
            connection.send("x")
            time.sleep(pause)
        return False
    return behave


def flood(head, piece):
    """An answer without end, as fast as it goes."""
    def behave(connection, _):
        connection.send(head)
        while not connection.server.done.is_set():
            connection.send(piece)
        return False
    return behave


def each(judge):
    """An answer of the status that `judge` gives for the request."""
    def behave(connection, request):
        return answer(judge(request))(connection, request)
    return behave
