/**
 * A Core Lightning node that consists only of its RPC. It keeps the rows of `listsendpays` and the HTLCs of
 * its channels as the real one does, and is as strict about parameters. It can be killed, hung, restarted and
 * replaced. The test decides what happens to an HTLC.
 *
 * Answers follow lightningd's `check_progress` and `waitsendpay` (v26.06). Its clock stands still until the
 * test moves it.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { Framer } from '../../../src/rpc/framer.ts';
import { InputBudget } from '../../../src/rpc/input-budget.ts';
import { toJson } from '../../../src/rpc/json-write.ts';

export interface Row {
  readonly payment_hash: string;
  readonly groupid: number;
  readonly partid: number;
  readonly amount_msat: number;
  readonly created_at: number;
  status: 'pending' | 'complete' | 'failed';
  payment_preimage?: string;
  /** What `waitsendpay` tells of a failure. */
  error?: { code: number; message: string; data?: object };
}

interface Htlc {
  readonly payment_hash: string;
  readonly direction: 'out';
  readonly created_index: number;
  isLive: boolean;
}

type Params = Record<string, unknown>;

/** An error answer. */
export class Refused extends Error {
  readonly code: number;
  readonly data: object | undefined;
  constructor(code: number, message: string, data?: object) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Parameters that each method knows. `!` marks required ones. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  getinfo: [],
  getlog: ['level'],
  listpeers: ['id', 'level'],
  listpeerchannels: ['id', 'short_channel_id', 'channel_id'],
  listchannels: ['short_channel_id', 'source', 'destination'],
  listnodes: ['id'],
  listhtlcs: ['id', 'index', 'start', 'limit'],
  listsendpays: ['bolt11', 'payment_hash', 'status', 'index', 'start', 'limit'],
  wait: ['subsystem!', 'indexname!', 'nextvalue!'],
  waitblockheight: ['blockheight!', 'timeout'],
  waitsendpay: ['payment_hash!', 'timeout', 'partid', 'groupid'],
  preapproveinvoice: ['bolt11!'],
  preapprovekeysend: ['destination!', 'payment_hash!', 'amount_msat!'],
  sendonion: [
    ...[
      'onion!',
      'first_hop!',
      'payment_hash!',
      'label',
      'shared_secrets',
      'partid',
      'bolt11',
      'amount_msat',
    ],
    ...['destination', 'localinvreqid', 'groupid', 'description', 'total_amount_msat'],
  ],
  connect: ['id!', 'host', 'port'],
  disconnect: ['id!', 'force'],
};

const CHANNEL = '103x1x0';

export class FakeNode {
  readonly path: string;
  id: string;
  readonly peerId: string;
  height = 111;
  warning: string | undefined;
  /** The node's clock in UNIX seconds, and when it was last started by that clock. */
  nowS = 1_800_000_000;
  startedS = this.nowS;
  /** Milliseconds beyond that second. */
  startedFraction = 250;
  spendableMsat = 5_000_000_000;
  peerConnected = true;
  version = 'v26.06';
  readonly rows: Row[] = [];
  readonly htlcs: Htlc[] = [];
  deletedRows = 0;
  /** All calls, in order. */
  readonly calls: { method: string; params: Params }[] = [];
  /** Decides what becomes of a part that was accepted. Default: it stays pending, with an HTLC. */
  onPart: (row: Row, params: Params) => void = () => undefined;
  /** Called before `sendonion` is carried out. It may throw the error with which the node refuses. */
  beforeSend: (params: Params) => void = () => undefined;
  declines: string | undefined;
  /** Channels of others: short channel id and both ends. */
  beyond: readonly (readonly [string, string, string])[] = [];
  /** Whether an accepted part gets its HTLC. When false, the node dies before that. */
  commits = true;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  #isHung = false;
  #waiters: (() => void)[] = [];
  #events = { htlcs: 0, networkevents: 0 };

  constructor(path: string, id: string, peerId: string) {
    this.path = path;
    this.id = id;
    this.peerId = peerId;
  }

