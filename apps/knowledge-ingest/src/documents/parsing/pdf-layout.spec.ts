import type { PlacedText } from './pdf-lines';
import { runsInOrder } from './read-pdf';

const size = 10;
const letterWidth = 5;
const piece = (str: string, left: number, bottom: number, height = size): PlacedText => {
  return { str, transform: [1, 0, 0, 1, left, bottom], width: (str.length * letterWidth * height) / size, height };
};
/** A piece that ends where a figure of a table does. */
const toTheRight = (str: string, right: number, bottom: number) => piece(str, right - str.length * letterWidth, bottom);

const leading = 14;
const wordsOfLine = 'and this line goes on to the next as text does';
/** A paragraph from the top down: each line has its number, so that a reader can tell what follows what. */
const column = (name: string, count: number, { left, top, pitch = leading }: { left: number; top: number; pitch?: number }) =>
  Array.from({ length: count }, (_, line) => piece(`${wordsOfLine} ${name}${line + 1}`, left, top - line * pitch));

const fees = [
  ['Class', 'Tuition (₹)', 'Bus (₹)', 'Books (₹)'],
  ['Nursery', '24,000', '9,000', '1,100'],
  ['Class 1 to 4', '31,500', '9,000', '2,350'],
  ['Class 5 to 7', '36,000', '10,500', '2,900'],
];
const feeRows = fees.slice(1).map((cells) => cells.map((cell, place) => `${fees[0]?.[place] ?? ''}: ${cell}`).join('; '));
const table = (rows: readonly (readonly string[])[], lefts: readonly number[], top: number, pitch = leading) =>
  rows.flatMap((cells, row) =>
    cells.flatMap((cell, place) => (cell === '' ? [] : [piece(cell, lefts[place] ?? 0, top - row * pitch)])),
  );

type Alignment = 'top' | 'middle' | 'bottom';
interface Wrapping {
  readonly lefts: readonly number[];
  readonly top: number;
  readonly alignment: Alignment;
  readonly padding?: number;
}
/** A table as a browser lays it out: what wraps is given as lines, and the other cells of the row stand beside it. */
function wrappingTable(rows: readonly (readonly (readonly string[])[])[], { lefts, top, alignment, padding = 4 }: Wrapping) {
  let above = top;
  return rows.flatMap((cells) => {
    const tallest = cells.reduce((most, lines) => Math.max(most, lines.length), 1);
    const start = above;
    above -= tallest * leading + padding;
    return cells.flatMap((lines, place) => {
      const free = (tallest - lines.length) * leading;
      const down = { top: 0, middle: free / 2, bottom: free }[alignment];
      return lines.map((line, at) => piece(line, lefts[place] ?? 0, start - down - at * leading));
    });
  });
}
const rides = [
  [['Ride'], ['Distance', '(km)'], ['Climb', '(m)'], ['Start']],
  [['Lake', 'Loop'], ['38'], ['310'], ['6:15', 'AM']],
  [['Dam'], ['52'], ['940'], ['5:45', 'AM']],
  [['Old', 'Fort', 'Tour'], ['86'], ['1,120'], ['7:00', 'AM']],
];
const rideRows = [
  'Ride: Lake Loop; Distance (km): 38; Climb (m): 310; Start: 6:15 AM',
  'Ride: Dam; Distance (km): 52; Climb (m): 940; Start: 5:45 AM',
  'Ride: Old Fort Tour; Distance (km): 86; Climb (m): 1,120; Start: 7:00 AM',
];

/** A page as it is read: the numbers of its lines, and its rows with their names. */
function readingOf(items: readonly PlacedText[]): string[] {
  return runsInOrder(items).flatMap((run) =>
    run.kind === 'text'
      ? run.lines.map(({ cells }) => cells.map(({ text }) => text.replace(`${wordsOfLine} `, '')).join(' | '))
      : run.rows.map((cells) =>
          cells.flatMap((cell, place) => (cell ? [[run.header[place], cell].filter(Boolean).join(': ')] : [])).join('; '),
        ),
  );
}
const numbered = (name: string, count: number) => Array.from({ length: count }, (_, line) => `${name}${line + 1}`);

