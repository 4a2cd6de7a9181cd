/** `fetchbip353`: resolves a name, and returns the proof. */
import { toHex } from '../../bolt/bytes.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { ResolvedName } from '../../names/index.ts';
import { field, required } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { bip353Name } from './offer-types.ts';

const MSAT_PER_SAT = 1000n;

/** Matches Core Lightning's `fetchbip353` (plugin cln-bip353, v25.09), but works on every network. */
export const fetchbip353 = defineCommand({
  name: 'fetchbip353',
  summary: 'Resolve a BIP 353 name (NAME@DOMAIN), and show the DNSSEC proof.',
  description:
    'Fetches the payment instructions of a name from the resolver of the option `name-resolver`, and verifies them with DNSSEC ' +
    'from the root keys. `xpay` pays a name directly. Error -32009 has a `data.reason`: resolver (unreachable, late or ' +
    'malformed), absent (no such name), unsigned (the domain does not use DNSSEC), invalid (a signature is wrong, expired or ' +
    'too weak), instructions (no usable payment URI), busy.',
  category: 'offers',
  readOnly: true,
  params: { address: required(bip353Name, 'The name.') },
  result: {
    proof: field(
      'hex',
      'The DNS records that prove the instructions, as an AuthenticationChain of RFC 9102.',
    ),
    instructions: field(
      'array',
      'Objects with offer or onchain, offchain_amount_msat?, onchain_amount_sat?, description?. The first offer is paid.',
    ),
  },
  async handler({ address: { name, domain } }, { names, networkPort }) {
    if (names === undefined) {
      const message = 'This node has no DNSSEC resolver: start with --name-resolver';
      throw new FulguriteError('notSupported', message, { network_kind: networkPort.kind });
    }
    const found = await names.resolve(name, domain);
    return { proof: toHex(found.proof), instructions: instructionsOf(found) };
  },
});

function instructionsOf({ offers, address, amountMsat, description }: ResolvedName) {
  const about = { ...(description !== undefined && { description }) };
  const hasAmount = amountMsat !== undefined;
  const instructions = offers.map((offer) => ({
    ...{ ...about, offer },
    ...(hasAmount && { offchain_amount_msat: amountMsat }),
  }));
  if (address === undefined) return instructions;
  const onchain = {
    ...{ ...about, onchain: address },
    ...(hasAmount && amountMsat % MSAT_PER_SAT === 0n && { onchain_amount_sat: amountMsat / MSAT_PER_SAT }),
  };
  return [...instructions, onchain];
}
