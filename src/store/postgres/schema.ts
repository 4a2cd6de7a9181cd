/**
 * The schema in PostgreSQL, one migration for each released change, and what each role may do.
 *
 * The tables are in the schema `fulgurite` and belong to the role that prepares it. Daemons use another role, which
 * reads and writes rows but cannot change the schema. A solver's role can only read the log of changes, and what
 * identifies the database: it never sees a preimage, a session key or a label.
 *
 * Values are stored as in SQLite (`columns.ts`): unsigned 64-bit integers are stored as the signed ones with the same
 * bits, and texts from clients as JSON, because PostgreSQL's texts cannot hold NUL and lone surrogates.
 */

/** The two keys of the advisory lock of transactions that take a number from a sequence. */
export const ORDER_LOCK = [0x46756c67, 1] as const;

/** Sequences of places in lists. */
export const ORDER_SEQUENCES = {
  created: 'attempt_created_order',
  updated: 'attempt_updated_order',
  recorded: 'payment_created_order',
} as const;

/** The next number of a sequence, after taking the lock. CASE ensures that the lock comes first. */
export function nextInOrder(sequence: (typeof ORDER_SEQUENCES)[keyof typeof ORDER_SEQUENCES]): string {
  const next = `nextval('fulgurite.${sequence}')`;
  return `CASE WHEN pg_try_advisory_xact_lock_shared(${ORDER_LOCK.join(', ')}) THEN ${next} ELSE ${next} END`;
}

/**
 * Payments of all daemons. `node` is the Lightning node whose channels carry them: only its daemons can take a payment
 * over. Numbers are assigned in blocks, so that no two daemons use the same one.
 */
const PAYMENTS = `
  CREATE TABLE payment (
    id bigint PRIMARY KEY,
    uid text NOT NULL UNIQUE,
    payment_hash bytea NOT NULL,
    preimage bytea,
    group_id bigint NOT NULL,
    payment_secret bytea,
    total_msat bigint NOT NULL,
    request bytea NOT NULL,
    idempotency_key text,
    local_request_id bytea,
    status text NOT NULL,
    failure bytea,
    created_at bigint NOT NULL,
    completed_at bigint,
    node text NOT NULL,
    owner text NOT NULL,
    fence bigint NOT NULL,
    until timestamptz NOT NULL
  );
  CREATE INDEX payment_payment_hash ON payment (payment_hash);
  CREATE INDEX payment_pending ON payment (id) WHERE status = 'pending';
  CREATE UNIQUE INDEX payment_idempotency_key ON payment (idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX payment_local_request_id ON payment (local_request_id) WHERE local_request_id IS NOT NULL;

  CREATE TABLE attempt (
    id bigint PRIMARY KEY,
    uid text NOT NULL UNIQUE,
    payment bigint NOT NULL REFERENCES payment ON DELETE CASCADE,
    part_id bigint NOT NULL,
    amount_msat bigint NOT NULL,
    amount_sent_msat bigint NOT NULL,
    probability_ppm bigint NOT NULL,
    height bigint NOT NULL,
    part_of_several bigint NOT NULL,
    session_key bytea NOT NULL,
    path bytea NOT NULL,
    status text NOT NULL,
    failure bytea,
    learned bytea,
    created_at bigint NOT NULL,
    completed_at bigint,
    updated_index bigint
  );
  CREATE INDEX attempt_payment ON attempt (payment);
  CREATE INDEX attempt_sent ON attempt (payment) WHERE status = 'sent';
  CREATE INDEX attempt_updated ON attempt (updated_index) WHERE updated_index IS NOT NULL;

  CREATE TABLE number_block (
    kind text PRIMARY KEY,
    next bigint NOT NULL
  );
  INSERT INTO number_block VALUES ('payment', 1), ('attempt', 1), ('updated', 1);
`;

