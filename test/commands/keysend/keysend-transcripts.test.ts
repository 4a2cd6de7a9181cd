/**
 * Recorded conversations with a Core Lightning node about keysend and xkeysend, replayed against our service
 * on a line of nodes like theirs. Their node ids are replaced with ours. Hashes, preimages, times and amounts
 * sent are compared only by format. That node ran in developer mode, so ours does too. Requests here disable
 * shadow routing, because that node adds no shadow.
 */
import { afterEach, expect, test } from 'vitest';
import { describeNeeding } from '../../needs.ts';
import { L2, L3, L4 } from '../../payments/line-graph.ts';
import { OWN_ID } from '../../payments/simulation/simulated-node.ts';
import { PaymentNode } from '../payment-node.ts';
import { recordings } from '../recordings.ts';

interface Recorded {
  readonly case: string;
  readonly request_raw: string;
  readonly response_raw: string;
}

const recorded = recordings<Recorded>();
const cases = recorded.filter(({ request_raw: r }) => /"method": "x?keysend"/.test(r));

/** The recorded node ids, and ours at the same positions. */
const IDS: readonly (readonly [theirs: string, ours: string])[] = [
  ['02da83bfa301a6566af0cec410e6e1c382be91ea9ac773972eff2548adbb50f714', OWN_ID],
  ['025af1577c4c53b76d576e61f247337844bec283d94cc69b46c5460134c62d689d', L2],
  ['022720b633476bb84aa1509978c474c3a6bd3503779003dffa2213fe4d880ffd89', L2],
  ['0229d1970d6fdac8d55c3f1c08a4bad9cc99c616842f64e94bcdae445da48862a4', L3],
  ['0370f84eb798789f17ac46f3263687573e6f54428d9f810e132bac1410123d2a55', L4],
];
const ours = (text: string): string => IDS.reduce((all, [a, b]) => all.replaceAll(a, b), text);

const noRoute = { code: 205 };
const tooDear = { code: 206, message: 'Fee exceeds our fee budget: 11msat > 0msat' };
/** Intended differences: the decision, and the error that we must return. */
const DIFFERENT: Readonly<Record<string, readonly [decision: string, ours: object]>> = {
  'keysend_210-retry_for-0': [
    'decision 13: 210 means that time ran out, and data contains the failure',
    { code: 210, message: 'Timed out after 1 attempt: see `paystatus`' },
  ],
  'keysend_210-retry_for-1': ['decision 13: 205, because no route is left', noRoute],
  'keysend_destination-has-no-keysend': [
    'decision 13: 203 with the routing failure object',
    {
      code: 203,
      message: `Recipient ${L4} reported an invalid payload, this usually means they don't support keysend.`,
    },
  ],
  'keysend_maxfee-zero': ['decision 13: 206', tooDear],
  'keysend_maxfeepercent-zero': ['decision 13: 206', tooDear],
  'keysend_more-than-we-have': ['decision 13: 205', noRoute],
  'keysend_temporary-failure-default-retry': ['decision 13: 205', noRoute],
  'keysend_too-large': ['decision 13: 205', noRoute],
  'keysend_unknown-node': [
    'decision 13: 205',
    {
      code: 205,
      message: 'Unknown destination 0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    },
  ],
  nodeprecated_keysend: ['keysend.test.ts tests refused deprecated commands', {}],
  'xkeysend_maxdelay-too-small': [
    'decision 13: the message contains the limit and the required value',
    { code: 206, message: 'Failed: CLTV delay exceeds our CLTV budget: 48 > 5' },
  ],
  'xkeysend_temporary-failure': ['amounts and channels differ on this line', { code: 209 }],
  'xkeysend_frozen-peer-retry_for-3': ['no answer was recorded: see the simulations', {}],
};
/** Layers of the recorded node. */
const LAYERS = ['test_layer'];
const SKIPPED = new Set(['nodeprecated_keysend', 'xkeysend_frozen-peer-retry_for-3']);

const HEX32 = /^[0-9a-f]{64}$/;

function normal(result: Record<string, unknown>): object {
  return {
    ...result,
    ...('payment_hash' in result && { payment_hash: HEX32.test(String(result.payment_hash)) }),
    payment_preimage: HEX32.test(String(result.payment_preimage)),
    ...('created_at' in result && { created_at: typeof result.created_at }),
  };
}

/**
 * Disables the shadow in recorded payment requests that use named parameters, since that node adds no shadow.
 */
function request({ request_raw, response_raw }: Recorded): string {
  const text = ours(request_raw);
  if (!response_raw.includes('"result"') || !text.includes('"params": {')) return text;
  return text.replace('"params": {', '"params": {"dev_use_shadow": false, ');
}

const messageOnAnyNode = (message: string): string =>
  message.replace(/: invalid token '.*'$/s, ': invalid token (see logs for details)');

describeNeeding('conversations', recorded.length > 0, 'recorded conversations', () => {
  let node: PaymentNode;
  afterEach(() => node.stop());

  test.each(cases.filter((entry) => !SKIPPED.has(entry.case)).map((entry) => [entry.case, entry] as const))(
    '%s',
    async (name, entry) => {
      node = new PaymentNode();
      await node.start();
      node.node.simulation.setTrait(L4, 'takesKeysend', false);
      for (const layer of LAYERS) await node.result('askrene-create-layer', { layer });
      const answer = JSON.parse((await node.raw(request(entry)))!);
      const theirs = JSON.parse(ours(entry.response_raw));
      const different = DIFFERENT[name];
      if (different !== undefined) {
        expect(answer.error, different[0]).toMatchObject(different[1]);
        expect(answer.error.data.attempts, 'attempts accompany every failure').toBeInstanceOf(Array);
      } else if (theirs.error === undefined) {
        expect(Object.keys(answer.result)).toEqual(Object.keys(theirs.result));
        expect(normal(answer.result)).toEqual(normal(theirs.result));
      } else {
        const { code, message } = theirs.error;
        expect({ code: answer.error.code, message: answer.error.message }).toEqual({
          code,
          message: messageOnAnyNode(message),
        });
      }
    },
  );
});
