/**
 * Marks results on the simulated network, whose money is not real. Results about payments, offers and our funds have the
 * member `"simulated": true`. Each row of a list has it too, because clients often read rows one by one. On other
 * networks the member is absent.
 *
 * The mark depends on the data directory, which always belongs to the same network. A daemon of the simulated network
 * that is started with a graph of real nodes runs without a network (`none`). It still lists the simulated payments of
 * earlier runs, and marks them. The member `network_kind` of `getinfo` names the current network.
 */
import { optionalField } from '../../rpc/command.ts';
import { JsonList } from '../../rpc/json-write.ts';
import type { NodeCommand, NodeContext } from '../context.ts';

/** Commands whose results are marked, besides those in the categories `payments` and `offers`. */
const ALSO_MONEY: ReadonlySet<string> = new Set(['getinfo', 'listpeerchannels']);
/**
 * Commands in the categories `payments` and `offers` that only decode or check a text, or resolve a name, with the same
 * result on every network.
 */
const NO_MONEY: ReadonlySet<string> = new Set(['checkproof', 'decode', 'fetchbip353']);

const MARK = { simulated: true } as const;
const FIELD = optionalField(
  'boolean',
  '`true` on the simulated network, where no real money moves. Each row of a list has it too.',
);

/** Whether the results of a command are marked on the simulated network. */
export function showsMoney({ name, category }: NodeCommand): boolean {
  const isMoney = category === 'payments' || category === 'offers' || ALSO_MONEY.has(name);
  return isMoney && !NO_MONEY.has(name);
}

/** Wraps a command so that its results are marked on the simulated network. */
export function markedWhenSimulated(command: NodeCommand): NodeCommand {
  if (!showsMoney(command)) return command;
  return {
    ...command,
    result: { ...command.result, simulated: FIELD },
    async handler(params, context: NodeContext, call) {
      const result = await command.handler(params, context, call);
      return context.isSimulated && typeof result === 'object' ? marked(result) : result;
    },
  };
}

function marked(result: object): object {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(result)) copy[name] = markedRows(value);
  return Object.assign(copy, MARK);
}

/** Marks the objects of a list. Leaves any other value unchanged. */
function markedRows(value: unknown): unknown {
  if (value instanceof JsonList)
    return value.map((row) => (isPlainObject(row) ? Object.assign(row, MARK) : row));
  return Array.isArray(value) ? value.map((row) => (isPlainObject(row) ? { ...row, ...MARK } : row)) : value;
}

function isPlainObject(row: unknown): row is object {
  return typeof row === 'object' && row !== null && Object.getPrototypeOf(row) === Object.prototype;
}
