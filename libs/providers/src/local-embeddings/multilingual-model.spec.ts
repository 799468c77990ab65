import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { similarity, toUnitLength } from '@parley/ports';
import { LocalEmbeddings } from './index';

const [width, hidden, heads, block] = [32, 64, 2, 32];
const marks = ['<s>', '<pad>', '</s>', '<unk>'];
const pieces = [...marks, '\u2581', ...'abcdefghijklmnopqrstuvwxyz:', '\u2581query', '\u2581passage', 'न', 'म', '語'];

/** Pseudo-random numbers, the same in every run. */
function drawn(seed: string): () => number {
  let state = [...seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

/** Rows of four-bit weights with scale 1/16, as in the file and as numbers. */
function weightsOf(name: string, rows: number, columns: number) {
  const next = drawn(name);
  const values = Array.from({ length: rows * columns }, () => Math.floor(next() * 16));
  const blocks = Array.from({ length: values.length / block }, (_, at) => {
    const own = values.slice(at * block, (at + 1) * block);
    return Buffer.from([0, 0x2c, ...own.slice(0, 16).map((low, place) => low | ((own[place + 16] ?? 0) << 4))]);
  });
  return { bytes: Buffer.concat(blocks), numbers: values.map((value) => (value - 8) / 16) };
}

function numbersOf(name: string, count: number) {
  const next = drawn(name);
  // Small, or the last step would make all texts alike.
  const size = name.endsWith('ln.b') ? 0.02 : 1;
  const numbers = Array.from({ length: count }, () => Math.fround((next() - 0.5) * size));
  return { bytes: Buffer.from(Float32Array.from(numbers).buffer), numbers };
}

const shapes: Record<string, readonly [number, number]> = {
  'emb.word': [pieces.length, width],
  'l0.q.w': [width, width],
  'l0.k.w': [width, width],
  'l0.v.w': [width, width],
  'l0.ao.w': [width, width],
  'l0.fi.w': [hidden, width],
  'l0.fo.w': [width, hidden],
};
const lengths: Record<string, number> = {
  'emb.pos': 64 * width,
  'emb.type': 2 * width,
  ...Object.fromEntries(['emb.ln.w', 'emb.ln.b', 'l0.aln.w', 'l0.aln.b', 'l0.oln.w', 'l0.oln.b'].map((name) => [name, width])),
  ...Object.fromEntries(['l0.q.b', 'l0.k.b', 'l0.v.b', 'l0.ao.b', 'l0.fo.b'].map((name) => [name, width])),
  'l0.fi.b': hidden,
};
const parts = new Map([
  ...Object.entries(shapes).map(([name, [rows, columns]]) => [name, weightsOf(name, rows, columns)] as const),
  ...Object.entries(lengths).map(([name, count]) => [name, numbersOf(name, count)] as const),
]);
const numbers = (name: string): readonly number[] => parts.get(name)?.numbers ?? [];

/** A model of one layer in the format of the real one. */
function fileOfModel(): Buffer {
  const int = (value: number) => Buffer.from(Int32Array.of(value).buffer);
  const float = (value: number) => Buffer.from(Float32Array.of(value).buffer);
  const long = (value: number) => Buffer.from(BigInt64Array.of(BigInt(value)).buffer);
  const letters = pieces.map((piece) => Buffer.from(piece));
  const offsets = letters.reduce<number[]>((ends, one) => [...ends, (ends.at(-1) ?? 0) + one.length], [0]);
  const scores = pieces.map((piece, place) => (place < marks.length ? 0 : -10 + piece.length));
  const head = Buffer.concat([
    Buffer.from('E5S1'),
    ...[1, width, 1, heads, hidden, pieces.length, 64, 2].map(int),
    float(1e-12),
    ...[block, pieces.length, 0, 2, 1, 3].map(int),
    long(offsets.at(-1) ?? 0),
    ...offsets.map(int),
    ...scores.map(float),
    ...letters,
    ...[0, 0, parts.size].map(int),
  ]);
  const entryBytes = (name: string) => 2 + name.length + 1 + 4 + 16;
  let at = head.length + [...parts.keys()].reduce((sum, name) => sum + entryBytes(name), 0);
  const entries = [...parts].map(([name, { bytes }]) => {
    const from = at;
    at += bytes.length;
    return Buffer.concat([
      Buffer.from([name.length, 0]),
      Buffer.from(name),
      Buffer.from([0]),
      int(0),
      long(from),
      long(bytes.length),
    ]);
  });
  return Buffer.concat([head, ...entries, ...[...parts.values()].map(({ bytes }) => bytes)]);
}

const home = mkdtempSync(path.join(tmpdir(), 'parley-models-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function folderWith(file: Buffer): string {
  const folder = mkdtempSync(path.join(home, 'models-'));
  mkdirSync(path.join(folder, 'multilingual-e5-small'));
  writeFileSync(path.join(folder, 'multilingual-e5-small', 'e5-small-q4.bin'), file);
  return folder;
}

function opened(): LocalEmbeddings {
  const engine = LocalEmbeddings.ofAllLanguages(folderWith(fileOfModel()));
  if (!engine) throw new Error('the model was not found');
  return engine;
}

/** The same model in plain arithmetic, for a text whose pieces are known. */
function expected(ids: readonly number[]): Float32Array {
  const normal = (row: readonly number[], name: string) => {
    const mean = row.reduce((sum, value) => sum + value, 0) / width;
    const spread = Math.sqrt(row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / width + 1e-12);
    return row.map((value, at) => ((value - mean) / spread) * (numbers(`${name}.w`)[at] ?? 0) + (numbers(`${name}.b`)[at] ?? 0));
  };
  const dense = (row: readonly number[], name: string) =>
    numbers(`${name}.b`).map((bias, out) =>
      row.reduce((sum, value, at) => sum + value * (numbers(`${name}.w`)[out * row.length + at] ?? 0), bias),
    );
  const states = ids.map((id, place) =>
    normal(
      Array.from(
        { length: width },
        (_, at) =>
          (numbers('emb.word')[id * width + at] ?? 0) +
          (numbers('emb.pos')[place * width + at] ?? 0) +
          (numbers('emb.type')[at] ?? 0),
      ),
      'emb.ln',
    ),
  );
  const [queries, keys, values] = ['l0.q', 'l0.k', 'l0.v'].map((name) => states.map((row) => dense(row, name)));
  const size = width / heads;
  const told = states.map((state, place) => {
    const taken = Array.from({ length: width }, () => 0);
    for (let head = 0; head < heads; head += 1) {
      const own = (row: readonly number[] | undefined) => (row ?? []).slice(head * size, (head + 1) * size);
      const likeness = states.map((_, other) => {
        const key = own(keys?.[other]);
        return Math.exp(own(queries?.[place]).reduce((sum, value, at) => sum + value * (key[at] ?? 0), 0) / Math.sqrt(size));
      });
      const all = likeness.reduce((sum, value) => sum + value, 0);
      likeness.forEach((share, other) =>
        own(values?.[other]).forEach(
          (value, at) => (taken[head * size + at] = (taken[head * size + at] ?? 0) + (share / all) * value),
        ),
      );
    }
    const between = normal(
      dense(taken, 'l0.ao').map((value, at) => value + (state[at] ?? 0)),
      'l0.aln',
    );
    const wide = dense(between, 'l0.fi').map((value) => (value * (1 + erf(value / Math.SQRT2))) / 2);
    return normal(
      dense(wide, 'l0.fo').map((value, at) => value + (between[at] ?? 0)),
      'l0.oln',
    );
  });
  return toUnitLength(Float32Array.from({ length: width }, (_, at) => told.reduce((sum, row) => sum + (row[at] ?? 0), 0)));
}

/** Numerically, in small steps. */
function erf(to: number): number {
  const steps = 2_000;
  let sum = 0;
  for (let step = 0; step < steps; step += 1) sum += Math.exp(-((((step + 0.5) / steps) * to) ** 2));
  return (2 / Math.sqrt(Math.PI)) * (to / steps) * sum;
}

describe('the multilingual model', () => {
  const engine = opened();
  afterAll(() => engine.close());

  it('computes what its file defines: pieces, four-bit weights, attention', async () => {
    const [found] = await engine.embed(['ab न'], { as: 'question' });
    const ids = ['<s>', '\u2581query', ':', '\u2581', 'a', 'b', '\u2581', 'न', '</s>'].map((piece) => pieces.indexOf(piece));
    expect(found && similarity(found, expected(ids))).toBeGreaterThan(0.998);
  });

  it('tells questions from answers', async () => {
    const [asked] = await engine.embed(['abc'], { as: 'question' });
    const [told] = await engine.embed(['abc']);
    expect(asked && told && similarity(asked, told)).toBeLessThan(0.99);
  });

  it('treats unsupported scripts as unknown characters', async () => {
    const [strange, unknown] = await engine.embed(['語', '?']);
    expect(strange && unknown && similarity(strange, unknown)).toBeCloseTo(1, 5);
  });

  it('reports what is wrong with another file', async () => {
    const broken = LocalEmbeddings.ofAllLanguages(folderWith(Buffer.from('no weights, but a page that says 404')));
    await expect(broken?.embed(['abc'])).rejects.toThrow(/multilingual-e5-small/);
    await broken?.close();
  });

  it('is missing unless somebody added it', () => {
    expect(LocalEmbeddings.ofAllLanguages('/nowhere')).toBeUndefined();
  });
});
