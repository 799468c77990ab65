import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Corner Works
Kind: Workshop
Telephone: +912024001199

# Products and services
- Locker (small). Price: 300 INR. Available.
- Locker (large). Price: 700 INR. Available.
- Hall (AC). Price: 5000 INR. Available.
- Hall (non-AC). Price: 3000 INR. Available.
- Painting (1 BHK). Price: 9000 INR. Duration: 90 minutes. Booking required.
- Painting (2 BHK). Price: 14000 INR. Duration: 90 minutes. Booking required.
- Canvas A3. Price: 60 INR. Available.
- Canvas A4. Price: 40 INR. Available.
- Apron (L). Price: 250 INR. Available.
- Apron (XL). Price: 280 INR. Available.
- Candle 200 ml. Price: 150 INR. Available.
- Candle 400 ml. Price: 260 INR. Available.
- Pony ride (adult). Price: 200 INR. Available.
- Pony ride (child). Price: 90 INR. Available.
- Screws. Box of 100, zinc. Price: 80 INR. Available.
- Tiles, pack of 12. Price: 480 INR. Available.
- Leaflets, 1000 pieces. Price: 900 INR. Available.
- Labels. Price: 50 INR per roll of 500. Available.
- दीये. 20 का डिब्बा।. Price: 100 INR. Available.
- Fence repair. Wood or steel. Price per gate.. Price: 400 INR. Duration: 30 minutes. Booking required.
- Floor polish. At least 200 square feet. Price per square foot. Price: 5 INR. Duration: 30 minutes. Booking required.
- Tent room. Price: 900 INR per night. Available.
- Van. Holds 8 guests. Price: 2000 INR. Available.
- Bus. Holds 30 guests, heated. Price: 6000 INR. Available.

