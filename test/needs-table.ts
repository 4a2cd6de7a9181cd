/**
 * Requirements of tests that are not in the repository. The titles of such tests contain `[needs …]`. For
 * skipped tests, the closing lines of the reporter take the reason and the remedy from this table.
 */
export const NEEDS = {
  conversations: {
    why: 'they compare with recorded conversations of a Core Lightning node',
    enabledBy: 'the recording at ../shared/data/cln/transcripts.json',
  },
  routes: {
    why: 'they compare with the routes that a Core Lightning node found on the mainnet snapshot',
    enabledBy:
      '../shared/data/cln/getroutes-sample.json and ../shared/data/snapshot/gossip-store-2026-02-03.compressed',
  },
  snapshot: {
    why: 'they read the mainnet graph of 2026-02-03',
    enabledBy:
      "../shared/data/snapshot/gossip-store-2026-02-03.compressed, of Core Lightning's tests (tests/data)",
  },
  history: {
    why: 'they read the history of the repository',
    enabledBy: 'a clone with its history',
  },
  ldk: {
    why: 'they talk to a node of the Lightning Development Kit',
    enabledBy: '`npm install`, which brings lightningdevkit and lightningdevkit-node-net',
  },
  ldkStatic: {
    why: 'they ask a server of static invoices, made with the Rust crate lightning',
    enabledBy:
      'FULGURITE_LDK_STATIC, the path of a program that serves static invoices (test/interop/ldk/ldk-static-invoices.test.ts)',
  },
  lightningd: {
    why: 'they work beside real Core Lightning nodes',
    enabledBy: 'FULGURITE_LIGHTNINGD, the path of a lightningd, with ../shared/cln, python3 and cc',
  },
  clients: {
    why: 'they let other clients of Core Lightning work through our socket, beside real nodes',
    enabledBy:
      'FULGURITE_LIGHTNINGD as above; FULGURITE_PYLN, a Python that has pyln-client; FULGURITE_NPM_CLIENTS, a folder ' +
      'with the npm packages clightning-client and lightning-client; on LND also what `lnd` needs',
  },
  lnd: {
    why: 'they work beside real LND nodes',
    enabledBy:
      'FULGURITE_LND, FULGURITE_LNCLI and FULGURITE_BTCD, the paths of those programs; with FULGURITE_LIGHTNINGD, ' +
      'two of their peers are Core Lightning nodes',
  },
  help: {
    why: 'they compare with the list of methods of a Core Lightning node',
    enabledBy:
      '../shared/spec/cln-help-usage.json, or FULGURITE_CLN_HELP, a file with what `lightning-cli --json help` prints',
  },
  blocks: {
    why: 'they check channels against the blocks of a stand-in for bitcoind',
    enabledBy: '../shared/cln/chain.py and the program python3',
  },
  cloth: {
    why: 'they compare with the simulator CLoTH',
    enabledBy:
      'FULGURITE_CLOTH, the path of its program, compiled from github.com/marcono/cloth with libgsl-dev',
  },
  networkx: {
    why: 'they let networkx read GraphML',
    enabledBy: 'python3 with networkx (Debian: python3-networkx)',
  },
  chromium: {
    why: 'they open the explorer in a browser',
    enabledBy: '`apt-get install chromium`, or CHROMIUM, the path of a Chromium',
  },
  promtool: {
    why: 'they let Prometheus test the alert rules',
    enabledBy: 'the program promtool (Debian: prometheus)',
  },
  python: {
    why: 'they run the examples in Python',
    enabledBy: 'the program python3',
  },
  terminal: {
    why: 'they use a pseudo-terminal',
    enabledBy: 'the program `script` of util-linux',
  },
  bash: {
    why: 'they let bash complete commands',
    enabledBy: 'the program bash',
  },
  zsh: {
    why: 'they let zsh read what it completes',
    enabledBy: 'the program zsh',
  },
  fish: {
    why: 'they let fish read what it completes',
    enabledBy: 'the program fish',
  },
  groff: {
    why: 'they let groff read the manual pages',
    enabledBy: 'the program groff',
  },
  postgres: {
    why: 'they keep the store in their own PostgreSQL server',
    enabledBy: 'the programs initdb and postgres (Debian: postgresql), on PATH or in /usr/lib/postgresql',
  },
  failover: {
    why: 'they make payments for 20 seconds while a standby is promoted',
    enabledBy: 'FULGURITE_FAILOVER=1, with the programs of PostgreSQL',
  },
  mount: {
    why: 'they fill their own small disk',
    enabledBy: 'root on Linux, who may mount a tmpfs, and the programs of PostgreSQL',
  },
  machines: {
    why: 'they run a fleet on three network namespaces',
    enabledBy: 'root on Linux, the programs ip, openssl, haproxy and nats-server, and those of PostgreSQL',
  },
  nats: {
    why: 'they communicate over a NATS server',
    enabledBy: 'the program nats-server, of the package of that name in Debian',
  },
  systemd: {
    why: 'they let systemd check its unit',
    enabledBy: 'the program systemd-analyze',
  },
} as const satisfies Readonly<Record<string, { readonly why: string; readonly enabledBy: string }>>;

export type Need = keyof typeof NEEDS;

/** A title that names what the test needs. */
export const titleNeeding = (title: string, need: Need): string => `${title} [needs ${need}]`;

/** The need named in the title of a skipped test. Undefined if there is none. */
export function needIn(title: string): Need | undefined {
  const named = /\[needs (\w+)\]/.exec(title)?.[1];
  return named !== undefined && named in NEEDS ? (named as Need) : undefined;
}

/**
 * The closing lines: how many tests passed, failed and were skipped, and then one line per reason with its count.
 * `skippedTitles` are the full titles of skipped tests.
 */
export function closingLines(passed: number, failed: number, skippedTitles: readonly string[]): string[] {
  const counts = new Map<Need | undefined, number>();
  for (const title of skippedTitles) {
    const need = needIn(title);
    counts.set(need, (counts.get(need) ?? 0) + 1);
  }
  const reasons = [...counts].map(([need, count]) =>
    need === undefined
      ? `${count} skipped: they were left out by name, or give no reason`
      : `${count} skipped: ${NEEDS[need].why}; enabled by ${NEEDS[need].enabledBy}`,
  );
  const skipped = skippedTitles.length;
  return [`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`, ...reasons];
}
