/** @quiet Judged by CPU time. */
import { deflateSync } from 'node:zlib';
import { pdfOf, type Shape, shapedPdfOf } from '../../testing/sample-files.fake';
import { parseDocument } from './parse-document';
import { type MarkedSpan, MarkedSpans, type PageItem, withActualText } from './pdf-actual-text';

const hindi = [
  'नौका विहार रोज़ सुबह छह बजे से शाम सात बजे तक चलता है।',
  'मंगलवार को सफ़ाई के लिए बंद रहता है, टिकट का मूल्य तीस रुपये है।',
  'विद्यार्थियों को प्रतिदिन दस प्रतिशत की छूट मिलती है, किनारे पर पार्किंग मुफ़्त है।',
];
const clusters = new Intl.Segmenter('hi', { granularity: 'grapheme' });
/** Every cluster is a shape; those that `isLost` tells lose their signs in the font's table. */
const shapesOf = (text: string, { isLost = /ि/u, isSaid = true, lostTo = ' ' } = {}): Shape[] =>
  [...clusters.segment(text)].map(({ segment }) =>
    isLost.test(segment)
      ? { means: lostTo + segment.replace(/\p{M}/gu, ''), ...(isSaid && { said: segment }) }
      : { means: segment },
  );
const told = async (file: Buffer) => [...(await parseDocument('pdf', file)).chunks].map(({ text }) => text).join('\n');
const lines = (options = {}) => hindi.map((line) => shapesOf(line, options));

describe('Devanagari whose font lies and whose author tells it', () => {
  it('is read as it is told, though the font has blanks or letters of another alphabet for its shapes', async () => {
    expect(await told(shapedPdfOf([lines()]))).toBe(hindi.join(' '));
    expect(await told(shapedPdfOf([lines({ lostTo: '\u0001' })]))).toBe(hindi.join(' '));
  });

  it('is read beside text that only its font tells, on one page and the next', async () => {
    const english = [...'Boats leave every hour from the north gate.'].map((means) => ({ means }));
    const [first = [], ...rest] = lines();
    expect(await told(shapedPdfOf([[english, first], rest]))).toBe(
      `Boats leave every hour from the north gate. ${hindi.join(' ')}`,
    );
  });

  it('is still refused where nobody tells it', async () => {
    await expect(told(shapedPdfOf([lines({ isSaid: false, lostTo: '\u0001' })]))).rejects.toThrow('lost letters and vowel signs');
  });

  it('keeps the rows and names of a table', async () => {
    const gap: Shape[] = Array.from({ length: 12 }, () => ({ means: ' ' }));
    const rows = [
      ['चिकित्सा', 'अवधि', 'शुल्क'],
      ['क्ष-किरण', 'तीस मिनट', '600'],
      ['दंत चिकित्सा', 'एक घंटा', '1,200'],
      ['नेत्र परीक्षण', 'बीस मिनट', '250'],
    ];
    const width = 14;
    const padded = (cell: string): Shape[] => {
      const shapes = shapesOf(cell);
      return [...shapes, ...gap, ...gap].slice(0, width + gap.length);
    };
    const table = shapedPdfOf([rows.map((cells) => cells.flatMap(padded))]);
    const names = rows[0] ?? [];
    expect((await told(table)).split('\n')).toEqual(
      rows.slice(1).map((cells) => cells.map((cell, at) => `${names[at]}: ${cell}`).join('; ')),
    );
  });
});

it('keeps a word whole behind a shape of several letters that has a mark among them', async () => {
  const text = hindi.join(' ');
  const whole = text.split(' ').slice(0, 20).join(' ');
  expect(await told(shapedPdfOf([[shapesOf(whole, { isLost: /^$/u })]]))).toBe(whole);
});

const size = 10;
const text = (str: string, left: number, bottom = 700, width = 12): PageItem => {
  return { str, transform: [size, 0, 0, size, left, bottom], width, height: size };
};
const begin = { type: 'beginMarkedContentProps', tag: 'Span' };
const end = { type: 'endMarkedContent' };
const readWith = (items: readonly PageItem[], ...said: (string | undefined)[]) =>
  withActualText(
    items,
    said.map((actualText): MarkedSpan => ({ tag: 'Span', ...(actualText !== undefined && { actualText }) })),
  ).map(({ str }) => str);

