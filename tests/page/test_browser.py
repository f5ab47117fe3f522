# SPDX-License-Identifier: BSD-2-Clause
"""The page in a real browser: what it shows against what the simulator was told to do.

With IBTRAPD_PICTURES set, the test also writes the pictures of doc/."""

import os
import pathlib
import re
import signal

import pytest
from lab.fabric import Fabric
from lab.fattree import fat_tree
from lab.gateway import Gateway, section
from lab.processes import wait_until
from lab.receivers import SyslogSink
from lab.registers import Firmware
from lab.sockets import free_port
from selenium.webdriver.common.by import By

SWEEP = {"method": "smp", "interval": 3600, "settle": 300}
EVIL = b"<img src=x onerror=alert(1)>\"'</script>&amp;"
DOC = pathlib.Path(__file__).resolve().parents[2] / "doc"


class Site:
    def __init__(self, fabric, syslog, sweep=None, **options):
        self.fabric, self.syslog, self.port = fabric, syslog, free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        self.gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], sweep=SWEEP | (sweep or {}), more=section(
            "metrics", listen=f"127.0.0.1:{self.port}", page=True), **options))
        self.gateway.wait_subscribed()

    def wait_nodes(self, count):
        self.gateway.wait_status(lambda one: one["sweep"]["complete"] and one["sweep"]["nodes"] == count, "a sweep")

    def message(self, event):
        return self.syslog.wait_for(lambda one: one.message_id == event, f"syslog {event}")[0]


@pytest.fixture
def open_site(tmp_path):
    opened = []

    def build(net_text=None, nodes=8, sm=None, **options):
        path, sm = "small", sm or {}
        if net_text:
            path = tmp_path / "made.net"
            path.write_bytes(net_text)
        fabric, syslog = Fabric(path), SyslogSink()
        opened.extend([syslog.__enter__(), fabric.__enter__()])
        fabric.subnet_manager(**sm).wait_master()
        site = Site(fabric, syslog, **options)
        site.wait_nodes(nodes)
        return site

    yield build
    for one in reversed(opened):
        one.__exit__(None, None, None)


def texts(browser, selector):
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent.trim())", selector)


def wait_for(browser, condition, what):
    return wait_until(lambda: condition(browser), what, interval=0.2)


def dark(browser, on):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": "dark" if on else "light"}]})


def at_size(browser, width, height, mobile=False):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})


def picture(browser, name):
    """Writes what the window shows, if asked to."""
    if directory := os.environ.get("IBTRAPD_PICTURES"):
        browser.save_screenshot(str(pathlib.Path(directory) / name))


def no_complaints(browser):
    assert [one for one in browser.get_log("browser") if "favicon" not in one["message"]] == []


def width_is_enough(browser):
    return browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")


def contrast(browser, selector):
    """The least contrast of the texts below elements with their backgrounds (WCAG 2.1, 1.4.3)."""
    return browser.execute_script("""
        const light = (c) => { const v = c.match(/[\\d.]+/g).slice(0, 3).map((x) => { x /= 255;
            return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; });
            return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
        const back = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
            if (!/, 0\\)$|transparent/.test(c)) return c; } return "rgb(255,255,255)"; };
        let least = 99;
        for (const e of document.querySelectorAll(arguments[0])) {
            if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
            const [a, b] = [light(getComputedStyle(e).color), light(back(e))].sort((x, y) => y - x);
            least = Math.min(least, (a + .05) / (b + .05));
        }
        return least;""", selector)


