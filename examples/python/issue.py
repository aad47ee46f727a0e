"""Issue an invoice with the standard library: python3 issue.py invoice.xml."""

import json
import os
import sys
import urllib.error
import urllib.request
import uuid
from pathlib import Path

URL = os.environ.get("TIMBRA_URL", "http://127.0.0.1:8080")
TOKEN = os.environ["TIMBRA_TOKEN"]
STAMPED_BEFORE = "307"


def main() -> None:
    """Send the file, print UUID and stamp date, and write the stamped CFDI beside it."""
    path = sys.argv[1]
    answer = post("/cfdi33/issue/v4", Path(path).read_bytes())
    # 307: this invoice was stamped before, for instance by a request whose answer was lost. `data` is its stamp.
    if answer["status"] != "success" and not answer["message"].startswith(STAMPED_BEFORE):
        sys.exit(f"{answer['message']} {answer['messageDetail'] or ''}")
    stamp = answer["data"]
    print(stamp["uuid"], stamp["fechaTimbrado"])
    Path(f"{stamp['uuid']}.xml").write_text(stamp["cfdi"], "utf-8")


def post(route: str, xml: bytes) -> dict:
    """Send an XML as the part `xml` of a form; return the JSON of the answer."""
    boundary = uuid.uuid4().hex
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="xml"; filename="invoice.xml"\r\n\r\n'
    request = urllib.request.Request(
        URL + route,
        head.encode() + xml + f"\r\n--{boundary}--\r\n".encode(),
        {"Authorization": f"Bearer {TOKEN}", "Content-Type": f"multipart/form-data; boundary={boundary}"},
    )
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        return json.load(error)


main()
