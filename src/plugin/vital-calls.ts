/**
 * The two calls of the node's own payer, cln-xpay, that must not fail. It creates the layer `xpay` at its start, and
 * ages that layer while it pays. It ends if either call fails. It is an important plugin, so the node then ends too.
 * Therefore these calls never fail here: if the engine cannot answer in time, the plugin answers instead. The layer is
 * created as soon as there is an engine. A skipped ageing is made up for by the next one.
 */
import { ERRORS } from '../model/errors.ts';
import { parseJson } from '../rpc/json-token.ts';
import { toJson } from '../rpc/json-write.ts';
import { membersOf } from '../rpc/socket-client.ts';
import { parameter } from './short-lived-state.ts';

/** The layer in which cln-xpay stores its knowledge. */
export const XPAY_LAYER = 'xpay';

/** JSON text of the parameters that create it. */
export const CREATE_XPAY = toJson({ layer: XPAY_LAYER, persistent: true });

/** Which of the two calls it is. Undefined for all other calls. */
export type VitalCall = 'create' | 'age';

/** Detects vital calls, by the engine's name of the command and the JSON text of its parameters. */
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
  /** The caller's parameters are wrong, so it gets the error. cln-xpay's never are. */
  | 'parameters'
  /** The layer is missing, and must be created. */
  | 'noLayer'
  | 'engine';

/** Reads the JSON text of an error. */
export function vitalFault(error: string): VitalFault {
  const { code, message } = membersOf(parseJson(error));
  if (code?.raw !== String(ERRORS.invalidParams.code)) return 'engine';
  return message?.text.includes('Unknown layer') ? 'noLayer' : 'parameters';
}
