/** @quiet Holds the cutting of a long table to a limit. */
import { SentenceCutter, sentencesOf, speakableIn } from '.';

const garments = `Our prices are:
| Garment | Wash (INR) | Ready in (days) |
|---|---|---|
| Shirt | 30 | 2 |
| Trousers | 35 | 2 |
| Saree, cotton | 90 | 3 |
| Blazer | 1,20,000 | 4 |
| Curtain St. No. 5 | 60 | 4 |

Is there anything else?`;

describe('a table that is to be heard', () => {
  it.each([
    [
      'english',
      garments,
      'Our prices are: There are five in all, Wash from thirty rupees to one lakh twenty thousand rupees. The first are Shirt, ' +
        'thirty rupees; Trousers, thirty five rupees; Saree, cotton, ninety rupees. Shall I tell you more? Is there anything else?',
    ],
    [
      'hindi',
      'हमारे यहाँ के दाम ये हैं:\n| कपड़ा | दाम (₹) |\n|---|---|\n| कमीज़ | 30 |\n| पैंट | 35 |\n| साड़ी | 90 |\n| कोट | 120 |',
      'हमारे यहाँ के दाम ये हैं: कुल चार हैं, दाम तीस रुपये से एक सौ बीस रुपये तक। पहले ये हैं: कमीज़, तीस रुपये; पैंट, पैंतीस रुपये; साड़ी, नब्बे रुपये। क्या और बताऊँ?',
    ],
    [
      'marathi',
      'आमच्या किमती अशा आहेत:\n| कपडा | किंमत |\n|---|---|\n| शर्ट | ₹30 |\n| पँट | ₹35 |\n| साडी | ₹90 |\n| कोट | ₹1.5 लाख |\n| शाल | ₹70 |',
      'आमच्या किमती अशा आहेत: एकूण पाच आहेत, किंमत तीस रुपये ते एक लाख पन्नास हजार रुपये. पहिले हे आहेत: शर्ट, तीस रुपये; पँट, पस्तीस रुपये; साडी, नव्वद रुपये. आणखी सांगू का?',
    ],
    [
      'marathi',
      '| वस्तू | दिवस |\n|---|---|\n| शर्ट | 2 |\n| पँट | 3 |\n| साडी | 4 |\n| कोट | 6 |',
      'एकूण चार आहेत, दिवस दोन ते सहा. पहिले हे आहेत: शर्ट, दोन; पँट, तीन; साडी, चार. आणखी सांगू का?',
    ],
  ] as const)('is told by its number, its range and its first rows in %s', (language, text, said) => {
    expect(sentencesOf(text).map(speakableIn[language]).join(' ')).toBe(said.normalize('NFC'));
  });

  it('of few rows is read out, with the name of each column', () => {
    const few = '| Room | Price (INR) | Beds |\n|---|---|---|\n| Lake | 3600 | 3 |\n| Garden | 2200 | 2 |';
    expect(sentencesOf(few)).toEqual(['Lake: Price ₹3,600, Beds 3.', 'Garden: Price ₹2,200, Beds 2.']);
  });

  it('is known as knowledge keeps rows, and one such line is a sentence', () => {
    const rows = ['Radiator', 'Clutch', 'Filter', 'Pump'].map((part, place) => `Part: ${part}; Price (INR): ${place + 1}00`);
    expect(sentencesOf(rows.join('\n'))).toEqual([
      'There are 4 in all, Price from ₹100 to ₹400.',
      'The first are Radiator, ₹100; Clutch, ₹200; Filter, ₹300.',
      'Shall I tell you more?',
    ]);
    expect(sentencesOf('Open: Monday; Closed: Tuesday')).toEqual(['Open: Monday; Closed: Tuesday']);
  });

  it('leaves out a column that only counts the rows', () => {
    const text = '| # | Name |\n|---|---|\n| 1 | Asha |\n| 2 | Ravi |\n| 3 | Meera |\n| 4 | Dev |';
    expect(sentencesOf(text)).toEqual(['There are 4 in all.', 'The first are Asha; Ravi; Meera.', 'Shall I tell you more?']);
  });

  it('is the same letter by letter as at once, and told as soon as something else begins', () => {
    const cutter = new SentenceCutter();
    expect([...[...garments].flatMap((letter) => cutter.push(letter)), ...cutter.flush()]).toEqual(sentencesOf(garments));
    const another = new SentenceCutter();
    another.push(garments.slice(0, garments.indexOf('\nIs there')));
    expect(another.push('\nI')).toContain('Shall I tell you more?');
  });

  it('of five thousand rows takes less than a second of work', () => {
    const before = process.cpuUsage();
    sentencesOf(`| a | 1 |\n`.repeat(5000));
    sentencesOf('| '.repeat(5000));
    sentencesOf('a: b; '.repeat(2000));
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
  });
});
