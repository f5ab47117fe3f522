# SPDX-License-Identifier: BSD-2-Clause
"""A server that speaks as much of Elasticsearch's _bulk as a client that creates documents needs. It keeps them by their
identifiers; it can be away and come back at its port, and refuse what it is told to."""

import contextlib
import http.server
import json
import threading

from lab.sockets import free_port

CREATED, BAD_REQUEST, CONFLICT, TOO_MANY, UNAVAILABLE = 201, 400, 409, 429, 503

OVERLOADED = {"error": {"root_cause": [], "type": "es_rejected_execution_exception", "reason": "full"}, "status": UNAVAILABLE}


class SearchServer:
    def __init__(self):
        self.port = free_port()
        self.documents = {}  # (index, identifier): document
        self.doubles = 0
        self.unavailable = False  # every request is answered with that status
        self.refused = set()  # identifiers
        self.busy = set()  # identifiers that it takes when they come again
        self._server = None

    def __enter__(self):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        if self._server:
            self._server.shutdown()
            self._server.server_close()
        self._server = None

    def create(self, action, document):
        """The status of one line of a bulk."""
        [(operation, where)] = action.items()
        assert operation == "create", action
        if where["_id"] in self.refused:
            return BAD_REQUEST
        if where["_id"] in self.busy:
            self.busy.remove(where["_id"])
            return TOO_MANY
        key = (where["_index"], where["_id"])
        self.doubles += key in self.documents
        return CONFLICT if self.documents.setdefault(key, document) is not document else CREATED

    def bulk(self, body):
        lines = [json.loads(line) for line in body.split(b"\n") if line]
        pairs = list(zip(lines[::2], lines[1::2], strict=True))
        items = [{"create": {"_id": action["create"]["_id"], "status": self.create(action, document)}}
                 for action, document in pairs]
        return {"took": 1, "errors": any(one["create"]["status"] >= BAD_REQUEST for one in items), "items": items}

    def _handler(owner):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self._answer({"version": {"number": "8.0.0"}})

            do_HEAD = do_GET

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self._answer(OVERLOADED if owner.unavailable else owner.bulk(body))

            def _answer(self, value):
                text = json.dumps(value).encode()
                with contextlib.suppress(OSError):
                    self.send_response(UNAVAILABLE if owner.unavailable else 200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(b"" if self.command == "HEAD" else text)
        return Handler
