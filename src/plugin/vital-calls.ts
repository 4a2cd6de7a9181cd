/**
 * The two calls of the node's own payer, cln-xpay, that must not fail. cln-xpay creates the layer `xpay` when it
 * starts, and ages that layer while it pays. It exits if either call fails. As it is marked as an important plugin, the
 * node then exits too. Therefore these calls never fail here: if the engine cannot answer in time, the plugin answers
 * in its place. The layer is created as soon as there is an engine. The next ageing makes up for a skipped one.
 */
import { ERRORS } from '../model/errors.ts';
import { parseJson } from '../rpc/json-token.ts';
import { toJson } from '../rpc/json-write.ts';
import { membersOf } from '../rpc/socket-client.ts';
import { parameter } from './short-lived-state.ts';

/** The layer in which cln-xpay stores its knowledge. */
export const XPAY_LAYER = 'xpay';

/** JSON text of the parameters that create this layer. */
export const CREATE_XPAY = toJson({ layer: XPAY_LAYER, persistent: true });

/** The two vital calls: creating the layer, and ageing it. */
export type VitalCall = 'create' | 'age';

/**
 * Detects a vital call.
 * @param command the engine's name of the command
 * @param paramsText JSON text of its parameters
 */
export function vitalCall(command: string, paramsText: string): VitalCall | undefined {
  if (command !== 'askrene-create-layer' && command !== 'askrene-age') return undefined;
  const params = parseJson(paramsText);
  if (parameter(params, 'layer', 0)?.text !== XPAY_LAYER) return undefined;
  if (command === 'askrene-age') return 'age';
  return parameter(params, 'persistent', 1)?.raw === 'true' ? 'create' : undefined;
}

/** The result that the plugin returns instead of the engine. */
export function standInResult(call: VitalCall): object {
  if (call === 'age') return { layer: XPAY_LAYER, num_removed: 0 };
  const lists = [
    'disabled_nodes',
    'created_channels',
    'channel_updates',
    'constraints',
    'biases',
    'node_biases',
  ];
  const empty = Object.fromEntries(lists.map((name) => [name, []]));
  return { layers: [{ layer: XPAY_LAYER, persistent: true, ...empty }] };
}

/** The meaning of the engine's error for a vital call. */
export type VitalFault =
  /** The caller's parameters are wrong, so the caller gets the error. cln-xpay never sends wrong parameters. */
  | 'parameters'
  /** The layer is missing, and must be created. */
  | 'noLayer'
  | 'engine';

/** Determines the meaning of an error, given as JSON text. */
export function vitalFault(error: string): VitalFault {
  const { code, message } = membersOf(parseJson(error));
  if (code?.raw !== String(ERRORS.invalidParams.code)) return 'engine';
  return message?.text.includes('Unknown layer') ? 'noLayer' : 'parameters';
}
