"""What is kept with a text that was translated from another one of its view."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from hive_views.spec.strict_json import read_json
from hive_views.sql.dialects import Dialect, check_dialect
from hive_views.sql.query import QueryText
from hive_views.translation.proof import Proof, digest_of, read_proof
from hive_views.translation.translation_result import Translation


@dataclass(frozen=True)
class TranslationRecord:
    """From what a text was translated, and how.

    Attributes:
        source: the dialect of the text that it was translated from.
        rules_version: of the rules that made it.
        allow: the codes of differences that its author accepts, sorted; they are accepted again when it is translated
            again.
        findings: the codes of what was found, sorted.
        texts: a digest of both texts, by which a change of either of them that did not translate is seen; empty
            where the same texts are no translation any more, as for other columns.
        proofs: what engines have confirmed of exactly these texts.
    """

    source: Dialect
    rules_version: int
    allow: tuple[str, ...]
    findings: tuple[str, ...]
    texts: str
    proofs: tuple[Proof, ...] = ()

    @classmethod
    def of(cls, translation: Translation, source_text: str, allow: Collection[str]) -> TranslationRecord:
        """That of a text that was translated with these differences allowed."""
        assert translation.text is not None
        codes = {one.reason.code for one in translation.findings}
        return cls(
            translation.source,
            translation.rules_version,
            tuple(sorted(allow)),
            tuple(sorted(codes)),
            texts_digest(source_text, translation.source, translation.text, translation.target),
        )

    def described(self) -> str:
        """From what, by which rules, and what was allowed and found, in one line."""
        found = [one for one in self.findings if one not in self.allow]
        said = [f"translated from {self.source} (rules {self.rules_version})"]
        said += [f"allowed: {', '.join(self.allow)}"] if self.allow else []
        said += [f"findings: {', '.join(found)}"] if found else []
        return "; ".join(said)

    @classmethod
    def from_json(cls, text: str) -> TranslationRecord:
        """
        Raises:
            ValueError: it is no record that this release can read.
        """
        found = read_json(text)
        try:
            return cls(
                check_dialect(found["from"]),
                int(found["rules-version"]),
                tuple(str(one) for one in found["allow"]),
                tuple(str(one) for one in found["findings"]),
                str(found["texts"]),
                tuple(filter(None, map(read_proof, found.get("proofs", ())))),
            )
        except (TypeError, KeyError, AttributeError) as e:
            raise ValueError(f"{text[:100]!r} is no record of a translation") from e

    def as_json(self) -> str:
        """The text that a version keeps it as."""
        document = {
            "from": self.source,
            "rules-version": self.rules_version,
            "allow": list(self.allow),
            "findings": list(self.findings),
            "texts": self.texts,
        }
        if self.proofs:
            document["proofs"] = [one.document() for one in self.proofs]
        return json.dumps(document)

    def without(self, texts: str) -> TranslationRecord:
        """The same, that is not of the texts with this digest."""
        return replace(self, texts="") if self.texts == texts else self

    def with_proofs(self, proofs: Iterable[Proof]) -> TranslationRecord:
        """The same with those of these proofs too that are of exactly its texts.

        Of several for one check by the same engines, the last one stays.
        """
        of_these = [one for one in (*self.proofs, *proofs) if one.digest == self.texts]
        last = {(one.checked, one.engine, one.beside): one for one in of_these}
        return replace(self, proofs=tuple(last.values()))


def texts_digest(source_text: str, source: str, text: str, dialect: str) -> str:
    """The digest of a text and what it was translated to, as they were typed; that of proofs of them."""
    return digest_of(QueryText(source_text, source), QueryText(text, dialect))
