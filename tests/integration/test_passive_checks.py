# SPDX-License-Identifier: BSD-2-Clause
"""The passive checks of doc/begin.md: what they write for Nagios, and what they post to Icinga 2, which are not here."""

import base64
import http.server
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import threading

import pytest
from lab import pages
from lab.gateway import IBTRAPCTL, Gateway, section
from lab.processes import wait_until

HOST = socket.gethostname()


@pytest.fixture
def gateway(fabric):
    """A gateway on a machine without an adapter: the verdict is not OK."""
    gateway = fabric.keep(Gateway(fabric, preload=False, more=section("file", "file", path=fabric.directory / "events")))
    gateway.wait_status(lambda _: True, "ibtrapd to run")
    return gateway


def run(gateway, words, changes):
    """Runs a script of the page, with ibtrapctl as it would be installed."""
    programs = gateway.directory / "bin"
    programs.mkdir(exist_ok=True)
    ctl = programs / "ibtrapctl"
    ctl.write_text(f'#!/bin/sh\nexec {IBTRAPCTL} --socket {shlex.quote(str(gateway.socket))} "$@"\n')
    ctl.chmod(0o755)
    script = pages.adapted(pages.block("begin", "sh", words), changes)
    subprocess.run(["sh", "-c", script], check=True, timeout=300, env=os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"})


def said(gateway):
    done = gateway.control("health", check=False)
    return done.returncode, done.stdout.strip()


def words_of(line):
    """Without the values that grow."""
    return re.sub(r"\d+", "N", line)


def steady(gateway, act):
    """Acts until the verdict is the same before and after it, and returns the verdict: the port may open meanwhile."""
    def same():
        before = said(gateway)
        act()
        after = said(gateway)
        return (before[0], words_of(before[1])) == (after[0], words_of(after[1])) and after
    return wait_until(same, "the same verdict twice")


@pytest.mark.parametrize("runs", [True, False])
def test_nagios_gets_an_external_command(gateway, runs):
    """[time] PROCESS_SERVICE_CHECK_RESULT;host;service;return code;output, in one line."""
    if not runs:
        gateway.stop()
    commands = gateway.directory / "nagios.cmd"

    def check():
        commands.write_text("")
        run(gateway, "PROCESS_SERVICE_CHECK_RESULT", {"/var/lib/nagios4/rw/nagios.cmd": commands})
    status, output = steady(gateway, check)
    [line] = commands.read_text().splitlines()
    found = re.fullmatch(r"\[(\d{10})\] PROCESS_SERVICE_CHECK_RESULT;([^;]+);([^;]+);([0-3]);(.+)", line)
    assert found.group(2, 3) == (HOST, "ibtrapd")
    assert (int(found[4]), words_of(found[5])) == (status, words_of(output))
    assert output.startswith("gateway ") and (status == 2 or runs)


def test_nothing_is_left_in_the_place_of_a_nagios_that_does_not_run(gateway):
    """Its pipe is gone while it is stopped: a file there would take the results, and nobody would read them."""
    commands = gateway.directory / "nagios.cmd"
    with pytest.raises(subprocess.CalledProcessError):
        run(gateway, "PROCESS_SERVICE_CHECK_RESULT", {"/var/lib/nagios4/rw/nagios.cmd": commands})
    assert not commands.exists()


class Icinga:
    """Takes what is posted."""

    def __enter__(self):
        owner, self.posted = self, []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                owner.posted.append((self.path, dict(self.headers), json.loads(body)))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl")
@pytest.mark.parametrize("runs", [True, False])
def test_icinga_gets_the_action(gateway, runs):
    if not runs:
        gateway.stop()
    netrc = gateway.directory / "netrc"
    netrc.write_text("machine 127.0.0.1 login gateway password secret\n")
    with Icinga() as icinga:
        def check():
            icinga.posted.clear()
            run(gateway, "process-check-result", {"https://icinga.example.org:5665": icinga.address,
                                                  "/etc/ibtrapd/icinga.netrc": netrc, "--cacert /etc/ibtrapd/icinga-ca.pem ": ""})
        status, output = steady(gateway, check)
    [(path, headers, action)] = icinga.posted
    line, _, values = output.partition(" | ")
    assert path == "/v1/actions/process-check-result" and headers["Accept"] == "application/json"
    assert base64.b64decode(headers["Authorization"].split()[1]) == b"gateway:secret"
    assert (action["type"], action["filter_vars"]) == ("Service", {"name": HOST})
    assert action["filter"] == 'host.name == name && service.name == "ibtrapd"'
    assert (action["exit_status"], words_of(action["plugin_output"])) == (status, words_of(line))
    assert [words_of(one) for one in action["performance_data"]] == words_of(values).split()
