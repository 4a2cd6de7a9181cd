/**
 * Tables of offers: those that we issue, the invoices made for them, and the series that we pay for. TLV streams and
 * ids are BLOBs. Text from clients is stored as JSON, which can represent any string. 64-bit values are stored as
 * signed integers with the same bits. Times are UNIX seconds.
 */
export const OFFERS = `
  CREATE TABLE offer (
    offer_id BLOB PRIMARY KEY,
    bytes BLOB NOT NULL,
    path_id BLOB,
    label TEXT,
    single_use INTEGER NOT NULL,
    active INTEGER NOT NULL,
    used INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE invoice_request (
    request_id BLOB PRIMARY KEY,
    bytes BLOB NOT NULL,
    label TEXT,
    single_use INTEGER NOT NULL,
    active INTEGER NOT NULL,
    used INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE offer_invoice (
    label TEXT PRIMARY KEY,
    offer_id BLOB NOT NULL,
    request_id BLOB NOT NULL,
    bytes BLOB NOT NULL,
    preimage BLOB NOT NULL,
    payment_hash BLOB NOT NULL,
    amount_msat INTEGER NOT NULL,
    description TEXT,
    payer_note TEXT,
    expires_at INTEGER NOT NULL,
    basetime INTEGER,
    is_paid INTEGER NOT NULL,
    created_index INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE series (
    offer_id BLOB NOT NULL,
    label TEXT NOT NULL,
    start INTEGER,
    basetime INTEGER NOT NULL,
    counter INTEGER NOT NULL,
    PRIMARY KEY (offer_id, label)
  ) STRICT;
`;

/** Periods cancelled by a payer, each identified by the label that its invoice would have. */
export const CANCELLED_PERIODS = `
  CREATE TABLE cancelled_period (
    label TEXT PRIMARY KEY
  ) STRICT;
`;
