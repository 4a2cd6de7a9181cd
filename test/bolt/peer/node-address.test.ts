import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeNodeAddresses } from '../../../src/bolt/peer/node-address.ts';

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

describe('node addresses', () => {
  it.each([
    ['01 7f000001 2607', { type: 'ipv4', address: '127.0.0.1', port: 9735 }],
    ['02 20010db8000000000000000000000001 2607', { type: 'ipv6', address: '2001:db8::1', port: 9735 }],
    ['02 00000000000000000000000000000000 0001', { type: 'ipv6', address: '::', port: 1 }],
    ['02 20010db8000000010000000000000001 0001', { type: 'ipv6', address: '2001:db8:0:1::1', port: 1 }],
    ['02 00010002000300040005000600070000 0001', { type: 'ipv6', address: '1:2:3:4:5:6:7:0', port: 1 }],
    ['03 00000000000000000001 2607', { type: 'torv2', address: 'aaaaaaaaaaaaaaab.onion', port: 9735 }],
    [`04 ${'ff'.repeat(35)} 2607`, { type: 'torv3', address: `${'7'.repeat(56)}.onion`, port: 9735 }],
    ['05 03 612e62 2607', { type: 'dns', address: 'a.b', port: 9735 }],
  ])('reads %s', (hex, address) => expect(decodeNodeAddresses(bytes(hex))).toEqual([address]));

  it('stops at an unreadable address', () => {
    const one = { type: 'ipv4', address: '1.2.3.4', port: 5 };
    expect(decodeNodeAddresses(bytes('01 01020304 0005 09 00 01 01020304 0005'))).toEqual([one]);
    expect(decodeNodeAddresses(bytes('01 01020304 0005 01 010203'))).toEqual([one]);
    expect(decodeNodeAddresses(bytes('01 01020304 0005 05'))).toEqual([one]);
    expect(decodeNodeAddresses(bytes('01 01020304 0005 01 02'))).toEqual([one]);
  });

  it('shows no control characters in a host name', () => {
    const host = { type: 'dns', address: '?[A', port: 1 };
    expect(decodeNodeAddresses(bytes('05 03 1b5b41 0001'))).toEqual([host]);
  });

  it('any bytes make well-formed addresses', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (input) => {
        for (const { type, address } of decodeNodeAddresses(input)) {
          expect(address).toMatch(/^[\x21-\x7e]*$/);
          if (type === 'ipv4') expect(isIP(address)).toBe(4);
          if (type === 'ipv6') expect(isIP(address)).toBe(6);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
