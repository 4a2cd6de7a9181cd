#!/bin/sh
# Pays 1,000 sat, then repeats the request: the same key gets the same payment, and nothing is paid twice.
set -eu
DESTINATION=${1:-0300de1ce7948eaa9b69bb1a343738ca4e06d635d0bdfd038eb73dfd7074430eff}
KEY=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
number() { sed -n "s/^   \"$1\": \([0-9]*\),*$/\1/p"; }
text() { sed -n "s/^   \"$1\": \"\(.*\)\",*$/\1/p"; }
pay() { npx fulgurite -N none -k xkeysend destination="$DESTINATION" amount_msat=1000sat maxfee=5sat idempotency_key="$KEY"; }

# On an error the client exits with 1, and prints the error's message and data on standard output.
PAID=$(pay) || { echo "not paid: $PAID"; exit 1; }
AMOUNT=$(echo "$PAID" | number amount_msat)
echo "paid: $AMOUNT msat, fee $(($(echo "$PAID" | number amount_sent_msat) - AMOUNT)) msat"
# If the connection breaks before the answer arrives, send the request again.
AGAIN=$(pay)
if [ "$(echo "$AGAIN" | text payment_preimage)" = "$(echo "$PAID" | text payment_preimage)" ]
then echo "asked again: the same payment"
else echo "asked again: a different payment"
fi
