# SPDX-License-Identifier: BSD-2-Clause
"""Topology files of two-level fat trees, for ibsim."""


def fat_tree(leaves, ports=36):
    """A fat tree of switches with that many ports. One half of a leaf's ports lead to hosts, the other half to one
    spine each. The hosts are named node0-0 (leaf, number) and so on."""
    assert 1 <= leaves <= ports <= 254
    half = ports // 2
    nodes = []
    for leaf in range(leaves):
        hosts = [f"node{leaf}-{host}" for host in range(half)]
        for number, name in enumerate(hosts, 1):
            nodes.append(f'caguid=0x{0x0002C90300000000 + (leaf << 16) + (number << 8):016x}\n'
                         f'Hca\t1 "{name}"\n[1]\t"leaf{leaf}"[{number}]\n')
        down = [f'[{number}]\t"{name}"[1]\n' for number, name in enumerate(hosts, 1)]
        up = [f'[{half + 1 + spine}]\t"spine{spine}"[{leaf + 1}]\n' for spine in range(half)]
        nodes.append(f'switchguid=0x{0x0002C90200100000 + (leaf << 8):016x}\nSwitch\t{ports} "leaf{leaf}"\n'
                     + "".join(down + up))
    for spine in range(half):
        links = [f'[{leaf + 1}]\t"leaf{leaf}"[{half + 1 + spine}]\n' for leaf in range(leaves)]
        nodes.append(f'switchguid=0x{0x0002C90200200000 + (spine << 8):016x}\nSwitch\t{ports} "spine{spine}"\n'
                     + "".join(links))
    return "\n".join(nodes)
