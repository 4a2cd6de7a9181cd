/**
 * All errors that a client can see, in one table: name, JSON-RPC number, meaning, remedy, whether the same
 * request may succeed later, and the HTTP status of an answer that carries the error.
 *
 * Numbers are Core Lightning's where it has one for the error. Those of the transport are JSON-RPC 2.0's.
 * -32700 and those of the -32000 block are ours.
 *
 * HTTP statuses are those of Core Lightning's clnrest: 404 for an unknown method, 401 for one that is not
 * permitted, 500 for other errors. Errors that clnrest does not have get the status of RFC 9110 with the same
 * meaning: 413 too large, 503 unavailable just now.
 */

/** One error: its JSON-RPC number, what it means, what the client can do about it, and its HTTP status. */
export interface ErrorKind {
  readonly code: number;
  readonly meaning: string;
  readonly remedy: string;
  /** Whether the very same request can succeed later, without anybody changing anything. */
  readonly retryable: boolean;
  /** Status of an HTTP answer that carries only this error. */
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

/** The table of errors, by the names that the code uses. */
export const ERRORS = {
  parseError: kind(-32700, 'The bytes received are not JSON.', 'Send one JSON object per request.'),
  invalidRequest: kind(-32600, 'The JSON is not a request.', 'Give id, method and params.'),
  unknownMethod: kind(-32601, 'No such command, or it is refused here.', 'See `help`.', false, 404),
  invalidParams: kind(-32602, 'A parameter is missing, unknown or malformed.', 'See `help COMMAND`.'),
  internal: kind(-32603, 'A defect of this service.', 'Report it with the log.', true),
  busy: kind(-32001, 'The queue of requests is full.', 'Retry later, or raise the queue size.', true, 503),
  tooLarge: kind(-32002, 'A request exceeds the size limit.', 'Send less, or raise the limit.', false, 413),
  graphSource: kind(
    -32004,
    'The source of the channel graph cannot be used.',
    'Read the message; give --graph.',
  ),
  notSupported: kind(-32005, 'What stands behind this node cannot do that.', 'Start on another --network.'),
  nodeAway: kind(
    -32006,
    'The node behind this service is away, or cannot pay just now.',
    'See `getinfo` and the node; retry when it is back.',
    true,
    503,
  ),
  engineAway: kind(
    -32007,
    'The engine behind the plugin is not running just now. It is started again.',
    'Retry; see `fulgurite-getinfo`. With `data.sent`, look first whether it was done.',
    true,
    503,
  ),
  storeFailed: kind(
    -32003,
    'A change could not be written to disk.',
    'Free disk space or repair the disk; what was changed meanwhile is written with the next change.',
  ),
  scenario: kind(
    -32020,
    'A scenario, or a file that it names, cannot be played.',
    'Correct the field that the message names; `data` has file, line and field.',
  ),
  unspecified: kind(-1, 'Catchall nonspecific error.', 'Read the message.'),
  shuttingDown: kind(-5, 'The service is stopping.', 'Retry when it is back.', true, 503),
  workerDied: kind(-4, 'A worker died while it served this request; it has been replaced.', 'Retry.', true),
  waitTimedOut: kind(200, 'The payment is still under way.', 'Ask again later.', true),
  unreadableFailure: kind(202, 'A failure came back that nobody can read.', 'Pay again.', true),
  recipientRefused: kind(203, 'Permanent failure at the destination.', 'See data.failcodename.'),
  routeFailed: kind(204, 'A node on the way failed the attempt.', 'Try another route.', true),
  invoiceExpired: kind(207, 'The invoice has expired.', 'Ask for another invoice.'),
  noSuchPayment: kind(208, 'No such payment.', 'See `listpays`.'),
  paymentFailed: kind(209, 'The payment failed.', 'Read the message; see data.attempts.', true),
  paymentStatusUnexpected: kind(211, 'The payment is in another state.', 'See `listpays`.'),
  routeNotFound: kind(205, 'Unable to find a route.', 'See data.binding and data.remedy.'),
  routeTooExpensive: kind(206, 'Only routes beyond the fee or delay limit exist.', 'See data.remedy.'),
  timedOut: kind(210, 'The time allowed ran out.', 'Allow more time.', true),
  undecided: kind(
    210,
    'The search ended before it found a route or proved that there is none.',
    'Ask for less, or allow more: see data.remedy.',
  ),
  invoiceRequestUnusable: kind(
    212,
    'The invoice request may not be used for this payment.',
    'See `listinvoicerequests`.',
  ),
  declined: kind(214, 'Our own node declines the payment.', 'Read the message: it is in the node’s words.'),
  sourceCapacity: kind(215, 'The source lacks capacity.', 'See data.remedy.'),
  maxdelayTooLarge: kind(217, 'The delay limit exceeds what the network accepts.', 'At most 2016 blocks.'),
  alreadyPaid: kind(219, 'The invoice was paid already.', 'See data.payment_preimage.'),
  destinationCapacity: kind(220, 'The destination lacks capacity.', 'See data.remedy.'),
  noAddress: kind(400, 'No address is known for the peer.', 'Give its address: ID@HOST:PORT.'),
  connectFailed: kind(401, 'All addresses of the peer failed.', 'See data.attempts.', true),
  disconnected: kind(402, 'The peer disconnected while it was being connected.', 'Retry.', true),
  notConnected: kind(403, 'The peer is not connected.', 'See `connect`.'),
  offerExists: kind(1000, 'The same offer exists and is not active.', 'Enable it, or change the offer.'),
  offerNotActive: kind(1001, 'The offer is not active.', 'See `listoffers`.'),
  offerExpired: kind(1002, 'Offer has expired.', 'Ask the issuer for another offer.'),
  offerUnreachable: kind(
    1003,
    'Cannot find a route to the node making the offer.',
    'See data.steps; connect to a node near the issuer.',
    true,
  ),
  issuerError: kind(1004, 'The node making the offer returned an error message.', 'See data.'),
  offerTimedOut: kind(
    1005,
    'Timed out trying to fetch an invoice.',
    'See data.steps; allow more time.',
    true,
  ),
  nothingToProve: kind(1700, 'No payment of that is complete.', 'Pay it first; see `listpays`.'),
  notAuthorized: kind(
    1501,
    'The rune was not made by this node.',
    'Make one with `createrune`, or take care to send it whole.',
    false,
    401,
  ),
  runeMissing: kind(1501, 'The request has no rune.', 'Send it in the header `Rune`.', false, 403),
  runeMalformed: kind(
    -32602,
    'The header `Rune` is no rune.',
    'Send the text that `createrune` gave.',
    false,
    401,
  ),
  runeBlacklisted: kind(
    1503,
    'The rune was taken out of use.',
    'Make another with `createrune`.',
    false,
    401,
  ),
  keyUsed: kind(
    -32602,
    'The Idempotency-Key was used for another request.',
    'Repeat the first request as it was, or use another key.',
    false,
    409,
  ),
  notPermitted: kind(
    1502,
    'The rune does not permit the request.',
    'The message says what it does not permit. Ask the operator for another rune.',
    false,
    401,
  ),
} as const satisfies Record<string, ErrorKind>;

/** The name of an error in the table. */
export type ErrorName = keyof typeof ERRORS;

/**
 * An error that is meant for the client. It may be thrown anywhere below a command, and is answered as a
 * JSON-RPC error object.
 */
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
 * An error of a room that knows no texts of the interface. Its typed reason says everything. The commands
 * make message and data from it when they answer (src/commands/in-words.ts). Until then the message is the
 * kind of the reason.
 */
export abstract class ReasonedError<R extends { readonly kind: string }> extends FulguriteError {
  readonly reason: R;

  constructor(name: ErrorName, reason: R) {
    super(name, reason.kind);
    this.reason = reason;
  }
}