describe('a page of columns', () => {
  const [left, right] = [
    { left: 50, top: 700 },
    { left: 320, top: 700 },
  ];

  it('is read down the left, then down the right, after the title over both', () => {
    const title = piece('The title', 50, 760, 20);
    expect(readingOf([title, ...column('L', 8, left), ...column('R', 8, right)])).toEqual([
      'The title',
      ...numbered('L', 8),
      ...numbered('R', 8),
    ]);
  });

  it('is read so if the gutter is narrow, and if there are three', () => {
    const narrow = [...column('L', 8, { left: 50, top: 700 }), ...column('R', 8, { left: 308, top: 700 })];
    expect(readingOf(narrow)).toEqual([...numbered('L', 8), ...numbered('R', 8)]);
    const three = [50, 320, 590].flatMap((at, place) => column('LMR'.charAt(place), 6, { left: at, top: 700 }));
    expect(readingOf(three)).toEqual([...numbered('L', 6), ...numbered('M', 6), ...numbered('R', 6)]);
  });

  it('is read so if the right one starts lower and has its lines at other heights', () => {
    const page = [...column('L', 12, left), ...column('R', 8, { left: 320, top: 640, pitch: 17 })];
    expect(readingOf(page)).toEqual([...numbered('L', 12), ...numbered('R', 8)]);
  });

  it('is read part by part where headings stand over both columns', () => {
    const parts = ['A', 'B'].flatMap((name, part) => {
      const top = 700 - part * 120;
      const heading = piece(`Heading ${name}`, 50, top + 22, 14);
      return [heading, ...column(`${name}L`, 4, { left: 50, top }), ...column(`${name}R`, 4, { left: 320, top })];
    });
    const read = ['A', 'B'].flatMap((name) => [`Heading ${name}`, ...numbered(`${name}L`, 4), ...numbered(`${name}R`, 4)]);
    expect(readingOf(parts)).toEqual(read);
  });

  it.each([
    ['with white around it', 30],
    ['close to the text', 16],
  ])('keeps a table over both columns whole, %s', (_what, apart) => {
    const top = 700 - 5 * leading - apart;
    const below = top - (fees.length - 1) * leading - apart;
    const page = [
      ...[...column('L', 6, left), ...column('R', 6, right)],
      ...table(fees, [50, 200, 330, 460], top),
      ...[...column('l', 6, { left: 50, top: below }), ...column('r', 6, { left: 320, top: below })],
    ];
    expect(readingOf(page)).toEqual([
      ...[...numbered('L', 6), ...numbered('R', 6)],
      ...feeRows,
      ...[...numbered('l', 6), ...numbered('r', 6)],
    ]);
  });

  it('keeps a table in one column, beside the text of the other', () => {
    const routes = [
      ['Route', 'Leaves at'],
      ['Gangapur', '6:50'],
      ['Satpur', '7:05'],
      ['Deolali', '6:15'],
    ];
    const page = [
      ...column('L', 4, left),
      ...table(routes, [50, 180], 700 - 5 * leading, 19),
      ...column('l', 4, { left: 50, top: 700 - 10 * leading }),
      ...column('R', 14, right),
    ];
    const rows = routes.slice(1).map(([route, at]) => `Route: ${route}; Leaves at: ${at}`);
    expect(readingOf(page)).toEqual([...numbered('L', 4), ...rows, ...numbered('l', 4), ...numbered('R', 14)]);
  });

  it.each(['top', 'middle', 'bottom'] as const)(
    'keeps a table of wrapping cells in one column, aligned to the %s',
    (alignment) => {
      const inLeft = wrappingTable(rides, { lefts: [50, 110, 170, 230], top: 700 - 4 * leading, alignment });
      const inRight = wrappingTable(rides, { lefts: [320, 380, 440, 500], top: 700 - 4 * leading, alignment });
      const below = 700 - 14 * leading - 12;
      const page = (rows: readonly PlacedText[], [with_, beside]: readonly [typeof left, typeof left], [own, other]: string) => [
        ...column(own ?? '', 4, with_),
        ...rows,
        ...column((own ?? '').toLowerCase(), 4, { left: with_.left, top: below }),
        ...column(other ?? '', 18, beside),
      ];
      expect(readingOf(page(inLeft, [left, right], 'LR'))).toEqual([
        ...[...numbered('L', 4), ...rideRows, ...numbered('l', 4)],
        ...numbered('R', 18),
      ]);
      expect(readingOf(page(inRight, [right, left], 'RL'))).toEqual([
        ...numbered('L', 18),
        ...[...numbered('R', 4), ...rideRows, ...numbered('r', 4)],
      ]);
    },
  );

  it('is upright though the page is turned', () => {
    const turned = [...column('L', 6, left), ...column('R', 6, right)].map(({ transform, ...rest }) => {
      const [, , , , x = 0, y = 0] = transform;
      return { ...rest, transform: [0, 1, -1, 0, -y, x] };
    });
    expect(readingOf(turned)).toEqual([...numbered('L', 6), ...numbered('R', 6)]);
  });
});