/** Offers belong to the node that issues them, and runes to the data directory whose secret made them. */
const OFFERS_AND_RUNES = `
  CREATE TABLE offer (
    node text NOT NULL,
    offer_id bytea NOT NULL,
    bytes bytea NOT NULL,
    path_id bytea,
    label text,
    single_use boolean NOT NULL,
    active boolean NOT NULL,
    used boolean NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (node, offer_id)
  );
  CREATE TABLE invoice_request (
    node text NOT NULL,
    request_id bytea NOT NULL,
    bytes bytea NOT NULL,
    label text,
    single_use boolean NOT NULL,
    active boolean NOT NULL,
    used boolean NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (node, request_id)
  );
  CREATE TABLE offer_invoice (
    node text NOT NULL,
    label text NOT NULL,
    offer_id bytea NOT NULL,
    request_id bytea NOT NULL,
    bytes bytea NOT NULL,
    preimage bytea NOT NULL,
    payment_hash bytea NOT NULL,
    amount_msat bigint NOT NULL,
    description text,
    payer_note text,
    expires_at bigint NOT NULL,
    basetime bigint,
    is_paid boolean NOT NULL,
    created_index bigint NOT NULL,
    PRIMARY KEY (node, label)
  );
  CREATE TABLE series (
    node text NOT NULL,
    offer_id bytea NOT NULL,
    label text NOT NULL,
    start bigint,
    basetime bigint NOT NULL,
    counter bigint NOT NULL,
    PRIMARY KEY (node, offer_id, label)
  );
  CREATE TABLE cancelled_period (
    node text NOT NULL,
    label text NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (node, label)
  );

  CREATE TABLE rune (
    directory text NOT NULL,
    unique_id bigint NOT NULL,
    rune text NOT NULL,
    last_used bigint,
    PRIMARY KEY (directory, unique_id)
  );
  CREATE TABLE rune_blacklist (
    directory text NOT NULL,
    first_id bigint NOT NULL,
    last_id bigint NOT NULL,
    PRIMARY KEY (directory, first_id)
  );
  CREATE TABLE rune_counter (
    directory text PRIMARY KEY,
    next_unique_id bigint NOT NULL
  );
`;

/**
 * The log of changes that all daemons make and follow, and its snapshots. A sequence would assign numbers at insert
 * instead of at commit, so a reader could see number 11 before number 10, and miss number 10 forever. The row lock on
 * `log_head` makes the order of numbers that of commits. `changes` is the number of changes in all chunks so far.
 */
const CHANGE_LOG = `
  CREATE TABLE change_log (
    seq bigint PRIMARY KEY,
    at timestamptz NOT NULL,
    writer text NOT NULL,
    batch bigint NOT NULL,
    changes bigint NOT NULL,
    chunk bytea NOT NULL,
    UNIQUE (writer, batch)
  );
  CREATE TABLE log_head (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    seq bigint NOT NULL,
    changes bigint NOT NULL
  );
  INSERT INTO log_head (seq, changes) VALUES (0, 0);
  CREATE TABLE snapshot (
    seq bigint NOT NULL,
    part int NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (seq, part)
  );
  CREATE TABLE snapshot_head (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    seq bigint NOT NULL,
    changes bigint NOT NULL
  );
  INSERT INTO snapshot_head (seq, changes) VALUES (0, 0);
`;

/**
 * The one network and chain of the database, set by the first daemon, with a random id by which data directories
 * recognise it. Also the data directories whose rows were moved into the database, or are being moved.
 */
const BELONGING = `
  CREATE TABLE belonging (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    id text NOT NULL DEFAULT gen_random_uuid()::text,
    network text NOT NULL,
    chain text NOT NULL
  );
  CREATE TABLE migration (
    directory text PRIMARY KEY,
    is_whole boolean NOT NULL
  );
`;

