/**
 * Real LND nodes on a regtest chain of btcd, with real Core Lightning nodes if lightningd is available:
 *
 *        b (LND)
 *       /       \
 *      a         c (Core Lightning, else LND)         a is the node beside which we run
 *       \       /
 *        d (Core Lightning, else LND)
 *
 * All four channels are announced. Programs come from FULGURITE_LND, FULGURITE_LNCLI, FULGURITE_BTCD and
 * FULGURITE_LIGHTNINGD.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { macaroonPermissions } from '../../../src/network/lnd/index.ts';
import { until as untilWithin } from '../../until.ts';
import { lightningCli } from '../cln/cln-nodes.ts';

const LND = process.env.FULGURITE_LND ?? '';
const LNCLI = process.env.FULGURITE_LNCLI ?? '';
const BTCD = process.env.FULGURITE_BTCD ?? '';
const LIGHTNINGD = process.env.FULGURITE_LIGHTNINGD ?? '';
const CHAIN_PLUGIN = new URL('../btcd-chain-plugin.mjs', import.meta.url).pathname;

/** Whether the nodes can be started. Without them the tests are skipped. */
export const haveLnd = [LND, LNCLI, BTCD].every((path) => path !== '' && existsSync(path));
/** Whether c and d are Core Lightning nodes. */
export const haveBoth = haveLnd && LIGHTNINGD !== '' && existsSync(LIGHTNINGD);

export type LndNodeName = 'a' | 'b' | 'c' | 'd';
export const LND_NODE_NAMES: readonly LndNodeName[] = ['a', 'b', 'c', 'd'];

const CHANNEL_SAT = 2_000_000;
const PUSH_SAT = 400_000;
const WAIT_MS = 480_000;
const RPC = { user: 'u', password: 'p' };

interface Node {
  readonly kind: 'lnd' | 'cln';
  readonly directory: string;
  readonly port: number;
  readonly rpcPort: number;
  readonly command: readonly [string, ...string[]];
  child: ChildProcess | undefined;
  id: string;
}

// biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
type Answer = any;

export class LndNodes {
  readonly directory = mkdtempSync('/tmp/lnd');
  readonly #nodes = new Map<LndNodeName, Node>();
  #chain: ChildProcess | undefined;
  #chainPort = 0;
  #chainPeerPort = 0;
  #channelCount = 4;

  /**
   * Starts the nodes. @param options further options of node a; `lnd` is its program (default:
   * FULGURITE_LND); `others` is the implementation of c and d (default: Core Lightning if available);
   * `ofOthers` are further options of b, c and d
   */
  static async start(
    options: readonly string[] = [],
    lnd = LND,
    others: 'lnd' | 'cln' = haveBoth ? 'cln' : 'lnd',
    ofOthers: Partial<Record<LndNodeName, readonly string[]>> = {},
  ): Promise<LndNodes> {
    const nodes = new LndNodes();
    try {
      await nodes.#up({ ...ofOthers, a: options }, lnd, others);
    } catch (error) {
      await nodes.stop();
      throw error;
    }
    return nodes;
  }

  /**
   * Options of a daemon of ours beside node a, with its data beside the node's, and with its own macaroon.
   */
  besideA(): string[] {
    const { directory, rpcPort } = this.#node('a');
    return [
      ...['--lnd-rpc', `127.0.0.1:${rpcPort}`, '--lnd-cert', join(directory, 'tls.cert')],
      ...['--lnd-macaroon', this.macaroonPath, '--data-dir', join(this.directory, 'ours')],
    ];
  }

  /**
   * The value of `--node` for one of several nodes, by name. For an LND node, the macaroon must be baked
   * first.
   */
  asOurs(name: LndNodeName): string {
    const { kind, directory, rpcPort } = this.#node(name);
    if (kind === 'cln') return `${name}=cln:${directory}`;
    const files = `cert=${join(directory, 'tls.cert')},macaroon=${this.#macaroonOf(name)}`;
    return `${name}=lnd:127.0.0.1:${rpcPort},${files}`;
  }

  get macaroonPath(): string {
    return this.#macaroonOf('a');
  }

