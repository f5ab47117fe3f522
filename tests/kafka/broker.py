# SPDX-License-Identifier: BSD-2-Clause
"""Apache Kafka, 0.9.0.1 or a later one, and its ZooKeeper on the loopback."""

import os
import pathlib
import signal
import subprocess

from lab.processes import Process, wait_until
from lab.sockets import free_port

HOME = pathlib.Path(os.environ.get("IBTRAPD_KAFKA", ""))  # has libs/ and config/; see run.sh
ZOOKEEPER, KAFKA = "org.apache.zookeeper.server.quorum.QuorumPeerMain", "kafka.Kafka"
OLD = any(HOME.glob("libs/kafka_*-0.9.*.jar"))
SETTINGS = ["api.version.request=false", "broker.version.fallback=0.9.0.1"] if OLD else []  # of librdkafka
SCRAM, MECHANISMS = "org.apache.kafka.common.security.scram.ScramLoginModule", ("SCRAM-SHA-256", "SCRAM-SHA-512")


STORE_PASSWORD = "for java"


def _tls_items(directory, certificate, clients):
    keys, trusted = directory / "keys.p12", directory / "trusted.p12"
    subprocess.run(["openssl", "pkcs12", "-export", "-in", certificate.cert, "-inkey", certificate.key, "-out", keys,
                    "-passout", f"pass:{STORE_PASSWORD}"], check=True, capture_output=True)
    subprocess.run(["keytool", "-importcert", "-noprompt", "-alias", "clients", "-file", clients.file, "-keystore", trusted,
                    "-storetype", "PKCS12", "-storepass", STORE_PASSWORD], check=True, capture_output=True)
    stores = {"keystore": keys, "truststore": trusted}
    return ({f"ssl.{name}.location": path for name, path in stores.items()}
            | {f"ssl.{name}.type": "PKCS12" for name in stores}
            | {f"ssl.{name}.password": STORE_PASSWORD for name in stores}
            | {"ssl.key.password": STORE_PASSWORD, "ssl.client.auth": "required"})


def _sasl_items():
    prefix = "listener.name.sasl_plaintext"
    return {"sasl.enabled.mechanisms": ",".join(MECHANISMS)} | {
        f"{prefix}.{mechanism.lower()}.sasl.jaas.config": f"{SCRAM} required;" for mechanism in MECHANISMS}


class Broker:
    """One broker. It keeps its port and its messages over kill() and start(). It is a context manager.

    tls: the broker's certificate, and the authority of its clients, who need one; then `secure` is a second address.
    sasl: `guarded` is a further address, which wants a password (add_user)."""

    def __init__(self, directory, partitions=4, tls=None, sasl=False, **items):
        self._directory = directory
        self.zookeeper_port, self.port = free_port(), free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.secure = f"127.0.0.1:{free_port()}" if tls else None
        self.guarded = f"127.0.0.1:{free_port()}" if sasl else None
        self._zookeeper = self._kafka = None
        (directory / "zookeeper.properties").write_text(
            f"dataDir={directory}/zookeeper\nclientPort={self.zookeeper_port}\nclientPortAddress=127.0.0.1\n")
        more = {"num.partitions": partitions, "offsets.topic.replication.factor": 1,
                "zookeeper.session.timeout.ms": 2000} | items
        more |= _tls_items(directory, *tls) if tls else {}
        more |= _sasl_items() if sasl else {}
        second = f",SSL://{self.secure}" if tls else ""
        second += f",SASL_PLAINTEXT://{self.guarded}" if sasl else ""
        (directory / "server.properties").write_text(
            f"broker.id=0\nlisteners=PLAINTEXT://{self.address}{second}\nlog.dirs={directory}/messages\n"
            f"zookeeper.connect=127.0.0.1:{self.zookeeper_port}\n"
            + "".join(f"{name}={value}\n" for name, value in more.items()))

    def _run(self, name, main, properties):
        log = self._directory / f"{name}.log"
        log.unlink(missing_ok=True)
        # The programs' own log is their output.
        return Process(name, [*self._java(), main, properties], log=log, cwd=self._directory)

    def _java(self):
        return ["java", "-Xmx400m", "-cp", f"{HOME}/libs/*", f"-Dkafka.logs.dir={self._directory}",
                "-Dzookeeper.admin.enableServer=false", f"-Dlog4j.configuration=file:{HOME}/config/log4j.properties"]

    def run(self, program, *arguments):
        """One of Kafka's own programs."""
        subprocess.run([*self._java(), program, *arguments], check=True, capture_output=True)

    def add_user(self, name, password):
        config = ",".join(f"{mechanism}=[password={password}]" for mechanism in MECHANISMS)
        subprocess.run([*self._java(), "kafka.admin.ConfigCommand", "--zookeeper", f"127.0.0.1:{self.zookeeper_port}",
                        "--alter", "--add-config", config, "--entity-type", "users", "--entity-name", name],
                       check=True, capture_output=True)

    def start(self, patience=60):
        """Starts it, again and again while ZooKeeper still believes in the one that was killed. A broker that was killed
        reads the messages of some minutes again."""
        self._kafka = self._run("kafka", KAFKA, "server.properties")

        def started():
            if not self._kafka.running:
                self._kafka = self._run("kafka", KAFKA, "server.properties")
            return "started (kafka.server.KafkaServer)" in self._kafka.log_text()

        wait_until(started, "Kafka to run", patience, interval=0.5)

    @property
    def pid(self):
        return self._kafka.pid if self._kafka.running else None

    def kill(self):
        self._kafka.kill()

    def freeze(self, frozen):
        """Stops it as it is, without a word to its clients, or lets it go on."""
        os.kill(self._kafka.pid, signal.SIGSTOP if frozen else signal.SIGCONT)

    def __enter__(self):
        self._zookeeper = self._run("zookeeper", ZOOKEEPER, "zookeeper.properties")
        wait_until(lambda: self._zookeeper.check() and "binding to port" in self._zookeeper.log_text(),
                   "ZooKeeper to run", 60)
        self.start()
        return self

    def __exit__(self, *_):
        self._kafka.kill()
        self._zookeeper.kill()
