/**
 * Adds the parts of a command's description that stand apart from its declaration: shapes of results, errors, and
 * examples.
 */
import type { ErrorName } from '../model/errors.ts';
import type { ResultField } from '../rpc/command.ts';
import type { NodeCommand } from './context.ts';
import { EXAMPLES } from './examples.ts';
import { RESULT_SHAPES } from './result-shapes.ts';

/** Errors of a search for routes that finds none, or is not carried out. */
const OF_ROUTES: readonly ErrorName[] = [
  'unspecified',
  'routeNotFound',
  'routeTooExpensive',
  'timedOut',
  'sourceCapacity',
  'destinationCapacity',
  'workerDied',
];

/** Errors of a change that could not be written to disk. */
const OF_STORE: readonly ErrorName[] = ['storeFailed'];

/** Errors of a payment that is not begun, or fails. */
const OF_PAYMENTS: readonly ErrorName[] = [
  ...OF_ROUTES,
  ...OF_STORE,
  'notSupported',
  'nodeAway',
  'unreadableFailure',
  'recipientRefused',
  'invoiceExpired',
  'paymentFailed',
  'declined',
  'maxdelayTooLarge',
  'alreadyPaid',
];

/** Errors of an invoice that cannot be fetched. */
const OF_FETCHES: readonly ErrorName[] = [
  'notSupported',
  'offerExpired',
  'offerUnreachable',
  'issuerError',
  'offerTimedOut',
];

const ERRORS_OF: Readonly<Record<string, readonly ErrorName[]>> = {
  'askrene-age': OF_STORE,
  'askrene-bias-channel': OF_STORE,
  'askrene-bias-node': OF_STORE,
  'askrene-create-channel': OF_STORE,
  'askrene-create-layer': OF_STORE,
  'askrene-difflayers': OF_ROUTES,
  'askrene-disable-node': OF_STORE,
  'askrene-inform-channel': OF_STORE,
  'askrene-remove-channel-update': OF_STORE,
  'askrene-remove-layer': OF_STORE,
  'askrene-reserve': ['unspecified'],
  'askrene-unreserve': ['unspecified'],
  'askrene-update-channel': OF_STORE,
  backup: [...OF_STORE, 'notSupported'],
  blacklistrune: OF_STORE,
  cancelrecurringinvoice: [...OF_FETCHES, ...OF_STORE],
  // Those of the command that is checked.
  check: [...OF_PAYMENTS, ...OF_FETCHES],
  checkrune: ['runeMissing', 'runeMalformed', 'runeBlacklisted', 'notAuthorized'],
  connect: ['noAddress', 'connectFailed', 'disconnected', 'notSupported', 'unspecified'],
  createproof: ['nothingToProve', 'unspecified'],
  createrune: OF_STORE,
  delpay: ['noSuchPayment', 'paymentStatusUnexpected', ...OF_STORE],
  destroyrune: OF_STORE,
  disableinvoicerequest: ['offerNotActive', 'unspecified', ...OF_STORE],
  disableoffer: ['offerNotActive', 'unspecified', ...OF_STORE],
  disconnect: ['notConnected', 'unspecified', 'notSupported'],
  explorer: ['unspecified', ...OF_STORE],
  fetchinvoice: [...OF_FETCHES, 'unspecified', ...OF_STORE],
  getroutes: OF_ROUTES,
  'getroutes-batch': OF_ROUTES,
  invoicerequest: ['offerExists', ...OF_STORE],
  keysend: OF_PAYMENTS,
  offer: ['offerExists', ...OF_STORE],
  pay: [...OF_PAYMENTS, 'invoiceRequestUnusable'],
  plankeysend: OF_PAYMENTS,
  planxpay: [...OF_PAYMENTS, ...OF_FETCHES],
  setconfig: OF_STORE,
  simulatedinvoice: ['notSupported', 'unspecified'],
  waitsendpay: [
    'waitTimedOut',
    'unreadableFailure',
    'recipientRefused',
    'routeFailed',
    'noSuchPayment',
    'paymentFailed',
    'declined',
  ],
  xkeysend: OF_PAYMENTS,
  xpay: [...OF_PAYMENTS, ...OF_FETCHES, 'invoiceRequestUnusable'],
};

/** The command with the shapes of its result, its errors, and its examples. */
export function described(command: NodeCommand): NodeCommand {
  const shapes = RESULT_SHAPES[command.name] ?? {};
  const fields = Object.entries(command.result as Readonly<Record<string, ResultField>>);
  const result = fields.map(([name, one]) => {
    const shape = shapes[name];
    return [name, shape === undefined ? one : { ...one, shape }] as const;
  });
  const errors = ERRORS_OF[command.name];
  const examples = EXAMPLES.filter((one) => one.command === command.name);
  return {
    ...command,
    result: Object.fromEntries(result),
    ...(errors !== undefined && { errors }),
    ...(examples.length > 0 && { examples }),
  };
}
