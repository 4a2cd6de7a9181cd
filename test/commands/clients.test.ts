/**
 * Programs written for Core Lightning: the bytes that they send, and the answers that they need. Also
 * recorded answers of a Core Lightning node about `help`, `check` and the flags of a connection.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHAIN_HASHES } from '../../src/bolt/invoice/bolt12-offer.ts';
import { defineCommand, type NodeContext } from '../../src/commands/context.ts';
import { COMMANDS } from '../../src/commands/index.ts';
import { RouteEngine } from '../../src/engine/host/engine.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { commandMarkdown } from '../../src/rpc/describe.ts';
import { inProcessSolvers } from '../engine/host/in-process-solvers.ts';
import { describeNeeding } from '../needs.ts';
import { RawClient, serve, type TestServer } from '../rpc/support.ts';
import { recordings } from './recordings.ts';

let server: TestServer;
const layers = new LayerBook();
const graph = new ChannelGraph();
const engine = new RouteEngine({ book: layers, solvers: inProcessSolvers() });
engine.publish(graph);
beforeAll(async () => {
  const context: Partial<NodeContext> = {
    // The recorded nodes used this chain.
    chain: 'regtest',
    offers: { chainHash: CHAIN_HASHES.regtest } as NodeContext['offers'],
    graph,
    layers,
    engine,
    version: '1.2.3',
    layersDurable: () => Promise.resolve(),
  };
  // The recordings were made in developer mode.
  server = await serve(COMMANDS, context as NodeContext, {}, true);
});
afterAll(async () => {
  await server.stop();
  await engine.close();
});

/** Reads a socket as a C program does: into a buffer of this size, until the data ends with two newlines. */
function readUntilBlank(socket: ReturnType<typeof connect>, size: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', function more(chunk) {
      text += chunk;
      if (text.length > size) reject(new Error(`more than ${size} bytes: ${text}`));
      if (!text.endsWith('\n\n')) return;
      socket.off('data', more);
      resolve(text);
    });
  });
}

