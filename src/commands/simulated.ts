/**
 * Money that is not real says so: on the simulated network every result that shows money has `"simulated": true`, and
 * so has each of its rows, which clients often read one by one. On other networks the member is absent.
 */
import { optionalField } from '../rpc/command.ts';
import { JsonList } from '../rpc/json-write.ts';
import type { NodeCommand, NodeContext } from './context.ts';

/** Show money beside the commands of payments and offers. */
const ALSO_MONEY: ReadonlySet<string> = new Set(['getinfo', 'listpeerchannels']);
/** Shows a text that somebody gave, on whatever network. */
const NO_MONEY: ReadonlySet<string> = new Set(['decode']);

const MARK = { simulated: true } as const;
const FIELD = optionalField(
  'boolean',
  '`true` on the simulated network: the money is not real. Its rows have it too.',
);

/** Whether a command's results show money of the network behind us. */
export function showsMoney({ name, category }: NodeCommand): boolean {
  const isMoney = category === 'payments' || category === 'offers' || ALSO_MONEY.has(name);
  return isMoney && !NO_MONEY.has(name);
}

/** The command, with its results marked while the network is the simulated one. */
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

/** Objects of a list; anything else stays as it is. */
function markedRows(value: unknown): unknown {
  return value instanceof JsonList || Array.isArray(value) ? value.map(markedRow) : value;
}

function markedRow(row: unknown): unknown {
  const isObject = typeof row === 'object' && row !== null && Object.getPrototypeOf(row) === Object.prototype;
  return isObject ? { ...row, ...MARK } : row;
}