describe('what an author says of a span', () => {
  it.each([
    ['in another script than what is shown', 'Refund in 30 days', 'पैसे वापस'],
    ['in Latin letters', 'Refund in 30 days', 'Refund in 60 days'],
    ['with other figures than are shown', 'मूल्य १५०', 'मूल्य ९५०'],
    ['with figures where none are shown', 'मूल् य', 'मूल्य 99'],
    ['at greater length than the shapes have room for', 'मूल् य', 'मूल्य '.repeat(20)],
  ])('is not taken %s', (_what, shown, said) => {
    expect(readWith([begin, text(shown, 50), end], said)).toEqual([shown]);
  });

  it('is taken for shapes that the font has as figures, with its place and width', () => {
    expect(readWith([begin, text('र्थी1', 50), end], 'र्थी')).toEqual(['र्थी']);
    const [one] = withActualText([begin, text(' व', 50), text('ि', 62, 702, 4), end], [{ tag: 'Span', actualText: 'वि' }]);
    expect(one).toMatchObject({ str: 'वि', transform: [size, 0, 0, size, 50, 700], width: 16 });
  });

  it('is taken for shapes that the font has as letters of another alphabet, where it is one cluster', () => {
    const ordinary = text('व्यव', 38);
    expect(readWith([ordinary, begin, text('_Q', 50), end], 'स्थ')).toEqual(['व्यव', 'स्थ']);
    expect(readWith([begin, text('FG', 50), end, text('यों', 62)], 'र्थि')).toEqual(['र्थि', 'यों']);
    const sentence = [...'Refund'].flatMap((letter, at) => [begin, text(letter, 50 + at * 12), end]);
    expect(readWith(sentence, 'पै', 'से', 'वा', 'प', 'स', 'हैं')).toEqual([...'Refund']);
  });

  it('has a mark that is put by itself behind it, however the places of both overlap', () => {
    const [one, ...others] = withActualText(
      [begin, text('3', 50), end, text('ं', 61.9, 700, 0), text('ड', 61.8)],
      [{ tag: 'Span', actualText: 'द' }],
    );
    expect([one, ...others].map((item) => item?.str)).toEqual(['दं', 'ड']);
    expect(readWith([text('क', 50), text('ं', 300, 700, 0)])).toEqual(['क', 'ं']);
  });

  it('is not taken for more than one line', () => {
    expect(readWith([begin, text('मूल', 50), text('दर', 50, 680), end], 'मूल्य दर')).toEqual(['मूल', 'दर']);
  });

  it('holds from the outermost span that can be believed', () => {
    const nested = [begin, begin, text(' व', 50), end, text('हार', 62), end];
    expect(readWith(nested, 'विहार', 'वि')).toEqual(['विहार']);
    expect(readWith(nested, 'Refund', 'वि')).toEqual(['वि', 'हार']);
    const deep = Array.from({ length: 50_000 }, () => begin);
    expect(readWith([...deep, text(' व', 50)], ...deep.map(() => 'वि'))).toEqual(['वि']);
  });

  it('is read in time from spans within spans that hold much text', () => {
    const words = Array.from({ length: 3_000 }, (_, place) => text('दर ', 50 + place * 12));
    const deep = Array.from({ length: 20_000 }, () => begin);
    const used = process.cpuUsage();
    expect(readWith([...deep, ...words], ...deep.map(() => 'वि'))).toEqual(words.map(() => 'दर '));
    expect(process.cpuUsage(used).user / 1_000).toBeLessThan(cpuMsMax);
    const wide = Array.from({ length: 200_000 }, (_, place) => text(' व', 50 + place));
    expect(readWith([begin, ...wide, end], 'वि')).toHaveLength(wide.length);
  });

  it('has no character that cannot be stored, and none that is not seen', () => {
    for (const hidden of ['\0', '\u001b', '\u202e', '\ufffd', '\u{e0041}', '\ue000'])
      expect(readWith([begin, text(' व', 50, 700, 30), end], `वि${hidden}`)).toEqual([' व']);
    expect(readWith([begin, text(' व', 50, 700, 30), end], 'क्\u200dष')).toEqual(['क्\u200dष']);
  });

  it('is dropped without text that shows it, and when the spans are not those of the engine', () => {
    expect(readWith([begin, end, text('दर', 50)], 'मूल्य')).toEqual(['दर']);
    expect(readWith([begin, text(' व', 50), end], 'वि', 'मू')).toEqual([' व']);
    expect(readWith([end, end, text('दर', 50)])).toEqual(['दर']);
  });
});

/** A page whose content is the given one; the objects stand in the file in any order. */
const fileOf = (content: string | Buffer, filter = '') =>
  Buffer.concat([
    Buffer.from(`%PDF-1.4\n4 0 obj\n<< ${filter} /Length ${content.length} >>\nstream\n`),
    Buffer.from(content),
    Buffer.from('\nendstream\nendobj\n3 0 obj\n<< /Type /Page /Contents 4 0 R >>\nendobj\n'),
  ]);
const spansOf = (content: string) => new MarkedSpans(fileOf(content)).ofPage(3);
const vi = '<FEFF0935093F>';

const cpuMsMax = 3_000;

