/** The table of a running payment: as lines, and on a terminal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LiveTable } from '../../../src/cli/client/live-table.ts';
import { type AttemptView, attemptView, tableLines } from '../../../src/cli/client/payment-table.ts';
import { parseJson } from '../../../src/rpc/json-token.ts';
import { PaymentNode } from '../../commands/payment-node.ts';
import { describeNeeding } from '../../needs.ts';
import { L2, L2_L3, L3, leaving } from '../../payments/line-graph.ts';
import { OWN_ID } from '../../payments/simulation/simulated-node.ts';
import { hasScript, screenAfter, shellCommand } from '../terminal.ts';

const sent = {
  status: 'pending',
  partid: 0,
  amount_msat: 1_000_000,
  amount_sent_msat: 1_000_011,
  probability_ppm: 999_600,
  created_at: 100.5,
  route: ['1000x1x0/1', '104x1x0/0', '105x1x0/1', '106x1x0/0'].map((of) => ({ short_channel_id_dir: of })),
};
const failed = {
  ...sent,
  status: 'failed',
  completed_at: 101.75,
  failure: { erring_index: 1, failcodename: 'WIRE_TEMPORARY_CHANNEL_FAILURE' },
  learned: ['1000x1x0/1 can carry 1msat', '104x1x0/0 cannot carry 1msat'],
};
const view = (attempt: object, before?: AttemptView) =>
  attemptView(parseJson(JSON.stringify(attempt)), 5_000, before)!;

describe('the lines', () => {
  test('one per attempt, with its failure', () => {
    const rows = [view(failed), view({ ...sent, partid: 1 })];
    expect(tableLines(rows, 7_300, 120)).toEqual([
      'try  part      amount sat   amount msat  fee msat    odds  state         route',
      '  1     0            1000       1000000        11   99.9%  failed 1.3s   1000x1x0/1 104x1x0/0 105x1x0/1 106x1x0/0',
      '              WIRE_TEMPORARY_CHANNEL_FAILURE at node 1; 1000x1x0/1 can carry 1msat; 104x1x0/0 cannot carry 1msat',
      '  2     1            1000       1000000        11   99.9%  pending 2.3s  1000x1x0/1 104x1x0/0 105x1x0/1 106x1x0/0',
    ]);
  });

  test('a route that is too long keeps its ends', () => {
    const routeAt = (width: number) => tableLines([view(sent)], 5_000, width)[1]!.slice(73);
    expect(routeAt(113)).toBe('1000x1x0/1 104x1x0/0 105x1x0/1 106x1x0/0');
    expect(routeAt(112)).toBe('1000x1x0/1 104x1x0/0 … 106x1x0/0');
    expect(routeAt(96)).toBe('1000x1x0/1 … 106x1x0/0');
    expect(routeAt(86)).toBe('1000x1x0/1 …');
    expect(routeAt(81)).toBe('1000x1x…');
  });

  test('stay within any width for any content, and contain no terminal control characters', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('\x1b[2J'), fc.constant('漢字'));
    const attempt = fc.record(
      {
        status: fc.constantFrom('pending', 'failed', 'success'),
        partid: fc.oneof(fc.nat(), text),
        amount_msat: fc.oneof(fc.nat(), text),
        amount_sent_msat: fc.oneof(fc.nat(), text),
        probability_ppm: fc.oneof(fc.nat(), text),
        created_at: fc.oneof(fc.nat(), text),
        completed_at: fc.oneof(fc.nat(), text),
        route: fc.oneof(text, fc.array(fc.oneof(text, fc.record({ short_channel_id_dir: text })))),
        failure: fc.oneof(text, fc.record({ failcodename: text, erring_index: fc.oneof(fc.nat(), text) })),
        learned: fc.oneof(text, fc.array(text)),
      },
      { requiredKeys: ['status'] },
    );
    fc.assert(
      fc.property(fc.array(attempt), fc.integer({ min: 1, max: 200 }), (attempts, width) => {
        for (const line of tableLines(
          attempts.map((each) => view(each)),
          0,
          width,
        )) {
          expect(line).toMatch(/^[\x20-\x7e…]*$/);
          expect(line.length).toBeLessThanOrEqual(width);
        }
      }),
    );
  });

  test('only attempts are shown', () => {
    for (const other of ['{}', '{"status":"odd"}']) expect(attemptView(parseJson(other), 0)).toBeUndefined();
  });
});

test('other messages stay above the table, also on a terminal that becomes narrower', () => {
  const written: string[] = [];
  let columns = 120;
  const table = new LiveTable({
    write: (text) => void written.push(text),
    size: () => ({ columns, rows: 0 }),
  });
  const show = (attempt: object) => table.show(parseJson(JSON.stringify(attempt)));
  expect([show(sent), show({ partid: 1 })]).toEqual([true, false]);
  table.say('# waiting for block 7\n');
  show(failed);
  expect(screenAfter(written.join(''))).toEqual([
    '# waiting for block 7',
    expect.stringMatching(/^try /),
    expect.stringMatching(/^ {2}1 {5}0 .* failed 1.3s /),
    expect.stringMatching(/^ {14}WIRE_TEMPORARY/),
    '',
  ]);
  // At a width of 50, lines of 80, 113 and 112 characters take two, three and three rows.
  columns = 50;
  table.close();
  expect(written.at(-1)!.startsWith('\x1b[8A\r\x1b[J')).toBe(true);
});

test('once the preimage is known, all parts count as arrived, even before their reports', () => {
  const written: string[] = [];
  const table = new LiveTable({
    write: (text) => void written.push(text),
    size: () => ({ columns: 120, rows: 0 }),
  });
  const parts = Array.from({ length: 16 }, (_, partid) => ({ ...sent, partid }));
  for (const part of parts) table.show(parseJson(JSON.stringify(part)));
  table.show(parseJson(JSON.stringify({ ...failed, partid: 3 })));
  table.arrive();
  table.close();
  const states = screenAfter(written.join('')).flatMap(
    (line) => / (pending|arrived|failed|settled) \d/.exec(line)?.[1] ?? [],
  );
  expect(states).toEqual(parts.map(({ partid }) => (partid === 3 ? 'failed' : 'arrived')));
});

describeNeeding('terminal', hasScript, 'a terminal', () => {
  async function onTerminal(rows: number, command: string[]): Promise<string> {
    const line = `stty cols 100 rows ${rows}; ${shellCommand(...command)}`;
    const env = { ...process.env, TERM: 'xterm' };
    const child = spawn('script', ['-qec', line, '/dev/null'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    await once(child, 'close');
    return output;
  }

  async function paidOnTerminal(rows: number, pay: string[]): Promise<string> {
    const node = new PaymentNode();
    await node.start();
    node.node.simulation.setPolicy(leaving(L2, L3, L2_L3), { feeBaseMsat: 500 });
    try {
      return await onTerminal(rows, ['--rpc-file', node.path, 'keysend', ...pay]);
    } finally {
      await node.stop();
    }
  }

  test('shows the attempts in place, and leaves the last state on the screen', async () => {
    const output = await paidOnTerminal(30, [
      '-k',
      `destination=${L3}`,
      'amount_msat=1000000',
      'dev_use_shadow=false',
    ]);
    expect(output).toMatch(/pending \d+\.\ds/);
    const screen = screenAfter(output);
    const ended = screen.indexOf('{');
    const route = `1000x1x0/${OWN_ID < L2 ? 0 : 1} 104x1x0/${L2 < L3 ? 0 : 1}`;
    expect(screen.slice(0, ended).map((line) => line.replace(/\d+\.\ds/, '0.0s'))).toEqual([
      'try  part      amount sat   amount msat  fee msat    odds  state         route',
      `  1     0            1000       1000000        11   99.9%  failed 0.0s   ${route}`,
      expect.stringMatching(/^ {14}WIRE_FEE_INSUFFICIENT at node 1; .*104x1x0\/\d asks for 500msat/),
      `  2     1            1000       1000000       510   99.9%  settled 0.0s  ${route}`,
    ]);
    expect(JSON.parse(screen.slice(ended).join('\n'))).toMatchObject({ parts: 2, status: 'complete' });
  });

  test('that is too low shows the latest attempts during the payment, and all at the end', async () => {
    const output = await paidOnTerminal(4, [L3, '1000000']);
    expect(screenAfter(output).filter((line) => /^ {2}[12] {5}\d/.test(line))).toHaveLength(2);
    expect(screenAfter(output).filter((line) => line.startsWith('try'))).toHaveLength(1);
  });
});
