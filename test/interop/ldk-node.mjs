/**
 * An LDK node in a separate process, driven by messages over the child process's channel: a panic of LDK ends
 * this process and not the tests. Answers `{ id, result }` or `{ id, error }` to `{ id, command, ... }`.
 *
 * It has no chain and no channels until it receives blocks. Then other nodes may open channels to it, and it
 * claims payments. Without channels, it uses a made-up channel in its own graph for a one-hop blinded payment
 * path to itself, so that it can issue invoices. As LDK requires, the host polls it.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const POLL_MS = 5;
const packageFile = createRequire(import.meta.url).resolve('lightningdevkit/package.json');
const ldk = await import('lightningdevkit');
const { NodeLDKNet } = await import('lightningdevkit-node-net');
await ldk.initializeWasmFromBinary(readFileSync(join(dirname(packageFile), 'liblightningjs.wasm')));

const NETWORK = ldk.Network.LDKNetwork_Regtest;
/** LDK holds objects implemented in JavaScript only by weak references. */
const kept = [];
const keep = (object) => {
  kept.push(object);
  return object;
};
/**
 * Fee rates in satoshi per 1000 weight units: the estimate for transactions that must confirm, and the
 * minimum accepted.
 */
const FEE_RATE = { usual: 12_500, least: 253 };
const isLeast = (target) => ldk.ConfirmationTarget[target].includes('Min');
const log = [];
const logger = keep(
  ldk.Logger.new_impl({
    log(record) {
      log.push(`${record.get_module_path()}: ${record.get_args()}`);
      if (log.length > 500) log.shift();
    },
  }),
);

function createNode(seedByte) {
  const seed = new Uint8Array(32).fill(seedByte);
  const feeEstimator = keep(
    ldk.FeeEstimator.new_impl({
      get_est_sat_per_1000_weight: (target) => (isLeast(target) ? FEE_RATE.least : FEE_RATE.usual),
    }),
  );
  const broadcaster = keep(ldk.BroadcasterInterface.new_impl({ broadcast_transactions() {} }));
  const completed = ldk.ChannelMonitorUpdateStatus.LDKChannelMonitorUpdateStatus_Completed;
  const persist = keep(
    ldk.Persist.new_impl({
      persist_new_channel: () => completed,
      update_persisted_channel: () => completed,
      archive_persisted_channel() {},
    }),
  );
  const nowSeconds = Math.floor(Date.now() / 1000);
  const keys = keep(ldk.KeysManager.constructor_new(seed, BigInt(nowSeconds), seedByte));
  const entropy = keys.as_EntropySource();
  const none = ldk.Option_FilterZ.constructor_none();
  const monitor = keep(ldk.ChainMonitor.constructor_new(none, broadcaster, logger, feeEstimator, persist));
  const graph = keep(ldk.NetworkGraph.constructor_new(NETWORK, logger));
  const decay = ldk.ProbabilisticScoringDecayParameters.constructor_default();
  const scorer = keep(ldk.ProbabilisticScorer.constructor_new(decay, graph, logger));
  const lockable = keep(ldk.MultiThreadedLockableScore.constructor_new(scorer.as_Score()));
  const feeParameters = ldk.ProbabilisticScoringFeeParameters.constructor_default();
  const router = keep(
    ldk.DefaultRouter.constructor_new(graph, logger, entropy, lockable.as_LockableScore(), feeParameters),
  );
  const messageRouter = keep(ldk.DefaultMessageRouter.constructor_new(graph, entropy));
  // An arriving invoice becomes an event instead of being paid.
  const config = keep(ldk.UserConfig.constructor_default());
  config.set_manually_handle_bolt12_invoices(true);
  // Other nodes may open announced channels and use their whole capacity.
  config.get_channel_handshake_limits().set_force_announced_channel_preference(false);
  config.get_channel_handshake_config().set_max_inbound_htlc_value_in_flight_percent_of_channel(100);
  const best = ldk.BestBlock.constructor_from_network(NETWORK);
  const manager = keep(
    ldk.ChannelManager.constructor_new(
      feeEstimator,
      monitor.as_Watch(),
      broadcaster,
      router.as_Router(),
      messageRouter.as_MessageRouter(),
      logger,
      entropy,
      keys.as_NodeSigner(),
      keys.as_SignerProvider(),
      config,
      ldk.ChainParameters.constructor_new(NETWORK, best),
      nowSeconds,
    ),
  );
  const ignoring = keep(ldk.IgnoringMessageHandler.constructor_new());
  const messenger = keep(
    ldk.OnionMessenger.constructor_new(
      entropy,
      keys.as_NodeSigner(),
      logger,
      manager.as_NodeIdLookUp(),
      messageRouter.as_MessageRouter(),
      manager.as_OffersMessageHandler(),
      ignoring.as_AsyncPaymentsMessageHandler(),
      ignoring.as_DNSResolverMessageHandler(),
      ignoring.as_CustomOnionMessageHandler(),
    ),
  );
  const gossip = keep(
    ldk.P2PGossipSync.constructor_new(graph, ldk.Option_UtxoLookupZ.constructor_none(), logger),
  );
  const peers = keep(
    ldk.PeerManager.constructor_new(
      manager.as_ChannelMessageHandler(),
      gossip.as_RoutingMessageHandler(),
      messenger.as_OnionMessageHandler(),
      ignoring.as_CustomMessageHandler(),
      nowSeconds,
      entropy.get_secure_random_bytes(),
      logger,
      keys.as_NodeSigner(),
    ),
  );
  return { manager, monitor, messenger, peers, graph, net: new NodeLDKNet(peers) };
}

