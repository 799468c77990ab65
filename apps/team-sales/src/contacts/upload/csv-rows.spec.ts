import { csvRows } from './csv-rows';

type Row = readonly [line: number, ...cells: string[]];

async function everyRow(text: AsyncIterable<string>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { line, cells } of csvRows(text)) rows.push([line, ...cells]);
  return rows;
}

function rowsOf(...pieces: string[]): Promise<Row[]> {
  const text = async function* () {
    yield* pieces;
  };
  return everyRow(text());
}

const written: [what: string, text: string, ...rows: Row[]][] = [
  ['a last row without its end', 'a,b\n1,2', [1, 'a', 'b'], [2, '1', '2']],
  ['line ends of Windows', 'a,b\r\n\r\n1,2\r\n', [1, 'a', 'b'], [3, '1', '2']],
  ['line ends of old Macs', 'a,b\r\r1,2\r', [1, 'a', 'b'], [3, '1', '2']],
  ['a \\r within a cell of a file whose lines end in \\n', 'a,b\n1\r2,3\n', [1, 'a', 'b'], [2, '1\r2', '3']],
  ['semicolons, and commas within cells', 'a;b\n1,5;2\n', [1, 'a', 'b'], [2, '1,5', '2']],
  ['tabs around empty cells', 'a\tb\tc\n\t2\t\n', [1, 'a', 'b', 'c'], [2, '', '2', '']],
  ['blanks around cells, quoted ones too', ' a , "b" \n  1,\t" 2 "\n', [1, 'a', 'b'], [2, '1', ' 2 ']],
  ['doubled quotes', 'a\n"""x"" and ""y"""\n""""\n', [1, 'a'], [2, '"x" and "y"'], [3, '"']],
  ['separators and line ends between quotes', 'a,b\n"1,\r\n2",3\n4,5\n', [1, 'a', 'b'], [2, '1,\r\n2', '3'], [4, '4', '5']],
  ['stray quotes as letters', 'a,b\n5" nail,"x" y\n"x"y",2\n', [1, 'a', 'b'], [2, '5" nail', '"x" y'], [3, '"x"y"', '2']],
  ['nothing between quotes as a row, blanks as none', 'a\n \n""\n\n', [1, 'a'], [3, '']],
  ['rows narrower and wider than the first', 'a,b\n1\n1,2,3\n', [1, 'a', 'b'], [2, '1'], [3, '1', '2', '3']],
];

describe('the rows of a CSV', () => {
  it.each(written)('keep %s, wherever the text is cut', async (_, text, ...rows) => {
    expect(await rowsOf(text)).toEqual(rows);
    expect(await rowsOf(...text)).toEqual(rows);
    for (let at = 1; at < text.length; at += 1) expect(await rowsOf(text.slice(0, at), text.slice(at))).toEqual(rows);
  });

  it('end where a quoted cell is not closed', async () => {
    await expect(rowsOf('a\n1\n"2')).rejects.toMatchObject({ message: expect.stringContaining('quoted cell') });
  });

  it('close the file that they come from, however they end', async () => {
    let closed = 0;
    const text = async function* () {
      try {
        yield 'a\n1\n';
        yield* ['2\n', ','.repeat(1_000), '3\n'];
      } finally {
        closed += 1;
      }
    };
    await expect(everyRow(text())).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(closed).toBe(1);
    for await (const row of csvRows(text())) if (row.line === 2) break;
    expect(closed).toBe(2);
  });

  it('may have a thousand cells and no more', async () => {
    expect((await rowsOf(','.repeat(999)))[0]).toHaveLength(1_001);
    await expect(rowsOf(','.repeat(1_000))).rejects.toMatchObject({ message: expect.stringContaining('more than 1000 cells') });
  });
});
