# SPDX-License-Identifier: BSD-2-Clause
"""The firmware of NVIDIA's devices on the simulated fabric: registers as rows of fields (simregisters.h)."""

PPCNT, PPHCR = 0x5008, 0x503E
PDDR, MGIR, MSGI, MTMP, MTWE = 0x5031, 0x9020, 0x9021, 0x900A, 0x900B
MFCR, MFSM, FORE, MSPS = 0x9001, 0x9003, 0x9007, 0x900D
LINK_DOWN, TROUBLESHOOTING, MODULE = 6, 1, 3
MICROWATT = 1 << 29  # the unit of light in the index of the page MODULE
ACCESS, GENERAL_INFO, CLASS_INFO = 0x51, 0x17, 1
QUANTUM = 0xD2F0
SIZE = 220


def register(fields, *texts):
    """The octets of a register. fields: octet of a word, lowest bit, value."""
    octets = bytearray(SIZE)
    for octet, low, value in fields:
        word = int.from_bytes(octets[octet : octet + 4], "big") | value << low
        octets[octet : octet + 4] = word.to_bytes(4, "big")
    for octet, text in texts:
        octets[octet : octet + len(text)] = text.encode()
    return bytes(octets)


class Firmware:
    """The registers of the nodes of a fabric, in a directory for the gateway's item `registers` (lab/gateway.py)."""

    def __init__(self, directory, fabric):
        self.directory = directory
        self.fabric = fabric
        directory.mkdir()

    def _write(self, node, attribute, modifier, index, octets):
        name = f"{self.fabric.lid_of(node)}-{attribute:x}-{modifier:x}-{index:x}"
        (self.directory / name).write_bytes(octets)

    def general_info(self, node, psid="MT_0000000012", version=(27, 2010, 3004), capabilities=1 << 20, uptime=86400):
        """PSID and version of the firmware, and whether the node tells registers. vendstat asks for the ClassPortInfo
        before."""
        self._write(node, CLASS_INFO, 0, 0, register([(0, 16, 0x0101)]))
        fields = [(0, 0, QUANTUM), (0x1C, 0, uptime), *((0x44 + 4 * n, 0, part) for n, part in enumerate(version))]
        self._write(node, GENERAL_INFO, 0, 0, register([*fields, (0x80, 0, capabilities)], (0x30, psid)))

    def _pddr(self, node, port, page, fields, *texts):
        index = (port << 16 | 1 << 14) << 32 | page | (MICROWATT if page == MODULE else 0)
        head = [(0, 16, port), (0, 14, 1), (4, 0, index & 0xFFFFFFFF)]
        self._write(node, ACCESS, PDDR, index, register([*head, *fields], *texts))

    def link_down(self, node, port, local=0, remote=0, blame=0):
        self._pddr(node, port, LINK_DOWN, [(8, 0, blame), (12, 0, local), (16, 0, remote)])

    def trouble(self, node, port, status, text):
        self._pddr(node, port, TROUBLESHOOTING, [(12, 0, status)], (20, text))

    def module(self, node, port, vendor, part, serial, celsius, high, kind=2, volts=0, received=(), sent=(), length=0):
        """Temperatures in degrees, which the register has in 256ths; the light of each lane in microwatts."""
        temperatures = [(0x54, 16, int(celsius * 256) & 0xFFFF), (0x88, 16, int(high * 256) & 0xFFFF)]
        temperatures += [(0x54, 0, round(volts * 10000))]
        for first, light in ((0x58, received), (0x68, sent)):
            temperatures += [(first + lane // 2 * 4, 0 if lane % 2 else 16, power) for lane, power in enumerate(light)]
        texts = (0x1C, vendor.ljust(16)), (0x2C, part.ljust(16)), (0x44, serial.ljust(16))
        self._pddr(node, port, MODULE, [(0x0C, 28, kind), (0x0C, 16, length), *temperatures], *texts)

    def _of_port(self, node, port, number, group, fields):
        index = (port << 16 | 1 << 14 | group) << 32
        self._write(node, ACCESS, number, index, register([(0, 0, index >> 32), *fields]))

    def bit_errors(self, node, port, raw, effective, errors=0):
        """Each ratio: coefficient and negative exponent of ten; the errors behind the correction."""
        fields = [(at, low, part) for at, (a, b) in ((0x68, raw), (0x6C, effective)) for low, part in ((0, a), (8, b))]
        self._of_port(node, port, PPCNT, 0x16, [*fields, (0x88, 0, errors)])

    def histogram(self, node, port, blocks):
        """How many blocks needed each number of corrections; the last number is the most that is possible."""
        bins = [(0x10 + 4 * n, low, n) for n in range(len(blocks)) for low in (0, 16)]
        self._of_port(node, port, PPHCR, 0, [(4, 16, len(blocks)), *bins])
        self._of_port(node, port, PPCNT, 0x23, [(8 + 8 * n + 4, 0, count) for n, count in enumerate(blocks)])

    def recoveries(self, node, port, successful, unintended_downs=0):
        self._of_port(node, port, PPCNT, 0x1A, [(8, 0, successful), (12, 0, unintended_downs)])

    def firmware(self, node, *version, psid="MT_0000000012", uptime=86400):
        fields = [(0x44 + 4 * n, 0, part) for n, part in enumerate(version)]
        self._write(node, ACCESS, MGIR, 0, register([(0x1C, 0, uptime), *fields], (0x30, psid)))

    def board(self, node, serial, part, product):
        self._write(node, ACCESS, MSGI, 0, register([], (0, serial), (0x20, part), (0x40, product)))

    def temperature(self, node, celsius, high, sensor=0, low=0):
        """Of the ASIC (sensor 0) or another sensor, in degrees, which the register has in eighths."""
        fields = [(0, 0, sensor), (4, 0, int(celsius * 8) & 0xFFFF), (0xC, 0, int(high * 8)), (0x10, 0, int(low * 8))]
        self._write(node, ACCESS, MTMP, sensor << 32, register(fields))

    def sensors(self, node, warm=0):
        """Which sensors are above their thresholds: bits."""
        self._write(node, ACCESS, MTWE, 0, register([(8, 0, warm >> 32), (12, 0, warm & 0xFFFFFFFF)]))

    def fans(self, node, there, too_slow=0):
        """Bits of fans."""
        self._write(node, ACCESS, MFCR, 0, register([(4, 16, there)]))
        self._write(node, ACCESS, FORE, 0, register([(0, 16, too_slow)]))

    def fan_speed(self, node, fan, rpm):
        self._write(node, ACCESS, MFSM, fan << 56, register([(0, 24, fan), (4, 0, rpm)]))

    def supplies(self, node, *good, watts=0, serial="", part=""):
        """Two power supplies: whether each gives power."""
        words = [(80 * n + at, 0, word) for n, one in enumerate(good)
                 for at, word in ((0, 0x50000010 if one else 0x50000000), (4, 2), (8, 0x80000000 | watts))]
        texts = [(80 * n + at, text and f"{text}{n}")
                 for n in range(len(good)) for at, text in ((16, serial), (48, part))]
        self._write(node, ACCESS, MSPS, 0, register(words, *texts))
