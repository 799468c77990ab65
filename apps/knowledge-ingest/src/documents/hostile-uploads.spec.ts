import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Fault, searchKnowledge } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { KnowledgeHouse } from '../testing/knowledge-house.suite';
import { docxOf, pdfOf, xlsxOf, zipOf } from '../testing/sample-files.fake';

// A hundred documents are read, each in a process of its own.
jest.setTimeout(240_000);

const megabyte = 1024 * 1024;
const mutantsPerType = 25;
const filesAtATime = 8;
const memoryGrowthMax = 100 * megabyte;

let house: KnowledgeHouse;
beforeAll(async () => {
  house = await KnowledgeHouse.open();
});
afterAll(() => house.close());

/** The same numbers each run, so that a mutant that does harm can be made again. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A file with bytes changed, a piece doubled, a piece cut out or its end cut off. */
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

async function samples(): Promise<[name: string, content: Buffer][]> {
  const rows = Array.from({ length: 40 }, (_, row) => [`Article ${row}`, row * 10]);
  const pages = Array.from({ length: 3 }, (_, page) => [`Page ${page} of the manual.`, 'Oil the machine daily.']);
  return [
    ['mutant.pdf', pdfOf(pages)],
    ['mutant.xlsx', await xlsxOf([['Name', 'Price'], ...rows])],
    ['mutant.csv', Buffer.from(`Name,Price\n${rows.map((row) => row.join(',')).join('\n')}\n`)],
    [
      'mutant.docx',
      docxOf({
        heading: 'Returns',
        text: 'Within 30 days.',
        table: [
          ['City', 'Days'],
          ['Pune', '2'],
        ],
      }),
    ],
  ];
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** What the service holds on to. Resident memory would also count this test's own bombs, which the allocator keeps for a while. */
function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Processes that this one has started and that have not ended. */
function childrenOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean))
    .length;
}

async function outcomeOf(KBID: number, name: string, content: Buffer): Promise<string> {
  try {
    const { KBDocumentKeyID } = await house.upload(KBID, name, content);
    const { status, reason } = await house.settled({ KBDocumentKeyID });
    return status === 'FAILED' ? `FAILED: ${reason}` : status;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

describe('hostile uploads', () => {
  it('end READY, FAILED with a reason or refused; the service keeps its memory and reads the next document', async () => {
    const { KBID } = await house.base();
    const bombs: [string, Buffer][] = [
      ['declared.xlsx', zipOf([{ name: 'xl/workbook.xml', content: Buffer.alloc(300 * megabyte) }])],
      ['lying.xlsx', zipOf([{ name: 'xl/workbook.xml', content: Buffer.alloc(200 * megabyte), declaredBytes: 100 }])],
      ['lying.docx', zipOf([{ name: 'word/document.xml', content: Buffer.alloc(200 * megabyte, '<w:p>'), declaredBytes: 100 }])],
    ];
    const mutants = (await samples()).flatMap(([name, sample]) =>
      Array.from({ length: mutantsPerType }, (_, seed): [string, Buffer] => [name, mutantOf(sample, seed)]),
    );
    const children = childrenOf(process.pid);
    await outcomeOf(KBID, 'warm.txt', Buffer.from('The first document loads the engine.'));
    const memory = heldBytes();
    const outcomes: string[] = [];
    let highest = 0;
    const files = [...bombs, ...mutants];
    for (let from = 0; from < files.length; from += filesAtATime) {
      const several = files.slice(from, from + filesAtATime).map(([name, content]) => outcomeOf(KBID, name, content));
      outcomes.push(...(await Promise.all(several)));
      highest = Math.max(highest, heldBytes());
    }
    expect(outcomes.slice(0, bombs.length)).toEqual(bombs.map(() => expect.stringMatching(/^FAILED: .*(256 MB|damaged)/)));
    const strange = outcomes.filter(
      (outcome) => !/^(READY|FAILED: The [^\n]{5,200}\.|UNSUPPORTED_MEDIA_TYPE|VALIDATION_FAILED)$/.test(outcome),
    );
    expect(strange).toEqual([]);
    expect(outcomes.filter((outcome) => outcome === 'READY').length).toBeGreaterThan(10);
    expect(outcomes.filter((outcome) => outcome.startsWith('FAILED')).length).toBeGreaterThan(10);
    expect(highest - memory).toBeLessThan(memoryGrowthMax);
    // A reader may still be on its way out when its document is done; none may stay.
    await eventually('every reader has ended', () => childrenOf(process.pid) <= children);

    await house.settled(await house.upload(KBID, 'next.txt', 'The warranty lasts two years.'));
    const { passages } = await house.ask(searchKnowledge, { KBID, query: 'how long is the warranty' });
    expect(passages.map(({ text }) => text)).toContain('The warranty lasts two years.');
  });
});