/**
 * All daemons together pay an invoice only once, and pay only one invoice for a single-use request of ours. Each daemon
 * checks before it pays, but two may check at the same moment, and then the index decides. A failed payment stays
 * failed and leaves the index, so the invoice can be paid again.
 *
 * An invoice that two daemons had paid before there was an index keeps all its rows: the later ones are marked, and
 * left out of the index. Older rows have no single-use request, but are found by `local_request_id`.
 */
const PAID_ONCE = `
  ALTER TABLE payment ADD COLUMN single_use_request_id bytea;
  ALTER TABLE payment ADD COLUMN was_paid_twice boolean NOT NULL DEFAULT false;
  UPDATE payment SET was_paid_twice = true WHERE status <> 'failed' AND EXISTS (
    SELECT 1 FROM payment earlier WHERE earlier.payment_hash = payment.payment_hash
      AND earlier.status <> 'failed' AND earlier.id < payment.id);
  CREATE UNIQUE INDEX payment_standing_hash ON payment (payment_hash)
    WHERE status <> 'failed' AND NOT was_paid_twice;
  CREATE UNIQUE INDEX payment_standing_request ON payment (single_use_request_id)
    WHERE status <> 'failed' AND single_use_request_id IS NOT NULL;
`;

/** Which daemon writes the graph to the log, until when, and the number of the log's last chunk about the graph. */
const GRAPH_IN_LOG = `
  CREATE TABLE graph_head (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    writer text NOT NULL,
    daemon text NOT NULL,
    until timestamptz NOT NULL,
    seq bigint NOT NULL
  );
  INSERT INTO graph_head (writer, daemon, until, seq) VALUES ('', '', '-infinity', 0);
`;

/** The connected server: its system identifier, and its timeline in eight hex digits. */
export const THIS_SERVER = `((SELECT system_identifier FROM pg_control_system()) || '/' ||
  substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))`;

/**
 * What a failover may have lost. `paying_node` records on which server and timeline the HTLCs of each Lightning node
 * were last matched with rows. `unknown_htlc` lists the HTLCs without a row; those with a preimage were settled. A
 * failover may lose the record of which numbers were assigned, so the next block after it starts far ahead. If a
 * payment without an invoice has an idempotency key, its preimage is derived from that key and `key_secret`.
 */
const DOUBT = `
  CREATE TABLE paying_node (
    node text PRIMARY KEY,
    server text NOT NULL
  );
  INSERT INTO paying_node (node, server) SELECT DISTINCT node, ${THIS_SERVER} FROM payment;
  CREATE TABLE unknown_htlc (
    node text NOT NULL,
    payment_hash bytea NOT NULL,
    part_id bigint NOT NULL,
    attempt_uid text NOT NULL,
    group_id bigint NOT NULL,
    amount_msat bigint NOT NULL,
    preimage bytea,
    found_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (node, payment_hash, part_id)
  );
  ALTER TABLE number_block ADD COLUMN server text NOT NULL DEFAULT '';
  CREATE TABLE key_secret (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    secret text NOT NULL
  );
  INSERT INTO key_secret (secret) VALUES (gen_random_uuid()::text || gen_random_uuid()::text);
`;

/**
 * `daemon` lists all daemons, including those without payments, and when each was last seen. `rune_book` has the secret
 * of the shared runes: that of the first daemon, whose earlier runes stay valid. `version` is incremented with each
 * change of runes, so that other daemons read them again.
 *
 * `payment_sum` keeps the sums of payments that were deleted because of their age, by day of their outcome.
 *
 * Leases are renewed in place if a page has room, so pages of payments are not filled. If a page is full, each renewal
 * writes to all indexes. Recording the outcome of a payment or attempt always writes to all indexes, because it changes
 * indexed columns. Old rows are vacuumed early, because a fifth of a large table (the default) is too much to wait for.
 */
