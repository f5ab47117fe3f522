# SPDX-License-Identifier: BSD-2-Clause
"""The name of the fabric in the outputs: the default, and the name of the configuration. Almost all subnets have one prefix."""

import json
import shutil
import urllib.request

import pytest
from lab.gateway import check_config, section
from lab.kafka import BROKER, MockCluster, consume
from lab.processes import wait_until
from lab.sockets import free_port

NAME = "halle-2"
FORMATS = {"json": lambda event: event["fabric"], "ecs": lambda event: event["ibtrapd"]["fabric"],
           "cloudevents": lambda event: event["source"].split("/ibtrapd/")[1]}


@pytest.mark.skipif(not BROKER.exists() or not shutil.which("kcat"), reason="built without librdkafka")
def test_the_name_is_in_every_output(open_site, fabric):
    cluster, port = fabric.keep(MockCluster()), free_port()
    more = "".join(section("kafka", one, brokers=cluster.brokers, topic="ib-{fabric}-" + one, format=one) for one in FORMATS)
    more += section("metrics", listen=f"127.0.0.1:{port}", page=True)
    site = open_site(more=more)
    site.gateway.wait_subscribed()
    assert site.gateway.status()["fabric_name"] == "monitor"  # the host's
    site.gateway.config.write_text(site.gateway.config.read_text().replace("fabric {", f'fabric {{ name = "{NAME}"', 1))
    site.gateway.kill()
    site.gateway.start()
    site.gateway.wait_subscribed()
    site.gateway.control("test", "link-down")
    assert site.syslog.wait_for(lambda one: one.message_id == "link-down", "the message")[0].data["fabric"] == NAME
    site.traps.wait_for(lambda one: one.varbinds[-1].value == NAME.encode(), "the notification")
    for one, name in FORMATS.items():
        found = wait_until(lambda one=one: [m for m in consume(cluster.brokers, f"ib-{NAME}-{one}")
                                            if "link-down" in json.dumps(m["headers"])], f"the event as {one}", interval=0.5)
        assert name(found[0]["value"]) == NAME and found[0]["key"].startswith(NAME + " ")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        assert f'fabric="{NAME}"' in answer.read().decode()
    assert site.gateway.status()["fabric_name"] == NAME


@pytest.mark.parametrize("name", ["a/b", "a b", "", 'a\\"b', "halle-2/", "{fabric}", "n\u00e4he", 64 * "x", 10240 * "x"])
def test_names_that_are_none(tmp_path, name):
    status, output = check_config(section("fabric", name="NAME").replace("NAME", name), tmp_path)
    assert (status, "item 'name'" in output) == (1, True) or (not name and status == 0), output[:500]
