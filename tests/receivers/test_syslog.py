# SPDX-License-Identifier: BSD-2-Clause
"""Syslog receivers with rsyslogd: every value arrives unchanged, and no confirmed event is lost."""

import json
import re
import socket
import subprocess

import pytest
from lab.processes import DEADLINE, LabError, wait_until
from lab.receivers import syslog_message
from peers import Authority, LateServer, Rsyslogd

MANY = 50_000
CONFIRMED = ["relp", "relp-tls"]
ACKNOWLEDGED = ["tcp", "tls", *CONFIRMED]
SECURE = ["tls", "relp-tls"]
KINDS = ["udp", *ACKNOWLEDGED]

# Original names, and the same after cleaning: control characters are '?', invalid UTF-8 is U+FFFD.
HOSTILE = {
    "plain": (b"switch 7", "switch 7"),
    "utf-8": ("Zürich – 機架 🖧".encode(), "Zürich – 機架 🖧"),
    "quotes": (rb"""a"b'c]d[e\f\n|g=h%i{j}""", r"""a"b'c]d[e\f\n|g=h%i{j}"""),
    "controls": (b"a\nb\tc\x1bd\x7fe", "a?b?c?d?e"),
    "not utf-8": (b"a\xffb\xc3", "a\ufffdb\ufffd"),
    "64 octets": (b"]" * 64, "]" * 64),
}


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"), "ca")


@pytest.fixture(scope="session")
def certificate(authority):
    return authority.issue("collector")


@pytest.fixture(scope="session")
def gateway(authority):
    return authority.issue("gateway")


@pytest.fixture
def peer(tmp_path, authority, certificate, gateway):
    """Starts rsyslogd with some input; its `options` are the options with which send_syslog reaches it."""
    running = []

    def start(kind, **options):
        tls = {"certificate": certificate, "ca": authority.file} if kind in SECURE else {}
        rsyslogd = Rsyslogd(tmp_path, kind, **{**tls, **options}).__enter__()
        rsyslogd.options = {"transport": kind, "port": rsyslogd.port}
        if kind in SECURE:
            rsyslogd.options["ca"] = authority.file
        if kind == "relp-tls":
            rsyslogd.options |= {"cert": gateway.cert, "key": gateway.key}
        running.append(rsyslogd)
        return rsyslogd

    yield start
    for rsyslogd in running:
        rsyslogd.__exit__()


def wait_lines(rsyslogd, count, timeout=DEADLINE):
    wait_until(lambda: len(rsyslogd.poll()) >= count, f"{count} messages", timeout)
    return rsyslogd.items


NUMBER = re.compile(r"01990000-0000-7000-8000-(\d{12})")


def numbers(lines):
    return [int(NUMBER.search(line)[1]) for line in lines]


def lines_of_stdout(sender, **options):
    process = sender(_stdout=subprocess.PIPE, transport="stdout", **options)
    output = process.popen.stdout.read().decode()
    assert process.wait() == 0
    return output.splitlines()


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", KINDS)
def test_each_value_arrives_as_it_was_sent(peer, sender, kind, name):
    octets, clean = HOSTILE[name]
    rsyslogd = peer(kind)
    node = octets.decode(errors="surrogateescape")
    process = sender(count=4, node=node, **rsyslogd.options)
    assert process.wait() == 0, process.log_text()
    arrived = [syslog_message(line.encode()) for line in wait_lines(rsyslogd, 4)]
    sent = [json.loads(line) for line in lines_of_stdout(sender, format="json", count=4, node=node)]
    for number, (message, values) in enumerate(zip(arrived, sent, strict=True)):
        assert message.data["subjectName"] == clean
        assert message.text == values.pop("text") == f"Event {number} of {clean}."
        assert message.time == values.pop("time")
        assert message.data == {key: str(value) for key, value in values.items()}
        assert message.elements["origin"]["software"] == "ibtrapd"
        assert message.elements["meta"]["sequenceId"] == str(number + 1)
        assert message.elements["snmp"]["v2"] == "1.3.6.1.6.3.1.1.4.1.0"
    assert arrived[3].elements["alarm"]["resource"] == clean


