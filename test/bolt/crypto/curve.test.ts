import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../../src/bolt/bytes.ts';
import {
  availableCurves,
  type Curve,
  CurveError,
  curve,
  nobleCurve,
  publicKeysCurve,
} from '../../../src/bolt/crypto/curve.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';

const N = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');
const P = 2n ** 256n - 2n ** 32n - 977n;
const scalar = (value: bigint): Uint8Array => fromHex(value.toString(16).padStart(64, '0'));
const G = fromHex('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
const MINUS_G = concatBytes(Uint8Array.of(3), G.subarray(1));

const curves = availableCurves();
const others = curves.filter(({ name }) => name !== 'noble');

/**
 * The seed of the inputs. It is the same for every engine, so that noble, the slowest, computes its answers
 * only once.
 */
const SEED = Number(process.env.FULGURITE_TEST_SEED ?? Date.now() % 2 ** 31);
const computed = new Map<string, string>();

/** Noble's result for the input named by `what`, computed only once. */
function nobleSays(what: string, compute: () => string): string {
  const known = computed.get(what) ?? compute();
  computed.set(what, known);
  return known;
}

/** The result in hex, or the error. All curve engines must return the same. */
function outcome(compute: () => Uint8Array | boolean | undefined): string {
  try {
    const result = compute();
    return result instanceof Uint8Array ? toHex(result) : String(result);
  } catch (error) {
    if (error instanceof CurveError) return `CurveError ${error.curveReason}`;
    throw error;
  }
}

const OPERATIONS: Readonly<
  Record<string, (on: Curve, a: Uint8Array, b: Uint8Array, c: Uint8Array) => string>
> = {
  isSecretKey: (on, a) => outcome(() => on.isSecretKey(a)),
  isPoint: (on, a) => outcome(() => on.isPoint(a)),
  publicKey: (on, a) => outcome(() => on.publicKey(a)),
  pointMultiply: (on, a, b) => outcome(() => on.pointMultiply(a, b)),
  pointAdd: (on, a, b) => outcome(() => on.pointAdd(a, b)),
  pointAddScalar: (on, a, b) => outcome(() => on.pointAddScalar(a, b)),
  secretKeyAdd: (on, a, b) => outcome(() => on.secretKeyAdd(a, b)),
  secretKeyMultiply: (on, a, b) => outcome(() => on.secretKeyMultiply(a, b)),
  ecdh: (on, a, b) => outcome(() => on.ecdh(a, b)),
  ecdsaSign: (on, a, b) => outcome(() => on.ecdsaSign(a, b)),
  ecdsaVerify: (on, a, b, c) => outcome(() => on.ecdsaVerify(a, b, c)),
};

const edgeScalars = [0n, 1n, 2n, N / 2n, N / 2n + 1n, N - 1n, N, N + 1n, 2n ** 256n - 1n].map(scalar);
const edgePoints = [
  G,
  MINUS_G,
  nobleCurve.publicKey(scalar(2n)),
  nobleCurve.publicKey(scalar(N - 2n)),
  concatBytes(Uint8Array.of(2), scalar(0n)),
  concatBytes(Uint8Array.of(2), scalar(5n)), // 5^3 + 7 is not a square
  concatBytes(Uint8Array.of(2), scalar(P)),
  concatBytes(Uint8Array.of(2), scalar(P + 1n)), // x = 1 with the field's modulus added
  concatBytes(Uint8Array.of(4), G.subarray(1)),
  concatBytes(Uint8Array.of(6), G.subarray(1)),
  new Uint8Array(33),
  G.subarray(0, 32),
  concatBytes(G, Uint8Array.of(0)),
  concatBytes(Uint8Array.of(4), G.subarray(1), scalar(1n)),
  new Uint8Array(0),
];
const edges = [...edgeScalars, ...edgePoints];

describe('curve', () => {
  it('runs on libsecp256k1 if its packages are installed', () => {
    expect(curves.map(({ name }) => name)).toContain('noble');
    expect(curve.name).toBe(curves[0]?.name);
  });

  it.each(others.map((on) => [on.name, on] as const))(
    '%s equals noble on every pair of edge inputs',
    (_, on) => {
      for (const [name, operation] of Object.entries(OPERATIONS)) {
        if (name === 'ecdsaVerify') continue;
        for (const a of edges) {
          for (const b of edges) {
            const what = `${name} ${toHex(a)} ${toHex(b)}`;
            expect(operation(on, a, b, G), what).toBe(nobleSays(what, () => operation(nobleCurve, a, b, G)));
          }
        }
      }
    },
  );

  it('derives the same secrets for public keys as noble, and refuses the same keys', () => {
    const secrets = Array.from({ length: 20 }, (_, i) => sha256(Uint8Array.of(i)));
    const points = [...edgePoints, ...secrets.slice(10).map((key) => curve.publicKey(key))];
    for (const point of points) {
      for (const key of [...edgeScalars, ...secrets.slice(0, 10)]) {
        const [ours, theirs] = [publicKeysCurve, nobleCurve].map((on) => OPERATIONS.ecdh!(on, point, key, G));
        expect(ours, `${toHex(point)} ${toHex(key)}`).toBe(theirs);
      }
    }
  });

  it.each(others.map((on) => [on.name, on] as const))('%s equals noble on random inputs', (_, on) => {
    const secret = fc.bigInt(1n, N - 1n).map(scalar);
    const point = secret.map((key) => curve.publicKey(key));
    fc.assert(
      fc.property(secret, secret, point, point, (a, b, p, q) => {
        const signature = nobleCurve.ecdsaSign(a, b);
        const cases: [keyof typeof OPERATIONS, Uint8Array, Uint8Array, Uint8Array?][] = [
          ['publicKey', a, b],
          ['pointMultiply', p, a],
          ['pointAdd', p, q],
          ['pointAddScalar', p, a],
          ['secretKeyAdd', a, b],
          ['secretKeyMultiply', a, b],
          ['ecdh', p, a],
          ['ecdsaSign', a, b],
          ['ecdsaVerify', signature, a, nobleCurve.publicKey(b)],
          ['ecdsaVerify', signature, b, nobleCurve.publicKey(b)],
        ];
        for (const [name, x, y, z = G] of cases) {
          const operation = OPERATIONS[name] as (typeof OPERATIONS)[string];
          const what = [name, ...[x, y, z].map(toHex)].join(' ');
          expect(operation(on, x, y, z), name).toBe(nobleSays(what, () => operation(nobleCurve, x, y, z)));
        }
      }),
      { numRuns: 60, seed: SEED },
    );
  });

  it.each(others.map((on) => [on.name, on] as const))('%s judges signatures like noble', (_, on) => {
    const digest = sha256(Uint8Array.of(1));
    const key = scalar(7n);
    const signature = nobleCurve.ecdsaSign(digest, key);
    const r = signature.subarray(0, 32);
    const s = BigInt(`0x${toHex(signature.subarray(32))}`);
    const point = nobleCurve.publicKey(key);
    const candidates = [
      signature,
      concatBytes(r, scalar(N - s)), // the same signature with a high s
      concatBytes(scalar(0n), scalar(s)),
      concatBytes(r, scalar(0n)),
      concatBytes(r, scalar(N)),
      concatBytes(scalar(N), scalar(s)),
      new Uint8Array(64).fill(255),
      signature.subarray(1),
    ];
    for (const candidate of candidates) {
      for (const at of [point, ...edgePoints]) {
        const what = `verify ${toHex(candidate)} ${toHex(at)}`;
        const expected = nobleSays(what, () => outcome(() => nobleCurve.ecdsaVerify(candidate, digest, at)));
        expect(outcome(() => on.ecdsaVerify(candidate, digest, at))).toBe(expected);
      }
    }
    expect(on.ecdsaVerify(candidates[0] as Uint8Array, digest, point)).toBe(true);
    expect(on.ecdsaVerify(candidates[1] as Uint8Array, digest, point)).toBe(false);
  });

  it.each(others.map((on) => [on.name, on] as const))('%s recovers signers like noble', (_, on) => {
    const recoveryIds = [0, 1, 2, 3] as const;
    const same = (signature: Uint8Array, digest: Uint8Array): string[] =>
      recoveryIds.map((id) => {
        const text = `${toHex(signature)} ${id} ${toHex(digest)}`;
        const expected = nobleSays(text, () => outcome(() => nobleCurve.ecdsaRecover(signature, id, digest)));
        expect(
          outcome(() => on.ecdsaRecover(signature, id, digest)),
          text,
        ).toBe(expected);
        return expected;
      });
    const secret = fc.bigInt(1n, N - 1n).map(scalar);
    fc.assert(
      fc.property(secret, secret, (digest, key) => {
        const signature = nobleCurve.ecdsaSign(digest, key);
        const s = BigInt(`0x${toHex(signature.subarray(32))}`);
        const highS = concatBytes(signature.subarray(0, 32), scalar(N - s));
        const signer = toHex(nobleCurve.publicKey(key));
        const [low, high] = [same(signature, digest), same(highS, digest)];
        expect(low.indexOf(signer)).toBe(1 - high.indexOf(signer));
      }),
      { numRuns: 40, seed: SEED },
    );
    const scalars = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, N / 2n, P - N - 1n, P - N, N - 1n, N];
    const digests = [0n, 1n, N - 1n, N, N + 1n, 2n ** 256n - 1n].map(scalar);
    let high = 0;
    for (const r of scalars) {
      for (const s of [0n, 1n, N / 2n + 1n, N - 1n, N]) {
        for (const digest of digests) {
          const found = same(concatBytes(scalar(r), scalar(s)), digest);
          if (found[2]?.length === 66) high++;
        }
      }
    }
    // In some of these signatures, the x coordinate of R is above the group order. An honest signer practically
    // never produces one.
    expect(high).toBeGreaterThan(0);
    expect(outcome(() => on.ecdsaRecover(new Uint8Array(63), 0, scalar(1n)))).toBe('CurveError length');
  });

  it.each(curves.map((on) => [on.name, on] as const))('%s recognises inputs without a result', (_, on) => {
    expect(outcome(() => on.pointAdd(G, MINUS_G))).toBe('CurveError infinity');
    expect(outcome(() => on.pointAddScalar(G, scalar(N - 1n)))).toBe('CurveError infinity');
    expect(outcome(() => on.secretKeyAdd(scalar(1n), scalar(N - 1n)))).toBe('CurveError infinity');
    expect(outcome(() => on.pointMultiply(G, scalar(0n)))).toBe('CurveError scalar');
    expect(outcome(() => on.pointMultiply(G, scalar(N)))).toBe('CurveError scalar');
    expect(outcome(() => on.publicKey(scalar(0n)))).toBe('CurveError scalar');
    expect(outcome(() => on.ecdh(concatBytes(Uint8Array.of(2), scalar(5n)), scalar(1n)))).toBe(
      'CurveError point',
    );
    expect(outcome(() => on.pointAddScalar(G, scalar(0n)))).toBe(toHex(G));
    expect(outcome(() => on.pointMultiply(G, scalar(N - 1n)))).toBe(toHex(MINUS_G));
    expect(outcome(() => on.secretKeyMultiply(scalar(N - 1n), scalar(N - 1n)))).toBe(toHex(scalar(1n)));
  });

  it.each(curves.map((on) => [on.name, on] as const))('%s leaves its arguments unchanged', (_, on) => {
    const key = scalar(3n);
    const tweak = scalar(5n);
    on.secretKeyAdd(key, tweak);
    on.secretKeyMultiply(key, tweak);
    on.pointAddScalar(G, tweak);
    on.pointMultiply(G, tweak);
    expect([toHex(key), toHex(tweak), toHex(G).slice(0, 10)]).toEqual([
      toHex(scalar(3n)),
      toHex(scalar(5n)),
      '0279be667e',
    ]);
  });

  it.each(curves.map((on) => [on.name, on] as const))(
    '%s does not confuse points with the same last bytes',
    (_, on) => {
      const withByte = (value: number): Uint8Array => {
        const bytes = Uint8Array.from(G);
        bytes[5] = value;
        return bytes;
      };
      const all = [G, MINUS_G, ...Array.from({ length: 8 }, (_, i) => withByte(i))];
      expect(new Set(all.map((one) => nobleCurve.isPoint(one))).size).toBe(2);
      const three = scalar(3n);
      for (const of of [...all, ...all.toReversed(), ...all.flatMap((one) => [one, one])]) {
        const name = `${toHex(of)} * 3`;
        const multiply = (by: Curve) => outcome(() => by.pointMultiply(of, three));
        const ecdh = (by: Curve) => outcome(() => by.ecdh(of, three));
        expect(multiply(on)).toBe(nobleSays(name, () => multiply(nobleCurve)));
        expect(ecdh(on)).toBe(nobleSays(`${name}, hashed`, () => ecdh(nobleCurve)));
      }
    },
  );

  it('loads in several worker threads at once', async () => {
    const results = await Promise.all([1, 2, 3].map(() => publicKeyInWorker()));
    expect(results).toEqual([1, 2, 3].map(() => `${others[0]?.name ?? 'noble'} ${toHex(G)}`));
  });
});

/**
 * Runs the addon loader in a fresh thread. Only packages can be loaded there, because the modules under test
 * are TypeScript.
 */
function publicKeyInWorker(): Promise<string> {
  const source = `
    const { parentPort } = require('node:worker_threads');
    const key = new Uint8Array(32); key[31] = 1;
    (async () => {
      let name = 'noble', point;
      try { point = require('secp256k1/bindings.js').publicKeyCreate(key); name = 'native'; }
      catch {
        try { point = (await import('tiny-secp256k1')).pointFromScalar(key); name = 'wasm'; }
        catch { point = (await import('@noble/secp256k1')).getPublicKey(key); }
      }
      parentPort.postMessage(name + ' ' + Buffer.from(point).toString('hex'));
    })();`;
  return new Promise((resolve, reject) => {
    const worker = new Worker(source, { eval: true });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