def test_it_shows_what_happened(open_site, browser):
    names = {f"node{leaf}-{host}" for leaf in range(8) for host in range(8)}
    site = open_site(fat_tree(8, 16).encode(), nodes=80, host="node7-7", sm={"host": "node0-0"}, fabric_name="halle-2")
    at_size(browser, 1280, 900)
    browser.get(site.url)
    wait_for(browser, lambda b: len(texts(b, "#map .switch")) == 16, "the map")
    assert texts(browser, "#alarm-count") == ["0"] and texts(browser, "#alarms > li") == []
    drawn = texts(browser, "#map .switch > text:first-of-type")
    assert sorted(drawn) == sorted([f"leaf{i}" for i in range(8)] + [f"spine{i}" for i in range(8)])
    assert sum(int(one.split()[0]) for one in texts(browser, "#map .soft")) == len(names)

    assert texts(browser, "#name") == ["halle-2"]
    assert f"gateway {site.gateway.status()['gateway_name']} (" in texts(browser, "#gateway")[0]
    assert f"halle-2, {site.gateway.status()['gateway_name']} – ibtrapd" in browser.title
    site.fabric.unlink("leaf2", 11)
    site.message("link-down")
    site.fabric.unlink("node3-4")
    site.message("host-removed")
    wait_for(browser, lambda b: len(texts(b, "#alarms > li")) == 2, "the alarms")  # node3-4's link follows
    ends = texts(browser, "#alarms .ends")
    assert any(re.fullmatch(r"leaf2 port 11 ↔ spine2 port 3|spine2 port 3 ↔ leaf2 port 11", one) for one in ends), ends
    assert any("node3-4" in one for one in ends), texts(browser, "#alarms > li")
    wait_for(browser, lambda b: texts(b, "#map path.fault title"), "the fault on the map")
    assert "leaf2 port 11" in texts(browser, "#map path.fault title")[0]
    assert len(texts(browser, "#map .host.absent")) == 1
    wait_for(browser, lambda b: any("went down" in one for one in texts(b, "#events .text")), "the events")
    assert "udp0" in texts(browser, "#receivers strong") and "sent" in texts(browser, "#receivers .soft")[0]
    assert texts(browser, "#subscription-count") == ["17 of 17"]

    site.gateway.control("test", "bad-pkey")  # and it comes by itself
    wait_for(browser, lambda b: any(one.startswith("[test]") for one in texts(b, "#events .text")), "the test event")
    number = browser.find_element(By.CSS_SELECTOR, "#alarms > li").get_attribute("data-number")
    site.gateway.control("alarms", "acknowledge", number, "cable ordered")
    wait_for(browser, lambda b: any("cable ordered" in one for one in texts(b, "#alarms > li")), "the note")

    for is_dark in (False, True):
        dark(browser, is_dark)
        assert contrast(browser, "body *:not(svg *)") >= 4.5
        browser.execute_script("window.scrollTo(0, 0)")
        at_size(browser, 1280, 1500)
        picture(browser, f"page-{'dark' if is_dark else 'light'}.png")
        at_size(browser, 390, 844, mobile=True)
        assert width_is_enough(browser)
        picture(browser, f"page-phone-{'dark' if is_dark else 'light'}.png")
    no_complaints(browser)
    if directory := os.environ.get("IBTRAPD_PICTURES"):
        (pathlib.Path(directory) / "fabric.svg").write_text(site.gateway.control("topology", "--svg").stdout)

    site.gateway.process.popen.send_signal(signal.SIGSTOP)
    try:
        wait_until(lambda: texts(browser, ".verdict .word") == ["No answer"], "the page to notice", 90, interval=0.2)
    finally:
        site.gateway.process.popen.send_signal(signal.SIGCONT)
    wait_for(browser, lambda b: texts(b, ".verdict .word") != ["No answer"], "the page to go on")


def marked(browser):
    """The names of the boxes, and whether a line, that the map marks."""
    return sorted(texts(browser, "#map .node.found > text:first-of-type")), len(texts(browser, "#map path.found"))


