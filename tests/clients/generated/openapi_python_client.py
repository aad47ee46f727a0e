"""Issues and validates an invoice with the client of openapi-python-client; prints what it got as JSON.

Arguments: address, user, password, file of the invoice.
"""

import json
import sys
from io import BytesIO
from pathlib import Path

from timbra_client import AuthenticatedClient, Client
from timbra_client.api.security import authenticate
from timbra_client.api.stamping import stamp_document
from timbra_client.api.validation import validate
from timbra_client.models import Credentials, StampDocumentOperation, StampDocumentVersion, XmlUpload
from timbra_client.types import File

address, user, password, invoice = sys.argv[1:]


def upload(xml: bytes) -> XmlUpload:
    return XmlUpload(File(BytesIO(xml), "cfdi.xml", "text/xml"))


session = authenticate.sync(client=Client(address), body=Credentials(user=user, password=password))
client = AuthenticatedClient(address, session.data.token)
v4 = StampDocumentVersion.V4
issued = stamp_document.sync(
    StampDocumentOperation.ISSUE, v4, client=client, body=upload(Path(invoice).read_bytes())
).data
xml = issued.cfdi.encode()
report = validate.sync(client=client, body=upload(xml))
repeated = stamp_document.sync(StampDocumentOperation.STAMP, v4, client=client, body=upload(xml)).message
print(json.dumps({"uuid": issued.uuid, "validated": report.uuid, "status": report.status, "repeated": repeated}))
