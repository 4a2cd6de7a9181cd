#!/bin/sh
# Fetches an invoice of 25 sat for an offer that names no amount, and reads it.
set -eu
OFFER=${1:-lno1pgykgmmwv96xjmmwwvtzzqevsau96dsntn6g4lq23auvrn3slxpal38xwvsyd8vwes8zfgrp5c}
member() { sed -n "s/^ *\"$1\": \"*\([^\",]*\)\"*,*$/\1/p" | head -n 1; }

FETCHED=$(npx fulgurite fetchinvoice "$OFFER" 25sat)
INVOICE=$(npx fulgurite decode "$(echo "$FETCHED" | member invoice)")
echo "offer: $(npx fulgurite decode "$OFFER" | member offer_description)"
echo "invoice: $(echo "$INVOICE" | member invoice_amount_msat) msat, payment hash $(echo "$INVOICE" | member invoice_payment_hash)"
# The members in which the invoice differs from the offer: look at them before you pay.
CHANGES=$(echo "$FETCHED" | sed -n '/^   "changes": {$/,/^   }/s/^      "\([a-z_]*\)":.*/\1/p' | paste -sd, - | sed 's/,/, /g')
echo "differs from the offer in: ${CHANGES:-nothing}"