# Document: rules.md
## Rules
GST of 18 percent is added to every price. Visits after 8 pm cost 25 percent more.`;

const conversation = (turns: readonly (readonly [asked: string, said: string])[]) =>
  turns.flatMap(([asked, said]) => [
    { role: 'user' as const, text: asked },
    { role: 'assistant' as const, text: said },
  ]);

function answer(
  question: string,
  language: Grounds['language'] = 'english',
  before: readonly (readonly [string, string])[] = [],
  base = knowledge,
): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge: base, schedule: null };
  return answerFrom(aModelRequest({ messages: [...conversation(before), { role: 'user', text: question }], grounds }));
}

describe('of several variants', () => {
  it.each([
    ['What do two large lockers cost?', 'english', '2 × Locker (large) comes to ₹1,400'],
    ['दो बड़े locker कितने के पड़ेंगे?', 'hindi', '2 × Locker (large) के ₹1,400'],
    ['What do two AC halls cost?', 'english', '2 × Hall (AC) comes to ₹10,000'],
    ['How much are two non-AC halls?', 'english', '2 × Hall (non-AC) comes to ₹6,000'],
    ['दो बिना एसी hall कितने के?', 'hindi', '2 × Hall (non-AC) के ₹6,000'],
    ['How much are three aprons in size XL?', 'english', '3 × Apron (XL) comes to ₹840'],
    ['How much are four 200 ml candles?', 'english', '4 × Candle 200 ml comes to ₹600'],
    ['Two small lockers and one large one, total?', 'english', 'together come to ₹1,300'],
    ['What do two pony rides for adults and one for a child cost?', 'english', 'together come to ₹490'],
  ] as const)('the one that is said is counted: %s', (question, language, told) =>
    expect(answer(question, language)).toContain(told),
  );

  it.each([
    ['How much are three lockers?', ['Locker (small) comes to ₹900', 'Locker (large) comes to ₹2,100']],
    ['How much are ten canvases?', ['Canvas A3 comes to ₹600', 'Canvas A4 comes to ₹400']],
    ['How much is a locker?', ['Locker (small) costs ₹300', 'Locker (large) costs ₹700']],
  ] as const)('each is told by its whole name where none is chosen: %s', (question, told) => {
    for (const each of told) expect(answer(question)).toContain(each);
    expect(answer(question)).not.toContain('together');
  });

  it.each([
    ['What does painting cost for a 3 BHK flat?', '“3 BHK” is not on our list', '₹14,000'],
    ['How much is the candle of 300 ml?', '“300 ml” is not on our list', '₹260'],
    ['How much are two A5 canvases?', '“A5” is not on our list', '₹40'],
    ['How much is an apron in size S?', '“S” is not on our list', '₹250'],
  ])('one that is not there is said not to be, with those that are: %s', (question, told, price) => {
    expect(answer(question)).toContain(told);
    expect(answer(question)).toContain(price);
    expect(answer(question)).not.toContain('×');
  });

  it.each([
    ['And for a 2 BHK?', 'What does painting cost for a 1 BHK?', 'Painting (1 BHK) costs ₹9,000.', '₹14,000'],
    ['2 BHK?', 'What does painting cost for a 1 BHK?', 'Painting (1 BHK) costs ₹9,000.', '₹14,000'],
    ['And for a child?', 'What does the pony ride cost for an adult?', 'Pony ride (adult) costs ₹200.', '₹90'],
    ['And ten?', 'How much is the large locker?', 'Locker (large) costs ₹700.', '₹7,000'],
    ['And three gates?', 'How much is fence repair?', 'Fence repair costs ₹400 per gate.', '₹1,200'],
    ['How much would five be?', 'How much is the large locker?', 'Locker (large) costs ₹700.', '₹3,500'],
    ['Which of the two is cheaper?', 'How much is the large locker?', 'Locker (large) costs ₹700.', 'It is Locker (small)'],
  ])('another one, or another number, may follow: %s', (question, asked, said, told) =>
    expect(answer(question, 'english', [[asked, said]])).toContain(told),
  );
});

describe('of what is sold in packs', () => {
  it.each([
    ['How much are 500 screws?', 'english', '500 × Screws are 5 boxes of 100: ₹400'],
    ['How much are three boxes of screws?', 'english', '₹240'],
    ['How much are 30 tiles?', 'english', '30 × Tiles are 3 packs of 12: ₹1,440'],
    ['What do two dozen tiles cost?', 'english', '2 packs of 12: ₹960'],
    ['How much are 2000 leaflets?', 'english', '₹1,800'],
    ['How much are 1500 labels?', 'english', '3 rolls of 500: ₹150'],
    ['100 दीये कितने के?', 'hindi', '₹500'],
    ['100 दीये किती रुपयांना?', 'marathi', '₹500'],
  ] as const)('whole packs are told: %s', (question, language, told) => expect(answer(question, language)).toContain(told));

  it('no total is told of fewer pieces than are in one', () => {
    expect(answer('How much are 20 screws?')).toContain('I do not know the total');
    expect(answer('How much are 20 screws?')).toContain('₹80 (box of 100)');
  });
});

describe('what a price is for', () => {
  it.each([
    ['What does fence repair cost for three gates?', '₹1,200'],
    ['What is the price per gate for fence repair?', 'costs ₹400 per gate'],
    ['Floor polish for 300 square feet, how much?', '₹1,500'],
    ['Two tent rooms for three nights, how much?', '₹5,400'],
  ])('multiplies, and is no sentence of its own: %s', (question, told) => {
    expect(answer(question)).toContain(told);
    expect(answer(question)).not.toMatch(/\.\.|Price per gate/u);
  });

  it('is not multiplied by those who share it', () =>
    expect(answer('What does one tent room cost for 4 persons?')).toMatch(/not (?:sure|know the total).*₹900 per night/u));

  it('is not the price after certain hours, if the question is about a time before them', () =>
    expect(answer('How much is fence repair before 8 pm?')).not.toContain('₹500'));

  it('is counted beside an equal number of its name', () =>
    expect(answer('How much is painting for two 2 BHK flats?')).toContain('₹28,000'));

  it('tells no total below the least that is done', () =>
    expect(answer('Floor polish for 100 square feet, how much?')).toMatch(/do not know the total.*At least 200/u));

  it.each([
    ['How much is fence repair with GST?', '₹472'],
    ['How much is fence repair after 8 pm?', '₹500'],
    ['How much is fence repair at 9 in the evening?', '₹500'],
  ])('is told with the rule that adds to it: %s', (question, total) => {
    expect(answer(question)).toContain(total);
    expect(answer(question)).toMatch(/percent/u);
  });

  it('is told as not sure with a tax that no rule speaks of', () =>
    expect(answer('How much is fence repair with GST?', 'english', [], knowledge.replace(/## Rules[^]*/u, ''))).toMatch(
      /do not know the total.*₹400/u,
    ));
});

describe('what a thing holds', () => {
  it('is compared', () => expect(answer('Which holds more guests, the van or the bus?')).toContain('It is Bus'));

  it('is told with the name of the thing', () =>
    expect(answer('How many guests does the van hold?')).toContain('Van: Holds 8 guests.'));
});

it.each([
  ['डेढ़ सौ दीये कितने के?', '150'],
  ['साढ़े तीन सौ दीये कितने के?', '350'],
  ['सवा सौ दीये कितने के?', '125'],
  ['ढाई सौ दीये कितने के?', '250'],
])('numbers with a fraction of a hundred are known: %s', (question, count) =>
  expect(answer(question, 'hindi')).toContain(`${count} × दीये`),
);

describe('of what is sold by a unit of several', () => {
  const sold = `# The business
