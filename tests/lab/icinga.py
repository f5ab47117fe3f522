# SPDX-License-Identifier: BSD-2-Clause
"""Icinga 2 of Debian with its API, and the configuration that ibtrapd has for it."""

import json
import shutil
import ssl
import subprocess
import urllib.request

from lab.processes import Process, wait_until
from lab.sockets import free_port

PROGRAM = shutil.which("icinga2")


class Icinga:
    """`config`: a file to include, with the user of the API."""

    def __init__(self, directory, config, user, password):
        self.directory, self.config = directory, config
        self.port = free_port()
        self.url = f"https://localhost:{self.port}"
        self.ca = directory / "data/certs/ca.crt"
        self._user = user, password

    def __enter__(self):
        for name in "data/certs", "run", "log", "cache", "spool":
            (self.directory / name).mkdir(parents=True)
        certificate = self.directory / "data/certs/lab.crt"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", certificate.with_suffix(".key"), "-out",
                        certificate, "-subj", "/CN=lab", "-addext", "subjectAltName=DNS:localhost", "-days", "2"],
                       check=True, capture_output=True)
        shutil.copy(certificate, self.ca)
        main = self.directory / "icinga2.conf"
        main.write_text(f"""const NodeName = "lab"
include <itl>
object Endpoint NodeName {{ }}
object Zone "lab" {{ endpoints = [ NodeName ] }}
object ApiListener "api" {{
  bind_host = "127.0.0.1"
  bind_port = {self.port}
}}
include "{self.config}"
""")
        folders = {"DataDir": "data", "LogDir": "log", "CacheDir": "cache", "SpoolDir": "spool", "InitRunDir": "run"}
        self.process = Process("icinga2", [
            PROGRAM, "daemon", "-c", main, "-DRunAsUser=root", "-DRunAsGroup=root",
            *(f"-D{name}={self.directory / folder}" for name, folder in folders.items())],
            log=self.directory / "icinga2.out", cwd=self.directory)
        self.process.wait_ready(self._answers, "Icinga to answer")
        return self

    def __exit__(self, *_):
        self.process.kill()

    def _answers(self):
        try:
            return self.services() is not None
        except OSError:
            return False

    def services(self):
        """The attributes of each service, by name."""
        passwords = urllib.request.HTTPPasswordMgrWithPriorAuth()
        passwords.add_password(None, self.url, *self._user, is_authenticated=True)
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPBasicAuthHandler(passwords),
            urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=self.ca)))
        with opener.open(urllib.request.Request(self.url + "/v1/objects/services", headers={"Accept": "application/json"}),
                         timeout=10) as answer:
            return {one["attrs"]["__name"]: one["attrs"] for one in json.load(answer)["results"]}

    def wait_services(self, condition, what):
        return wait_until(lambda: self.process.check() and condition(self.services()), what, interval=0.5)
