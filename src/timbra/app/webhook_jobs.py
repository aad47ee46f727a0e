"""The sender of webhooks with its periodic jobs, and the recorded calls: services that need the database only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timbra.app.parts import cached_property
from timbra.app.report_jobs import ReportJobs

if TYPE_CHECKING:
    from timbra.inspector.services import InspectorServices
    from timbra.webhooks.deliverer import WebhookDeliverer


class WebhookJobs(ReportJobs):
    """Webhooks that are due, and the request inspector."""

    @cached_property
    def inspector_services(self) -> InspectorServices:
        """Recorded calls and live views."""
        from timbra.app.inspector import inspector_services

        return inspector_services(self)

    @cached_property
    def webhook_deliverer(self) -> WebhookDeliverer:
        from timbra.app.webhooks import webhook_deliverer

        return webhook_deliverer(self)

    def send_webhooks(self) -> None:
        """Send the webhooks that are due; for a periodic job."""
        self.webhook_deliverer.send_pending()

    def publish_alerts(self) -> None:
        """Publish certificates that expire soon and low balances to webhooks; for a job that one worker of all runs."""
        from timbra.app.webhooks import webhook_alerts

        webhook_alerts(self).run()

    def expire_webhooks(self) -> None:
        """Delete old events of webhooks; for a job that one worker of all runs."""
        self.webhook_deliverer.expire()