const FLEET_AT_WORK = `
  CREATE TABLE daemon (
    daemon text PRIMARY KEY,
    node text NOT NULL,
    version text NOT NULL,
    seen_at timestamptz NOT NULL
  );
  CREATE TABLE rune_book (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    directory text NOT NULL,
    secret bytea NOT NULL,
    version bigint NOT NULL DEFAULT 1
  );
  CREATE TABLE payment_sum (
    node text NOT NULL,
    day date NOT NULL,
    status text NOT NULL,
    payments bigint NOT NULL,
    amount_msat numeric NOT NULL,
    sent_msat numeric NOT NULL,
    PRIMARY KEY (node, day, status)
  );
  ALTER TABLE payment SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02);
  ALTER TABLE attempt SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02);
`;

/**
 * The amounts counted as spent with each rune, by minute. They are text, because the sum of a minute may exceed 64
 * bits.
 */
const RUNE_OUTGO = `
  CREATE TABLE rune_outgo (
    directory text NOT NULL,
    unique_id bigint NOT NULL,
    minute bigint NOT NULL,
    msat text NOT NULL,
    PRIMARY KEY (directory, unique_id, minute)
  );
`;

/** Idempotency keys of deleted payments. */
const SPENT_KEYS = `
  CREATE TABLE spent_key (
    idempotency_key text PRIMARY KEY,
    payment_hash bytea NOT NULL,
    status text NOT NULL
  );
`;

/** A random id that distinguishes this fleet from others on the same message bus. */
const FLEET_ID = `
  CREATE TABLE fleet (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    id text NOT NULL DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 16)
  );
  INSERT INTO fleet DEFAULT VALUES;
`;

/** The name of the node that sends an attempt, if we have several. */
const OWN_NODES = `
  ALTER TABLE attempt ADD COLUMN own_node text;
`;

/** Small records of features, such as quotes, by kind. The body is JSON. */
const KEPT_RECORDS = `
  CREATE TABLE kept_record (
    kind text NOT NULL,
    id text NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (kind, id)
  );
`;

/**
 * Places in lists, in the order of commits. Numbers that daemons take in blocks are not in time order, and a list that
 * continued after the highest number would miss lower numbers that are used later. Sequences are shared by all daemons.
 *
 * A sequence assigns numbers at insert instead of at commit, so a reader could still see number 11 before number 10.
 * Each transaction that takes a number first takes a shared advisory lock, which it keeps until its rows are visible or
 * gone. A reader looks up the last number, then the holders of the lock, and waits for those (`commit-order.ts`).
 * Writers never wait.
 *
 * Older rows have no `created_order`. Their place is their id, below the first number of the sequence.
 */
const COMMIT_ORDER = `
  CREATE SEQUENCE attempt_created_order;
  CREATE SEQUENCE attempt_updated_order;
  SELECT setval('attempt_created_order', (SELECT next FROM number_block WHERE kind = 'attempt')),
    setval('attempt_updated_order', (SELECT next FROM number_block WHERE kind = 'updated'));
  ALTER TABLE attempt ADD COLUMN created_order bigint;
  ALTER TABLE attempt ALTER COLUMN created_order SET DEFAULT ${nextInOrder('attempt_created_order')};
  INSERT INTO number_block (kind, next) VALUES ('order', 0);
`;

/**
 * Places of payments in lists, in the order of commits. Older rows have no `created_order`, and their place is their
 * id.
 */
const PAYMENT_ORDER = `
  CREATE SEQUENCE payment_created_order;
  SELECT setval('payment_created_order', (SELECT next FROM number_block WHERE kind = 'payment'));
  ALTER TABLE payment ADD COLUMN created_order bigint;
  ALTER TABLE payment ALTER COLUMN created_order SET DEFAULT ${nextInOrder('payment_created_order')};
`;

/** The predicted probability of an attempt before correction. */
const UNCORRECTED_ODDS = `
  ALTER TABLE attempt ADD COLUMN uncorrected_ppm bigint;
`;

