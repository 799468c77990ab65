import { SignatureKernel, Signatures } from './signatures';

/** The same random numbers each run. */
function randomBytes(seed: number, length: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24);
}

function differingBits(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, byte, index) => sum + (byte ^ (b[index] ?? 0)).toString(2).replaceAll('0', '').length, 0);
}

describe('the kernel', () => {
  it.each([
    [8, 3],
    [24, 1],
    [64, 200],
    [512, 100],
    [64, 0],
  ])('counts the differing bits of signatures of %i bytes, %i of them, and writes nothing else', (bytes, count) => {
    const kernel = new SignatureKernel();
    const [query, signatures] = [randomBytes(1, bytes), randomBytes(2, bytes * count)];
    const memory = new Uint8Array(kernel.memory.buffer);
    memory.set(query, 0);
    memory.set(signatures, 1024);
    kernel.measure({ query: 0, at: 1024, count, bytes, out: 60_000 });
    const distances = [...new Uint16Array(kernel.memory.buffer, 60_000, count)];
    expect(distances).toEqual(
      Array.from({ length: count }, (_, at) => differingBits(query, signatures.subarray(at * bytes, (at + 1) * bytes))),
    );
    expect(memory[60_000 + count * 2]).toBe(0);
  });
});

describe('signatures', () => {
  const bytes = 6;
  const of = (id: number) => randomBytes(id + 100, bytes);

  it('are found nearest first by differing bits, over many pages, kinds and removals', () => {
    const signatures = new Signatures(bytes * 8);
    const present = new Map<number, number>();
    for (let id = 0; id < 30_000; id += 1) {
      signatures.add(id, id % 3, of(id));
      present.set(id, id % 3);
    }
    for (let id = 0; id < 30_000; id += 7) {
      signatures.remove(id);
      present.delete(id);
    }
    for (const kinds of [undefined, new Set([1]), new Set([0, 2])]) {
      const query = randomBytes(5, bytes);
      const distances = [...present]
        .filter(([, kind]) => kinds?.has(kind) ?? true)
        .map(([id]) => differingBits(query, of(id)))
        .sort((a, b) => a - b);
      const found = signatures.nearest(query, 50, kinds).map((id) => differingBits(query, of(id)));
      expect(found.length).toBeGreaterThanOrEqual(50);
      expect(Math.max(...found)).toBe(distances[49]);
    }
    signatures.release();
  });

  it('free their memory for later ones', () => {
    const fill = () => {
      const signatures = new Signatures(bytes * 8);
      for (let id = 0; id < 20_000; id += 1) signatures.add(id, 0, of(id));
      return signatures;
    };
    fill().release();
    const second = fill();
    expect(second.nearest(of(4_711), 1, undefined)).toContain(4_711);
    second.release();
  });
});
