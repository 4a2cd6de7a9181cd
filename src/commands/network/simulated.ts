/**
 * Marks results on the simulated network, whose money is not real. Every result that shows money has the member
 * `"simulated": true`, and so has each of its rows, because clients often read rows one by one. Elsewhere the member is
 * absent: the peer network has real money, and the `none` network has none.
 *
 * The mark depends on the data directory, which belongs to one network forever. A node of the simulated network that is
 * started with a graph of real nodes runs without a network (`none`). It still lists simulated payments of earlier
 * runs, and marks them. The member `network_kind` of `getinfo` names the current network.
 */
import { optionalField } from '../../rpc/command.ts';
import { JsonList } from '../../rpc/json-write.ts';
import type { NodeCommand, NodeContext } from '../context.ts';

/** Commands that show money, besides those of the categories payments and offers. */
const ALSO_MONEY: ReadonlySet<string> = new Set(['getinfo', 'listpeerchannels']);
/** Commands that only decode a given text, which is the same on every network. */
const NO_MONEY: ReadonlySet<string> = new Set(['checkproof', 'decode', 'fetchbip353']);

const MARK = { simulated: true } as const;
const FIELD = optionalField(
  'boolean',
  '`true` on the simulated network, where no real money moves. Also present in each row.',
);

/** Whether the results of a command show money of our network. */
export function showsMoney({ name, category }: NodeCommand): boolean {
  const isMoney = category === 'payments' || category === 'offers' || ALSO_MONEY.has(name);
  return isMoney && !NO_MONEY.has(name);
}

/** Wraps a command so that its results carry the mark on the simulated network. */
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
  const members = Object.entries(result).map(([name, value]) => [name, markedRows(value)] as const);
  return { ...Object.fromEntries(members), ...MARK };
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