describe('a table of a page', () => {
  it('keeps its rows whole, under the header, between text', () => {
    const page = [piece('Our fees', 50, 740), ...table(fees, [50, 200, 300, 400], 700), piece('Without the uniform.', 50, 600)];
    expect(readingOf(page)).toEqual(['Our fees', ...feeRows, 'Without the uniform.']);
  });

  it('puts together what wraps within its cells, wherever the other cells stand', () => {
    const rows = (other: number) =>
      [0, 1].flatMap((row) => {
        const top = 680 - row * 34;
        return [
          piece(`Course ${row}`, 50, top - other),
          piece('Paper, washes and light, with', 200, top),
          piece('two days by the river', 200, top - 12),
          toTheRight('4,500', 440, top - other),
        ];
      });
    const header = table([['Course', 'What is taught', 'Fee']], [50, 200, 420], 710);
    for (const other of [0, 6])
      expect(readingOf([...header, ...rows(other)])).toEqual([
        'Course: Course 0; What is taught: Paper, washes and light, with two days by the river; Fee: 4,500',
        'Course: Course 1; What is taught: Paper, washes and light, with two days by the river; Fee: 4,500',
      ]);
  });

  it.each(['top', 'middle', 'bottom'] as const)('has its rows whole however its cells wrap, aligned to the %s', (alignment) => {
    expect(readingOf(wrappingTable(rides, { lefts: [50, 200, 300, 400], top: 700, alignment }))).toEqual(rideRows);
    const oneWraps = rides.map((cells) => cells.map((lines) => [lines.join(' ')]));
    oneWraps[2] = [['Dam, with lunch there', 'and a long way back', 'by the old road'], ['52'], ['940'], ['5:45 AM']];
    expect(readingOf(wrappingTable(oneWraps, { lefts: [50, 200, 300, 400], top: 700, alignment }))).toEqual([
      rideRows[0],
      'Ride: Dam, with lunch there and a long way back by the old road; Distance (km): 52; Climb (m): 940; Start: 5:45 AM',
      rideRows[2],
    ]);
  });

  it('joins units to the names above them, keeps a cell empty, and needs no header', () => {
    const boats = [
      ['Boat', 'Crew', 'Hour', 'Day'],
      ['', '(persons)', '(₹)', '(₹)'],
      ['Kayak', '1', '300', '900'],
      ['Dinghy', '3', '', '2,500'],
    ];
    expect(readingOf(table(boats, [50, 150, 250, 350], 700))).toEqual([
      'Boat: Kayak; Crew (persons): 1; Hour (₹): 300; Day (₹): 900',
      'Boat: Dinghy; Crew (persons): 3; Day (₹): 2,500',
    ]);
    const hours = [
      ['Monday', '9:00 to 18:00'],
      ['Saturday', '8:00 to 19:30'],
      ['Sunday', '8:00 to 20:00'],
    ];
    expect(readingOf(table(hours, [50, 200], 700))).toEqual(hours.map((cells) => cells.join('; ')));
  });

  it('has columns as near to each other as its cells are set', () => {
    const rows = [
      ['Part', 'Fits', 'Price'],
      ['Washer', 'pump', '120'],
      ['Spring', 'valve', '134'],
      ['Gasket', 'motor', '148'],
    ];
    const lefts = [50, 50 + 6 * letterWidth + 5, 50 + 11 * letterWidth + 10];
    expect(readingOf(table(rows, lefts, 700))).toEqual([
      'Part: Washer; Fits: pump; Price: 120',
      'Part: Spring; Fits: valve; Price: 134',
      'Part: Gasket; Fits: motor; Price: 148',
    ]);
  });

  it('is found in a printout laid out with spaces, below its title, and in a menu with dots', () => {
    const printout = [
      'PRICE LIST                JANUARY',
      'Item            Unit      Price',
      'Nails           kg        110',
      'Wire            m          95',
    ];
    expect(readingOf(printout.map((line, place) => piece(line, 50, 700 - place * 13)))).toEqual([
      'PRICE LIST | JANUARY',
      'Item: Nails; Unit: kg; Price: 110',
      'Item: Wire; Unit: m; Price: 95',
    ]);
    const menu = ['Masala tea ................ 20', 'Lassi ..................... 60', 'Filter coffee ............. 35'];
    expect(readingOf(menu.map((line, place) => piece(line, 50, 700 - place * 13)))).toEqual([
      'Masala tea; 20',
      'Lassi; 60',
      'Filter coffee; 35',
    ]);
  });
});

describe('a page of one column', () => {
  it('is read in visual order, whatever the order in the file, joining parts of words', () => {
    const pieces = [piece('second line', 50, 680), piece('first ', 50, 700), piece('line', 80, 700)];
    expect(readingOf(pieces)).toEqual(['first line', 'second line']);
  });
});
