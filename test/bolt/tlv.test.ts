import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/bolt/bytes.ts';
import { fieldsOf, flag, point, readPoint, tu32, tu64, u16, u64, utf8 } from '../../src/bolt/coding.ts';
import { decodeTlvStream, encodeTlvStream, tlvCodec, tlvRecordLength } from '../../src/bolt/tlv.ts';
import { WireError } from '../../src/bolt/wire-error.ts';

/** The namespace `n1` of BOLT 1, Appendix B. */
const n1 = tlvCodec({
  tlv1: { type: 1n, ...tu64 },
  tlv2: { type: 2n, ...u64 },
  tlv3: {
    type: 3n,
    ...fieldsOf(
      (writer, value: { nodeId: Uint8Array; one: bigint; two: bigint }) =>
        void writer.put(value.nodeId).u64(value.one).u64(value.two),
      (reader) => ({ nodeId: readPoint(reader), one: reader.u64(), two: reader.u64() }),
    ),
  },
  tlv4: { type: 254n, ...u16 },
});
const NODE = '023da092f6980e58d2c037173180e9a465476026ee50f96695963e8efe436f54eb';
const decode = (hex: string) => n1.decode(fromHex(hex.replaceAll(' ', '')));

describe('TLV streams (BOLT 1, Appendix B)', () => {
  it.each([
    ['fd', 'truncated'],
    ['fd01', 'truncated'],
    ['fd0001 00', 'notMinimal'],
    ['fd0101', 'truncated'],
    ['0f fd', 'truncated'],
    ['0f fd26', 'truncated'],
    ['0f fd2602', 'truncated'],
    ['0f fd0001 00', 'notMinimal'],
    [`0f fd0201 ${'00'.repeat(512)}`, 'truncated'],
    ['12 00', 'unknownEven'],
    ['fd0102 00', 'unknownEven'],
    ['fe01000002 00', 'unknownEven'],
    ['ff0100000000000002 00', 'unknownEven'],
    ['01 09 ffffffffffffffffff', 'tooLong'],
    ['01 01 00', 'notMinimal'],
    ['01 02 0001', 'notMinimal'],
    ['01 03 000100', 'notMinimal'],
    ['01 08 0001000000000000', 'notMinimal'],
    ['02 07 01010101010101', 'truncated'],
    ['02 09 010101010101010101', 'trailing'],
    [`03 21 ${NODE}`, 'truncated'],
    [`03 29 ${NODE}0000000000000001`, 'truncated'],
    [`03 30 ${NODE}000000000000000100000000000001`, 'truncated'],
    [`03 31 04${NODE.slice(2)}00000000000000010000000000000002`, 'invalid'],
    [`03 32 ${NODE}0000000000000001000000000000000001`, 'trailing'],
    ['fd00fe 00', 'truncated'],
    ['fd00fe 01 01', 'truncated'],
    ['fd00fe 03 010101', 'trailing'],
    ['00 00', 'unknownEven'],
    ['02 08 0000000000000226 01 01 2a', 'order'],
    ['02 08 0000000000000231 02 08 0000000000000451', 'order'],
    ['1f 00 0f 01 2a', 'order'],
    ['1f 00 1f 01 2a', 'order'],
    ['ffffffffffffffffff 00 00 00', 'order'],
  ])('%s is refused: %s', (hex, reason) => {
    expect(() => decode(hex)).toThrow(expect.objectContaining({ name: 'WireError', reason }));
  });

  it.each(['', '21 00', 'fd0201 00', 'fd00fd 00', 'fd00ff 00', 'fe02000001 00', 'ff0200000000000001 00'])(
    '"%s" is accepted and ignored',
    (hex) => {
      expect(decode(hex).values).toEqual({});
      expect(decode(hex).unknown).toHaveLength(hex === '' ? 0 : 1);
    },
  );

  it.each([
    ['01 00', { tlv1: 0n }],
    ['01 01 01', { tlv1: 1n }],
    ['01 02 0100', { tlv1: 256n }],
    ['01 05 0100000000', { tlv1: 4294967296n }],
    ['01 08 0100000000000000', { tlv1: 72057594037927936n }],
    ['02 08 0000000000000226', { tlv2: 550n }],
    [`03 31 ${NODE}00000000000000010000000000000002`, { tlv3: { nodeId: fromHex(NODE), one: 1n, two: 2n } }],
    ['fd00fe 02 0226', { tlv4: 550 }],
  ])('%s is %o', (hex, values) => {
    expect(decode(hex).values).toEqual(values);
    expect(toHex(n1.encode(values))).toBe(hex.replaceAll(' ', ''));
  });

  it('reports the position and type of the error, as invalid_onion_payload does', () => {
    expect(() => decode('01 01 01 02 01 ff')).toThrow(expect.objectContaining({ tlvType: 2n, offset: 3 }));
    expect(() => decode('01 00 fd0100 00')).toThrow(expect.objectContaining({ tlvType: 256n, offset: 2 }));
    expect(() => decode('1f 00 0f 00')).toThrow(expect.objectContaining({ tlvType: 15n, offset: 2 }));
  });

  it('keeps unknown even types only on request', () => {
    expect(n1.decode(fromHex('1000'), (type) => type === 16n).unknown).toEqual([
      { type: 16n, value: new Uint8Array(0) },
    ]);
  });

  it('writes fields and extra records in order of type', () => {
    const extra = [
      { type: 70001n, value: Uint8Array.of(9) },
      { type: 0n, value: new Uint8Array(0) },
    ];
    expect(toHex(n1.encode({ tlv4: 1, tlv1: 1n }, extra))).toBe(
      '00000101' + '01fd00fe020001' + 'fe000111710109',
    );
    expect(() => n1.encode({ tlv1: 1n }, [{ type: 1n, value: new Uint8Array(0) }])).toThrow(WireError);
  });

  it('returns the records that were written', () => {
    const record = fc.record({
      type: fc.bigInt(0n, 2n ** 64n - 1n),
      value: fc.uint8Array({ maxLength: 300 }),
    });
    const stream = fc
      .uniqueArray(record, { selector: ({ type }) => type, maxLength: 8 })
      .map((records) => records.sort((a, b) => (a.type < b.type ? -1 : 1)));
    fc.assert(
      fc.property(stream, (records) => {
        const bytes = encodeTlvStream(records);
        expect(decodeTlvStream(bytes)).toEqual(records);
        expect(records.reduce((sum, r) => sum + tlvRecordLength(r.type, r.value.length), 0)).toBe(
          bytes.length,
        );
      }),
    );
  });

  it('throws nothing but WireError on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
        try {
          n1.decode(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('values', () => {
  it('a valid point hides no invalid point with the same end', () => {
    // x = 1 is on the curve. Neither x = 5 nor any of the following is, but they end like valid points.
    const valid = fromHex(`02${'00'.repeat(31)}01`);
    expect(point.decode(valid)).toEqual(valid);
    expect(point.decode(valid)).toEqual(valid);
    const sameEnd = [`04${'00'.repeat(31)}01`, `02${'ff'.repeat(30)}0001`, `02${'00'.repeat(31)}0100`];
    for (const hex of sameEnd) expect(() => point.decode(fromHex(hex))).toThrow(WireError);
    expect(() => point.encode(fromHex(`${'00'.repeat(32)}01`))).toThrow(WireError);
    expect(() => point.encode(valid.subarray(0, 32))).toThrow(WireError);
    expect(point.encode(valid)).toEqual(valid);
  });

  it('refuses truncated integers out of range, invalid points, and text that is not UTF-8', () => {
    expect(() => tu32.encode(2 ** 32)).toThrow(WireError);
    expect(() => tu64.encode(2n ** 64n)).toThrow(WireError);
    expect(() => tu32.decode(fromHex('0100000000'))).toThrow(WireError);
    expect(() => point.decode(fromHex(`02${'00'.repeat(31)}05`))).toThrow(WireError);
    expect(() => point.decode(new Uint8Array(33))).toThrow(WireError);
    expect(() => utf8.decode(fromHex('c3'))).toThrow(WireError);
    expect(() => utf8.decode(fromHex('eda080'))).toThrow(WireError);
    expect(() => flag.decode(fromHex('00'))).toThrow(WireError);
    expect(utf8.decode(fromHex('efbbbf41'))).toBe('\ufeffA');
  });
});