/** A file of many objects that are not closed, and whatever else is given; the page is object 3. */
const fileWith = (...objects: string[]) => Buffer.from(`%PDF-1.4\n${objects.join('\n')}\n`, 'latin1');

describe('the spans of a page', () => {
  it.each([
    ['of many objects without an end', () => fileWith('1 0 obj '.repeat(400_000), '3 0 obj << /Contents 9 0 R >>')],
    [
      'whose list of streams has no numbers but a figure without end',
      () => fileWith(`3 0 obj << /Contents [${'1'.repeat(19_000)}] >>`, 'endobj'),
    ],
    [
      'whose object stream begins with a figure without end',
      () => fileWith(`5 0 obj << /Type /ObjStm /First 900000 >>\nstream\n${'1'.repeat(1_000_000)}\nendstream`, 'endobj'),
    ],
  ])('are looked for in time in a file %s', (_what, made) => {
    const file = made();
    const used = process.cpuUsage();
    const marked = new MarkedSpans(file);
    for (let page = 3; page < 103; page += 1) expect(marked.ofPage(page)).toEqual([]);
    expect(process.cpuUsage(used).user / 1_000).toBeLessThan(cpuMsMax);
  });

  it('are none where the streams of a page unpack to too much together', () => {
    const content = deflateSync(`/Span << /ActualText ${vi} >> BDC EMC${' '.repeat(8 * 1024 * 1024)}`);
    const head = `4 0 obj\n<< /Filter /FlateDecode /Length ${content.length} >>\nstream\n`;
    const ofTimes = (times: number) =>
      new MarkedSpans(
        Buffer.concat([
          fileWith(head.trimEnd()),
          content,
          fileWith('\nendstream\nendobj', `3 0 obj\n<< /Contents [${'4 0 R '.repeat(times)}] >>`, 'endobj'),
          Buffer.alloc(1024 * 1024, '%'),
        ]),
      ).ofPage(3);
    expect(ofTimes(3)).toHaveLength(3);
    expect(ofTimes(2_000)).toEqual([]);
  });

  it('are found with hexadecimal and escaped text, nested dictionaries and whatever else stands there', () => {
    const content = [
      `/P << /MCID 0 >> BDC /Span<</ActualText ${vi}>> BDC (a \\) ( b) BDC \\051 c) Tj EMC EMC`,
      `% ${vi} BDC`,
      '/Artifact BMC EMC /Span /MC0 BDC EMC',
      '/Span << /Inner << /ActualText <FEFF0041> >> /MCID 2 >> BDC EMC',
      'BI /W 1 /H 1 ID \x00(BDC < EI EMC Q',
      '/Span << /ActualText (\\376\\377\\t5\\t?) >> BDC [(x) -20 <41>] TJ EMC',
    ].join('\n');
    expect(spansOf(content)).toEqual([
      { tag: 'P' },
      { tag: 'Span', actualText: 'वि' },
      { tag: 'Artifact' },
      { tag: 'Span' },
      { tag: 'Span' },
      { tag: 'Span', actualText: 'वि' },
    ]);
  });

  it('have no text that is no Unicode by its first bytes, or too long', () => {
    expect(spansOf('/Span << /ActualText <0935093F> >> BDC EMC')).toEqual([{ tag: 'Span' }]);
    expect(spansOf(`/Span << /ActualText <FEFF${'0935'.repeat(2_600_000)}> >> BDC EMC`)).toEqual([{ tag: 'Span' }]);
    expect(spansOf('/Span << /ActualText <EFBBBFE0A4B5> >> BDC EMC')).toEqual([{ tag: 'Span', actualText: 'व' }]);
  });

  it('are read from compressed pages, and from none that unpack to too much or are damaged', () => {
    const content = `/Span << /ActualText ${vi} >> BDC EMC`;
    const flate = '/Filter /FlateDecode';
    const ofFile = (packed: Buffer) => new MarkedSpans(fileOf(packed, flate)).ofPage(3);
    expect(ofFile(deflateSync(content))).toEqual([{ tag: 'Span', actualText: 'वि' }]);
    expect(ofFile(deflateSync(content + ' '.repeat(40 * 1024 * 1024)))).toEqual([]);
    expect(ofFile(Buffer.from(content))).toEqual([]);
    expect(new MarkedSpans(pdfOf([['no spans']])).ofPage(4)).toEqual([]);
    expect(new MarkedSpans(Buffer.from('3 0 obj << /Contents 3 0 R')).ofPage(3)).toEqual([]);
  });

  it.each(['(', '<', '<<', '/', '[', '( \\', '/Span<</ActualText(', 'BI ID '])(
    'are read from a page of many a %s in time',
    (piece) => {
      expect(spansOf(`ActualText ${piece.repeat(1_000_000 / piece.length)}`)).toEqual([]);
    },
  );
});
