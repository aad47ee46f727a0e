"""The feature of stored documents."""

from timbra.core.features import Feature

FEATURE = Feature(
    "documents",
    position=50,
    operations=("stamps_api", "api", "pdf_api", "mail_api"),
    answers=("serializers", "stored_cfdi_serializers"),
    consumers=("build",),
    filters=("view",),
    pages=("pages", "editor_pages", "export_pages", "bulk_cancellation_pages", "branding_pages"),
    services=("build",),
    jobs=("build",),
)
