"""What a board has to say for `kws deploy`: a board is a subclass of Target, one file each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from kws.errors import BoardError
from kws.host.deploy.image import Image, Memory
from kws.host.serial import ports
from kws.host.serial.ports import Lister, Port, UsbId


class ProtocolError(BoardError):
    """A bootloader answered with something else than it should, or not at all."""


@dataclass(frozen=True)
class Timing:
    """How long to wait for a board, in seconds."""

    answer: float = 3.0
    """For a bootloader's answer to one command."""

    appear: float = 10.0
    """For a port to come after a reset, and to be usable."""

    boot: float = 10.0
    """For the firmware's boot line; half of it is waited before it is asked for its stats."""

    gone: float = 2.0
    """For a board to leave the USB bus when a debug probe resets it."""

    settle: float = 1.5
    """For an error line after the boot line."""


@dataclass(frozen=True)
class Bench:
    """What surrounds a board: this machine's ports, the clock, the user who waits."""

    lister: Lister = field(default_factory=lambda: ports.list_ports)
    timing: Timing = field(default_factory=Timing)
    advance: Callable[[int], None] = lambda _: None
    """Told how many steps of `Target.steps` are done."""


class Target(ABC):
    """A board that firmware can be written to through its own bootloader."""

    name: ClassVar[str]
    """As in `kws boards`."""

    title: ClassVar[str]

    usb: ClassVar[frozenset[UsbId]]
    """All ids under which it may show up, as application or bootloader."""

    adapter: ClassVar[bool] = False
    """Whether these are the ids of USB-serial adapters: another one may be named, the port stays
    when the board restarts, and what is behind such a port is not known before it is asked."""

    verifies: ClassVar[bool] = True
    """Whether `program` compares flash with the image; if not, each block is checked on its way."""

    application: ClassVar[frozenset[UsbId]]
    """Of those, the ones that it has while an application runs."""

    memory: ClassVar[Memory]

    find: ClassVar[str]
    """What the user can do where the board is not seen."""

    recover: ClassVar[str]
    """How the board is saved after a deployment that broke off, and why nothing is lost."""

    probe: ClassVar[str]
    """pyOCD's name of the microcontroller."""

    @abstractmethod
    def steps(self, image: Image) -> int:
        """How often `program` moves the progress on."""

    @abstractmethod
    def program(self, port: Port, image: Image, bench: Bench) -> None:
        """Write `image`, check it as well as the bootloader can, and start it.

        Args:
            port: where the board is, as bootloader or as application.
            image: fits `memory`.
            bench: whose ports to look at, and whom to tell of the progress.

        Raises:
            PortError: the port could not be opened; nothing was changed.
            PortLostError: the board went away.
            ProtocolError: it answered nonsense, or what it holds is not what was sent.
        """