const node = createNode(Number(process.argv[2] ?? 1));
const ownId = Buffer.from(node.manager.get_our_node_id()).toString('hex');
if (process.argv[3] !== 'unpayable') announceOurselves();
const events = [];
/**
 * Whether HTLCs await processing, the preimages of claimable payments, and the hashes and amounts of claimed
 * payments.
 */
let hasForwards = false;
const claimable = [];
const claimed = [];
const handler = keep(
  ldk.EventHandler.new_impl({
    handle_event(event) {
      // The reason is a number of LDK's enumeration of failure reasons.
      const reason = event instanceof ldk.Event_PaymentFailed ? event.reason?.some : undefined;
      const why = reason === undefined ? '' : ` ${ldk.PaymentFailureReason[reason] ?? reason}`;
      if (event instanceof ldk.Event_PendingHTLCsForwardable) hasForwards = true;
      else if (event instanceof ldk.Event_PaymentClaimable) claimable.push(event.purpose.preimage().some);
      else if (event instanceof ldk.Event_PaymentClaimed) {
        claimed.push([Buffer.from(event.payment_hash).toString('hex'), Number(event.amount_msat)]);
      } else if (event instanceof ldk.Event_ConnectionNeeded) connectTo(event);
      events.push(`${event.constructor.name}${why}`);
      return ldk.Result_NoneReplayEventZ.constructor_ok();
    },
  }),
);

/**
 * Adds a made-up channel of this node to its graph, because a node without channels can issue invoices only if its
 * graph contains one.
 */
function announceOurselves() {
  const ours = Buffer.from(ownId, 'hex');
  const other = Buffer.from(`02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`, 'hex');
  const [first, second] = Buffer.compare(ours, other) < 0 ? [ours, other] : [other, ours];
  node.graph.add_channel_from_partial_announcement(
    1n << 40n,
    BigInt(Math.floor(Date.now() / 1000)),
    ldk.ChannelFeatures.constructor_empty(),
    first,
    second,
  );
}

/**
 * Connects to a node for which a message is waiting, as LDK asks its host to do, after LDK has finished the
 * event.
 */
function connectTo({ node_id, addresses }) {
  const id = Uint8Array.from(node_id);
  // The bindings return ports as signed numbers.
  const places = addresses
    .filter((address) => address instanceof ldk.SocketAddress_TcpIpV4)
    .map(({ addr, port }) => [[...addr].join('.'), port & 0xffff]);
  setImmediate(() => {
    for (const [host, port] of places)
      node.net.connect_peer(host, port, id).catch((error) => log.push(`${error}`));
  });
}