Name: Corner Works
Kind: Shop

# Products and services
- Hiking gloves. Price: 500 INR per pair of 2. Available.
- Earrings. Price: 120 INR per pair. Available.
- कंगन. Price: 80 INR per जोड़ी of 2. Available.
- पैंजण. Price: 150 INR per जोडी of 2. Available.
- Coasters. Price: 200 INR per set of 4. Available.
- Napkin rings. Price: 90 INR per trio of 3. Available.
- Ink cartridges. Price: 600 INR per pack of 6. Available.
- Lamp. Price: 700 INR. Available.`;

  it.each([
    ['How much are three pairs of hiking gloves?', 'english', '3 × Hiking gloves come to ₹1,500'],
    ['Price of 2 pairs of hiking gloves please', 'english', '2 × Hiking gloves come to ₹1,000'],
    ['What do 2 pairs of earrings cost?', 'english', '2 × Earrings come to ₹240'],
    ['What does a pair of hiking gloves cost?', 'english', '₹500'],
    ['How much are four hiking gloves?', 'english', '4 × Hiking gloves are 2 pairs of 2: ₹1,000'],
    ['कंगन की 5 जोड़ी कितने की?', 'hindi', '₹400'],
    ['kangan ki 5 jodi kitne ki?', 'hindi', '₹400'],
    ['पैंजणच्या तीन जोड्या कितीला?', 'marathi', '₹450'],
    ['How much are 5 sets of coasters?', 'english', '5 × Coasters come to ₹1,000'],
    ['How much are 8 coasters?', 'english', '2 sets of 4: ₹400'],
    ['How much are two trios of napkin rings?', 'english', '2 × Napkin rings come to ₹180'],
    ['How much are 7 packs of ink cartridges?', 'english', '7 × Ink cartridges come to ₹4,200'],
    [
      'What do 3 pairs of hiking gloves and two lamps cost together?',
      'english',
      '3 × Hiking gloves and 2 × Lamp together come to ₹2,900',
    ],
    ['What do 4 sets of coasters and 1 lamp cost together?', 'english', '4 × Coasters and Lamp together come to ₹1,500'],
  ] as const)('so many of the unit are counted, and of pieces what they fill: %s', (question, language, told) =>
    expect(answer(question, language, [], sold)).toContain(told),
  );
});
