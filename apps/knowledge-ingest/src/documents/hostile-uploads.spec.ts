import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { DiskFiles } from '@parley/providers/disk-files';
import { testDatabase, typeScriptProcess, type TestDatabase } from '@parley/testing';
import { docxOf, pdfOf, xlsxOf, zipOf } from '../testing/sample-files.fake';
import type { StoredUpload, Told } from '../testing/uploads-process.fake';

// A hundred documents, each read in a process of its own: a minute of work on a free machine.
jest.setTimeout(900_000);

const program = 'apps/knowledge-ingest/src/testing/uploads-process.fake.ts';
const megabyte = 1024 * 1024;
const editions = 3;
const mutantsPerType = 10;
/** Less than the smallest bomb unpacks to; below that, when V8 collects decides. */
const memoryGrowthMax = 180 * megabyte;
const folder = mkdtempSync(path.join(tmpdir(), 'parley-hostile-'));
const files = new DiskFiles(path.join(folder, 'files'));

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The same random numbers each run, so that a harmful mutant can be reproduced. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A file with bytes changed, a piece doubled or removed, or its end cut off. */
function mutantOf(sample: Buffer, seed: number): Buffer {
  const random = randomFrom(seed);
  const [at, length] = [random(sample.length), 1 + random(Math.min(400, sample.length))];
  const [before, piece, after] = [sample.subarray(0, at), sample.subarray(at, at + length), sample.subarray(at + length)];
  const ways = [
    () => {
      const changed = Buffer.from(sample);
      for (let count = 1 + random(30); count > 0; count -= 1) changed[random(changed.length)] = random(256);
      return changed;
    },
    () => Buffer.concat([before, piece, piece, piece, after]),
    () => Buffer.concat([before, after]),
    () => sample.subarray(0, at + 1),
  ];
  return ways[seed % ways.length]?.() ?? sample;
}

/** One ordinary file of each type, with different content each time. */
async function samples(edition: number): Promise<[name: string, content: Buffer][]> {
  const rows = Array.from({ length: 40 }, (_, row) => [`Article ${row} of ${edition}`, row * 10]);
  const pages = Array.from({ length: 3 }, (_, page) => [`Page ${page} of manual ${edition}.`, 'Oil the machine daily.']);
  return [
    ['mutant.pdf', pdfOf(pages)],
    ['mutant.xlsx', await xlsxOf([['Name', 'Price'], ...rows])],
    ['mutant.csv', Buffer.from(`Name,Price\n${rows.map((row) => row.join(',')).join('\n')}\n`)],
    [
      'mutant.docx',
      docxOf({
        heading: 'Returns',
        text: `Within ${30 + edition} days.`,
        table: [
          ['City', 'Days'],
          ['Pune', '2'],
        ],
      }),
    ],
  ];
}

/** Small files that unpack to hundreds of megabytes, and what their directory claims. */
function bombs(): [name: string, content: Buffer][] {
  return [
    ['declared.xlsx', zipOf([{ name: 'xl/workbook.xml', content: Buffer.alloc(300 * megabyte) }])],
    ['lying.xlsx', zipOf([{ name: 'xl/workbook.xml', content: Buffer.alloc(200 * megabyte), declaredBytes: 100 }])],
    ['lying.docx', zipOf([{ name: 'word/document.xml', content: Buffer.alloc(200 * megabyte, '<w:p>'), declaredBytes: 100 }])],
  ];
}

/** Files of the maximum upload size without useful content. */
function noise(): [name: string, content: Buffer][] {
  return [1, 2].flatMap((round): [string, Buffer][] => [
    ['noise.pdf', Buffer.concat([Buffer.from('%PDF-1.4\n'), randomBytes(9 * megabyte)])],
    ['noise.docx', zipOf([{ name: 'word/document.xml', content: randomBytes(9 * megabyte) }])],
    ['noise.xlsx', Buffer.concat([Buffer.from('PK\u0003\u0004'), randomBytes(9 * megabyte)])],
    ['rows.csv', Buffer.from(`${round},b\n`.repeat(2.4 * megabyte))],
  ]);
}

async function stored(prefix: string, uploads: readonly [name: string, content: Buffer][]): Promise<string> {
  const references: StoredUpload[] = [];
  for (const [index, [fileName, content]] of uploads.entries()) {
    const fileKey = `uploads/1/${prefix}-${index}`;
    await files.put(fileKey, Readable.from([content]), { bytesMax: 10 * megabyte });
    references.push({ fileKey, fileName, size: content.length });
  }
  return JSON.stringify(references);
}

// A process's peak memory and its children are read from /proc.
const itOnLinux = process.platform === 'linux' ? it : it.skip;

describe('hostile uploads', () => {
  itOnLinux(
    'end READY, FAILED with a reason, or refused; the service’s memory is stable, and it reads the next document',
    async () => {
      // Enough ordinary work first, so that ordinary growth is not attributed to the hostile files.
      const harmless = (await Promise.all(Array.from({ length: editions }, (_, edition) => samples(edition)))).flat();
      const mutants = harmless
        .slice(0, 4)
        .flatMap(([name, sample]) =>
          Array.from({ length: mutantsPerType }, (_, seed): [string, Buffer] => [name, mutantOf(sample, seed)]),
        );
      const hostile = [...bombs(), ...noise(), ...mutants];
      const references = [await stored('harmless', harmless), await stored('hostile', hostile)];
      const told: Told[] = [];
      const service = typeScriptProcess(program, 'takeUploads', database.url, folder, ...references);
      for await (const line of createInterface(service.stdout)) told.push(JSON.parse(line) as Told);

      const idle = told.flatMap((line) => ('idleBytes' in line ? [line.idleBytes] : []))[0] ?? Number.NaN;
      const last = told.flatMap((line) => ('peakBytes' in line ? [line] : []))[0];
      const outcomes = told.flatMap((line) => ('outcome' in line ? [line] : [])).slice(harmless.length);
      const outcomesOf = (kind: RegExp) => outcomes.filter(({ fileName }) => kind.test(fileName)).map(({ outcome }) => outcome);
      const refused = /^FAILED: The file (unpacks|is damaged|takes too much)/;
      expect(outcomesOf(/^(declared|lying)/)).toEqual(bombs().map(() => expect.stringMatching(refused)));
      expect(outcomesOf(/^(noise|rows)/)).toEqual(noise().map(() => expect.stringMatching(/^FAILED: The /)));
      expect(outcomesOf(/^mutant/)).toHaveLength(mutants.length);
      const strange = outcomes.filter(
        ({ outcome }) => !/^(READY|FAILED: The [^\n]{5,200}\.|UNSUPPORTED_MEDIA_TYPE|VALIDATION_FAILED)$/.test(outcome),
      );
      expect(strange).toEqual([]);
      expect(outcomes.filter(({ outcome }) => outcome === 'READY').length).toBeGreaterThan(10);
      expect((last?.peakBytes ?? Number.NaN) - idle).toBeLessThan(memoryGrowthMax);
      expect(last).toMatchObject({ found: ['The warranty lasts two years.'], children: 0 });
    },
  );
});
