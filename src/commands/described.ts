/** Adds to a command's description what is declared elsewhere: result shapes, errors and examples. */
import type { ErrorName } from '../model/errors.ts';
import type { ResultField } from '../rpc/command.ts';
import type { NodeCommand } from './context.ts';
import { examplesOf } from './examples.ts';
import { RESULT_SHAPES } from './result-shapes/index.ts';

/** Errors of a route search that finds nothing or fails. */
const OF_ROUTES: readonly ErrorName[] = [
  'routeNotFound',
  'routeTooExpensive',
  'timedOut',
  'undecided',
  'sourceCapacity',
  'destinationCapacity',
  'maxdelayTooLarge',
  'workerDied',
];

/** Errors of the search for `keysend` and `pay`, which distinguish fewer cases than `xkeysend`. */
const OF_OLDER_PLANS: readonly ErrorName[] = [
  'routeNotFound',
  'routeTooExpensive',
  'timedOut',
  'undecided',
  'workerDied',
  'notSupported',
];

/** Errors of a change that could not be written to disk. */
const OF_STORE: readonly ErrorName[] = ['storeFailed'];

/** Errors of commands that pay, if the payment fails or cannot start. */
const OF_SENDING: readonly ErrorName[] = [
  ...OF_STORE,
  'notSupported',
  'nodeAway',
  'unspecified',
  'recipientRefused',
  'declined',
];

const OF_KEYSEND: readonly ErrorName[] = [...OF_OLDER_PLANS, ...OF_SENDING];
const OF_XKEYSEND: readonly ErrorName[] = [...OF_ROUTES, ...OF_SENDING, 'paymentFailed'];

/** Errors of an invoice that has expired, or whose `localinvreqid` cannot be used. */
const OF_INVOICES: readonly ErrorName[] = ['invoiceExpired', 'invoiceRequestUnusable'];

/** Errors of a text that may be any kind of invoice. */
const OF_TEXTS: readonly ErrorName[] = [...OF_INVOICES, 'staticInvoice'];

/** Errors of an invoice that cannot be fetched. */
const OF_FETCHES: readonly ErrorName[] = [
  'notSupported',
  'offerExpired',
  'offerUnreachable',
  'issuerError',
  'staticInvoice',
  'offerTimedOut',
  'unspecified',
  'workerDied',
];

/** Errors of the commands that send a part along a given route. */
const OF_GIVEN: readonly ErrorName[] = [
  ...OF_STORE,
  'notSupported',
  'nodeAway',
  'routeFailed',
  'waitTimedOut',
  'hashUsed',
];