/**
 * For each attempt, the daemon that recorded it and the number of that daemon's run. A daemon starts a run only after its
 * previous one has ended. So once its number has increased, the process that recorded its earlier attempts has ended.
 */
const RUNS = `
  ALTER TABLE daemon ADD COLUMN run bigint NOT NULL DEFAULT 0;
  ALTER TABLE attempt ADD COLUMN daemon text, ADD COLUMN run bigint;
`;

/** All migrations in order. A schema of version n is the result of the first n migrations. */
export const POSTGRES_SCHEMA: readonly string[] = [
  PAYMENTS + OFFERS_AND_RUNES + CHANGE_LOG + BELONGING,
  PAID_ONCE,
  GRAPH_IN_LOG,
  DOUBT,
  FLEET_AT_WORK,
  RUNE_OUTGO,
  SPENT_KEYS,
  FLEET_ID,
  OWN_NODES,
  KEPT_RECORDS,
  COMMIT_ORDER,
  UNCORRECTED_ODDS,
  PAYMENT_ORDER,
  RUNS,
];

/** The place of an attempt in creation order, and of a payment in recording order. */
export const CREATED_PLACE = 'coalesce(created_order, id)';

/**
 * Indexes created after the migrations, by name. They are created without a lock that would stop writes, so that
 * running daemons can continue.
 */
export const LATER_INDEXES: Readonly<Record<string, string>> = {
  attempt_created_place: `attempt ((${CREATED_PLACE}))`,
  payment_created_place: `payment ((${CREATED_PLACE}))`,
};

/**
 * Rights of a daemon's role, each with the tables to which it applies. The role cannot change the schema, and owns
 * nothing.
 */
const DAEMON_RIGHTS: Readonly<Record<string, readonly string[]>> = {
  SELECT: ['schema_version', 'migration', 'key_secret', 'fleet'],
  'SELECT, INSERT': ['belonging'],
  'SELECT, INSERT, UPDATE, DELETE': [
    ...['payment', 'attempt', 'offer_invoice', 'unknown_htlc', 'rune_outgo', 'kept_record'],
  ],
  'SELECT, INSERT, UPDATE': [
    ...['paying_node', 'offer', 'invoice_request', 'series', 'rune', 'rune_counter'],
    ...['daemon', 'rune_book', 'payment_sum', 'spent_key'],
  ],
  'SELECT, INSERT, DELETE': ['cancelled_period', 'rune_blacklist', 'change_log', 'snapshot'],
  'SELECT, UPDATE': ['number_block', 'log_head', 'snapshot_head', 'graph_head'],
};

const SOLVER_RIGHTS: Readonly<Record<string, readonly string[]>> = {
  SELECT: ['schema_version', 'belonging', 'change_log', 'log_head', 'snapshot', 'snapshot_head', 'fleet'],
};

/** The roles that can be given rights. */
export type GrantedRole = 'daemon' | 'solver';

/** Statements that give a role its rights, and revoke all others that it had. */
export function grants(kind: GrantedRole, role: string): string[] {
  const name = `"${role.replaceAll('"', '""')}"`;
  const rights = Object.entries(kind === 'daemon' ? DAEMON_RIGHTS : SOLVER_RIGHTS);
  return [
    `REVOKE ALL ON ALL TABLES IN SCHEMA fulgurite FROM ${name}`,
    `REVOKE ALL ON ALL SEQUENCES IN SCHEMA fulgurite FROM ${name}`,
    `REVOKE ALL ON SCHEMA fulgurite FROM ${name}`,
    `GRANT USAGE ON SCHEMA fulgurite TO ${name}`,
    ...rights.map(([right, tables]) => `GRANT ${right} ON ${tables.join(', ')} TO ${name}`),
    ...(kind === 'daemon'
      ? [`GRANT ALL ON SEQUENCE ${Object.values(ORDER_SEQUENCES).join(', ')} TO ${name}`]
      : []),
  ];
}
