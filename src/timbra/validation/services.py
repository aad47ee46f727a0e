"""The services of validation, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from timbra.catalogs.search import CatalogSearch
    from timbra.cfdi.document import DocumentParser
    from timbra.rendering import ViewReader
    from timbra.sat.port import StatusService
    from timbra.validation.background_queries import ProviderCertificates
    from timbra.validation.fix_service import FixService
    from timbra.validation.taxpayer_lookup import TaxpayerLookup
    from timbra.validation.validation import ValidationService


@dataclass(frozen=True, slots=True)
class ValidationServices:
    """Validation of documents, and look-ups in the published lists and catalogs.

    Attributes:
        parser, views: read and display a validated document; they need no keys, so that child processes have them.
        fixes: proposes edits of documents with errors.
        today: returns the day in central Mexico, of fiscal time.
        status_service, provider_certificates: None where the settings configure none.
    """

    validation: ValidationService
    parser: DocumentParser
    views: ViewReader
    taxpayer_lookup: TaxpayerLookup
    fixes: FixService
    catalogs: CatalogSearch
    today: Callable[[], date]
    status_service: StatusService | None
    provider_certificates: ProviderCertificates | None
