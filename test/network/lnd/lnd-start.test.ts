/**
 * What can go wrong with LND at the start and later: certificate, macaroon, permissions, chain, version,
 * wallet, a different node, silence, and graphs that are too large or invalid. Each problem is a typed error
 * that explains what to do.
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reachNodeBeside } from '../../../src/cli/daemon/reach-node.ts';
import { parseStartOptions } from '../../../src/cli/options/start-options.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { parseShortChannelIdDir } from '../../../src/model/short-channel-id.ts';
import { GrpcClient } from '../../../src/network/lnd/client/grpc-client.ts';
import { LndGraph } from '../../../src/network/lnd/graph/node-graph.ts';
import { LndLink } from '../../../src/network/lnd/node-link.ts';
import { AB, type LineLnd, lineEdges, lineLnd } from '../../lnd/line-lnd.ts';
import { ADMIN, STATE } from '../../lnd/stand-in.ts';
import { until } from '../../until.ts';
import { graphOf, keptLog, linkTo, placeOf, QUICK } from './beside-stand-in.ts';
import { OTHER_CERT } from './cert.ts';

let all: LineLnd;
beforeEach(async () => {
  all = lineLnd();
  await all.node.start();
});
afterEach(() => all.close());

/** The error with which connecting fails. */
const errorOf = (opening: Promise<{ close(): unknown }>): Promise<FulguriteError> =>
  opening.then(
    async (link) => {
      await link.close();
      throw new Error('the connection opened');
    },
    (error) => {
      expect(error).toBeInstanceOf(FulguriteError);
      return error;
    },
  );

test('a call that LND does not answer is named in the log', async () => {
  const { lines, log } = keptLog();
  const calls = new GrpcClient(placeOf(all));
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  all.node.beforeCall = (path) => (path.endsWith('/DescribeGraph') ? held : undefined);
  const link = await LndLink.open({ calls, where: all.node.address, log, timing: QUICK });
  const opening = LndGraph.open({ link, log, timing: QUICK });
  // On a busy machine, other calls may take as long.
  await until(() => lines.some((line) => line.includes('DescribeGraph')));
  expect(lines).toContain('LND has not answered DescribeGraph for 0.2 s; waiting up to 9.8 s more');
  release();
  await (await opening).close();
  await link.close();
});