const ERRORS_OF: Readonly<Record<string, readonly ErrorName[]>> = {
  'askrene-age': OF_STORE,
  'askrene-bias-channel': OF_STORE,
  'askrene-bias-node': OF_STORE,
  'askrene-create-channel': OF_STORE,
  'askrene-create-layer': OF_STORE,
  // A layer that leaves no route is a result, not an error.
  'askrene-difflayers': ['timedOut', 'maxdelayTooLarge', 'workerDied'],
  'askrene-disable-node': OF_STORE,
  'askrene-inform-channel': OF_STORE,
  'askrene-remove-channel-update': OF_STORE,
  'askrene-remove-layer': OF_STORE,
  'askrene-update-channel': OF_STORE,
  backup: [...OF_STORE, 'notSupported'],
  blacklistrune: OF_STORE,
  cancelrecurringinvoice: ['notSupported', 'offerUnreachable', 'offerTimedOut', 'unspecified', 'workerDied'],
  // The errors that a command's own check can raise.
  check: ['notSupported', 'routeNotFound', 'maxdelayTooLarge', ...OF_TEXTS, 'offerExpired'],
  checkrune: ['runeBlacklisted', 'notAuthorized'],
  connect: ['noAddress', 'connectFailed', 'disconnected', 'nodeAway', 'notSupported', 'unspecified'],
  createproof: ['nothingToProve'],
  createrune: OF_STORE,
  delpay: ['noSuchPayment', 'paymentStatusUnexpected', ...OF_STORE],
  destroyrune: OF_STORE,
  disableinvoicerequest: ['offerNotActive', 'unspecified', ...OF_STORE],
  disableoffer: ['offerNotActive', 'unspecified', ...OF_STORE],
  disconnect: ['unspecified', 'nodeAway', 'notSupported'],
  explorer: ['unspecified', ...OF_STORE],
  invoice: [
    ...OF_STORE,
    'notSupported',
    'nodeAway',
    'busy',
    'unspecified',
    'invoiceLabelExists',
    'invoicePreimageExists',
  ],
  waitinvoice: ['notSupported', 'unspecified', 'invoiceExpiredDuringWait'],
  waitanyinvoice: ['notSupported', 'invoiceWaitTimedOut'],
  delinvoice: [
    ...([...OF_STORE, 'notSupported', 'nodeAway', 'unspecified'] as const),
    ...(['invoiceNotFound', 'invoiceStatusUnexpected', 'invoiceNoDescription'] as const),
  ],
  simulatepayer: [...OF_STORE, 'notSupported', 'routeNotFound', 'workerDied'],
  fetchbip353: ['notSupported', 'nameUnresolved'],
  fetchinvoice: [...OF_FETCHES, ...OF_STORE],
  getroute: ['routeNotFound', 'timedOut', 'undecided', 'workerDied'],
  sendpay: OF_GIVEN,
  sendonion: OF_GIVEN,
  listforwards: ['notSupported', 'nodeAway'],
  getroutes: OF_ROUTES,
  'getroutes-batch': ['maxdelayTooLarge'],
  invoicerequest: OF_STORE,
  keysend: OF_KEYSEND,
  offer: ['offerExists', 'notSupported', ...OF_STORE],
  pay: [...OF_KEYSEND, ...OF_TEXTS, 'waitTimedOut'],
  plankeysend: OF_OLDER_PLANS,
  exportlearned: ['notSupported'],
  importlearned: ['notSupported'],
  importbeliefs: OF_STORE,
  importnodehistory: ['notSupported', 'nodeAway', 'unspecified'],
  importmissioncontrol: ['notSupported', 'nodeAway', 'unspecified'],
  exportmissioncontrol: ['notSupported', 'nodeAway', 'unspecified'],
  planrebalance: ['notSupported', 'nodeAway', 'unspecified', 'workerDied'],
  rebalance: ['notSupported', 'nodeAway', 'unspecified', 'workerDied', 'storeFailed'],
  addwebhook: [...OF_STORE, 'busy'],
  delwebhook: OF_STORE,
  quote: [...OF_ROUTES, ...OF_TEXTS, ...OF_STORE, 'notSupported', 'nodeAway', 'unspecified'],
  delquote: [...OF_STORE, 'quoteUnusable'],
  plantransfer: [...OF_ROUTES, 'notSupported', 'nodeAway', 'unspecified'],
  planxpay: [...OF_ROUTES, ...OF_TEXTS, 'notSupported'],
  setconfig: OF_STORE,
  setournode: OF_STORE,
  simulatedinvoice: ['notSupported', 'timedOut', 'workerDied'],
  transfer: [...OF_XKEYSEND, ...OF_INVOICES],
  waitsendpay: [
    'waitTimedOut',
    'unreadableFailure',
    'recipientRefused',
    'routeFailed',
    'noSuchPayment',
    ...OF_STORE,
  ],
  xkeysend: [...OF_XKEYSEND, 'quoteUnusable'],
  xpay: [
    ...OF_XKEYSEND,
    'quoteUnusable',
    'nameUnresolved',
    ...OF_FETCHES,
    'recipientOffline',
    ...OF_INVOICES,
    'alreadyPaid',
    'waitTimedOut',
  ],
};

/** Adds to a command its errors, its examples, and the shapes of its result. */
export function described(command: NodeCommand): NodeCommand {
  const shapes = RESULT_SHAPES[command.name] ?? {};
  const fields = Object.entries(command.result as Readonly<Record<string, ResultField>>);
  const result = fields.map(([name, one]) => {
    const shape = shapes[name];
    return [name, shape === undefined ? one : { ...one, shape }] as const;
  });
  const errors = ERRORS_OF[command.name];
  return {
    ...command,
    result: Object.fromEntries(result),
    ...(errors !== undefined && { errors: [...new Set(errors)] }),
    // Read on demand, because only descriptions show examples.
    get examples() {
      return examplesOf(command.name);
    },
  };
}
