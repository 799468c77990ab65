import { csvRows } from './csv-rows';

/** Whole numbers below a bound, always the same ones for a seed. */
function drawFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function inDrawnPieces(text: string, draw: (below: number) => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 1) pieces.push(text.slice(at, at + 1 + draw(4)));
  return pieces;
}

/** Where each written row begins. */
function linesOf(rows: readonly string[]): number[] {
  let line = 1;
  return rows.map((row, place) => {
    const begins = line;
    line += place === 0 ? 1 : (row.match(/\r\n|\r|\n/gu) ?? []).length;
    return begins;
  });
}

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
  ['the delimiter that Excel names', 'sep=;\r\na;b,c\r\n1;2,3\r\n', [2, 'a', 'b,c'], [3, '1', '2,3']],
  ['a first column called sep', 'sep,b\n1,2\n', [1, 'sep', 'b'], [2, '1', '2']],
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

  it('are those that were written, by RFC 4180, however the text comes', async () => {
    const draw = drawFrom(4180);
    const oneOf = <Item>(items: readonly Item[]) => items.at(draw(items.length)) ?? items.at(0);
    const letters = ['a', 'é', 'क', '😀', ' ', '"', '""', ',', ';', '\t', '\n', '\r\n', '\r', '\ufeff', '\u00a0', '0'];
    for (let run = 0; run < 1_500; run += 1) {
      const [delimiter, lineEnd] = [oneOf([',', ';', '\t']), oneOf(['\n', '\r\n', '\r'])];
      const width = 2 + draw(4);
      const cell = () => Array.from({ length: draw(6) }, () => oneOf(letters)).join('');
      const rows = Array.from({ length: 1 + draw(6) }, () => Array.from({ length: width }, cell));
      // What separates cells is read off the header, which has nothing between quotes here.
      const header = Array.from({ length: width }, (_, column) => `c${column}`);
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const line = (cells: readonly string[]) => cells.map(quoted).join(delimiter) + lineEnd;
      const text = header.join(delimiter) + lineEnd + rows.map(line).join('');
      const read = await rowsOf(...inDrawnPieces(text, draw));
      expect(read.map(([, ...cells]) => cells)).toEqual([header, ...rows]);
      expect(read.map(([number]) => number)).toEqual(linesOf([header.join(), ...rows.map(line)]));
    }
  });

  it('never depend on how a text is cut, whatever it is', async () => {
    const draw = drawFrom(20);
    const letters = ['a', ' ', '"', ',', ';', '\n', '\r', '\t', '\u2028', '\0'];
    for (let run = 0; run < 3_000; run += 1) {
      const text = Array.from({ length: draw(30) }, () => letters[draw(letters.length)]).join('');
      const outcomeOf = (...pieces: string[]) => rowsOf(...pieces).catch((error: unknown) => String(error));
      const whole = await outcomeOf(text);
      expect(await outcomeOf(...inDrawnPieces(text, draw))).toEqual(whole);
      expect(await outcomeOf(...text)).toEqual(whole);
    }
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
