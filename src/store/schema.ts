/**
 * The schema of the node's database, one migration for each released change.
 *
 * Layers: one row per entry. Entries of a kind are ordered by `seq`, so that a restored layer has every list in its
 * original order. Names and descriptions are JSON text, because a client can send any string, including NUL and lone
 * surrogates. Unsigned 64-bit values are stored as signed integers with the same bits.
 *
 * Payments: one row per payment and one per attempt. Searchable values have columns. Anything that is only read as a
 * whole (the request, a route, a failure) is one packed value. Times are UNIX milliseconds.
 */
import type { Migrations } from './database.ts';
import { CANCELLED_PERIODS, OFFERS } from './offer-schema.ts';
import { KEPT_RECORDS } from './sqlite/sqlite-record-repository.ts';
import { RUNE_OUTGO, RUNES } from './sqlite/sqlite-rune-repository.ts';

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

const PAYMENTS = `
  CREATE TABLE payment (
    id INTEGER PRIMARY KEY,
    payment_hash BLOB NOT NULL,
    preimage BLOB NOT NULL,
    group_id INTEGER NOT NULL,
    payment_secret BLOB,
    total_msat INTEGER NOT NULL,
    request BLOB NOT NULL,
    idempotency_key TEXT,
    status TEXT NOT NULL,
    failure BLOB,
    created_at INTEGER NOT NULL,
    completed_at INTEGER
  ) STRICT;
  CREATE INDEX payment_payment_hash ON payment (payment_hash);
  CREATE INDEX payment_pending ON payment (id) WHERE status = 'pending';
  CREATE UNIQUE INDEX payment_idempotency_key ON payment (idempotency_key) WHERE idempotency_key IS NOT NULL;

  CREATE TABLE attempt (
    id INTEGER PRIMARY KEY,
    payment INTEGER NOT NULL REFERENCES payment ON DELETE CASCADE,
    part_id INTEGER NOT NULL,
    amount_msat INTEGER NOT NULL,
    amount_sent_msat INTEGER NOT NULL,
    probability_ppm INTEGER NOT NULL,
    height INTEGER NOT NULL,
    part_of_several INTEGER NOT NULL,
    session_key BLOB NOT NULL,
    path BLOB NOT NULL,
    status TEXT NOT NULL,
    failure BLOB,
    learned BLOB,
    created_at INTEGER NOT NULL,
    completed_at INTEGER,
    updated_index INTEGER
  ) STRICT;
  CREATE INDEX attempt_payment ON attempt (payment);
  CREATE INDEX attempt_sent ON attempt (payment) WHERE status = 'sent';
  CREATE INDEX attempt_updated ON attempt (updated_index) WHERE updated_index IS NOT NULL;
`;

/** One row: what the data directory belongs to, and the number of the last commit (see directory-mark.ts). */
const DATA_DIRECTORY = `
  CREATE TABLE data_directory (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    directory_id TEXT NOT NULL,
    node_id TEXT NOT NULL,
    network TEXT NOT NULL,
    chain TEXT NOT NULL,
    last_commit INTEGER NOT NULL
  ) STRICT;
`;

/**
 * Ids that are unique across machines. Older attempts keep the text that identifies them to the network, so that
 * attempts in flight are found again.
 */
const UNIQUE_IDS = `
  ALTER TABLE payment ADD COLUMN uid TEXT NOT NULL DEFAULT '';
  UPDATE payment SET uid = lower(hex(randomblob(16)));
  CREATE UNIQUE INDEX payment_uid ON payment (uid);
  ALTER TABLE attempt ADD COLUMN uid TEXT NOT NULL DEFAULT '';
  UPDATE attempt SET uid = (
    SELECT lower(hex(payment.payment_hash)) FROM payment WHERE payment.id = attempt.payment) || '-' || attempt.id;
  CREATE UNIQUE INDEX attempt_uid ON attempt (uid);
`;

/** Allows payments whose preimage only the recipient knows until the invoice is paid. */
const LATE_PREIMAGES = `
  ALTER TABLE payment ADD COLUMN late_preimage BLOB;
  UPDATE payment SET late_preimage = preimage;
  ALTER TABLE payment DROP COLUMN preimage;
  ALTER TABLE payment RENAME COLUMN late_preimage TO preimage;
`;

/** Payments can be found by our own invoice request whose invoice they pay. */
const LOCAL_REQUESTS = `
  ALTER TABLE payment ADD COLUMN local_request_id BLOB;
  CREATE INDEX payment_local_request_id ON payment (local_request_id) WHERE local_request_id IS NOT NULL;
`;

/**
 * Names of layers whose import from our node has begun, and whether it was completed. A completed import is not
 * repeated.
 */
const IMPORTED_LAYERS = `
  CREATE TABLE imported_layer (
    name TEXT PRIMARY KEY,
    is_whole INTEGER NOT NULL
  ) STRICT;
`;

/**
 * A second index for each look-up in `payment` whose empty result lets a payment start. Damage of one page can hide a
 * row from one index, but not from both. With this schema, the file of page checksums must exist too (page-sums.ts).
 */
const SECOND_INDEXES = `
  CREATE INDEX payment_idempotency_key_again ON payment (idempotency_key DESC) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX payment_payment_hash_again ON payment (payment_hash DESC);
  CREATE INDEX payment_local_request_id_again ON payment (local_request_id DESC) WHERE local_request_id IS NOT NULL;
`;

/** Idempotency keys of deleted payments. */
const SPENT_KEYS = `
  CREATE TABLE spent_key (
    idempotency_key TEXT PRIMARY KEY,
    payment_hash BLOB NOT NULL,
    status TEXT NOT NULL
  ) STRICT;
`;

/** The name of the node that sends an attempt, if we have several. */
const OWN_NODES = `
  ALTER TABLE attempt ADD COLUMN own_node TEXT;
`;

/** The predicted probability of an attempt before correction. */
const UNCORRECTED_ODDS = `
  ALTER TABLE attempt ADD COLUMN uncorrected_ppm INTEGER;
`;

/**
 * Places of payments in recording order (`created_order`), for programs that follow a list. The payment's number is
 * unsuitable, because it is assigned before the route search, and a later payment may be recorded first. `last_place`
 * keeps the last place, even if its payment is removed, so that the place is not reused.
 */
const PLACES = `
  ALTER TABLE payment ADD COLUMN created_order INTEGER;
  CREATE INDEX payment_created_place ON payment (coalesce(created_order, id));
  CREATE TABLE last_place (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    place INTEGER NOT NULL
  ) STRICT;
`;

/** All migrations in order. A database of version n is the result of the first n migrations. */
export const SCHEMA: Migrations = [
  LAYERS,
  PAYMENTS,
  OFFERS,
  CANCELLED_PERIODS,
  DATA_DIRECTORY,
  UNIQUE_IDS,
  LATE_PREIMAGES,
  LOCAL_REQUESTS,
  IMPORTED_LAYERS,
  RUNES,
  RUNE_OUTGO,
  SECOND_INDEXES,
  SPENT_KEYS,
  OWN_NODES,
  KEPT_RECORDS,
  UNCORRECTED_ODDS,
  PLACES,
];

/** The first schema version whose databases have page checksums. */
export const PAGE_SUMS_SINCE = SCHEMA.indexOf(SECOND_INDEXES) + 1;
