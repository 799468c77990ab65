/** @quiet Judged by CPU time. */
import { Readable } from 'node:stream';
import { readContactFile } from '@parley/contracts';
import { longestTurnMs } from '@parley/testing';
import { ContactFile } from './contact-file';
import { readMapped } from './mapped-file';

const header = 'CustomerName,ContactNumber\n';
const almostFull = 9_500_000;
const turnMsMax = 20;
const manyNames = ['ContactNumber', ...Array.from({ length: 999 }, (_, place) => `a${place}`)].join(',');

/** A file as the store gives it: in pieces of 64 kB. */
async function* inPieces(bytes: Buffer, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const filled = (text: string, letters = almostFull) => text.repeat(letters / text.length);

async function outcomeOf(rows: AsyncIterable<unknown>): Promise<unknown> {
  try {
    let count = 0;
    for await (const row of rows) count += Number(row !== undefined);
    return count;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

/** Both readers of such files. */
const readers = {
  inspected: async function* (bytes: Buffer) {
    const files = { open: async () => Readable.from(inPieces(bytes)) };
    yield await new ContactFile(files, 'contacts/1/a.csv', 'IN').inspect();
  },
  mapped: async function* (bytes: Buffer) {
    // As whoever receives it does.
    for await (const item of readMapped(inPieces(bytes), undefined, 'IN')) yield readContactFile.item.parse(item);
  },
};

describe('a contact file of 9.5 million bytes is read or refused in turns of at most 20 ms', () => {
  // The first use loads the number formats of all countries, which takes long once.
  beforeAll(async () => {
    for (const read of Object.values(readers)) await outcomeOf(read(Buffer.from(header + filled('A,9820012345\n', 60_000))));
  });

  it.each([
    ['commas in its first row', filled(','), /row near line 1 has more than 1000 cells/],
    ['commas in its second row', header + filled(','), /row near line 2 has more than 1000 cells/],
    ['rows of too many cells', header + filled(`${'1,'.repeat(7_000)}\n`), /row near line 2 has more than 1000 cells/],
    ['rows of one letter', header + filled('1\n'), /may have 100000 rows/],
    ['rows of one letter below one column', `ContactNumber\n${filled('1\n')}`, /may have 100000 rows/],
    ['rows wider than the first', `ContactNumber\n${filled('1,b\n')}`, /may have 100000 rows/],
    ['rows of a thousand cells', header + filled(`${','.repeat(999)}\n`), undefined],
    ['rows of a thousand filled cells', `${manyNames}\n${filled(`9820012345${',1'.repeat(999)}\n`)}`, undefined],
    ['rows of quoted nothing', header + filled('"",""\n'), /may have 100000 rows/],
    ['empty lines', header + filled('\n'), undefined],
    ['line ends of all kinds', header + filled('\r\n\r\n\n\r'), undefined],
    ['lines of blanks', header + filled(' \n'), undefined],
    ['blanks alone', header + filled(' '), /longer than 16384 characters/],
    ['quotes alone', header + filled('"'), /longer than 16384 characters/],
    ['stray quotes', header + filled('a"b'), /longer than 16384 characters/],
    ['quoted line ends', header + filled(`"${'\n'.repeat(16_000)}"\n`), undefined],
    ['cells of accents', header + filled(`${'é'.repeat(8_000)}\n`, 4_700_000), undefined],
  ])('%s', async (_, text, refusal) => {
    const bytes = Buffer.from(text);
    for (const read of Object.values(readers)) {
      let outcome: unknown;
      expect(
        await longestTurnMs(async () => {
          outcome = await outcomeOf(read(bytes));
        }),
      ).toBeLessThan(turnMsMax);
      if (refusal) expect(outcome).toMatch(refusal);
    }
  });
});
