/**
 * The schema of the node's database, one migration per released change.
 *
 * Layers: one row per entry, in the order of `seq` within its kind, so that reading a layer back gives every
 * list in the order it had. Names and descriptions are kept as JSON text, which can hold any string that a
 * client can send (NUL and lone surrogates included). Unsigned 64-bit values are kept as the signed integer
 * of the same bits.
 */
import type { Migrations } from './database.ts';

const LAYERS = `
  CREATE TABLE layer (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
  ) STRICT;

  CREATE TABLE layer_disabled_node (
    seq INTEGER PRIMARY KEY,
    layer INTEGER NOT NULL REFERENCES layer ON DELETE CASCADE,
    node TEXT NOT NULL
  ) STRICT;
  CREATE INDEX layer_disabled_node_layer ON layer_disabled_node (layer);

  CREATE TABLE layer_created_channel (
    seq INTEGER PRIMARY KEY,
    layer INTEGER NOT NULL REFERENCES layer ON DELETE CASCADE,
    short_channel_id INTEGER NOT NULL,
    node1 TEXT NOT NULL,
    node2 TEXT NOT NULL,
    capacity_msat INTEGER NOT NULL,
    UNIQUE (layer, short_channel_id)
  ) STRICT;

  CREATE TABLE layer_channel_update (
    seq INTEGER PRIMARY KEY,
    layer INTEGER NOT NULL REFERENCES layer ON DELETE CASCADE,
    short_channel_id INTEGER NOT NULL,
    direction INTEGER NOT NULL,
    enabled INTEGER,
    htlc_minimum_msat INTEGER,
    htlc_maximum_msat INTEGER,
    fee_base_msat INTEGER,
    fee_proportional_millionths INTEGER,
    cltv_expiry_delta INTEGER,
    UNIQUE (layer, short_channel_id, direction)
  ) STRICT;

  CREATE TABLE layer_liquidity (
    seq INTEGER PRIMARY KEY,
    layer INTEGER NOT NULL REFERENCES layer ON DELETE CASCADE,
    short_channel_id INTEGER NOT NULL,
    direction INTEGER NOT NULL,
    kind TEXT NOT NULL,
    amount_msat INTEGER NOT NULL,
    timestamp INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX layer_liquidity_age ON layer_liquidity (layer, timestamp);

  CREATE TABLE layer_channel_bias (
    seq INTEGER PRIMARY KEY,
    layer INTEGER NOT NULL REFERENCES layer ON DELETE CASCADE,
    short_channel_id INTEGER NOT NULL,
    direction INTEGER NOT NULL,
    bias INTEGER NOT NULL,
    description TEXT,
    timestamp INTEGER NOT NULL,
    UNIQUE (layer, short_channel_id, direction)
  ) STRICT;

  CREATE TABLE layer_node_bias (
    seq INTEGER PRIMARY KEY,
    layer INTEGER NOT NULL REFERENCES layer ON DELETE CASCADE,
    node TEXT NOT NULL,
    in_bias INTEGER NOT NULL,
    out_bias INTEGER NOT NULL,
    description TEXT,
    timestamp INTEGER NOT NULL,
    UNIQUE (layer, node)
  ) STRICT;
`;

export const SCHEMA: Migrations = [LAYERS];
