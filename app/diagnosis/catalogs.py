"""Slots that keep old rows of the system catalogs alone: no other table is kept from VACUUM."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.orm import Session

# What a slot keeps of all tables, by its xmin, is the horizon's.
_SLOTS = text("""
    SELECT slot_name::text AS slot, coalesce(plugin::text, slot_type) AS plugin,
           active AS is_active, age(catalog_xmin) AS transactions
      FROM pg_replication_slots WHERE catalog_xmin IS NOT NULL
     ORDER BY transactions DESC LIMIT 20
""")


@dataclass(frozen=True, kw_only=True)
class CatalogSlot:
    """A slot that decodes what was written, for which it needs the catalogs of that time."""

    slot: str
    plugin: str
    is_active: bool
    transactions: int

    @property
    def sentence(self) -> str:
        state = "active" if self.is_active else "inactive"
        age = f"{self.transactions} transactions"
        return f"replication slot {self.slot!r} of {self.plugin!r} ({state}) for {age}"


def read(session: Session) -> Sequence[CatalogSlot]:
    """Return them, oldest first, 20 at most."""
    return [CatalogSlot(**row._asdict()) for row in session.execute(_SLOTS)]
