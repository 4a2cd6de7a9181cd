"""Disables the first channel of a route in a layer, and shows how the route changes."""

import sys

from client import call

DESTINATION = "0300de1ce7948eaa9b69bb1a343738ca4e06d635d0bdfd038eb73dfd7074430eff"
LAYER = "example-python"

query = {
    "source": call("getinfo")["id"],
    "destination": sys.argv[1] if len(sys.argv) > 1 else DESTINATION,
    "amount_msat": "40000sat",
    "maxfee_msat": "1000sat",
    "final_cltv": 18,
}
ours = ["auto.localchans", "auto.sourcefree"]

before = call("getroutes", layers=ours, **query)
channel = before["routes"][0]["path"][0]["short_channel_id_dir"]
print(f"without the layer: over {channel}")
call("askrene-create-layer", layer=LAYER)
try:
    call("askrene-update-channel", layer=LAYER, short_channel_id_dir=channel, enabled=False)
    after = call("getroutes", layers=[*ours, LAYER], **query)
    print(f"with the layer: over {after['routes'][0]['path'][0]['short_channel_id_dir']}")
    diff = call("askrene-difflayers", layers=[*ours, LAYER], **query)
    entries = diff["entries"]
    print(f"changed: {str(diff['changed']).lower()}, by {len(entries)} entry of {entries[0]['layer']}")
finally:
    call("askrene-remove-layer", layer=LAYER)
