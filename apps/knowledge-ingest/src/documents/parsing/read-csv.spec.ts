import fc from 'fast-check';
import { readCsv } from './read-text';

async function rowsOf(text: string): Promise<string[][]> {
  const rows: string[][] = [];
  for await (const block of readCsv(Buffer.from(text)).blocks)
    if (block.kind === 'row') {
      if (rows.length === 0 && block.header.length > 0) rows.push([...block.header]);
      rows.push([...block.cells]);
    }
  return rows;
}

describe('a CSV file', () => {
  it('reads the same content from any cells, quotes and line ends', async () => {
    const cell = fc
      .string({ unit: fc.constantFrom('a', 'é', '"', ',', ' ', '\n', ';'), maxLength: 6 })
      .map((text) => `x${text}x`);
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.constantFrom(',', '\t'),
        async (rows, newline, delimiter) => {
          const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
          const written = rows.map((cells) => cells.map(quoted).join(delimiter)).join(newline);
          expect(await rowsOf(written)).toEqual(rows);
        },
      ),
    );
  });

  it.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n\r\n1,\r\n',
      [
        ['a', 'b'],
        ['1', ''],
      ],
    ],
    [
      'a;b\n"x ""y"" z" ;2',
      [
        ['a', 'b'],
        ['x "y" z', '2'],
      ],
    ],
    [
      'a,b\n"say "hi", you",2',
      [
        ['a', 'b'],
        ['say "hi', 'you"', '2'],
      ],
    ],
    ['a,b\n5" pipe,2\n"never closed,3', [['a', 'b'], ['5" pipe', '2'], ['never closed,3']]],
  ])('is read as intended: %j', async (text, rows) => {
    expect(await rowsOf(text)).toEqual(rows);
  });
});
