/** Error answers of lightningd: their codes, and the exception that carries one to the caller. */
import type { JsonToken } from '../../src/rpc/json-token.ts';

/** The codes of lightningd's `common/jsonrpc_errors.h` that the stand-in uses. */
export const CODE = {
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  lightningd: -1,
  pluginError: -3,
  pluginTerminated: -4,
  inProgress: 200,
  hashUsed: 201,
  unparseableOnion: 202,
  tryOtherRoute: 204,
  noSuchPart: 208,
  unspecified: 209,
  badInvoiceRequest: 212,
  invoiceDeclined: 213,
  keysendDeclined: 214,
  injectFailed: 218,
  alreadyPaid: 219,
  noAddress: 400,
  allFailed: 401,
  deleteMissing: 1200,
  deleteGeneration: 1201,
  updateExists: 1202,
  updateMissing: 1203,
  updateGeneration: 1204,
  updateChildren: 1205,
  updateParent: 1206,
  timedOut: 2000,
} as const;

/** An error answer. */
export class Refusal extends Error {
  readonly code: number;
  readonly data: object | undefined;

  constructor(code: number, message: string, data?: object) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Refuses a parameter. The message shows its value only in developer mode. */
export function badParameter(
  name: string,
  complaint: string,
  token: JsonToken,
  isDeveloper: boolean,
): Refusal {
  const shown = isDeveloper ? `'${token.raw}'` : '(see logs for details)';
  return new Refusal(CODE.invalidParams, `${name}: ${complaint}: invalid token ${shown}`);
}
