"""Fetches an invoice of 25 sat for an offer that names no amount, and reads it."""

import sys

from client import call

OFFER = "lno1pgykgmmwv96xjmmwwvtzzqevsau96dsntn6g4lq23auvrn3slxpal38xwvsyd8vwes8zfgrp5c"

offer = sys.argv[1] if len(sys.argv) > 1 else OFFER
description = call("decode", string=offer)["offer_description"]
fetched = call("fetchinvoice", offer=offer, amount_msat="25sat")
decoded = call("decode", string=fetched["invoice"])
print(f"offer: {description}")
print(f"invoice: {decoded['invoice_amount_msat']} msat, payment hash {decoded['invoice_payment_hash']}")
# The members in which the invoice differs from the offer: look at them before you pay.
print(f"differs from the offer in: {', '.join(fetched['changes']) or 'nothing'}")
