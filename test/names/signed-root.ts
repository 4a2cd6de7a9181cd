/**
 * A root zone that contains all its records itself, signed with Ed25519 for one hour from now. `dns-proof`
 * verifies it; the tests of `dns-proof` itself use signatures by other software.
 */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { type DnsName, labelsOf, nameBytes, ROOT } from '../../src/names/dns-name.ts';
import { type DnsRecord, RECORD_TYPE } from '../../src/names/dns-record.ts';

const ED25519 = 15;

/** A root with TXT records. */
export function signedRoot(texts: readonly { readonly name: DnsName; readonly text: string }[]): {
  readonly anchor: string;
  readonly records: readonly DnsRecord[];
} {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const keyData = Buffer.concat([Buffer.from([1, 1, 3, ED25519]), raw]);
  let sum = 0;
  for (const [at, byte] of keyData.entries()) sum += at % 2 === 0 ? byte << 8 : byte;
  const keyTag = (sum + (sum >>> 16)) & 0xffff;
  const digest = createHash('sha256').update(nameBytes(ROOT)).update(keyData).digest('hex');
  const now = Math.floor(Date.now() / 1000);
  const signed = (name: DnsName, type: number, data: Buffer): DnsRecord[] => {
    const head = Buffer.alloc(18);
    head.writeUInt16BE(type, 0);
    head.writeUInt8(ED25519, 2);
    head.writeUInt8(labelsOf(name).length, 3);
    head.writeUInt32BE(3600, 4);
    head.writeUInt32BE(now + 3600, 8);
    head.writeUInt32BE(now - 60, 12);
    head.writeUInt16BE(keyTag, 16);
    const fixed = Buffer.alloc(10);
    fixed.writeUInt16BE(type, 0);
    fixed.writeUInt16BE(1, 2);
    fixed.writeUInt32BE(3600, 4);
    fixed.writeUInt16BE(data.length, 8);
    const withSigner = Buffer.concat([head, nameBytes(ROOT)]);
    const signature = sign(null, Buffer.concat([withSigner, nameBytes(name), fixed, data]), privateKey);
    const ttl = { ttlSeconds: 3600 };
    return [
      { name, type, ...ttl, data },
      { name, type: RECORD_TYPE.rrsig, ...ttl, data: Buffer.concat([withSigner, signature]) },
    ];
  };
  const txt = (text: string): Buffer =>
    Buffer.concat(
      (text.match(/.{1,255}/g) ?? []).map((part) =>
        Buffer.from(String.fromCharCode(part.length) + part, 'latin1'),
      ),
    );
  return {
    anchor: `${keyTag} ${ED25519} 2 ${digest}`,
    records: [
      ...signed(ROOT, RECORD_TYPE.dnskey, keyData),
      ...texts.flatMap(({ name, text }) => signed(name, RECORD_TYPE.txt, txt(text))),
    ],
  };
}
