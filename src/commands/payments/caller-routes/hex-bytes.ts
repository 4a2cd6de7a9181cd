/** The parameter type of bytes in hex. */
import { fromHex } from '../../../bolt/bytes.ts';
import { BadToken, type ParamType } from '../../../rpc/param-types.ts';

const HEX = /^([0-9a-fA-F]{2})*$/;

/** Bytes as hex digits in upper or lower case. @param most maximum number of bytes */
export const hexBytes = (most: number): ParamType<Uint8Array> => ({
  name: 'hex',
  schema: { type: 'string', pattern: HEX.source, maxLength: 2 * most },
  parse(token) {
    if (token.kind !== 'string' || !HEX.test(token.text)) throw new BadToken('should be a hex value', token);
    if (token.text.length > 2 * most) throw new BadToken(`should have at most ${most} bytes`, token);
    return fromHex(token.text);
  },
});
