"""Pays 1,000 sat, then repeats the request: the same key gets the same payment, and nothing is paid twice."""

import json
import sys
import uuid

from client import RpcError, call

DESTINATION = "0300de1ce7948eaa9b69bb1a343738ca4e06d635d0bdfd038eb73dfd7074430eff"

request = {
    "destination": sys.argv[1] if len(sys.argv) > 1 else DESTINATION,
    "amount_msat": "1000sat",
    "maxfee": "5sat",
    "idempotency_key": str(uuid.uuid4()),
}
try:
    paid = call("xkeysend", **request)
    print(f"paid: {paid['amount_msat']} msat, fee {paid['amount_sent_msat'] - paid['amount_msat']} msat")
    # If the connection breaks before the answer arrives, send the request again.
    again = call("xkeysend", **request)
    same = again["payment_preimage"] == paid["payment_preimage"]
    print(f"asked again: {'the same' if same else 'a different'} payment")
except RpcError as error:
    print(f"not paid: {error}")
    print(json.dumps(error.data, indent=2))
    sys.exit(1)
