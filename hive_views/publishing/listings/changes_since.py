"""What changed in a table since each of the snapshots that partitions were published at."""

from __future__ import annotations

from collections.abc import Mapping

from hive_views.base_tables.port import Changes, PartitionChange, PartitionValues, Snapshot, TableWithHistory


class ChangesSincePins:
    """The changes of one table after each of its pins, up to one state.

    The changes from each pin to the next are read, and those of the last to the state: that reads every commit once,
    however many pins there are. Where changes between two neighbours are unknown (their order is that of clocks, or one
    has expired), the older one is compared with the state itself.

    Args:
        table: where changes are read.
        pins: without their times, with the time each was listed at, to put them in order.
        until: the state; None for a table without any commit, of which nothing is known.
    """

    def __init__(self, table: TableWithHistory, pins: Mapping[Snapshot, int], until: Snapshot | None) -> None:
        self._steps: dict[PartitionValues, list[tuple[int, PartitionChange]]] = {}
        self._age: dict[Snapshot, int] = {}
        self._alone: dict[Snapshot, Changes] = {}
        newer = until
        for age, pin in enumerate(sorted(pins, key=lambda pin: (pins[pin], pin.id), reverse=True)):
            if until is None or newer is None:
                self._alone[pin] = Changes(unknown=f"{table.name} no longer has a snapshot")
            elif until.is_same_as(pin):
                self._alone[pin] = Changes()
            elif (step := table.changes(pin, newer)).unknown is None:
                newer, self._age[pin] = pin, age
                for values, change in step.partitions.items():
                    self._steps.setdefault(values, []).append((age, change))
            else:
                self._alone[pin] = step if newer is until else table.changes(pin, until)

    def unknown(self, pin: Snapshot) -> str | None:
        """Why it is not known what changed since a pin; None where it is."""
        return self._alone[pin].unknown if pin in self._alone else None

    def partitions(self) -> list[PartitionValues]:
        """The partitions that changed since any of the pins."""
        changed = dict.fromkeys(self._steps)
        for alone in self._alone.values():
            changed |= dict.fromkeys(alone.partitions)
        return list(changed)

    def after(self, pin: Snapshot, values: PartitionValues) -> list[PartitionChange]:
        """What happened to a partition after a pin, the oldest first."""
        if pin in self._alone:
            change = self._alone[pin].partitions.get(values)
            return [change] if change else []
        return [change for age, change in reversed(self._steps.get(values, ())) if age <= self._age[pin]]