def test_three_faults_are_found_at_a_glance(open_site, browser):
    """On a wide screen and on a phone, in what the window shows first."""
    site = open_site(fat_tree(8, 16).encode(), nodes=80, host="node7-7", sm={"host": "node0-0"}, policy="")
    site.fabric.unlink("leaf2")
    site.fabric.unlink("leaf5", 11)
    site.fabric.unlink("node3-4")
    wait_until(lambda: len(site.gateway.listed_alarms()) == 3, "three causes")
    for width, height, mobile in (1280, 900, False), (390, 844, True):
        at_size(browser, width, height, mobile)
        browser.get(site.url)
        wait_for(browser, lambda b: len(texts(b, "#alarms > li")) == 3, "the alarms")
        first = browser.execute_script("""return [...document.querySelectorAll("#verdicts li")]
            .filter((one) => one.getBoundingClientRect().bottom < window.innerHeight).map((one) => one.textContent)""")
        assert "leaf2" in first[0] and "alarms that follow" in first[0]
        assert sorted(first[1:]) == ["error: node3-4, host-removed", [one for one in first if "link-down" in one][0]]
        assert re.search(r"warning: (leaf5 port 11|spine2 port 6) ↔", " ".join(first))
        with_another = browser.execute_script("""const one = {standing: "open", ends: [], severity: "critical", event: "sm-unreachable"};
            return findingsOf({findings: [{sentence: "No subnet manager"}, {sentence: "further alarms: 3"}]}, [one, ...alarms, one])""")
        assert with_another[0] == "No subnet manager" and with_another[-1] == "critical: sm-unreachable" and len(with_another) == 5
        assert with_another[1].startswith("error: leaf2, switch-removed")
        wait_for(browser, lambda b: texts(b, "#map .node.absent.fault > text:first-of-type"), "the culprits")
        assert sorted(texts(browser, "#map .node.fault > text:first-of-type")) == ["leaf2", "node3-4"]
        browser.find_element(By.CSS_SELECTOR, "#alarms li:nth-child(3) .ends a").click()  # a node and port by link
        wait_for(browser, lambda b: texts(b, "#place-name")[0] in ("leaf5 port 11", "spine2 port 6"), "the port")
        assert browser.find_element(By.ID, "place").is_displayed() and len(texts(browser, "#place-alarms > li")) == 1
        assert any("spine2 port 6" in one and "fault" in one for one in texts(browser, "#place-lines li"))
        wait_for(browser, lambda b: any("went down" in one for one in texts(b, "#place-events .text")), "its history")
        wait_for(browser, lambda b: any("down, no link" in one for one in texts(b, "#place-ports li.bad")), "its state")
        browser.get(site.url + "#leaf5")
        browser.refresh()
        wait_for(browser, lambda b: "port 11: down, no link" in texts(b, "#place-ports li.bad"), "its port")
        browser.get(site.url + "#node3-4")
        browser.refresh()
        wait_for(browser, lambda b: texts(b, "#place-alarms > li") and "node3-4" in texts(b, "#place-alarms > li")[0], "a host")
        browser.find_element(By.CSS_SELECTOR, "#place-close").click()
        wait_for(browser, lambda b: not b.find_element(By.ID, "place").is_displayed(), "its end")
        wait_for(browser, lambda b: len(texts(b, "#alarms .small")) == 3, "the cards")
        browser.execute_script("document.querySelectorAll('#alarms .small')[2].click()")
        assert marked(browser) == (["leaf5", "spine2"], 1)
        browser.execute_script("""const one = document.getElementById("find"); one.value = "spine7";
            one.dispatchEvent(new Event("input"));""")
        assert marked(browser) == (["spine7"], 0)
        seen = browser.execute_script("""const a = document.querySelector("#map .found rect").getBoundingClientRect(),
            m = document.getElementById("map").getBoundingClientRect();
            return a.left >= m.left && a.right <= m.right && a.height >= 20""")
        assert seen
    wait_for(browser, lambda b: texts(b, "#events time"), "the events")
    zoned = browser.execute_script("return [...document.querySelectorAll('time')].map((one) => one.textContent)")
    assert zoned and all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", one) for one in zoned)
    wait_for(browser, lambda b: any("consequence" in one for one in texts(b, "#events .suppressed .text")), "what follows, in a line")
    no_complaints(browser)


def test_a_hostile_name_is_only_a_name(open_site, browser):
    text = (pathlib.Path(__file__).parents[1] / "lab/nets/small.net").read_bytes()
    for name in (b"leaf2", b"node2"):
        text = re.sub(rb'(?m)^((?:Hca|Switch)\s+\d+ "' + name + rb'").*$',
                      lambda one: one[1] + b' # "' + EVIL.replace(b'"', b"") + b'"', text)
    site = open_site(text)
    browser.get(site.url)
    wait_for(browser, lambda b: len(texts(b, "#map .switch")) == 2, "the map")
    site.fabric.unlink("leaf2", 3)
    site.message("host-removed")
    shown = EVIL.replace(b'"', b"").decode()
    wait_for(browser, lambda b: any(shown in one for one in texts(b, "#alarms .ends")), "the alarm")
    wait_for(browser, lambda b: any(shown in one for one in texts(b, "#events .text")), "the event")
    assert any(shown in one for one in texts(browser, "#map .switch title"))
    assert browser.find_elements(By.CSS_SELECTOR, "main img, main script") == []
    no_complaints(browser)


