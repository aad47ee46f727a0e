"""Issues and validates an invoice with the Python client of openapi-generator; prints what it got as JSON.

Arguments: address, user, password, file of the invoice.
"""

import json
import sys
from pathlib import Path

import openapi_client

address, user, password, invoice = sys.argv[1:]
xml = Path(invoice).read_bytes()
configuration = openapi_client.Configuration(host=address)
with openapi_client.ApiClient(configuration) as client:
    credentials = openapi_client.Credentials(user=user, password=password)
    session = openapi_client.SecurityApi(client).authenticate(credentials=credentials)
    configuration.access_token = session.data.token
    stamping = openapi_client.StampingApi(client)
    issued = stamping.stamp_document("issue", "v4", ("invoice.xml", xml)).data.actual_instance
    report = openapi_client.ValidationApi(client).validate(("cfdi.xml", issued.cfdi.encode()))
    try:
        stamping.stamp_document("stamp", "v4", ("cfdi.xml", issued.cfdi.encode()))
        repeated = "stamped"
    except openapi_client.ApiException as error:
        repeated = error.data.message
print(json.dumps({"uuid": issued.uuid, "validated": report.uuid, "status": report.status, "repeated": repeated}))
