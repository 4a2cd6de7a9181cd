/** The kernel declares where its fields lie; a host that misses one refuses the kernel. */
import { describe, expect, it } from 'vitest';
import { kernelLayout } from '../../src/engine/kernel-layout.ts';
import { createSharedKernel, instantiate } from '../../src/engine/kernel-memory.ts';

const exportsOf = (build: 'release' | 'debug') => instantiate(createSharedKernel(build));

describe('kernel layout', () => {
  it('is the same in both builds', () => {
    expect(kernelLayout(exportsOf('release'))).toEqual(kernelLayout(exportsOf('debug')));
  });

  it('keeps the eleven pointers of the region header apart, a word each', () => {
    const pointers = Object.entries(kernelLayout(exportsOf('release'))).filter(([name]) =>
      name.startsWith('R_'),
    );
    expect(new Set(pointers.map(([, at]) => at / 4)).size).toBe(11);
    expect(pointers.every(([, at]) => Number.isInteger(at / 4))).toBe(true);
  });

  it('refuses a kernel that lacks a field', () => {
    const { A_TAIL: _, ...older } = { ...exportsOf('release') };
    expect(() => kernelLayout(older as never)).toThrow('the kernel declares no A_TAIL');
  });
});