  async start(): Promise<void> {
    this.startedS = this.nowS;
    this.#server = createServer((socket) => this.#serve(socket));
    await new Promise<void>((resolve) => this.#server!.listen(this.path, resolve));
  }

  /** Ends the node as SIGKILL does. What was answered is out, and the rest is lost. */
  async kill(): Promise<void> {
    this.#isHung = false;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
    this.#waiters = [];
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  /** Breaks all connections. Requests that have arrived are carried out all the same. */
  loseConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  /** Stops and continues the node, as SIGSTOP and SIGCONT do. */
  hang(isHung: boolean): void {
    this.#isHung = isHung;
    for (const socket of this.#sockets) isHung ? socket.pause() : socket.resume();
  }

  row(payment_hash: string): Row | undefined {
    return this.rows.findLast((row) => row.payment_hash === payment_hash);
  }

  /** Ends a part. */
  settle(row: Row, preimage: string): void {
    Object.assign(row, { status: 'complete', payment_preimage: preimage });
    this.#ended(row);
  }

  fail(row: Row, error: NonNullable<Row['error']>): void {
    Object.assign(row, { status: 'failed', error });
    this.#ended(row);
  }

  changed(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  called(method: string): Params[] {
    return this.calls.filter((call) => call.method === method).map(({ params }) => params);
  }

  #ended(row: Row): void {
    for (const htlc of this.htlcs) if (htlc.payment_hash === row.payment_hash) htlc.isLive = false;
    this.#events.htlcs++;
    this.changed();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    const framer = new Framer(1e7, new InputBudget(1e8));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    if (this.#isHung) socket.pause();
    socket.on('data', (chunk: Buffer) => {
      framer.push(chunk);
      for (let text = framer.next(); text !== undefined; text = framer.next()) {
        void this.#answer(socket, JSON.parse(text.toString('utf8')));
      }
    });
  }

  async #answer(socket: Socket, request: Record<string, unknown>): Promise<void> {
    const { id, method, params } = request as { id: string; method: string; params: Params };
    const send = (answer: object): void => {
      if (!socket.destroyed) socket.write(`${toJson({ jsonrpc: '2.0', id, ...answer })}\n\n`);
    };
    try {
      if (request.jsonrpc !== '2.0' || typeof id !== 'string' || typeof params !== 'object') {
        throw new Refused(-32600, 'not a request');
      }
      this.#check(method, params);
      this.calls.push({ method, params });
      send({ result: await this.#carryOut(method, params) });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { code, message, data } = error;
      send({ error: { code, message, ...(data && { data }) } });
    }
  }

  #check(method: string, params: Params): void {
    const known = PARAMETERS[method];
    if (known === undefined) throw new Refused(-32601, `Unknown command '${method}'`);
    const names = known.map((name) => name.replace('!', ''));
    const unknown = Object.keys(params).find((name) => !names.includes(name));
    if (unknown !== undefined) throw new Refused(-32602, `unknown parameter: ${unknown}`);
    for (const name of known) {
      if (!name.endsWith('!') || params[name.slice(0, -1)] !== undefined) continue;
      throw new Refused(-32602, `missing required parameter: ${name.slice(0, -1)}`);
    }
  }

  async #carryOut(method: string, params: Params): Promise<object> {
    switch (method) {
      case 'getinfo':
        return this.#info();
      case 'getlog':
        return {
          created_at: `${this.startedS}.${this.startedFraction}000000`,
          bytes_used: 0,
          bytes_max: 1,
          log: [],
        };
      case 'listpeers':
        return { peers: [{ id: this.peerId, connected: this.peerConnected, features: '80' }] };
      case 'listpeerchannels':
        return { channels: [this.#channel()] };
      case 'listhtlcs':
        return {
          htlcs: this.htlcs.filter(({ created_index }) => created_index >= Number(params.start ?? 0)),
        };
      case 'listsendpays':
        return { payments: this.rows.filter((row) => row.payment_hash === params.payment_hash).map(shown) };
      case 'preapprovekeysend':
        if (this.declines !== undefined) throw new Refused(214, this.declines);
        return {};
      case 'preapproveinvoice':
        if (this.declines !== undefined) throw new Refused(213, this.declines);
        return {};
      case 'sendonion':
        return this.#sendonion(params);
      case 'waitsendpay':
        return this.#waitsendpay(params);
      case 'wait':
        return this.#wait(params);
      case 'waitblockheight':
        while (this.height < Number(params.blockheight)) await this.#nextChange();
        return { blockheight: this.height };
      case 'listchannels':
        return { channels: this.#graph() };
      default:
        return { nodes: [] };
    }
  }

  #info(): object {
    return {
      id: this.id,
      alias: 'fake',
      color: '0a0b0c',
      version: this.version,
      blockheight: this.height,
      network: 'regtest',
      'lightning-dir': '/nowhere',
      our_features: { init: '8000' },
      binding: [],
      ...(this.warning && { warning_lightningd_sync: this.warning }),
    };
  }

  #channel(): object {
    const policy = {
      htlc_minimum_msat: 0,
      htlc_maximum_msat: 9_900_000_000,
      cltv_expiry_delta: 6,
      fee_base_msat: 1000,
      fee_proportional_millionths: 10,
    };
    return {
      peer_id: this.peerId,
      peer_connected: this.peerConnected,
      state: 'CHANNELD_NORMAL',
      short_channel_id: CHANNEL,
      opener: 'local',
      total_msat: 10_000_000_000,
      spendable_msat: this.spendableMsat,
      receivable_msat: 1_000_000_000,
      their_max_htlc_value_in_flight_msat: 18_446_744_073_709_551_615n,
      our_max_htlc_value_in_flight_msat: 18_446_744_073_709_551_615n,
      feerate: { perkw: 253 },
      updates: { local: policy, remote: policy },
      htlcs: this.htlcs.filter(({ isLive }) => isLive),
    };
  }

  /** The public graph: our channel, and one from the peer onwards. */
  #graph(): object[] {
    const ends = [[CHANNEL, this.id, this.peerId] as const, ...this.beyond];
    return ends.flatMap(([short_channel_id, ...nodes]) =>
      [nodes, [...nodes].reverse()].map(([source, destination]) => ({
        source,
        destination,
        short_channel_id,
        public: true,
        active: true,
        amount_msat: 10_000_000_000,
        last_update: this.nowS,
        base_fee_millisatoshi: 1000,
        fee_per_millionth: 10,
        delay: 6,
        htlc_minimum_msat: 0,
        htlc_maximum_msat: 9_900_000_000,
      })),
    );
  }

  #sendonion(params: Params): object {
    this.beforeSend(params);
    if (typeof params.onion !== 'string' || !/^[0-9a-f]{2732}$/.test(params.onion)) {
      throw new Refused(-32602, 'onion: should be 1366 bytes');
    }
    const { payment_hash, partid, groupid, amount_msat } = params as unknown as Row;
    for (const row of this.rows.filter((one) => one.payment_hash === payment_hash)) {
      const isSame = row.partid === partid && row.groupid === groupid;
      if (isSame && row.status !== 'failed') return shown(row);
      if (isSame) throw new Refused(201, `There already is a payment with payment_hash=${payment_hash}`);
      if (row.status === 'complete') throw new Refused(201, 'Already succeeded other parts');
      if (row.status === 'pending' && row.groupid !== groupid) {
        throw new Refused(200, `Payment with groupid=${row.groupid} still in progress`);
      }
    }
    const created_at = this.nowS;
    const row: Row = { payment_hash, partid, groupid, amount_msat, created_at, status: 'pending' };
    this.rows.push(row);
    if (this.commits) {
      this.htlcs.push({
        payment_hash,
        direction: 'out',
        created_index: this.htlcs.length + 1,
        isLive: true,
      });
    }
    this.#events.htlcs++;
    this.changed();
    setImmediate(() => this.onPart(row, params));
    return shown(row);
  }

  async #waitsendpay({ payment_hash, partid, groupid }: Params): Promise<object> {
    const row = this.rows.find(
      (one) => one.payment_hash === payment_hash && one.partid === partid && one.groupid === groupid,
    );
    if (row === undefined)
      throw new Refused(208, `Never attempted payment part ${partid} for '${payment_hash}'`);
    while (row.status === 'pending') await this.#nextChange();
    if (row.status === 'complete') return shown(row);
    const { code, message, data } = row.error!;
    throw new Refused(code, message, data);
  }

  async #wait({ subsystem, indexname, nextvalue }: Params): Promise<object> {
    const index = (): number => {
      if (subsystem === 'sendpays' && indexname === 'deleted') return this.deletedRows;
      return subsystem === 'htlcs' ? this.#events.htlcs : this.#events.networkevents;
    };
    while (index() < Number(nextvalue)) await this.#nextChange();
    return { subsystem, [indexname as string]: index() };
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }
}

const shown = ({ error: _error, ...row }: Row): object => ({ id: 1, ...row });
