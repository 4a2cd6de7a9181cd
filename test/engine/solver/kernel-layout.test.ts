/**
 * The kernel declares the positions of its fields. The host refuses a kernel that lacks a field or uses
 * different numbers.
 */
import { describe, expect, it } from 'vitest';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { kernelLayout } from '../../../src/engine/solver/kernel-layout.ts';
import { createSharedKernel, instantiate } from '../../../src/engine/solver/kernel-memory.ts';

const exportsOf = (build: 'release' | 'debug') => instantiate(createSharedKernel(build));

describe('kernel layout', () => {
  it('is the same in both builds', () => {
    expect(kernelLayout(exportsOf('release'))).toEqual(kernelLayout(exportsOf('debug')));
  });

  it('gives each of the eleven pointers of the region header a separate word', () => {
    const { nodeIdBytes, ...pointers } = kernelLayout(exportsOf('release')).region;
    expect(nodeIdBytes).toBe(33);
    const words = Object.values(pointers).map((at) => at / 4);
    expect(new Set(words).size).toBe(11);
    expect(words.every(Number.isInteger)).toBe(true);
  });

  it('refuses a kernel that lacks a field', () => {
    const { direction_tail: _, ...older } = { ...exportsOf('release') };
    expect(() => kernelLayout(older as never)).toThrow('the kernel does not declare direction_tail');
  });

  it('refuses a kernel with a different number for “none”', () => {
    const other = { ...exportsOf('release'), number_none: { value: 0x7fffffff } };
    expect(() => kernelLayout(other)).toThrow('use different numbers');
  });

  it('writes nothing if a layer stack exceeds the memory for it', () => {
    const kernel = new Kernel(createSharedKernel('debug'), 0);
    const { limit } = kernelLayout(kernel.exports).stack;
    const end = (kernel.exports.nextStackInput() >>> 0) + limit * Uint32Array.BYTES_PER_ELEMENT;
    const behind = () => [...new Uint8Array(kernel.view.buffer, end, 256)];
    const before = behind();
    expect(() => kernel.applyStack(new Array(limit + 64).fill(0x5a5a5a5a))).toThrow(RangeError);
    expect(behind()).toEqual(before);
  });
});
