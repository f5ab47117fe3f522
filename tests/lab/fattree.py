"""Topology files of two-level fat trees, for ibsim."""

PORTS = 36
HOSTS_PER_LEAF = PORTS // 2


def fat_tree(leaves):
    """Leaves of 36 ports with 18 hosts each, and a spine for each of the 18 uplinks. The hosts are named node0-0 (its
    leaf, its number) and so on."""
    assert 1 <= leaves <= PORTS
    nodes = []
    for leaf in range(leaves):
        hosts = [f"node{leaf}-{host}" for host in range(HOSTS_PER_LEAF)]
        for number, name in enumerate(hosts, 1):
            nodes.append(f'caguid=0x{0x0002C90300000000 + (leaf << 16) + (number << 8):016x}\n'
                         f'Hca\t1 "{name}"\n[1]\t"leaf{leaf}"[{number}]\n')
        down = [f'[{number}]\t"{name}"[1]\n' for number, name in enumerate(hosts, 1)]
        up = [f'[{HOSTS_PER_LEAF + 1 + spine}]\t"spine{spine}"[{leaf + 1}]\n' for spine in range(PORTS - HOSTS_PER_LEAF)]
        nodes.append(f'switchguid=0x{0x0002C90200100000 + (leaf << 8):016x}\nSwitch\t{PORTS} "leaf{leaf}"\n'
                     + "".join(down + up))
    for spine in range(PORTS - HOSTS_PER_LEAF):
        links = [f'[{leaf + 1}]\t"leaf{leaf}"[{HOSTS_PER_LEAF + 1 + spine}]\n' for leaf in range(leaves)]
        nodes.append(f'switchguid=0x{0x0002C90200200000 + (spine << 8):016x}\nSwitch\t{PORTS} "spine{spine}"\n'
                     + "".join(links))
    return "\n".join(nodes)
