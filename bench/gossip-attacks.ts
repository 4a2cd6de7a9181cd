/** Attacks through gossip and the clock: announcements of outputs that are gone, and a clock that goes back. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHAIN_HASHES } from '../src/bolt/invoice/bolt12-offer.ts';
import { decodeChannelAnnouncement } from '../src/bolt/peer/gossip-messages.ts';
import type { NodeId } from '../src/model/node-id.ts';
import { StandInChain } from '../test/chain/stand-in.ts';
import { SignedNetwork } from '../test/network/peer/signed-gossip.ts';
import { WirePeer } from '../test/network/peer/wire-peer.ts';
import { type Attack, type Attacked, ask, rpc, start } from './attacked.ts';
import { freePort, startDaemonProcess } from './daemon.ts';

/** All attacks of this file. */
export const GOSSIP_ATTACKS: readonly Attack[] = [
  ['40 peers announce channels whose outputs are spent', goneChannels],
  ['the clock goes back by an hour', clockBack],
];

const PEERS = 40;
const GONE = 400;
const HONEST = 100;
const ATTACK_MS = 30_000;
const chainHash = CHAIN_HASHES.regtest;

async function goneChannels({ directory }: Attacked): Promise<string> {
  const timestamp = Math.floor(Date.now() / 1000) - 7200;
  const network = new SignedNetwork({ nodes: 100, channels: GONE + HONEST, chainHash, timestamp });
  const chain = await StandInChain.start();
  for (const { announcement } of network.channels) {
    const decoded = decodeChannelAnnouncement(announcement);
    chain.fund(decoded, 70_000);
  }
  const gone = network.channels.slice(0, GONE);
  for (const { shortChannelId } of gone) chain.spend(shortChannelId);
  const port = await freePort();
  const options = ['--network', 'peer', '--chain', 'regtest', '--bitcoin-rpcurl', chain.url];
  const place = { directory: join(directory, 'peer'), executable: process.env.BENCH_ATTACKED };
  const daemon = await startDaemonProcess('none', [...options, '--listen', `127.0.0.1:${port}`], place);
  try {
    const nodeId = (await rpc(daemon, 'getinfo')).result.id as NodeId;
    const dial = async (): Promise<WirePeer> => {
      const peer = await WirePeer.dial(nodeId, port);
      peer.sendInit(chainHash);
      return peer;
    };
    let [isOver, disconnected] = [false, 0];
    const attackers = Array.from({ length: PEERS }, async () => {
      while (!isOver) {
        const peer = await dial().catch(() => undefined);
        if (peer === undefined) break;
        void peer.closed.then(() => isOver || disconnected++);
        for (let n = 0; !isOver && !peer.socket.destroyed; n++) {
          peer.send(gone[n % GONE]!.announcement);
          if (n % 10 === 0) await sleep(20);
        }
        peer.socket.destroy();
      }
    });
    await sleep(1000);
    const honest = await dial();
    const before = chain.requests;
    const beganMs = performance.now();
    for (const channel of network.channels.slice(GONE)) {
      for (const said of network.about(channel)) honest.send(said);
    }
    let known = 0;
    while (known < HONEST && performance.now() - beganMs < ATTACK_MS) {
      await sleep(200);
      known = (await rpc(daemon, 'listchannels')).result.channels.length / 2;
    }
    const seconds = (performance.now() - beganMs) / 1000;
    isOver = true;
    await Promise.all(attackers);
    const perSecond = Math.round((chain.requests - before) / seconds);
    return (
      `${known} of ${HONEST} honest channels after ${seconds.toFixed(1)} s; ${perSecond} requests/s to the chain; ` +
      `${disconnected} disconnections`
    );
  } finally {
    await daemon.stop();
    await chain.stop();
  }
}

/** Attack: the machine's clock goes back after a rune with a rate limit was used. */
async function clockBack(attacked: Attacked): Promise<string> {
  const { daemon, port } = attacked;
  const { rune } = (await rpc(daemon, 'createrune', { restrictions: [['per=3sec']] })).result;
  const call = async () => (await ask(port, '/v1/getinfo', { rune, body: '{}' })).status;
  const first = await call();
  await daemon.stop();
  const back = 'const now = Date.now; Date.now = () => now() - 3_600_000;';
  attacked.daemon = await start({
    ...attacked,
    preload: `data:text/javascript,${encodeURIComponent(back)}`,
  });
  const statuses = [await call()];
  for (let second = 0; second < 8 && statuses.at(-1) !== 201; second++) {
    await sleep(1000);
    statuses.push(await call());
  }
  const isLocked = statuses.at(-1) !== 201;
  return `${isLocked ? 'the rune is locked out' : 'none: the rune works'}: status ${first}, then ${statuses.join(', ')}`;
}
