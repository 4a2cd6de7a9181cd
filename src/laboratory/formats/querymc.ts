/**
 * Reads the output of `lncli querymc`, or of LND's REST interface at `/v2/router/mc` (routerrpc
 * `QueryMissionControlResponse`): what an LND node learned about pairs of nodes.
 *
 * Node ids are hex in lncli and base64 in REST. 64-bit numbers are decimal texts. Times are UNIX seconds; a time of 0
 * means that there was no success or no failure. A failed amount of 0 means that no amount could pass. Older versions
 * give amounts only in sat.
 */
import { msat } from '../../model/msat.ts';
import { type NodeId, parseNodeId } from '../../model/node-id.ts';
import type { PairBelief, PairResult } from '../../model/pair-belief.ts';
import { Field, type FieldMap } from '../scenario/fields.ts';
import { parseLocated } from '../scenario/located.ts';
import { readText } from './csv-rows.ts';

const MAX_AMOUNT_SAT = 2_100_000_000_000_000n;
/** Maximum time: UNIX seconds in 32 bits, as in gossip (year 2106). */
const MAX_TIME = 0xffff_ffffn;
/** Maximum number of pairs. LND itself keeps 1,000 results. */
const MAX_PAIRS = 1_000_000;

/** @throws FulguriteError `scenario`, with the line and the field */
export function readQuerymc(file: string): PairBelief[] {
  const parsed = parseLocated(readText(file), file);
  const list = new Field(parsed, parsed.root, '').map().required('pairs');
  const pairs = list.list();
  if (pairs.length > MAX_PAIRS) list.refuse(`at most ${MAX_PAIRS} pairs`, `${pairs.length}`);
  return pairs.map((pair) => beliefOf(pair.map()));
}

function beliefOf(pair: FieldMap): PairBelief {
  const from = nodeOf(pair.required('node_from'));
  const to = nodeOf(pair.required('node_to'));
  if (from === to) pair.required('node_to').refuse('a node other than node_from');
  const history = pair.required('history').map();
  return { from, to, failed: resultOf(history, 'fail'), passed: resultOf(history, 'success') };
}

function nodeOf(field: Field): NodeId {
  const text = field.text();
  const hex = /^[A-Za-z0-9+/_-]{44}$/.test(text) ? Buffer.from(text, 'base64').toString('hex') : text;
  return parseNodeId(hex) ?? field.refuse('a node id of 66 hex digits, or in base64');
}

function resultOf(history: FieldMap, kind: 'fail' | 'success'): PairResult | undefined {
  const timestamp = history.get(`${kind}_time`, (field) => whole(field, MAX_TIME), 0n);
  const sat = history.get(`${kind}_amt_sat`, (field) => whole(field, MAX_AMOUNT_SAT), 0n);
  const amountMsat = history.get(
    `${kind}_amt_msat`,
    (field) => whole(field, MAX_AMOUNT_SAT * 1000n),
    sat * 1000n,
  );
  return timestamp === 0n ? undefined : { amountMsat: msat(amountMsat), timestamp: Number(timestamp) };
}

/** Reads a whole number, which may be written as a decimal text. */
function whole(field: Field, most: bigint): bigint {
  if (!field.isText) return field.bigint(0n, most);
  const text = field.text();
  const value = /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  return value !== undefined && value <= most ? value : field.refuse(`a whole number from 0 to ${most}`);
}