def test_a_host_of_several_adapters_is_found(open_site, browser):
    net = (pathlib.Path(__file__).resolve().parents[1] / "lab" / "nets" / "small.net").read_bytes()
    net = net.replace(b'"node1"', b'"gpu17 mlx5_0"').replace(b'"node2"', b'"gpu17 mlx5_1"')
    site = open_site(net)
    browser.get(site.url)
    wait_for(browser, lambda b: texts(b, "#map .switch"), "the map")
    browser.find_element(By.ID, "find").send_keys("gpu17")
    wait_for(browser, lambda b: "A host of this switch" in b.find_element(By.ID, "found").text, "the host")
    for adapter in ("gpu17 mlx5_0", "gpu17 mlx5_1"):
        site.fabric.unlink(adapter)
    wait_for(browser, lambda b: texts(b, "#map .host.absent title"), "the host on the map")
    boxes = texts(browser, "#map .host.absent title")
    assert len(boxes) == 1 and boxes[0].splitlines()[0] == "gpu17" and "gpu17 mlx5_1" in boxes[0]
    no_complaints(browser)


def test_a_place_shows_what_is_plugged_in_and_why_its_link_is_down(open_site, browser, tmp_path):
    net = (pathlib.Path(__file__).resolve().parents[1] / "lab" / "nets" / "small.net").read_bytes()
    for kind in (b"caguid", b"switchguid"):
        net = net.replace(b"\n" + kind + b"=", b"\nvendid=0x2c9\ndevid=0xd2f0\n" + kind + b"=")
    site = open_site(net, registers=tmp_path / "registers", sweep={"vendor_registers": True, "vendor_interval": 1})
    firmware = Firmware(tmp_path / "registers", site.fabric)
    site.gateway.stop()  # leaves devices alone for a day that had no registers when it asked them
    firmware.general_info("leaf1")
    for port in range(1, 13):
        firmware.module("leaf1", port, "NVIDIA", "MFS1S00-H010E", f"MT{port}", celsius=41.5, high=75, received=(812,))
    firmware.board("leaf1", "MT2044X00001", "MQM8790-HS2F", "Jaguar Unmng IB 200")
    firmware.link_down("leaf1", 11, local=23, blame=1)
    site.gateway.start()
    site.wait_nodes(8)
    browser.get(site.url + "#leaf1/11")

    def shows(selector, part):
        wait_for(browser, lambda b: any(part in one for one in texts(b, selector)), part)

    shows("#place-ports li", "; NVIDIA MFS1S00-H010E, serial number MT11, 41.5 degrees, limit 75, receives 0.812 mW")
    shows("#place-what", "Jaguar Unmng IB 200, serial number MT2044X00001")
    site.fabric.unlink("leaf1", 11)
    shows("#place-ports li", "; went down last: the cable was unplugged, blamed on its own end")
    no_complaints(browser)


def test_a_map_that_does_not_come_is_told(open_site, browser):
    site = open_site()
    browser.get(site.url)
    wait_for(browser, lambda b: len(texts(b, "#map .switch")) == 2, "the map")
    assert texts(browser, "#map-note") == [""]
    browser.execute_script("""window.whole = window.fetch;
        window.fetch = (path, ...rest) => path === "fabric.svg" ? Promise.reject(new Error("no")) : whole(path, ...rest);""")
    site.fabric.unlink("leaf1", 11)
    wait_for(browser, lambda b: "may be old" in texts(b, "#map-note")[0], "the note")
    wait_for(browser, lambda b: len(texts(b, "#alarms > li")) == 1, "the alarm")
    browser.execute_script("window.fetch = window.whole")
    wait_for(browser, lambda b: texts(b, "#map-note") == [""] and texts(b, "#map path.fault title"), "the map")


def test_two_thousand_nodes(open_site, browser):
    # No way of the subnet manager's Reports to node9-9 has a link of leaf7: OpenSM does not send a lost Report again.
    site = open_site(fat_tree(60, 64).encode(), nodes=60 * 32 + 60 + 32, host="node9-9", sm={"host": "node0-0"})
    at_size(browser, 1280, 900)
    browser.get(site.url)
    wait_for(browser, lambda b: len(texts(b, "#map .switch")) == 92, "the map")
    site.fabric.unlink("leaf7", 40)
    site.message("link-down")
    wait_for(browser, lambda b: texts(b, "#map path.fault title"), "the fault on the map")
    assert "leaf7 port 40" in texts(browser, "#map path.fault title")[0]
    browser.execute_script("document.getElementById('map').scrollIntoView()")
    picture(browser, "page-2000.png")
    browser.find_element(By.ID, "full").click()
    box = browser.execute_script("return document.querySelector('#map .switch text').getBoundingClientRect().height")
    assert box >= 10  # it can be read
    no_complaints(browser)
