"""Links inside a node, and the network cards of a node. Vendors print both directions added; a relation halves them."""

from __future__ import annotations

from typing import Final

from solvers.expr.tree import number
from solvers.relation import Source
from solvers.sources_speed import LINKS
from solvers.tables.preset import Preset

_PCIE: Final = Source("pcie", "PCI Express base specification", "16 lanes, 128b/130b coding", "pcisig.com")


def _link(name: str, meaning: str, both: str, source: Source = LINKS) -> Preset:
    """GB/s of both directions together."""
    return Preset(name, meaning, {"link.total": number(both, "GB/s")}, source)


def _network(name: str, meaning: str, cards: int, rate: int) -> Preset:
    """Network cards of one node, and the rate of one in Gb/s and direction."""
    return Preset(name, meaning,
                  {"cluster.nics_per_node": number(cards), "cluster.nic_rate": number(rate, "Gb/s")}, LINKS)


_LINK_ROWS: Final = (
    _link("nvlink1", "NVLink 1 (P100)", "160"),
    _link("nvlink2", "NVLink 2 (V100)", "300"),
    _link("nvlink3", "NVLink 3 (A100)", "600"),
    _link("nvlink4", "NVLink 4 (H100, H200, GH200)", "900"),
    _link("nvlink5", "NVLink 5 (B200, B300, GB200, GB300)", "1800"),
    _link("nvlink6", "NVLink 6 (Rubin)", "3600"),
    _link("xgmi-mi250x", "Infinity Fabric of an MI250X, seven links", "700"),
    _link("xgmi-mi300x", "Infinity Fabric of an MI300X or MI325X, seven links", "896"),
    _link("xgmi-mi355x", "Infinity Fabric of an MI355X, seven links", "1075.2"),
    _link("pcie3-x16", "PCI Express 3, 16 lanes", "31.508", _PCIE),
    _link("pcie4-x16", "PCI Express 4, 16 lanes", "63.015", _PCIE),
    _link("pcie5-x16", "PCI Express 5, 16 lanes", "126.031", _PCIE),
    _link("pcie6-x16", "PCI Express 6, 16 lanes", "242", LINKS),
    _link("nvlink-c2c", "NVLink-C2C between Grace and its GPUs", "900"),
)
LINK_TABLE: Final = {row.name: row for row in _LINK_ROWS}

_NETWORK_ROWS: Final = (
    _network("dgx-a100", "DGX A100, eight HDR cards", 8, 200),
    _network("dgx-h100", "DGX H100, H200 or B200, eight NDR cards", 8, 400),
    _network("dgx-b300", "DGX B300, eight XDR cards", 8, 800),
    _network("aws-p4d", "AWS P4d, EFA v1", 4, 100),
    _network("aws-p5", "AWS P5 or P5e, EFA v2", 32, 100),
    _network("aws-p5en", "AWS P5en or Trn2, EFA v3", 16, 200),
    _network("aws-p6-b200", "AWS P6-B200, EFA v4", 8, 400),
    _network("aws-p6-b300", "AWS P6-B300, EFA v4", 16, 400),
    _network("gcp-a3-high", "GCP A3 High", 4, 200),
    _network("gcp-a3-mega", "GCP A3 Mega", 8, 200),
    _network("gaudi2", "Intel Gaudi 2 node", 24, 100),
    _network("gaudi3", "Intel Gaudi 3 node", 24, 200),
)
NETWORKS: Final = {row.name: row for row in _NETWORK_ROWS}