  #macaroonOf(name: LndNodeName): string {
    return join(this.directory, `fulgurite-${name}.macaroon`);
  }

  /** Bakes the macaroon of our daemon, with the permissions that our documentation recommends. */
  async bake(
    permissions: readonly string[] = macaroonPermissions(),
    name: LndNodeName = 'a',
    path = this.#macaroonOf(name),
  ): Promise<void> {
    await this.call(name, 'bakemacaroon', '--save_to', path, ...permissions);
    chmodSync(path, 0o600);
  }

  /** The address of an LND node, and its admin macaroon in a file that only we can read. */
  placeOf(name: LndNodeName): { address: string; certPath: string; adminPath: string } {
    const { directory, rpcPort } = this.#node(name);
    const adminPath = join(this.directory, `admin-${name}.macaroon`);
    copyFileSync(join(directory, 'data/chain/bitcoin/regtest/admin.macaroon'), adminPath);
    chmodSync(adminPath, 0o600);
    return { address: `127.0.0.1:${rpcPort}`, certPath: join(directory, 'tls.cert'), adminPath };
  }

  /** Opens a further announced channel. The opener must have funds. */
  async openChannel(from: LndNodeName, to: LndNodeName): Promise<void> {
    await this.#open(from, to);
    await this.mine(6);
    const count = ++this.#channelCount;
    for (const name of LND_NODE_NAMES) await until(async () => (await this.#knownChannels(name)) === count);
  }

  id(name: LndNodeName): string {
    return this.#node(name).id;
  }

  kind(name: LndNodeName): 'lnd' | 'cln' {
    return this.#node(name).kind;
  }

  /** The directory with the node's files. */
  directoryOf(name: LndNodeName): string {
    return this.#node(name).directory;
  }

  /** Calls `lncli` or `lightning-cli` of a node. Returns the answer as plain JSON. */
  async call(name: LndNodeName, ...args: (string | number)[]): Promise<Answer> {
    const { kind, directory, rpcPort } = this.#node(name);
    const [program, where] =
      kind === 'lnd'
        ? [LNCLI, [`--lnddir=${directory}`, '--network=regtest', `--rpcserver=127.0.0.1:${rpcPort}`]]
        : [lightningCli(), [`--lightning-dir=${directory}`, '--network=regtest']];
    const { stdout } = await promisify(execFile)(program, [...where, ...args.map(String)], {
      maxBuffer: 2 ** 28,
    });
    return stdout.trim().startsWith('{') || stdout.trim().startsWith('[') ? JSON.parse(stdout) : stdout;
  }

  /**
   * The blocks of the chain after the first one, raw, in hex. @param from the height of the first block
   * returned
   */
  async blocks(from: number): Promise<string[]> {
    const height = await this.#btcd<number>('getblockcount');
    const wanted = Array.from({ length: Math.max(0, height - from + 1) }, (_, n) => from + n);
    const raw: string[] = [];
    for (const one of wanted)
      raw.push(await this.#btcd('getblock', await this.#btcd('getblockhash', one), 0));
    return raw;
  }

  /** Opens a channel to a node outside this network. The channel is not confirmed yet. */
  async openTo(from: LndNodeName, { id, port }: { id: string; port: number }, sat: number): Promise<void> {
    await this.call(from, 'connect', `${id}@127.0.0.1:${port}`);
    await this.call(from, 'openchannel', '--node_key', id, '--local_amt', sat);
  }

  /** Mines blocks and waits until all nodes have seen them. */
  async mine(count: number): Promise<void> {
    await this.#btcd('generate', count);
    await this.#synced();
  }

  /** Kills a node, as a crash does. Resolves when its process is gone, at once if it was gone before. */
  async kill(name: LndNodeName): Promise<void> {
    const { child } = this.#node(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await gone;
  }

  signal(name: LndNodeName, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#node(name).child?.kill(signal);
  }

  /** Restarts a node, and waits until it answers. */
  async restart(name: LndNodeName): Promise<void> {
    this.#launch(name);
    await this.#answers(name);
  }

  /** Waits until all channels of a node can be used. */
  async connected(name: LndNodeName): Promise<void> {
    await until(async () => (await this.#activeChannels(name)) === 2);
  }

  async stop(): Promise<void> {
    for (const [, { child }] of this.#nodes) child?.kill('SIGKILL');
    this.#chain?.kill('SIGKILL');
    await new Promise((done) => setTimeout(done, 300));
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  // ---------------------------------------------------------------- startup

  async #up(
    options: Partial<Record<LndNodeName, readonly string[]>>,
    lnd: string,
    others: 'lnd' | 'cln',
  ): Promise<void> {
    this.#chainPort = await freePort();
    this.#chainPeerPort = await freePort();
    await this.#startChain();
    await this.#add('a', 'lnd', lnd, options.a);
    await this.#answers('a');
    const { address } = await this.call('a', 'newaddress', 'p2wkh');
    // A wallet does not follow a restarted btcd, so LND starts only once the blocks are there.
    await this.kill('a');
    await this.#stopChain();
    await this.#startChain(`--miningaddr=${address}`);
    await this.#btcd('generate', 110);
    this.#launch('a');
    await this.#add('b', 'lnd', LND, options.b);
    await this.#add('c', others, others === 'cln' ? LIGHTNINGD : LND, options.c);
    await this.#add('d', others, others === 'cln' ? LIGHTNINGD : LND, options.d);
    for (const name of LND_NODE_NAMES) await this.#answers(name);
    await this.#synced();
    await this.#fund();
    await this.#open('a', 'b');
    await this.#open('a', 'd');
    await this.#open('b', 'c');
    await this.#open('d', 'c');
    await this.bake();
    await this.mine(6);
    for (const name of LND_NODE_NAMES) {
      await until(async () => (await this.#knownChannels(name)) === 4);
      await this.connected(name);
    }
  }

  async #startChain(...more: string[]): Promise<void> {
    const directory = join(this.directory, 'btcd');
    mkdirSync(directory, { recursive: true });
    const log = openSync(join(this.directory, 'btcd.out'), 'a');
    this.#chain = spawn(
      BTCD,
      [
        ...['--regtest', '--txindex', `--rpcuser=${RPC.user}`, `--rpcpass=${RPC.password}`],
        ...[`--datadir=${directory}`, `--logdir=${directory}`, `--configfile=${join(directory, 'none')}`],
        ...[`--rpccert=${this.#certPath}`, `--rpckey=${join(directory, 'rpc.key')}`],
        ...[`--rpclisten=127.0.0.1:${this.#chainPort}`, `--listen=127.0.0.1:${this.#chainPeerPort}`, ...more],
      ],
      { stdio: ['ignore', log, log] },
    );
    await until(async () => Number.isInteger(await this.#btcd('getblockcount')));
  }

  async #stopChain(): Promise<void> {
    const gone = new Promise((done) => this.#chain?.once('exit', done));
    this.#chain?.kill('SIGTERM');
    await gone;
  }

  async #add(name: LndNodeName, kind: 'lnd' | 'cln', program: string, options: readonly string[] = []) {
    const directory = join(this.directory, name);
    mkdirSync(directory, { recursive: true });
    const [port, rpcPort] = [await freePort(), await freePort()];
    const args =
      kind === 'lnd'
        ? [
            ...[`--lnddir=${directory}`, '--noseedbackup', '--bitcoin.regtest', '--bitcoin.node=btcd'],
            ...[`--btcd.rpchost=127.0.0.1:${this.#chainPort}`, `--btcd.rpcuser=${RPC.user}`],
            ...[
              `--btcd.rpcpass=${RPC.password}`,
              `--btcd.rpccert=${this.#certPath}`,
              '--nobootstrap',
              '--norest',
            ],
            ...[`--rpclisten=127.0.0.1:${rpcPort}`, `--listen=127.0.0.1:${port}`],
            ...[`--externalip=127.0.0.1:${port}`, `--alias=${name}`, '--accept-keysend', '--accept-amp'],
            // An announcement that arrived before its block is requested again.
            '--historicalsyncinterval=5s',
            ...['--bitcoin.defaultchanconfs=1', '--trickledelay=50', '--debuglevel=debug', ...options],
          ]
        : [
            ...[
              `--lightning-dir=${directory}`,
              '--network=regtest',
              `--addr=127.0.0.1:${port}`,
              `--alias=${name}`,
              '--developer',
            ],
            ...['--allow-deprecated-apis=true', '--dev-fast-gossip', '--dev-bitcoind-poll=1'],
            ...['--dev-allow-localhost', '--disable-plugin=bcli', `--plugin=${CHAIN_PLUGIN}`],
            ...['--log-level=debug', `--log-file=${join(directory, 'log')}`, ...options],
          ];
    const node: Node = {
      kind,
      directory,
      port,
      rpcPort,
      command: [program, ...args],
      child: undefined,
      id: '',
    };
    this.#nodes.set(name, node);
    this.#launch(name);
  }

  #launch(name: LndNodeName): void {
    const node = this.#node(name);
    const log = openSync(join(this.directory, `${name}.out`), 'a');
    const [program, ...args] = node.command;
    const env = {
      ...process.env,
      BTCD_RPC: `https://${RPC.user}:${RPC.password}@127.0.0.1:${this.#chainPort}`,
      NODE_EXTRA_CA_CERTS: this.#certPath,
    };
    node.child = spawn(program, args, { env, stdio: ['ignore', log, log] });
  }

  async #answers(name: LndNodeName): Promise<void> {
    const node = this.#node(name);
    await until(async () => {
      const { identity_pubkey, id } = await this.call(name, 'getinfo');
      node.id = identity_pubkey ?? id;
      return node.id !== undefined;
    });
  }

  async #synced(): Promise<void> {
    const height = await this.#btcd('getblockcount');
    for (const name of LND_NODE_NAMES) {
      await until(async () => {
        const { blockheight, block_height, synced_to_chain } = await this.call(name, 'getinfo');
        return blockheight === height || (block_height === height && synced_to_chain === true);
      });
    }
  }

  async #fund(): Promise<void> {
    for (const name of ['b', 'd'] as const) {
      const address =
        this.kind(name) === 'lnd'
          ? (await this.call(name, 'newaddress', 'p2wkh')).address
          : (await this.call(name, 'newaddr', 'bech32')).bech32;
      // The wallet sees the last blocks a moment later than the node.
      await until(async () => {
        await this.call('a', 'sendcoins', '--addr', address, '--amt', 100_000_000);
        return true;
      });
    }
    await this.mine(1);
    for (const name of ['b', 'd'] as const) {
      await until(async () => {
        if (this.kind(name) === 'cln') return (await this.call(name, 'listfunds')).outputs.length > 0;
        return Number((await this.call(name, 'walletbalance')).confirmed_balance) > 0;
      });
    }
  }

  async #open(from: LndNodeName, to: LndNodeName): Promise<void> {
    const { id, port } = this.#node(to);
    const before = await this.#activeChannels(to);
    if (this.kind(from) === 'lnd') {
      // The other node may have connected meanwhile.
      await this.call(from, 'connect', `${id}@127.0.0.1:${port}`).catch((error: Error) => {
        if (!error.message.includes('already connected')) throw error;
      });
      await until(async () => {
        await this.call(
          from,
          'openchannel',
          '--node_key',
          id,
          '--local_amt',
          CHANNEL_SAT,
          '--push_amt',
          PUSH_SAT,
        );
        return true;
      });
    } else {
      await this.call(from, 'connect', `${id}@127.0.0.1:${port}`);
      const terms = [`id=${id}`, `amount=${CHANNEL_SAT}`, `push_msat=${PUSH_SAT}000`, 'mindepth=1'];
      await this.call(from, '-k', 'fundchannel', ...terms);
    }
    await this.mine(3);
    await until(async () => (await this.#activeChannels(to)) === before + 1);
  }

  async #activeChannels(name: LndNodeName): Promise<number> {
    if (this.kind(name) === 'lnd') {
      const { channels } = await this.call(name, 'listchannels');
      return channels.filter(({ active }: { active: boolean }) => active).length;
    }
    const { channels } = await this.call(name, 'listpeerchannels');
    const isUp = (channel: Answer): boolean =>
      channel.state === 'CHANNELD_NORMAL' && channel.reestablished === true;
    return channels.filter(isUp).length;
  }

  /** Number of channels for which the node knows the policies of both sides. */
  async #knownChannels(name: LndNodeName): Promise<number> {
    if (this.kind(name) === 'cln') return (await this.call(name, 'listchannels')).channels.length / 2;
    const { edges } = await this.call(name, 'describegraph');
    return edges.filter((edge: Answer) => edge.node1_policy !== null && edge.node2_policy !== null).length;
  }

  async #btcd<T = number>(method: string, ...params: unknown[]): Promise<T> {
    const answer = await new Promise<string>((done, failed) => {
      const asked = request(
        {
          ...{ host: '127.0.0.1', port: this.#chainPort, method: 'POST', path: '/' },
          auth: `${RPC.user}:${RPC.password}`,
          ca: readFileSync(this.#certPath),
        },
        (response) => text(response).then(done, failed),
      );
      asked.once('error', failed);
      asked.end(JSON.stringify({ jsonrpc: '1.0', id: 1, method, params }));
    });
    const { result, error } = JSON.parse(answer) as { result: T; error: { message: string } | null };
    if (error !== null) throw new Error(error.message);
    return result;
  }

  get #certPath(): string {
    return join(this.directory, 'btcd/rpc.cert');
  }

  #node(name: LndNodeName): Node {
    return this.#nodes.get(name)!;
  }
}

/** Waits until a condition holds that depends on a node. Nodes may take minutes on a busy machine. */
export const until = (isSo: () => Promise<boolean>): Promise<void> =>
  untilWithin(isSo, { limitMs: WAIT_MS, pollMs: 100 });

/** A port without a listener. */
function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer().once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
