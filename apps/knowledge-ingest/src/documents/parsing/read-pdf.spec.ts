import { fontPdfOf, pdfOf } from '../../testing/sample-files.fake';
import { parseDocument } from './parse-document';

const calling = 29;
const returning = 11;
const ending = 14;
const perSubroutine = 60;

/** A number as a Type 2 charstring writes it, and one as a dictionary does. */
const small = (value: number) => value + 139;
const long = (value: number) => [29, ...[24, 16, 8, 0].map((bits) => (value >> bits) & 255)];

/** An index of a compact font: how many items, where each ends, and the items. */
function indexOf(items: readonly Buffer[]): Buffer {
  if (items.length === 0) return Buffer.from([0, 0]);
  let end = 1;
  const ends = items.map((item) => (end += item.length));
  const places = [1, ...ends].flatMap((place) => long(place).slice(1));
  return Buffer.concat([Buffer.from([items.length >> 8, items.length & 255, 4, ...places]), ...items]);
}

/** A compact font of two glyphs, drawn by so many subroutines, each of which calls the next one sixty times. */
function compactFontOf(subroutines: number): Buffer {
  const call = (subroutine: number) => [small(subroutine - 107), calling];
  const subroutine = (_: unknown, at: number) =>
    Buffer.from([
      ...(at + 1 < subroutines
        ? Array<number[]>(perSubroutine)
            .fill(call(at + 1))
            .flat()
        : []),
      returning,
    ]);
  const shared = indexOf(Array.from({ length: subroutines }, subroutine));
  const glyphs = indexOf(Array<Buffer>(2).fill(Buffer.from([...call(0), ending])));
  const start = Buffer.concat([Buffer.from([1, 0, 4, 4]), indexOf([Buffer.from('A')])]);
  const dictionaryOf = (place: number) => indexOf([Buffer.from([...long(place), 17, ...long(0), ...long(0), 18])]);
  const place = start.length + dictionaryOf(0).length + indexOf([]).length + shared.length;
  return Buffer.concat([start, dictionaryOf(place), indexOf([]), shared, glyphs]);
}

describe('a PDF with a font of its own', () => {
  const font =
    '<< /Type /Font /Subtype /Type1 /BaseFont /A /FirstChar 97 /LastChar 98 /Widths [500 500] /FontDescriptor ' +
    '<< /Type /FontDescriptor /FontName /A /Flags 4 /FontFile3 6 0 R >> >>';

  it('is read if its outlines call each other as those of real fonts do', async () => {
    const { chunks } = await parseDocument('pdf', fontPdfOf(font, [compactFontOf(2)]));
    expect([...chunks].map(({ text }) => text)).toEqual(['ab']);
  });

  it('is refused if they call each other without an end, within 5 seconds of work', async () => {
    const file = fontPdfOf(font, [compactFontOf(9)]);
    expect(file.length).toBeLessThan(2_000);
    await expect(parseDocument('pdf', file, { cpuMs: 5_000 })).rejects.toThrow('unpacks to far more than its size suggests');
  });
});

it('reads a PDF of 1,000 pages that are not compressed, however far into the file they are', async () => {
  const lines = Array.from({ length: 20 }, (_, line) => `Orders are delivered within three working days, as rule ${line} says.`);
  expect((await parseDocument('pdf', pdfOf(Array.from({ length: 1_000 }, () => lines)))).pageCount).toBe(1_000);
});
