import { linesInReadingOrder, type PlacedText, runsOf } from './read-pdf';

const height = 10;
const piece = (str: string, left: number, bottom: number): PlacedText => {
  return { str, transform: [1, 0, 0, 1, left, bottom], width: str.length * 5, height };
};
const textsOf = (lines: ReturnType<typeof linesInReadingOrder>) =>
  lines.map(({ cells }) => cells.map(({ text }) => text).join(' | '));

describe('a page', () => {
  it('of two columns is read down the left, then down the right, after what spans both', () => {
    const rows = [1, 2, 3, 4, 5].flatMap((line) => [
      piece(`left line ${line} of a running text that fills it`, 50, 700 - line * 14),
      piece(`right line ${line} of a running text, also full`, 310, 700 - line * 14),
    ]);
    const title = piece('The title stands over both of the columns of this page, does it not, and is long enough', 50, 760);
    const lines = textsOf(linesInReadingOrder([title, ...rows]));
    expect(lines[0]).toMatch(/^The title/);
    expect(lines.slice(1, 6).every((line) => line.startsWith('left'))).toBe(true);
    expect(lines.slice(6).every((line) => line.startsWith('right'))).toBe(true);
    expect(lines).toHaveLength(11);
  });

  it('with a table keeps its rows whole, under the header', () => {
    const table = [
      ['Tower', 'Type', 'Price (lakh)'],
      ['Aster', '2 BHK', '71.4'],
      ['Banyan', '3 BHK', '104.0'],
      ['Cedar', '1 BHK', '46.0'],
    ].flatMap((cells, row) => cells.map((text, column) => piece(text, 50 + column * 150, 700 - row * 14)));
    const runs = runsOf(linesInReadingOrder([piece('Our flats', 50, 740), ...table, piece('Prices without tax.', 50, 600)]));
    expect(runs.map(({ kind }) => kind)).toEqual(['text', 'table', 'text']);
    expect(runs[1]).toEqual({
      kind: 'table',
      header: ['Tower', 'Type', 'Price (lakh)'],
      rows: [
        ['Aster', '2 BHK', '71.4'],
        ['Banyan', '3 BHK', '104.0'],
        ['Cedar', '1 BHK', '46.0'],
      ],
    });
  });

  it('of one column is read in visual order, whatever the order in the file, joining parts of words', () => {
    const pieces = [piece('second line', 50, 680), piece('first ', 50, 700), piece('line', 80, 700)];
    expect(textsOf(linesInReadingOrder(pieces))).toEqual(['first line', 'second line']);
  });
});
