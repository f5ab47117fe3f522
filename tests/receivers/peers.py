# SPDX-License-Identifier: BSD-2-Clause
"""rsyslogd with one input, a slow TLS server, and certificates for TLS."""

import contextlib
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import threading
import time

from lab.processes import Process
from lab.receivers import File, listening
from lab.sockets import free_port

INPUTS = {
    "udp": 'module(load="imudp")\ninput(type="imudp" address="127.0.0.1" port="{port}" ruleset="all")',
    "tcp": 'module(load="imtcp" maxSessions="100")\n'
           'input(type="imtcp" address="127.0.0.1" port="{port}" ruleset="all")',
    "tls": 'module(load="imtcp" StreamDriver.Name="ossl" StreamDriver.Mode="1" StreamDriver.AuthMode="{auth}")\n'
           'input(type="imtcp" address="127.0.0.1" port="{port}" ruleset="all")',
    "relp": 'module(load="imrelp" ruleset="all")\ninput(type="imrelp" address="127.0.0.1" port="{port}")',
    "relp-tls": 'module(load="imrelp" ruleset="all" tls.tlslib="openssl")\n'
                'input(type="imrelp" address="127.0.0.1" port="{port}" tls="on" tls.caCert="{ca}" tls.myCert="{cert}"'
                ' tls.myPrivKey="{key}" tls.authMode="certvalid")',
}

# rsyslogd writes a message to the file before it accepts the next, and before RELP confirms it.
CONFIG = """\
global(workDirectory="{work}" maxMessageSize="16k" parser.escapeControlCharactersOnReceive="off"{drivers})
template(name="asReceived" type="string" string="%rawmsg%\\n")
ruleset(name="all" queue.type="Direct") {{
    action(type="omfile" file="{path}" template="asReceived" asyncWriting="off" flushOnTXEnd="on")
}}
{input}
"""


def accepting(port):
    """Whether some program listens at a TCP port."""
    table = pathlib.Path("/proc/net/tcp").read_text()
    return re.search(rf":{port:04X} 00000000:0000 0A ", table) is not None


class Rsyslogd(File):
    """rsyslogd with one input; its messages are unchanged. It can be killed and started again."""

    def __init__(self, directory, kind, certificate=None, ca=None, auth="anon"):
        super().__init__()
        self.kind = kind
        self.port = free_port()
        self._work = pathlib.Path(directory) / f"rsyslogd-{self.port}"
        self._work.mkdir()
        self.path = self._work / "messages"
        drivers = ""
        if certificate:
            drivers = (f' DefaultNetstreamDriverCAFile="{ca}" DefaultNetstreamDriverCertFile="{certificate.cert}"'
                       f' DefaultNetstreamDriverKeyFile="{certificate.key}"')
        self._config = self._work / "rsyslog.conf"
        self._config.write_text(CONFIG.format(
            work=self._work, path=self.path, drivers=drivers,
            input=INPUTS[kind].format(port=self.port, auth=auth, ca=ca, cert=certificate and certificate.cert,
                                      key=certificate and certificate.key)))
        self._process = None

    def __enter__(self):
        (self._work / "pid").unlink(missing_ok=True)
        self._process = Process("rsyslogd", ["/usr/sbin/rsyslogd", "-n", "-f", self._config, "-i", self._work / "pid"],
                                log=self._work / "log", cwd=self._work)
        check = listening if self.kind == "udp" else accepting
        self._process.wait_ready(lambda: check(self.port), "rsyslogd to listen")
        return self

    def __exit__(self, *_):
        self._process.stop()

    def kill(self):
        self._process.stop(signal.SIGKILL)

    def decode(self, entry):
        return entry


class LateServer:
    """A TLS 1.3 server that verifies certificates late, and then sends that many session tickets."""

    DELAY = 0.4  # seconds; more than either receiver waits for other reasons

    def __init__(self, certificate, ca, tickets):
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.minimum_version = ssl.TLSVersion.TLSv1_3
        self._context.verify_mode = ssl.CERT_REQUIRED
        self._context.num_tickets = tickets
        self._context.load_cert_chain(certificate.cert, certificate.key)
        self._context.load_verify_locations(ca)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.received = b""

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.close()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # closed
                return
            with connection, contextlib.suppress(OSError):  # the client may have closed the connection
                self._talk(connection)

    def _talk(self, connection):
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = self._context.wrap_bio(incoming, outgoing, server_side=True)
        agreed = refused = False
        while not refused and (octets := connection.recv(65536)):
            incoming.write(octets)
            try:
                if not agreed:
                    tls.do_handshake()
                    agreed = True
                    time.sleep(self.DELAY)
                while True:
                    self.received += tls.read()
            except ssl.SSLWantReadError:
                pass
            except ssl.SSLError:
                refused = True
                time.sleep(self.DELAY)
            connection.sendall(outgoing.read())


class Certificate:
    def __init__(self, directory, name):
        self.key, self.cert = directory / f"{name}.key", directory / f"{name}.pem"

    @property
    def fingerprint(self):
        done = subprocess.run(["openssl", "x509", "-in", self.cert, "-noout", "-fingerprint", "-sha256"],
                              check=True, capture_output=True, text=True)
        return done.stdout.strip().split("=")[1]


# The configuration of `openssl ca`, the only command that accepts the dates in every version of OpenSSL.
AUTHORITY = """\
[ca]
default_ca = own
[own]
database = {index}
new_certs_dir = {directory}
default_md = sha256
rand_serial = yes
unique_subject = no
policy = any
[any]
commonName = supplied
"""
DAY = 86400  # seconds


class Authority:
    """A certificate authority for the test."""

    def __init__(self, directory, name):
        self._directory = pathlib.Path(directory)
        self.own = Certificate(self._directory, name)
        self._config, index = self._directory / f"{name}.conf", self._directory / f"{name}.index"
        self._config.write_text(AUTHORITY.format(index=index, directory=self._directory))
        index.touch()
        _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                 "-keyout", self.own.key, "-out", self.own.cert)

    @property
    def file(self):
        return self.own.cert

    def revoke(self, *certificates, expired=False):
        """A new list of revoked certificates, which names these; it is valid until tomorrow, or has expired."""
        for one in certificates:
            self._ca("-revoke", one.cert)
        made, now = self._directory / f"{self.own.cert.stem}.crl", time.time()
        self._ca("-gencrl", "-crl_lastupdate", _date(now - DAY), "-crl_nextupdate",
                 _date(now - 3600 if expired else now + DAY), "-out", made)
        return made

    def _ca(self, *arguments):
        _openssl("ca", "-batch", "-config", self._config, "-cert", self.own.cert, "-keyfile", self.own.key, *arguments)

    def issue(self, name, subject="DNS:localhost,IP:127.0.0.1", expired=False):
        """A certificate for some names, valid from yesterday until tomorrow; or it has expired an hour ago."""
        made = Certificate(self._directory, name)
        request, extensions = self._directory / f"{name}.csr", self._directory / f"{name}.ext"
        extensions.write_text(f"subjectAltName={subject}\n")
        _openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", made.key, "-out", request)
        now = time.time()
        self._ca("-notext", "-startdate", _date(now - DAY), "-enddate", _date(now - 3600 if expired else now + DAY),
                 "-in", request, "-extfile", extensions, "-out", made.cert)
        return made


def _date(seconds):
    return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(seconds))


def _openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