describe('a client', () => {
  it('that enables notifications first and reads the answer into 100 bytes', async () => {
    const socket = connect(server.path);
    const pid = 4_194_304;
    socket.write(
      `{"jsonrpc":"2.0","method":"notifications","id":"cli:notifications#${pid}","params":{"enable":true}}`,
    );
    expect(await readUntilBlank(socket, 99)).toBe(
      `{"jsonrpc":"2.0","id":"cli:notifications#${pid}","result":{}}\n\n`,
    );
    socket.write(`{ "jsonrpc" : "2.0", "method" : "help", "id" : "cli:help#${pid}", "params" :[ "help" ] }`);
    expect(await readUntilBlank(socket, 10_000)).toBe(
      `{"jsonrpc":"2.0","id":"cli:help#${pid}","result":{"help":[{"command":"help [command]"}],"format-hint":"simple"}}\n\n`,
    );
    socket.destroy();
  });

  it('that puts spaces into its JSON and opens a connection for each call', async () => {
    for (let number = 0; number < 20; number++) {
      const client = new RawClient(server.path);
      const id = `pytest:listnodes#${number}`;
      const answer = await client.ask(
        `{"jsonrpc": "2.0", "method": "listnodes", "params": {}, "id": "${id}", "filter": {"nodes": [{"nodeid": true}]}}`,
      );
      expect(JSON.parse(answer!)).toEqual({ jsonrpc: '2.0', id, result: { nodes: [] } });
      client.close();
    }
  });

  it('that numbers its requests and keeps its connection', async () => {
    const client = new RawClient(server.path);
    for (let id = 1; id <= 20; id++) {
      const answer = await client.ask(`{"jsonrpc":"2.0","id":${id},"method":"listchannels","params":{}}\n\n`);
      expect(answer).toBe(`{"jsonrpc":"2.0","id":${id},"result":{"channels":[]}}`);
    }
    client.close();
  });

  it('that pipelines requests with ids in its own format', async () => {
    const client = new RawClient(server.path);
    const ids = Array.from({ length: 50 }, (_, number) => `"cln:parent#1/plugin:help#${number}"`);
    client.send(
      ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"help","params":["stop"]}\n\n`).join(''),
    );
    const answered = new Set<string>();
    while (answered.size < ids.length) answered.add(JSON.stringify(JSON.parse((await client.next())!).id));
    expect(answered).toEqual(new Set(ids));
    client.close();
  });
});

async function converse(requests: readonly [method: string, params: unknown][]): Promise<unknown[]> {
  const client = new RawClient(server.path);
  const answers: unknown[] = [];
  for (const [method, params] of requests) {
    const { result, error } = JSON.parse((await client.ask(JSON.stringify({ id: 1, method, params })))!);
    answers.push(error ?? result);
  }
  client.close();
  return answers;
}

describe('help and check', () => {
  it('lists all commands in the order of their names', async () => {
    const [list] = (await converse([['help', {}]])) as [{ help: { command: string }[] }];
    const names = list.help.map(({ command }) => command.split(' ')[0]!);
    expect(names).toEqual(COMMANDS.map(({ name }) => name).sort());
    expect(list.help).toContainEqual({ command: 'getinfo ' });
  });

  it('refuse unknown commands', async () => {
    expect(
      await converse([
        ['help', ['nosuch']],
        ['check', ['nosuch']],
        ['check', {}],
        ['check', []],
      ]),
    ).toMatchObject([
      { code: -32601, message: 'Unknown command nosuch' },
      { code: -32601, message: "Unknown command 'nosuch'" },
      { code: -32602, message: 'missing required parameter: command_to_check' },
      { code: -32602, message: 'missing required parameter: command_to_check' },
    ]);
  });

  it('check parameters as the command does, and show the token', async () => {
    expect(
      await converse([
        ['check', ['listnodes']],
        ['check', { command_to_check: 'listnodes', id: null }],
        ['check', ['listnodes', 'x']],
        ['check', { id: 'x', command_to_check: 'listnodes' }],
        ['check', { command_to_check: 'listnodes', foo: 1 }],
        ['check', ['listnodes', null, 1]],
        ['check', ['stop']],
      ]),
    ).toMatchObject([
      { command_to_check: 'listnodes' },
      { command_to_check: 'listnodes' },
      { code: -32602, message: 'id: should be a node id: invalid token \'"x"\'' },
      { code: -32602, message: 'id: should be a node id: invalid token \'"x"\'' },
      { code: -32602, data: { parameter: 'foo', reason: 'unknown' } },
      { code: -32602, message: 'too many parameters: got 2, expected 1' },
      { command_to_check: 'stop' },
    ]);
  });
});

describe('a deprecated command', () => {
  const old = defineCommand({
    name: 'old',
    summary: '',
    description: '',
    category: 'utility',
    deprecated: { since: 'v1', removed: 'v2' },
    params: {},
    result: {},
    handler: () => ({ works: true }),
  });
  const usage = { command: 'old (DEPRECATED!) ' };

  it('works and is marked; a connection that disables such commands finds it unknown', async () => {
    const own = await serve([...COMMANDS, old], {} as NodeContext);
    const client = new RawClient(own.path);
    const ask = async (method: string, ...params: unknown[]) => {
      const { result, error } = JSON.parse((await client.ask(JSON.stringify({ id: 1, method, params })))!);
      return error ?? result;
    };
    expect(await ask('old')).toEqual({ works: true });
    expect((await ask('help')).help).toContainEqual(usage);
    expect((await ask('help', 'old')).help).toEqual([usage]);
    expect(await ask('check', 'old')).toEqual({ command_to_check: 'old' });
    await ask('deprecations', false);
    const refused = { code: -32601, message: 'Command "old" is deprecated' };
    expect(await ask('old')).toEqual(refused);
    expect(await ask('check', 'old')).toEqual(refused);
    expect((await ask('help')).help).not.toContainEqual(usage);
    expect(await ask('help', 'old')).toEqual({ code: -32601, message: 'Deprecated command old' });
    await ask('deprecations', true);
    expect(await ask('old')).toEqual({ works: true });
    client.close();
    await own.stop();
  });
});

describe('flags of the connection', () => {
  it.each(['notifications', 'deprecations', 'batching'])(
    '%s takes a boolean and returns {}',
    async (method) => {
      expect(
        await converse([
          [method, [true]],
          [method, { enable: false }],
          [method, {}],
          [method, ['true']],
        ]),
      ).toMatchObject([
        {},
        {},
        { code: -32602, message: 'missing required parameter: enable' },
        {
          code: -32602,
          message: "enable: should be 'true' or 'false': invalid token (see logs for details)",
        },
      ]);
    },
  );
});

describe('the description of all commands', () => {
  it('lists every command and parameter with type, default and whether required', async () => {
    const [document] = (await converse([['rpc.discover', {}]])) as [
      { methods: { name: string; params: unknown[] }[] },
    ];
    expect(document).toMatchObject({ openrpc: '1.3.2', info: { version: '1.2.3' } });
    expect(document.methods.map(({ name }) => name)).toEqual(COMMANDS.map(({ name }) => name).sort());
    expect(document.methods.find(({ name }) => name === 'listnodes')!.params).toEqual([
      {
        name: 'id',
        description: 'The node to show.',
        required: false,
        schema: { title: 'pubkey', type: 'string', pattern: '^0[23][0-9a-fA-F]{64}$' },
      },
    ]);
  });

  it('leaves no text empty', () => {
    for (const { name, summary, description, params } of COMMANDS) {
      const all = [
        summary,
        description,
        ...Object.values(params).map((param) => (param as { description: string }).description),
      ];
      for (const text of all) expect(text, name).toMatch(/\S.*\.\)?$/s);
    }
  });
});

const recorded = recordings<{ case: string; request_raw: string; response_raw: string }>();

it('parameters for developers are shown to developers only', async () => {
  const plain = await serve(COMMANDS, { version: '1.2.3' } as NodeContext);
  const client = new RawClient(plain.path);
  const ask = async (at: RawClient, method: string) =>
    JSON.parse((await at.ask(`{"id":1,"method":"${method}"}`))!).result as object;
  const developers = new RawClient(server.path);
  for (const method of ['help', 'rpc.discover']) {
    expect(JSON.stringify(await ask(client, method))).not.toMatch(/dev_/);
    expect(JSON.stringify(await ask(developers, method))).toMatch(/dev_use_shadow/);
  }
  for (const command of COMMANDS) expect(commandMarkdown(command)).not.toMatch(/dev_/);
  developers.close();
  client.close();
  await plain.stop();
});

describeNeeding('conversations', recorded.length > 0, 'recorded help', () => {
  const usages = new Map(
    (recorded.length === 0
      ? []
      : JSON.parse(recorded.find((entry) => entry.case === 'help')!.response_raw).result.help
    ).map(({ command }: { command: string }) => [command.split(' ')[0]!, command]) as [string, string][],
  );

  /**
   * Our additional parameters, which follow those of Core Lightning. Where the usage text of the node differs from
   * the documented order of parameters, the replacements also restore that order.
   */
  const dev = '[dev_use_shadow] [dev_randomize]';
  const nodes = '[nodes] [one_node]';
  const ours: Readonly<Record<string, (usage: string) => string>> = {
    keysend: (usage) =>
      usage
        .replace('[extratlvs] [routehints]', '[routehints] [extratlvs]')
        .replace('[dev_use_shadow]', `[idempotency_key] [seed] ${dev} ${nodes}`),
    xkeysend: (usage) =>
      `${usage} [idempotency_key] [seed] ${dev} ${nodes} [quote] [include_fee] [least_probability_ppm]`,
    fetchinvoice: (usage) => usage.replace(' [dev_path_use_scidd] [dev_reply_path]', ''),
    // Here `getroute` is not deprecated, because old clients need it.
    getroute: (usage) => usage.replace(' (DEPRECATED!)', ''),
    sendpay: (usage) => usage.replace(' [dev_legacy_hop]', ''),
    getroutes: (usage) => `${usage} [pareto] [source_channels] [destination_channels]`,
    createrune: (usage) => `${usage} [forward]`,
    invokerune: (usage) => `${usage} [forward]`,
    invoice: (usage) => usage.replace(' [dev-routes]', ''),
    offer: (usage) => usage.replace(' [dev_paths]', ''),
    paystatus: (usage) => `${usage} [payment_hash] [start] [limit]`,
    pay: (usage) => usage.replace('[dev_use_shadow]', '[idempotency_key] [dev_use_shadow]'),
    xpay: (usage) =>
      usage.replace(
        '[dev_use_shadow]',
        `[idempotency_key] [seed] ${dev} ${nodes} [quote] [include_fee] [least_probability_ppm]`,
      ),
  };

  it.each(COMMANDS.map(({ name }) => name).filter((name) => usages.has(name)))(
    'usage of %s',
    async (name) => {
      const [answer] = await converse([['help', [name]]]);
      expect(answer).toEqual({
        help: [{ command: (ours[name] ?? String)(usages.get(name)!) }],
        'format-hint': 'simple',
      });
    },
  );

  it('the answer about notifications', async () => {
    const entry = recorded.find(({ case: name }) => name === 'notifications_getroutes')!;
    const client = new RawClient(server.path);
    expect(`${await client.ask(entry.request_raw)}\n\n`).toBe(entry.response_raw);
    client.close();
  });
});

describeNeeding('conversations', recorded.length > 0, 'a recorded refusal of getroutes', () => {
  it.each(['getroutes_unknown-source'])('%s', async (name) => {
    const entry = recorded.find(({ case: known }) => known === name)!;
    const client = new RawClient(server.path);
    const { id, error } = JSON.parse((await client.ask(entry.request_raw))!);
    // The data of the error are our addition.
    const { data, ...words } = error;
    expect({ jsonrpc: '2.0', id, error: words }).toEqual(JSON.parse(entry.response_raw));
    expect(data).toEqual({ binding: { kind: 'unknown_node', end: 'source' } });
    client.close();
  });
});

/**
 * Removes the token from a recorded error. The recorded node ran in developer mode, in which errors contain the
 * token. Here, only `check` shows it.
 */
function asOnAnyNode(message: string): string {
  return message.replace(/: invalid token '.*'$/s, ': invalid token (see logs for details)');
}

describeNeeding('conversations', recorded.length > 0, 'recorded parameter errors', () => {
  const served = new Set(COMMANDS.map(({ name }) => name));
  // The layer commands need the recorded layers. A separate test replays that whole conversation.
  const refused = recorded
    .map((entry) => ({ name: entry.case, request: entry.request_raw, answer: entry.response_raw }))
    .filter(({ answer }) => answer.includes('"code":-32602'))
    .map((entry) => ({ ...entry, method: /"method": ?"([^"]*)"/.exec(entry.request)?.[1] ?? '' }))
    .filter(({ method }) => served.has(method) && !method.startsWith('askrene-') && method !== 'check')
    // Payments need a node that can pay. A separate test replays their conversation.
    .filter(({ method }) => !['keysend', 'xkeysend', 'fetchinvoice'].includes(method));

  it.each(refused.map((entry) => [entry.name, entry] as const))('%s', async (_name, { request, answer }) => {
    const client = new RawClient(server.path);
    const { id, error } = JSON.parse((await client.ask(request))!);
    const expected = JSON.parse(answer);
    expect({ id, code: error.code, message: error.message }).toEqual({
      id: expected.id,
      code: expected.error.code,
      message: asOnAnyNode(expected.error.message),
    });
    client.close();
  });
});