describe('a failed connection explains why, and what to do', () => {
  test('for a certificate that is not LND’s', async () => {
    writeFileSync(all.certPath, OTHER_CERT);
    expect(await errorOf(linkTo(all))).toMatchObject({
      name: 'nodeAway',
      message: expect.stringContaining(
        'LND uses a different certificate than --lnd-cert; copy its current tls.cert',
      ),
    });
  });

  test('for a macaroon that LND did not make', async () => {
    writeFileSync(all.macaroonPath, Buffer.from(`${ADMIN}00`, 'hex'));
    expect(await errorOf(linkTo(all))).toMatchObject({
      name: 'nodeAway',
      message: expect.stringMatching(
        /LND refuses our macaroon \(verification failed: .*fulgurite lnd-macaroon/,
      ),
    });
  });

  test('for a macaroon that lacks a permission, with its name', async () => {
    all.node.permissions.set(ADMIN, new Set(['/lnrpc.Lightning/ListPeers']));
    expect(await errorOf(linkTo(all))).toMatchObject({
      name: 'notSupported',
      data: { uri: '/lnrpc.Lightning/GetInfo' },
      message: expect.stringContaining('uri:/lnrpc.Lightning/GetInfo'),
    });
    all.node.permissions.set(ADMIN, new Set(['/lnrpc.Lightning/GetInfo']));
    const link = await linkTo(all);
    expect(await errorOf(graphOf(link).then(() => link))).toMatchObject({
      name: 'notSupported',
      data: { uri: '/lnrpc.Lightning/DescribeGraph' },
    });
    await link.close();
  });

  test.each([
    [STATE.none, 'create one with `lncli create`'],
    [STATE.locked, 'unlock it with `lncli unlock`'],
    [STATE.standby, 'LND is a cluster standby: specify the leader in --lnd-rpc'],
  ])('for a server in state %i: %s', async (state, words) => {
    all.node.setState(state);
    expect(await errorOf(linkTo(all))).toMatchObject({
      name: 'nodeAway',
      message: expect.stringContaining(words),
    });
  });

  test('but waits for a server that is starting', async () => {
    all.node.setState(STATE.rpc);
    const opening = linkTo(all);
    setTimeout(() => all.node.setState(STATE.server), 50);
    await (await opening).close();
  });

  test('for a release before 0.19, and for an unknown chain', async () => {
    all.node.release = '0.18.5-beta';
    expect(await errorOf(linkTo(all))).toMatchObject({
      name: 'notSupported',
      message: expect.stringContaining('the oldest supported release is 0.19: upgrade it'),
    });
    all.node.release = '0.21.0-beta';
    all.node.chain = 'litecoin';
    expect(await errorOf(linkTo(all))).toMatchObject({
      name: 'notSupported',
      message: 'the node is on the unknown chain litecoin',
    });
  });

  test('for a chain other than the one configured', async () => {
    const options = parseStartOptions([
      ...['--network', 'lnd', '--chain', 'regtest', '--lnd-rpc', all.node.address],
      ...['--lnd-cert', all.certPath, '--lnd-macaroon', all.macaroonPath],
    ]);
    await expect(reachNodeBeside(options, keptLog().log)).rejects.toThrow(
      /--chain is regtest, but the node at .* is on bitcoin/,
    );
  });

  test('for a port on which nothing listens, or only a silent program', async () => {
    all.node.kill();
    expect(await errorOf(linkTo(all))).toMatchObject({ name: 'nodeAway' });
    const mute = createServer();
    await new Promise<void>((done) => mute.listen(0, '127.0.0.1', done));
    const { port } = mute.address() as { port: number };
    const silent = { ...all, node: Object.assign(Object.create(all.node), {}) };
    Object.defineProperty(silent.node, 'address', { value: `127.0.0.1:${port}` });
    expect(await errorOf(linkTo(silent, { ...QUICK, greetMs: 100 }))).toMatchObject({
      name: 'nodeAway',
      message: expect.stringContaining('does not respond'),
    });
    mute.close();
  });
});

describe('while LND runs', () => {
  test('an unsynced chain is a problem until it is synced', async () => {
    const link = await linkTo(all);
    all.node.isSynced = false;
    await until(() => link.problem !== undefined);
    expect(link.problem).toContain('LND is not synced to the chain yet');
    await expect(link.able(50)).rejects.toMatchObject({ name: 'nodeAway' });
    all.node.isSynced = true;
    await until(() => link.problem === undefined);
    await link.close();
  });

  test('a node other than the first is never used', async () => {
    const link = await linkTo(all);
    const other = all.node.id.replace(/^../, all.node.id.startsWith('02') ? '03' : '02');
    all.node.kill();
    all.node.id = other as typeof all.node.id;
    await all.node.start();
    await until(() => link.problem?.includes('not used') === true);
    expect(link.problem).toContain(`is now node ${other}`);
    expect(link.connection).toBeUndefined();
    await link.close();
  });

  test('a wallet locked by a restart is reported, and used once it is unlocked', async () => {
    const link = await linkTo(all);
    all.node.kill();
    all.node.state = STATE.locked;
    await all.node.start();
    await until(() => link.problem?.includes('lncli unlock') === true);
    all.node.setState(STATE.server);
    await until(() => link.problem === undefined);
    await link.close();
  });

  test('a macaroon that was baked again is reloaded', async () => {
    const link = await linkTo(all);
    all.node.kill();
    all.node.permissions.delete(ADMIN);
    all.node.permissions.set(`${ADMIN}ff`, 'all');
    await all.node.start();
    await until(() => link.problem?.includes('refuses our macaroon') === true);
    writeFileSync(all.macaroonPath, Buffer.from(`${ADMIN}ff`, 'hex'));
    await until(() => link.problem === undefined);
    await link.close();
  });

  test('a silent node is a problem until it answers again', async () => {
    const link = await linkTo(all);
    let answer = (): void => undefined;
    const silence = new Promise<void>((done) => {
      answer = done;
    });
    all.node.beforeCall = () => silence;
    await until(() => link.problem !== undefined);
    expect(link.problem).toContain('LND has not responded');
    all.node.beforeCall = () => undefined;
    answer();
    await until(() => link.problem === undefined);
    await link.close();
  });
});

describe('the graph', () => {
  test('is LND’s graph, and follows its changes, even after its stream ended', async () => {
    const link = await linkTo(all);
    const source = await graphOf(link);
    expect([source.graph.nodeCount, source.graph.channelCount]).toEqual([4, 3]);
    source.follow();
    const of = parseShortChannelIdDir('700000x1x0/0')!;
    const channel = source.graph.channelIndex(AB);
    const [edge] = lineEdges(all.ours).filter(({ channel_id }) => channel_id === String(AB));
    const tell = (fee: number): void =>
      all.node.tellGraph({
        channel_updates: [
          {
            ...{ chan_id: String(AB), capacity: edge!.capacity },
            ...{ advertising_node: edge!.node1_pub, connecting_node: edge!.node2_pub },
            routing_policy: { ...(edge!.node1_policy as object), fee_base_msat: String(fee) },
          },
        ],
      });
    await until(() => all.node.graphSubscribers > 0);
    tell(2_222);
    await until(() => source.graph.feeBaseMsat[2 * channel + of.direction] === 2_222);
    all.node.endStreams('state');
    // Changes during a gap in the stream are found by reading the graph again.
    all.node.graph = {
      ...all.node.graph,
      edges: all.node.graph.edges.map((one) =>
        one.channel_id === String(AB)
          ? { ...one, node1_policy: { ...(one.node1_policy as object), fee_base_msat: '3333' } }
          : one,
      ),
    };
    await until(() => source.graph.feeBaseMsat[2 * channel + of.direction] === 3_333);
    source.close();
    await link.close();
  });

  test('is read up to 200 MB; one beyond the limit is a typed error', async () => {
    const padded = (megabytes: number) => ({
      ...all.node.graph,
      nodes: [
        ...all.node.graph.nodes,
        ...Array.from({ length: megabytes }, () => ({ alias: 'x'.repeat(1024 * 1024) })),
      ],
    });
    const small = all.node.graph;
    const link = await linkTo(all);
    all.node.graph = padded(200);
    expect((await graphOf(link)).graph.channelCount).toBe(3);
    all.node.graph = padded(257);
    expect(await errorOf(graphOf(link).then(() => link))).toMatchObject({
      name: 'graphSource',
      message: expect.stringMatching(/LND's graph cannot be read: .*larger than max/),
    });
    all.node.graph = small;
    expect((await graphOf(link)).graph.channelCount).toBe(3);
    await link.close();
  });

  test('leaves out invalid edges', async () => {
    const [good] = lineEdges(all.ours);
    all.node.graph = {
      nodes: [],
      edges: [
        good!,
        { ...good!, channel_id: '7', node1_pub: 'no key' },
        { ...good!, channel_id: '8', node1_pub: good!.node2_pub, node2_pub: good!.node1_pub },
        { ...good!, channel_id: String(16_000_001n << 40n) },
      ],
    };
    const link = await linkTo(all);
    expect((await graphOf(link)).graph.channelCount).toBe(1);
    await link.close();
  });
});

test('errors name the files that cannot be used', async () => {
  const { macaroonPath, certPath, directory } = all;
  writeFileSync(macaroonPath, 'no macaroon');
  expect((await errorOf(linkTo(all))).message).toContain(`${macaroonPath} contains no macaroon`);
  writeFileSync(certPath, 'no certificate');
  expect((await errorOf(linkTo(all))).message).toContain(`${certPath} contains no certificate`);
  const missing = { ...all, certPath: join(directory, 'none') };
  expect((await errorOf(linkTo(missing))).message).toContain('cannot read');
});
