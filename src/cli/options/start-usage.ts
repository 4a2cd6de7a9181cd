/** The help of `fulgurite start`. */
import { QUOTE_LIMITS } from '../../payments/quotes/quote-book.ts';
import { DEFAULT_LIMITS } from '../../rpc/limits.ts';
import { HTTP_USAGE } from './http-options.ts';

/** What `fulgurite start --help` prints. */
export const START_USAGE = `fulgurite start [options]

Network and graph:
  --network NAME          network to use: simulated (default), peer (real peers), none (only routes and layers), or
                          cln or lnd (an attached Core Lightning or LND node, with real money)
  --node NAME=cln:DIR, --node NAME=lnd:HOST:PORT[,cert=FILE][,macaroon=FILE], --node NAME=lnd:,connect=FILE,
  --node NAME=simulated
                          one of several nodes that pay together (may be repeated; implies --network); see
                          docs/several-nodes.md
  --chain NAME            bitcoin, testnet, testnet4, signet or regtest (default: the chain of the attached node, or
                          bitcoin). Where these options name files by CHAIN, the default is bitcoin
  --graph SOURCE          source of the channel graph: synthetic[:NODES] (default), none, node, shared, or the path of
                          a gossip_store, a .compressed snapshot, the JSON of LND's describegraph, a snapshot
                          of LDK's rapid gossip sync, or a recording of gossip (lnresearch's .gsp, unpacked).
                          With --network peer the default is none: the graph comes from peers, and is kept in
                          DIR/gossip_store.CHAIN. With --network cln or lnd, or several such nodes, the default
                          is node: the graph of the attached nodes. shared is the graph that other daemons of
                          the fleet publish (--store)
  --exact-units           do not correct htlc_maximum_msat in .compressed snapshots, where it is 1000 times too small
  --seed N                seed of the synthetic graph and of the simulated network (default 1)
  --simulated-network HOST:PORT  use the simulated network that \`fulgurite network simulated\` serves on HOST:PORT,
                          for several daemons (--network simulated; --graph and --seed must be the same)

Data directory and configuration:
  --data-dir DIR          directory for keys, the database and the socket (default $FULGURITE_DIR or ~/.fulgurite)
  --rpc-file PATH         path of the socket (default DIR/fulgurite-rpc)
  --conf FILE             read this file instead of DIR/config. DIR/CHAIN/config is read after it. Lines are
                          name=value, with the names of these options without the leading --. Environment variables
                          such as FULGURITE_LOG_LEVEL override files, and the command line overrides both
  --print-config          print every option that has a value, and the origin of the value, and exit
  --recover               start despite missing, damaged or outdated files in DIR, and accept what is lost;
                          see docs/data-directory.md

Core Lightning node:
  --lightning-dir DIR     directory of the Core Lightning node (--network cln; default ~/.lightning). The node's
                          socket is DIR/lightning-rpc or DIR/CHAIN/lightning-rpc
  --lightning-rpc-file PATH  path of the node's socket, instead of --lightning-dir (--network cln)
  --forward METHOD,…      forward only these methods to the Core Lightning node (--network cln; may be repeated).
                          Default: all methods that Fulgurite does not have, and those about the node's own
                          records, such as invoices, offers and funds; see docs/core-lightning.md
  --no-forward            forward no methods to the Core Lightning node (--network cln)
  --replace-askrene       replace the node's cln-askrene, as the plugin does: import cln-askrene's persistent layers
                          once, and list layers as cln-askrene does (--network cln)
  --node-messages         fetch invoices under the node's id, as the plugin does: onion messages received by
                          the node are read from standard input, one JSON object per line (--network cln)

LND node:
  --lnd-macaroon FILE     macaroon that grants our permissions (default fulgurite.macaroon in
                          ~/.lnd/data/chain/bitcoin/CHAIN, where CHAIN is LND's name for the chain).
                          \`fulgurite lnd-macaroon\` prints the command that bakes this macaroon
  --lnd-cert FILE         TLS certificate of the LND node (default ~/.lnd/tls.cert)
  --lnd-rpc HOST:PORT     gRPC address of the LND node (--network lnd; default localhost:10009)
  --lnd-connect FILE      a file with an lndconnect:// address, instead of --lnd-rpc, --lnd-cert and --lnd-macaroon

Peers:
  --connect ID@HOST:PORT  a peer to stay connected to (--network peer; may be repeated)
  --listen HOST:PORT      accept connections from peers on this address (--network peer)
  --allow-private-addresses
                          also connect to private and loopback addresses that peers announce (--network peer;
                          default: only on regtest). Addresses of --connect are always allowed
  --bitcoin-rpcurl URL    RPC of an unpruned bitcoind, such as http://127.0.0.1:8332, to get the block height
                          and verify every channel (--network peer). Without bitcoind or Esplora, a channel is
                          accepted if a --connect peer announces it, or three other outbound peers in
                          different networks do
  --bitcoin-rpccookie FILE  a file with USER:PASSWORD for bitcoind, such as bitcoind's .cookie
  --bitcoin-rpcuser NAME, --bitcoin-rpcpassword TEXT
                          user name and password for bitcoind. Other users can see them on the command line
  --esplora URL           use an Esplora server instead of bitcoind, such as https://blockstream.info/api. This is
                          slower, and the server sees the queries (--network peer)

Payments and invoices:
  --pay-static-invoices   let xpay also pay offers whose recipient is offline; the payment completes when the
                          recipient comes online (bolts#1149, a proposal that is not final)
  --fetchinvoice-noconnect  let fetchinvoice use only existing connections
  --name-resolver PLACE   where to look up names (BIP 353): IP[:PORT] of a recursive DNS resolver,
                          https://HOST/dns-query, or proof+https://HOST/dnssecproof. The resolver sees the names;
                          its answers are verified with DNSSEC (default: none)
  --name-anchor DS        trust anchor of a DNS root other than the internet's, as "TAG ALGORITHM DIGESTTYPE
                          DIGEST" (may be repeated)
  --webhook-host HOST[:PORT]  a host to which \`addwebhook\` may post events (may be repeated; default: none). A name
                          other than localhost must resolve to public addresses; give private hosts by address
  --max-holding-quotes N  maximum number of quotes that hold liquidity (default ${QUOTE_LIMITS.maxHolding})
  --max-held-percent N    maximum percentage of our spendable balance that quotes hold
                          (default ${QUOTE_LIMITS.maxHeldPercent})

Learning:
  --no-learned-odds       assume uniform balances and responsive nodes, instead of the odds learned from attempts
  --no-node-history       do not import knowledge from the attached node's past payments and forwards
  --probes-per-hour N     send up to N probes (HTLCs that cannot be settled) per hour, to learn which routes work
                          (default 0: none)
  --probe-max-sat SAT     maximum total amount locked in probes at a time, in sat (default 100000)
  --trial NAME=VALUE      use this price in the route searches of half of the payments, until a test has compared
                          both halves (may be repeated; default: none); see docs/learning.md

Log:
  --log-level LEVEL[:PART]  minimum level of log lines: debug, info (default; with a line for each attempt and each
                          payment), unusual or broken. With :PART, only for one part of the service, such as
                          payments (may be repeated; the command setconfig changes it)
  --log-format FORMAT     text (default) or json, one object per line
  --log-file PATH         log file, reopened on SIGHUP (default: standard error)
  --log-private           also show hashes, nodes and channels at level info (default: only at level debug)

HTTP:
${HTTP_USAGE}
Fleet:
  --store URL             keep payments, layers, offers and runes in a PostgreSQL database, which several
                          daemons can share: postgres://ROLE@HOST/DATABASE; see docs/fleet.md (default: the
                          SQLite file in DIR). Other users can see a password on the command line: set
                          store=URL in DIR/config, or FULGURITE_STORE in the environment
  --keep-payments DAYS    delete each payment from that database DAYS days after it finished, but keep daily
                          totals. An idempotency key expires with its payment (--store; default: keep all)
  --bus URL               let solvers on other machines search routes, over a NATS server:
                          tls://[USER:PASSWORD@]HOST[:PORT], or nats://… in plain text on this machine
                          (with --store; certificates and keys: see docs/fleet.md)
  --bus-plaintext         allow an unencrypted --bus to another machine

Route searches:
  --workers N             number of threads that search routes (default 2)
  --queue-size N          maximum number of queued route queries, and of queued payment searches
                          (default 20000)
  --askrene-timeout S     maximum number of seconds per route query (default 10; the command setconfig changes it)

Limits of the socket:
  --max-request-bytes N   maximum bytes per request or batch on the socket (default ${DEFAULT_LIMITS.maxRequestBytes})
  --max-input-bytes N     maximum total bytes of unfinished and running requests of all socket clients
                          (default ${DEFAULT_LIMITS.maxInputBytes})
  --max-depth N           maximum nesting depth of a request (default ${DEFAULT_LIMITS.maxDepth})
  --max-values N          maximum number of JSON values per request (default ${DEFAULT_LIMITS.maxValues})
  --max-batch N           maximum number of requests per batch (default ${DEFAULT_LIMITS.maxBatch})
  --max-in-flight N       maximum number of concurrent requests per socket connection
                          (default ${DEFAULT_LIMITS.maxInFlight})
  --max-unsent-bytes N    maximum bytes of responses that a socket client has not read; above it, no more of its
                          input is read (default ${DEFAULT_LIMITS.maxUnsentBytes})
  --max-connections N     maximum number of connections to the socket (default ${DEFAULT_LIMITS.maxConnections})

Clients and developers:
  --refuse-deprecated     refuse deprecated commands, unless a client allows them on its connection (command
                          deprecations)
  --developer             enable developer commands and parameters
  --stop-on-eof           stop when standard input closes
`;
