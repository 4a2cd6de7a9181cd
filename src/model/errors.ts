/**
 * All errors that a client can see: name, JSON-RPC code, meaning, remedy, whether a retry can succeed, and HTTP status.
 *
 * Where Core Lightning has the same error, the code is the same too. Transport errors use the codes of JSON-RPC 2.0.
 * The -32000 block is specific to Fulgurite.
 *
 * HTTP statuses follow Core Lightning's clnrest: 404 for an unknown method, 403 for a missing rune, 401 for a rune that
 * is invalid or does not permit the request, 500 for other errors. Errors unknown to clnrest use RFC 9110: 409 for a
 * conflict, 413 too large, 503 temporarily unavailable.
 */

/** One error: JSON-RPC code, meaning, remedy for the client, and HTTP status. */
export interface ErrorKind {
  readonly code: number;
  readonly meaning: string;
  readonly remedy: string;
  /** Whether an identical request can succeed later without any intervention. */
  readonly retryable: boolean;
  /** HTTP status of a response that contains only this error. */
  readonly httpStatus: number;
}

const kind = (
  code: number,
  meaning: string,
  remedy: string,
  retryable = false,
  httpStatus = 500,
): ErrorKind => ({
  code,
  meaning,
  remedy,
  retryable,
  httpStatus,
});

/** The table of errors, by name. */
export const ERRORS = {
  parseError: kind(-32700, 'The request is not valid JSON.', 'Send one JSON object per request.'),
  invalidRequest: kind(-32600, 'The JSON is not a JSON-RPC request.', 'Send id, method and params.'),
  unknownMethod: kind(-32601, 'The command does not exist or is disabled here.', 'See `help`.', false, 404),
  invalidParams: kind(-32602, 'A parameter is missing, unknown or malformed.', 'See `help COMMAND`.'),
  internal: kind(-32603, 'Internal error: a bug in this service.', 'Report it with the log.', true),
  busy: kind(
    -32001,
    'A queue is full, or another limit is reached.',
    'See the message; retry later.',
    true,
    503,
  ),
  tooLarge: kind(
    -32002,
    'A request, or the answer of an attached node, exceeds the size limit.',
    'Send a smaller request, or raise the limit.',
    false,
    413,
  ),
  graphSource: kind(-32004, 'The channel graph source is unusable.', 'See the message; set --graph.'),
  notSupported: kind(
    -32005,
    'The network, or the options with which the service was started, do not support this.',
    'See the message; start with another --network or with different options.',
  ),
  nodeAway: kind(
    -32006,
    'The attached node is unreachable or cannot pay at the moment.',
    'Check `getinfo` and the node; retry when the node is back.',
    true,
    503,
  ),
  engineAway: kind(
    -32007,
    'The plugin engine is not running. It is being restarted.',
    'Retry; see `fulgurite-getinfo`. If `data.sent` is set, first check whether the request was executed.',
    true,
    503,
  ),
  quoteUnusable: kind(
    -32008,
    'The quote does not exist, has expired, was used, or is for a different payment.',
    'See data.reason; request a new quote.',
  ),
  nameUnresolved: kind(
    -32009,
    'The name (BIP 353) could not be resolved or proven.',
    'See data.reason; pay the offer (lno1…) instead.',
  ),
  staticInvoice: kind(
    -32010,
    'The recipient is offline, and a server answered with a static invoice.',
    'Retry while the recipient is online, or restart with --pay-static-invoices and pay the offer with `xpay`. data.static_invoice shows the answer.',
    true,
  ),
  recipientOffline: kind(
    -32011,
    'The recipient of a static invoice did not come online and release the payment in time. Nothing was paid.',
    'Retry, or allow more time with `retry_for`. The idempotency key of the request can be used again.',
    true,
  ),
  storeFailed: kind(
    -32003,
    'A change could not be stored.',
    'See the message: make space on the disk, or make the database available. Pending changes are then written.',
  ),
  scenario: kind(
    -32020,
    'A scenario, or a file it refers to, is invalid.',
    'Correct the field named in the message; `data` has file, line and field.',
  ),
  unspecified: kind(-1, 'Unspecified error.', 'See the message.'),
  shuttingDown: kind(-5, 'The service is stopping.', 'Retry when it is back.', true, 503),
  workerDied: kind(-4, 'A worker crashed while serving this request and has been replaced.', 'Retry.', true),
  waitTimedOut: kind(200, 'The payment is still in progress.', 'Check again later.', true),
  hashUsed: kind(
    201,
    'The payment hash has already been used for a different payment.',
    'See `listsendpays`.',
  ),
  unreadableFailure: kind(202, 'The failure message could not be decrypted.', 'Retry the payment.', true),
  recipientRefused: kind(203, 'The destination rejected the payment permanently.', 'See data.failcodename.'),
  routeFailed: kind(
    204,
    'A node on the route, or our own node, failed the attempt.',
    'Try another route.',
    true,
  ),
  invoiceExpired: kind(207, 'The invoice has expired.', 'Request a new invoice.'),
  noSuchPayment: kind(208, 'No such payment.', 'See `listpays`.'),
  paymentFailed: kind(209, 'The payment failed.', 'See the message and data.attempts.', true),
  paymentStatusUnexpected: kind(211, 'The payment is in a different state.', 'See `listpays`.'),
  routeNotFound: kind(205, 'No route found.', 'See data.binding and data.remedy.'),
  routeTooExpensive: kind(206, 'All routes exceed the fee or delay limit.', 'See data.remedy.'),
  timedOut: kind(210, 'The request timed out.', 'Allow more time.', true),
  undecided: kind(
    210,
    'The search budget ran out before a route was found or ruled out.',
    'Reduce the amount or relax a limit: see data.remedy.',
  ),
  invoiceRequestUnusable: kind(
    212,
    'The invoice request cannot be used for this payment.',
    'See `listinvoicerequests`.',
  ),
  declined: kind(
    214,
    'The attached node declined the payment.',
    'See the message: it is the node’s own text.',
  ),
  sourceCapacity: kind(215, 'The source has too little capacity.', 'See data.remedy.'),
  maxdelayTooLarge: kind(217, 'The delay limit exceeds the network maximum.', 'Use at most 2016 blocks.'),
  alreadyPaid: kind(219, 'The invoice has already been paid.', 'See data.payment_preimage.'),
  destinationCapacity: kind(220, 'The destination has too little capacity.', 'See data.remedy.'),
  noAddress: kind(400, 'No address is known for the peer.', 'Specify it: ID@HOST:PORT.'),
  connectFailed: kind(401, 'Could not connect to any address of the peer.', 'See data.attempts.', true),
  disconnected: kind(402, 'The peer disconnected during connection setup.', 'Retry.', true),
  notConnected: kind(403, 'The peer is not connected.', 'See `connect`.'),
  invoiceLabelExists: kind(900, 'An invoice already has this label.', 'Choose another; see `listinvoices`.'),
  invoicePreimageExists: kind(901, 'An invoice already has this preimage.', 'Choose another.'),
  invoiceExpiredDuringWait: kind(903, 'The invoice expired unpaid.', 'Create another with `invoice`.'),
  invoiceWaitTimedOut: kind(904, 'No invoice was paid in time.', 'Wait again.', true),
  invoiceNotFound: kind(905, 'There is no such invoice.', 'See `listinvoices`.'),
  invoiceStatusUnexpected: kind(906, 'The invoice does not have the given status.', 'See `listinvoices`.'),
  invoiceNoDescription: kind(908, 'The description has already been removed.', 'Nothing is left to do.'),
  offerExists: kind(
    1000,
    'The same offer already exists but is not active.',
    'Change the offer, for example its description.',
  ),
  offerNotActive: kind(
    1001,
    'The offer or invoice request is not active.',
    'See `listoffers` or `listinvoicerequests`.',
  ),
  offerExpired: kind(1002, 'The offer has expired.', 'Ask the issuer for a new offer.'),
  offerUnreachable: kind(
    1003,
    'Could not reach the issuer of the offer.',
    'See data.steps; connect to a node near the issuer.',
    true,
  ),
  issuerError: kind(1004, 'The issuer of the offer returned an error or an invalid invoice.', 'See data.'),
  offerTimedOut: kind(
    1005,
    'Timed out while fetching the invoice.',
    'See data.steps; allow more time.',
    true,
  ),
  nothingToProve: kind(1700, 'No completed payment matches.', 'Pay the invoice first; see `listpays`.'),
  notAuthorized: kind(
    1501,
    'The rune was not created by this node.',
    'Send the whole rune, or create another with `createrune`.',
    false,
    401,
  ),
  runeMissing: kind(1501, 'The request has no rune.', 'Send it in the `Rune` header.', false, 403),
  runeMalformed: kind(
    -32602,
    'The `Rune` header does not contain a valid rune.',
    'Send the text returned by `createrune`.',
    false,
    401,
  ),
  runeBlacklisted: kind(1503, 'The rune is blacklisted.', 'Create another with `createrune`.', false, 401),
  keyUsed: kind(
    -32602,
    'The Idempotency-Key was already used for a different request.',
    'Repeat the original request unchanged, or use another key.',
    false,
    409,
  ),
  notPermitted: kind(
    1502,
    'The rune does not permit this request.',
    'The message names the restriction that failed. Ask the operator for another rune.',
    false,
    401,
  ),
} as const satisfies Record<string, ErrorKind>;

/** The name of an error in the table. */
export type ErrorName = keyof typeof ERRORS;

/** An error for the client. Any code that a command calls may throw it; the client gets it as a JSON-RPC error. */
export class FulguriteError extends Error {
  override readonly name: ErrorName;
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(name: ErrorName, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = name;
    this.code = ERRORS[name].code;
    this.data = data;
  }
}

/**
 * An error with a typed reason instead of a text. src/commands/in-words.ts converts the reason to a message and data
 * for the answer. Until then, the message is the kind of the reason.
 */
export abstract class ReasonedError<R extends { readonly kind: string }> extends FulguriteError {
  readonly reason: R;

  constructor(name: ErrorName, reason: R) {
    super(name, reason.kind);
    this.reason = reason;
  }
}
