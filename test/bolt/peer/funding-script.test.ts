/** The funding output's script. */
import { expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { fundingScript } from '../../../src/bolt/peer/funding-script.ts';

/** Both keys and the output of the funding transaction in BOLT 3, Appendix B. */
it('the funding script equals that of BOLT 3, Appendix B, for either order of the keys', () => {
  const local = fromHex('023da092f6980e58d2c037173180e9a465476026ee50f96695963e8efe436f54eb');
  const remote = fromHex('030e9f7b623d2ccc7c9bd44d66d5ce21ce504c0acf6385a132cec6d3c39fa711c1');
  const script = '0020c015c4a6be010e21657068fc2e6a9d02b27ebe4d490a25846f7237f104d1a3cd';
  expect(toHex(fundingScript(local, remote))).toBe(script);
  expect(toHex(fundingScript(remote, local))).toBe(script);
});
