/**
 * Tiny amounts on the mainnet snapshot, which most channels do not take: their HTLC minimum is 1,000 msat.
 * The fees of later hops can raise an amount over the minimums of earlier ones. For these requests, the
 * kernel once left open whether that is possible, and returned 210 (undecided). A separate search outside the
 * kernel, which extends paths channel by channel, found paths for the first rows, and proved that the others
 * have none.
 */
import { expect, it } from 'vitest';
import type { RouteAnswer, RouteQuery } from '../../src/engine/question/route.ts';
import { Kernel } from '../../src/engine/solver/kernel.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { msat } from '../../src/model/msat.ts';
import { askKernel } from '../engine/solver/kernel-solver.ts';
import { describeNeeding } from '../needs.ts';
import { directionsOf } from '../reference/graph-directions.ts';
import { referee } from '../reference/referee.ts';
import { remedied } from '../reference/remedied.ts';
import { hasSample, snapshotGraph } from './cln/cln-sample.ts';

/** Source, destination, amount and fee limit in msat, maximum delay, maximum number of parts. */
type Row = [string, string, bigint, bigint, number, number];

const PAYABLE: Row[] = [
  [
    '02775692f00c5c4afb371877ae415ac439a42ac966652183754518bec36cd9b70a',
    '03bccf58342cdc90987087861a7dcdf88a8fe65f1469c725ce54b8fa793c91af6d',
    86n,
    1_000_000n,
    2016,
    1,
  ],
  [
    '0380ccd4d0796a78a5fc750ebb448f4933ce9b51cf95c9b664a956dc56a8723100',
    '02b1b4d42334a39cd9f7a342624e997688cbcd60d539f56a6b07bdd9be27f6db93',
    65n,
    10_000n,
    400,
    1,
  ],
  [
    '03e78170eb6e0490c6c0d3051fad09fde0413aa9daac77ea09530ca1842eb8ed36',
    '039cf24654d08c51432a9e5a5c57a88c448c68b3dde027c3f144506c1352582cd1',
    141n,
    10_000n,
    2016,
    100,
  ],
  [
    '02d5593bb38d6ba1ea00330376e2b7cfdedbe1fa48d49802b51cfcacf4d48e6821',
    '0268c4caa4981b34ade708765446f770b16d562e44c8a04e59442e668af5e3abcb',
    13n,
    1_000_000n,
    2016,
    100,
  ],
];

const UNPAYABLE: Row[] = [
  [
    '02d6555651f9a0dc51c4b78098061ceeb76f43b71ef666af81fb02eee397084485',
    '028a1e92b7ab64f70622422ea2eeebdd63e76325032791d6df51f779f0367a82b7',
    729n,
    10_000n,
    2016,
    10,
  ],
  [
    '039b0532eda341bfacc9a1f70dc7f2e786a010d401546340b093ac75762d988bca',
    '023ab4dd7e41d0263c4a118f17e798ba7e1df5c46a34418116c3daa6f1f460d0ed',
    3n,
    1_000_000n,
    200,
    100,
  ],
  [
    '0265555e6e2e9e402031d7499ea4ceaee6df234fc3bbdb263d4784d86d8e739acc',
    '023ab4dd7e41d0263c4a118f17e798ba7e1df5c46a34418116c3daa6f1f460d0ed',
    1n,
    1_000_000n,
    200,
    10,
  ],
];
const queryOf = ([source, destination, amountMsat, maxfeeMsat, maxdelay, maxparts]: Row) =>
  ({
    source,
    destination,
    amountMsat: msat(amountMsat),
    layers: [],
    maxfeeMsat: msat(maxfeeMsat),
    finalCltv: 18,
    maxdelay,
    maxparts,
  }) as unknown as RouteQuery;

let read: ChannelGraph | undefined;
let kernel: Kernel | undefined;
const ask = (query: RouteQuery): RouteAnswer | FulguriteError => {
  read ??= snapshotGraph();
  kernel ??= Kernel.inProcess(read);
  return askKernel(kernel, query);
};

describeNeeding('routes', hasSample, 'tiny amounts below HTLC minimums', () => {
  it.each(PAYABLE)('%s to %s, %i msat: a path is found', (...row) => {
    const query = queryOf(row);
    const answer = ask(query);
    if (answer instanceof FulguriteError) throw answer;
    expect(referee(directionsOf(read!), query, answer)).toEqual([]);
  });

  it.each(UNPAYABLE)('%s to %s, %i msat: refused with the binding limit', (...row) => {
    const query = queryOf(row);
    const refusal = ask(query) as FulguriteError;
    expect(refusal).toBeInstanceOf(FulguriteError);
    const [, , , , maxdelay] = row;
    expect(refusal.data?.binding).toMatchObject({ kind: maxdelay === 200 ? 'delay_cap' : 'fee_cap' });
    const helped = remedied(query, refusal);
    expect(ask(helped!.query)).not.toBeInstanceOf(FulguriteError);
  });
});
