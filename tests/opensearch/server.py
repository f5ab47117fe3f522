# SPDX-License-Identifier: BSD-2-Clause
"""OpenSearch 2.5.0 on the loopback."""

import json
import os
import pathlib
import shutil
import tempfile
import urllib.error
import urllib.request

from lab.processes import LabError, Process, wait_until
from lab.sockets import free_port

HOME = pathlib.Path(os.environ.get("IBTRAPD_OPENSEARCH", "/nonexistent"))  # see run.sh
PATIENCE = 120
JVM_OPTIONS = "-Xms400m\n-Xmx400m\n18-:-Djava.security.manager=allow\n"  # without a log in its own directory


class OpenSearch:
    """One node. It keeps its port and its documents over kill() and start(). It is a context manager."""

    def __init__(self):
        self.port, self._transport = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process = None
        # It refuses to run as root, and the user `nobody` has to get in.
        self._directory = pathlib.Path(tempfile.mkdtemp(prefix="ibtrapd-opensearch-"))
        shutil.copytree(HOME / "config", self._directory / "config")
        (self._directory / "config/jvm.options").write_text(JVM_OPTIONS)
        if os.getuid() == 0:
            for path in [self._directory, *self._directory.rglob("*")]:
                shutil.chown(path, "nobody", "nogroup")

    def start(self):
        """Starts it and waits until it answers."""
        java = pathlib.Path(shutil.which("java")).resolve().parents[1]
        other_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else []
        self._process = Process(
            "opensearch",
            [*other_user, HOME / "bin/opensearch", "-Ediscovery.type=single-node", "-Enetwork.host=127.0.0.1",
             f"-Ehttp.port={self.port}", f"-Etransport.port={self._transport}", f"-Epath.data={self._directory}/data",
             f"-Epath.logs={self._directory}/logs"],
            log=self._directory.with_suffix(".log"), cwd=self._directory,
            env={"OPENSEARCH_JAVA_HOME": java, "OPENSEARCH_PATH_CONF": self._directory / "config"})
        wait_until(self._answers, "OpenSearch to answer", PATIENCE, interval=0.5)

    def _answers(self):
        self._process.check()
        try:
            return self.ask("GET", "/_cluster/health")["status"] in ("yellow", "green")
        except OSError:
            return False

    def kill(self):
        """kill -9."""
        self._process.kill()

    def ask(self, method, path, body=None):
        """Its answer, as JSON."""
        request = urllib.request.Request(self.url + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def documents(self, index):
        """{name: document}; empty while there is no such index."""
        try:
            self.ask("POST", f"/{index}/_refresh")
            found = self.ask("POST", f"/{index}/_search", {"size": 10000})["hits"]["hits"]
        except urllib.error.HTTPError as err:
            if err.code != 404:
                raise
            return {}
        return {one["_id"]: one["_source"] for one in found}

    def __enter__(self):
        try:
            self.start()
        except LabError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self._directory)
        self._directory.with_suffix(".log").unlink()