@pytest.mark.parametrize("format", ["rfc3164", "ecs", "cef", "leef", "json"])
@pytest.mark.parametrize("kind", ["udp", "tcp"])
def test_other_formats_arrive_as_they_were_sent(peer, sender, kind, format):
    rsyslogd = peer(kind)
    node = HOSTILE["quotes"][1]
    assert sender(count=4, node=node, format=format, **rsyslogd.options).wait() == 0
    arrived = wait_lines(rsyslogd, 4)
    for line, bare in zip(arrived, lines_of_stdout(sender, format=format, count=4, node=node), strict=True):
        if format == "rfc3164":
            assert re.match(r"<\d+>Nov 21 03:19:03 \S+ ibtrapd\[\d+\]: Event ", line)
        elif format in ("cef", "leef"):
            assert re.match(rf"<\d+>Nov 21 03:19:03 \S+ {format.upper()}:", line)
        else:
            assert re.match(r"<\d+>1 2026-11-21T03:19:03\.\d{6}Z \S+ ibtrapd \d+ \S+ - \{", line)
        assert without_process(line).endswith(without_process(bare))


@pytest.mark.parametrize("format", ["rfc5424", "rfc3164", "ecs", "cef", "leef"])
@pytest.mark.parametrize("framing", ["octet-counting", "lines"])
def test_each_frame_is_one_message(sender, framing, format):
    """The framing of the octets: LENGTH and a blank before each message (RFC 6587 3.4.1), or a line feed after it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        process = sender(count=4, node=HOSTILE["controls"][1], transport="tcp", port=listener.getsockname()[1],
                         framing=framing, format=format)
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(DEADLINE)
            octets = b"".join(iter(lambda: connection.recv(65536), b""))
        assert process.wait() == 0, process.errors
    messages = list(counted(octets)) if framing == "octet-counting" else octets.decode().split("\n")
    if framing == "lines":
        assert messages.pop() == ""
    assert len(messages) == 4
    for number, one in enumerate(messages):
        assert re.match(r"<\d+>", one) and f"Event {number} of " in one
        assert one.replace("\t", "").isprintable()  # LEEF has tabs


def counted(octets):
    while octets:
        length, octets = octets.split(b" ", 1)
        yield octets[:int(length)].decode()
        octets = octets[int(length):]


def without_process(line):
    return re.sub(r'(dvcpid=|"procid":"|ibtrapd\[|ibtrapd )\d+', r"\1", line)


@pytest.mark.parametrize("kind", ACKNOWLEDGED)
def test_many_arrive_in_order(peer, sender, kind, record_property):
    rsyslogd = peer(kind)
    process = sender(count=MANY, **rsyslogd.options)
    assert process.wait(timeout=300) == 0, process.errors
    record_property("seconds", process.seconds)
    assert numbers(wait_lines(rsyslogd, MANY)) == list(range(MANY))
    assert process.errors == []


def check_at_least_once(arrived, count):
    """Checks that every event arrived, and that first arrivals are in order."""
    highest = -1
    for number in arrived:
        assert number <= highest + 1
        highest = max(highest, number)
    assert highest == count - 1


@pytest.mark.parametrize("kind", CONFIRMED)
def test_confirmed_events_survive_the_kill_of_the_receiver(peer, sender, kind):
    rsyslogd = peer(kind)
    process = sender(count=MANY, **rsyslogd.options)
    for part in (1, 2, 3):
        wait_until(lambda: process.acknowledged > part * MANY // 5, "some to be acknowledged")
        acknowledged = process.acknowledged
        rsyslogd.kill()
        assert set(numbers(rsyslogd.poll())) >= set(range(acknowledged))
        rsyslogd.__enter__()
    assert process.wait(timeout=300) == 0, process.errors
    check_at_least_once(numbers(wait_lines(rsyslogd, MANY)), MANY)
    assert process.errors


@pytest.mark.parametrize("kind", ["tcp", "tls"])
def test_a_killed_receiver_gets_again_what_its_tcp_had_not(peer, sender, kind):
    """Only the messages that the killed program's TCP had accepted, and the program had not read, are lost."""
    rsyslogd = peer(kind)
    process = sender(count=MANY, pause=20, **rsyslogd.options)
    wait_until(lambda: process.acknowledged > MANY // 5, "some to be acknowledged")
    rsyslogd.kill()
    before = numbers(rsyslogd.poll())
    wait_until(lambda: process.errors, "the sender to notice")
    acknowledged = process.acknowledged
    rsyslogd.__enter__()
    assert process.wait(timeout=300) == 0, process.errors
    wait_until(lambda: numbers(rsyslogd.poll())[-1] == MANY - 1, "the last message")
    after = numbers(rsyslogd.items)[len(before):]
    assert before == list(range(len(before)))
    assert after == list(range(after[0], MANY))
    assert after[0] == acknowledged


@pytest.mark.parametrize("kind", ACKNOWLEDGED)
def test_a_receiver_that_comes_later_gets_all(peer, sender, kind):
    rsyslogd = peer(kind)
    rsyslogd.kill()
    process = sender(count=1000, **rsyslogd.options)
    wait_until(lambda: process.errors, "an error")
    assert "127.0.0.1 port" in process.errors[0]
    assert process.acknowledged == 0
    rsyslogd.__enter__()
    assert process.wait() == 0, process.errors
    assert numbers(wait_lines(rsyslogd, 1000)) == list(range(1000))


@pytest.mark.parametrize("kind", ACKNOWLEDGED)
def test_a_single_event_is_acknowledged(peer, sender, kind):
    rsyslogd = peer(kind)
    process = sender(count=1, **rsyslogd.options)
    assert process.wait() == 0, process.errors
    assert numbers(wait_lines(rsyslogd, 1)) == [0]


# TLS: which receivers are accepted.


def refused(sender, deadline=2, **options):
    process = sender(count=1, deadline=deadline, **options)
    assert process.wait() == 1
    assert process.acknowledged == 0
    return process.errors[0]


@pytest.mark.parametrize("kind", SECURE)
def test_tls_refuses_a_wrong_name(peer, sender, kind):
    rsyslogd = peer(kind)
    error = refused(sender, name="collector.example", **rsyslogd.options)
    assert error == f"127.0.0.1 port {rsyslogd.port}: its certificate is not for 'collector.example'"
    assert refused(sender, name="127.0.0.2", **rsyslogd.options).endswith("its certificate is not for '127.0.0.2'")
    assert sender(count=1, name="localhost", **rsyslogd.options).wait() == 0


def test_tls_refuses_an_unknown_authority(peer, sender, tmp_path):
    rsyslogd = peer("tls")
    other = Authority(tmp_path, "other")
    error = refused(sender, **{**rsyslogd.options, "ca": other.file})
    assert re.search("its certificate is not valid: (self-signed certificate in|unable to get local issuer)", error)
    del rsyslogd.options["ca"]
    assert "its certificate is not valid" in refused(sender, **rsyslogd.options)


def test_tls_refuses_an_expired_certificate(peer, sender, authority):
    rsyslogd = peer("tls", certificate=authority.issue("expired", expired=True))
    assert "its certificate is not valid: certificate has expired" in refused(sender, **rsyslogd.options)


@pytest.mark.parametrize("kind", SECURE)
def test_tls_refuses_a_revoked_certificate(peer, sender, tmp_path, gateway, authority, kind):
    """The collector's certificate is good until its authority's list names it, and bad without a list of today."""
    own = Authority(tmp_path, "own")
    certificate = own.issue("revoked")
    rsyslogd = peer(kind, certificate=certificate, **({} if kind == "tls" else {"ca": authority.file}))
    options = rsyslogd.options | {"ca": own.file}
    assert sender(count=1, **options, crl=own.revoke()).wait() == 0
    assert sender(count=1, **options).wait() == 0
    assert "not valid: CRL has expired" in refused(sender, **options, crl=own.revoke(expired=True))
    assert "not valid: unable to get certificate CRL" in refused(sender, **options, crl=authority.revoke())
    assert "not valid: certificate revoked" in refused(sender, **options, crl=own.revoke(certificate))
    assert "cannot load the revocation lists in " in refused(sender, **options, crl=own.file)
    assert "cannot load the revocation lists: cannot open " in refused(sender, **options, crl="/nonexistent/list")


def test_tls_names_a_missing_file(peer, sender):
    rsyslogd = peer("tls")
    error = refused(sender, **{**rsyslogd.options, "ca": "/nonexistent/ca.pem"})
    assert "cannot load the certificate authorities: cannot open '/nonexistent/ca.pem': " in error
    assert "No such file" in error


def test_tls_with_a_certificate_of_our_own(peer, sender, gateway):
    rsyslogd = peer("tls", auth="x509/certvalid")
    assert sender(count=10, cert=gateway.cert, key=gateway.key, **rsyslogd.options).wait() == 0
    assert numbers(wait_lines(rsyslogd, 10)) == list(range(10))


def test_tls_with_a_key_that_others_can_read(peer, sender, gateway, tmp_path):
    rsyslogd = peer("tls", auth="x509/certvalid")
    key = tmp_path / "open.key"
    key.write_bytes(gateway.key.read_bytes())
    key.chmod(0o644)
    error = refused(sender, cert=gateway.cert, key=key, **rsyslogd.options)
    assert error.endswith(f": cannot load the key: '{key}' can be accessed by others (mode 0644): run chmod 600 on it")
    assert rsyslogd.poll() == []


def test_tls_with_a_key_behind_a_password_asks_nobody(peer, sender, gateway, tmp_path):
    rsyslogd = peer("tls", auth="x509/certvalid")
    key = tmp_path / "locked.key"
    subprocess.run(["openssl", "rsa", "-aes256", "-passout", "pass:secret", "-in", gateway.key, "-out", key],
                   check=True, capture_output=True)
    key.chmod(0o600)
    assert f"cannot load the key in {key}: " in refused(sender, cert=gateway.cert, key=key, **rsyslogd.options)


def test_tls_without_the_certificate_that_is_asked_for(peer, sender):
    rsyslogd = peer("tls", auth="x509/certvalid")
    refused(sender, **rsyslogd.options)
    assert rsyslogd.poll() == []


@pytest.mark.parametrize("tickets", [2, 0])
def test_tls_with_a_certificate_that_is_refused_late(sender, authority, certificate, tmp_path, tickets):
    stranger = Authority(tmp_path, "strangers").issue("stranger")
    with LateServer(certificate, authority.file, tickets) as collector:
        options = {"transport": "tls", "port": collector.port, "ca": authority.file}
        assert "alert unknown ca" in refused(sender, deadline=5, cert=stranger.cert, key=stranger.key, **options)


@pytest.mark.parametrize("tickets", [2, 0])
def test_tls_with_a_certificate_that_is_accepted_late(sender, authority, certificate, gateway, tickets):
    with LateServer(certificate, authority.file, tickets) as collector:
        options = {"transport": "tls", "port": collector.port, "ca": authority.file}
        process = sender(count=10, cert=gateway.cert, key=gateway.key, **options)
        assert process.wait() == 0 and process.errors == []
        wait_until(lambda: NUMBER.findall(collector.received.decode())[9:], "ten messages")


def test_plain_tcp_to_a_tls_receiver_is_no_receipt(peer, sender):
    rsyslogd = peer("tls")
    refused(sender, transport="tcp", port=rsyslogd.port)
    assert rsyslogd.poll() == []


def test_unresolvable_host(sender):
    for kind in KINDS:
        process = sender(transport=kind, host="no.such.host.invalid", count=1, deadline=1)
        assert process.wait() == 1
        assert "cannot resolve 'no.such.host.invalid'" in process.errors[0]


def test_local_socket_without_a_logger(sender, tmp_path):
    error = refused(sender, deadline=1, transport="local", path=tmp_path / "log")
    assert error == f"cannot reach the syslog socket {tmp_path}/log: No such file or directory; is a syslog daemon running?"


def test_standard_output_that_nobody_reads(sender):
    process = sender(_stdout=subprocess.PIPE, transport="stdout", count=1000, deadline=6)
    with pytest.raises(LabError):
        process.wait(timeout=3)
    assert process.wait() == 1
    assert process.errors == ["cannot write to standard output: Connection timed out"]
    assert 0 < process.acknowledged < 1000