function poll() {
  node.manager.as_EventsProvider().process_pending_events(handler);
  node.monitor.as_EventsProvider().process_pending_events(handler);
  node.messenger.as_EventsProvider().process_pending_events(handler);
  if (hasForwards) {
    hasForwards = false;
    node.manager.process_pending_htlc_forwards();
  }
  for (const preimage of claimable.splice(0)) node.manager.claim_funds(preimage);
  node.peers.process_events();
}

const commands = {
  id: () => ownId,
  async listen() {
    await node.net.bind_listener('127.0.0.1', 0);
    return node.net.servers[0].address().port;
  },
  async connect({ nodeId, port }) {
    await node.net.connect_peer('127.0.0.1', port, Buffer.from(nodeId, 'hex'));
    return true;
  },
  peers: () =>
    node.peers.list_peers().map((peer) => ({
      nodeId: Buffer.from(peer.get_counterparty_node_id()).toString('hex'),
      // LDK writes the features with a length of two bytes before them.
      features: Buffer.from(peer.get_init_features().write()).subarray(2).toString('hex'),
      isInbound: Boolean(peer.get_is_inbound_connection()),
    })),
  disconnect({ nodeId }) {
    node.peers.disconnect_by_node_id(Buffer.from(nodeId, 'hex'));
    return true;
  },
  /**
   * LDK's work of every ten seconds: it pings its peers, and drops peers that did not answer the last ping.
   */
  tick() {
    node.peers.timer_tick_occurred();
    return true;
  },
  offer() {
    const built = node.manager.create_offer_builder(ldk.Option_u64Z.constructor_none());
    return built.res.build().res.to_str();
  },
  payForOffer({ offer, amountMsat, paymentId }) {
    const parsed = ldk.Offer.constructor_from_str(offer);
    if (!parsed.is_ok()) throw new Error('LDK does not parse the offer');
    const some = ldk.Option_u64Z.constructor_some(BigInt(amountMsat));
    const nothing = ldk.Option_u64Z.constructor_none();
    const note = ldk.Option_StrZ.constructor_none();
    const retry = ldk.Retry.constructor_attempts(0);
    const id = Buffer.from(paymentId, 'hex');
    return Boolean(node.manager.pay_for_offer(parsed.res, nothing, some, note, id, retry, nothing).is_ok());
  },
  /** Passes the next block to LDK, as raw bytes. The first call passes the second block of the chain. */
  block({ height, raw }) {
    const block = Buffer.from(raw, 'hex');
    node.manager.as_Listen().block_connected(block, height);
    node.monitor.as_Listen().block_connected(block, height);
    return true;
  },
  announce() {
    node.peers.broadcast_node_announcement(new Uint8Array(3), new Uint8Array(32), []);
    return true;
  },
  /** Number of usable channels. */
  usable: () => node.manager.list_channels().filter((channel) => channel.get_is_usable()).length,
  invoice({ amountMsat }) {
    const none = ldk.Option_u32Z.constructor_none();
    const built = node.manager.create_bolt11_invoice(
      ldk.Option_u64Z.constructor_some(BigInt(amountMsat)),
      ldk.Bolt11InvoiceDescription.constructor_direct(ldk.Description.constructor_new('tea').res),
      none,
      ldk.Option_u16Z.constructor_none(),
      ldk.Option_ThirtyTwoBytesZ.constructor_none(),
    );
    if (!built.is_ok()) throw new Error('LDK did not make an invoice');
    return built.res.to_str();
  },
  claimed: () => claimed,
  events: () => events.splice(0),
  log: () => log.splice(0),
};

console.log = () => undefined;
setInterval(poll, POLL_MS);
process.on('message', async ({ id, command, ...parameters }) => {
  try {
    process.send({ id, result: await commands[command](parameters) });
  } catch (error) {
    process.send({ id, error: String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });
