import { Chunker, estimatedTokens } from './chunking';
import type { Block } from './parsed-file';

function chunksOf(blocks: readonly Block[], sizes = { tokens: 20, overlapTokens: 8, rowTokens: 20 }) {
  const chunker = new Chunker(sizes);
  return [...blocks.flatMap((block) => [...chunker.add(block)]), ...chunker.end()];
}

const paragraph = (text: string, page?: number): Block => ({ kind: 'paragraph', text, ...(page && { page }) });

describe('Chunker', () => {
  it.each([
    ['a word without an end', 'abcdefghij'],
    ['Chinese', '漢字'],
    ['Devanagari without blanks', 'कि'],
    ['marks', '\u0301\u0316'],
    ['emoji', '👩‍👩‍👧‍👦'],
  ])('cuts %s into chunks of the usual size, and loses nothing', (_what, piece) => {
    const text = piece.repeat(3_000);
    const chunks = chunksOf([paragraph(text)], { tokens: 180, overlapTokens: 30, rowTokens: 90 });
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) expect(estimatedTokens(chunk.text)).toBeLessThanOrEqual(180);
    expect(
      new Set(
        chunks
          .map((chunk) => chunk.text)
          .join('')
          .replaceAll(' ', ''),
      ),
    ).toEqual(new Set(text));
  });

  it('cuts between sentences and repeats the last one, so that context is kept', () => {
    const chunks = chunksOf([paragraph('The first sentence is here. The second one follows it. A third one closes the text.')]);
    expect(chunks.map(({ text }) => text)).toEqual([
      'The first sentence is here. The second one follows it.',
      'The second one follows it. A third one closes the text.',
    ]);
  });

  it('says two cells without names as a name and its value, and more of them one after the other', () => {
    const row = (cells: string[], row: number): Block => ({ kind: 'row', header: [], cells, row });
    const [chunk] = chunksOf(
      [row(['Phone:', '0253 555 0142'], 1), row(['Owner', 'Asha'], 2), row(['Tea', '20', 'Lassi', '60'], 3)],
      {
        ...{ tokens: 100, overlapTokens: 8, rowTokens: 100 },
      },
    );
    expect(chunk?.text).toBe('Phone: 0253 555 0142\nOwner: Asha\nTea; 20; Lassi; 60');
  });

  it('recognizes the danda as the end of a sentence', () => {
    const chunks = chunksOf([paragraph('दुकान सोमवार को खुलती है। रविवार को दुकान बंद रहती है।')]);
    expect(chunks).toHaveLength(2);
    expect(chunks[0]?.text).toBe('दुकान सोमवार को खुलती है।');
  });

  it('starts a chunk at each heading and records the heading', () => {
    const chunks = chunksOf([
      { kind: 'heading', text: 'Returns', level: 1 },
      paragraph('Within 30 days.'),
      { kind: 'heading', text: 'Fees', level: 2 },
      paragraph('None.'),
      { kind: 'heading', text: 'Delivery', level: 1 },
      paragraph('Daily.'),
    ]);
    expect(chunks.map(({ text }) => text)).toEqual(['Returns\nWithin 30 days.', 'Returns › Fees\nNone.', 'Delivery\nDaily.']);
  });

  it('keeps a row whole and with its header', () => {
    const row = (number: number): Block => ({
      kind: 'row',
      header: ['City', 'Days'],
      cells: [`City number ${number}`, '2'],
      row: number,
    });
    const chunks = chunksOf([row(2), row(3), row(4)]);
    expect(chunks.map(({ row: number, text }) => [number, text])).toEqual([
      [2, 'City: City number 2; Days: 2\nCity: City number 3; Days: 2'],
      [4, 'City: City number 4; Days: 2'],
    ]);
  });

  it('records the page on which a chunk begins', () => {
    const chunks = chunksOf([
      paragraph('A sentence that fills the first page to its end.', 1),
      paragraph('A sentence that stands on the second page alone.', 2),
    ]);
    expect(chunks.map(({ page }) => page)).toEqual([1, 2]);
  });

  it('never makes a chunk much larger than its budget, for any text', () => {
    const endless = [paragraph('word '.repeat(2000)), paragraph('x'.repeat(10_000)), paragraph('शब्द '.repeat(500))];
    for (const { text } of chunksOf(endless, { tokens: 100, overlapTokens: 20, rowTokens: 50 }))
      expect(estimatedTokens(text)).toBeLessThan(3500);
  });
});

describe('no chunk is larger than an engine reads at once', () => {
  const huge = 'x,\n'.repeat(400_000);
  const words = 'The tea comes from Assam. '.repeat(20_000);
  it.each<[string, Block[]]>([
    ['a cell that never ends', [{ kind: 'row', header: ['a', 'b'], cells: ['1', huge], row: 2 }]],
    ['a cell of sentences', [{ kind: 'row', header: ['a', 'b'], cells: ['1', words], row: 2 }]],
    ['a cell of one word', [{ kind: 'row', header: [], cells: ['y'.repeat(1_000_000)], row: 1 }]],
    ['the name of a column', [2, 3, 4].map((row) => ({ kind: 'row', header: [words], cells: [`tea ${row}`], row }))],
    [
      'a heading',
      [
        { kind: 'heading', level: 1, text: words },
        { kind: 'paragraph', text: 'Tea.' },
      ],
    ],
    ['a paragraph', [{ kind: 'paragraph', text: words }]],
  ])('not of %s', (_what, blocks) => {
    const chunker = new Chunker();
    const chunks = [...blocks.flatMap((block) => [...chunker.add(block)]), ...chunker.end()];
    expect(chunks.length).toBeGreaterThan(0);
    expect(Math.max(...chunks.map(({ text }) => text.length))).toBeLessThan(13_000);
  });

  it('ends no cell of a row at a semicolon within it', () => {
    const chunker = new Chunker();
    const row = {
      kind: 'row' as const,
      header: ['Subject', 'Rule'],
      cells: ['Cancelling', 'Half comes back; later nothing'],
      row: 2,
    };
    const [chunk] = [...chunker.add(row), ...chunker.end()];
    expect(chunk?.text).toBe('Subject: Cancelling; Rule: Half comes back, later nothing');
  });

  it('keeps every word and the place of a long row', () => {
    const chunker = new Chunker();
    const cells = [Array.from({ length: 2_000 }, (_, at) => `word${at}.`).join(' ')];
    const chunks = [...chunker.add({ kind: 'row', header: ['Text'], cells, row: 7, sheet: 'One' }), ...chunker.end()];
    expect(chunks.map(({ text }) => text.replace('One\n', '')).join(' ')).toBe(`Text: ${cells[0]}`);
    expect(new Set(chunks.map(({ heading }) => heading))).toEqual(new Set(['One']));
    expect(new Set(chunks.map(({ row, sheet }) => `${row} ${sheet}`))).toEqual(new Set(['7 One']));
  });
});
