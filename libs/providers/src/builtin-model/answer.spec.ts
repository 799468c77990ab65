import { aModelRequest, type Grounds, unknownMark } from '@parley/ports';
import { answerFrom } from './answer';

const knowledge = `# The business
Name: Hill House
Kind: Guest house
Telephone: +912168260300

# Weekly opening hours (Asia/Kolkata)
Monday to Saturday: 09:30 AM to 07:00 PM
Sunday: closed

# Products and services
- Steel kettle (Kitchen). Holds two litres. Price: 1499 INR. Available. Warranty: 24 months.
- Copper kettle (Kitchen). Price: 2499 INR. Not available.
- Bicycle hire. Price: 80 INR. Duration: 60 minutes. Booking required.

# Questions and answers
Q: Do you have wifi?
A: Yes, free wifi in all rooms.

# Document: rooms.csv
Room: Garden room; Size (sq ft): 180; Beds: 2; Price per night (INR): 2200
Room: Lake room; Size (sq ft): 240; Beds: 3; Price per night (INR): 3600

# Document: rules.md
## House rules › Pets
Small dogs are welcome for ₹300 a night, cats are not.
## House rules › Meals
Breakfast is served from 7:30 AM to 10 AM on the terrace. Dinner must be ordered before 5 PM.
## House rules › Cancellation
A booking that is cancelled within seven days is refunded in full. Later cancellations cost one night.
## House rules › Arrival
Guests arrive from 1 PM. A late arrival after 9 PM costs ₹200.
## House rules › Guides
The guide is Ravi Patil, 90110 45678. He is here on Tuesday and Friday.

## House rules › Boarding
Boarding costs ₹600 a night for dogs and ₹450 for cats, food included. Medicines can be returned unopened within fifteen days.

# Document: care.csv
Animal: Cat; Bath (INR): 500; Full groom (INR): 1000; Minutes: 50; Indoors: yes
Animal: Small dog; Bath (INR): 450; Full groom (INR): 900; Minutes: 60; Indoors: no

# Document: flats.csv
Flat: A-101; Type: 2 BHK; Area (sq ft): 668; Price (₹ lakh): 71.4
Flat: A-102; Type: 2 BHK; Area (sq ft): 668; Price (₹ lakh): 72.2
Flat: B-301; Type: 3 BHK; Area (sq ft): 915; Price (₹ lakh): 104.4`;
const open = { open_time: '09:30 AM', close_time: '07:00 PM', is_open: true };
const schedule: NonNullable<Grounds['schedule']> = {
  timezone: 'Asia/Kolkata',
  working_hours: (['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const).map((day) => ({ day, ...open })),
  holidays: [{ date: '2026-12-25', opens: '10:00 AM', closes: '01:00 PM', note: 'Christmas' }],
};

function answer(question: string, language: Grounds['language'] = 'english', before: readonly [string, string][] = []): string {
  const earlier = before.flatMap(([asked, said]) => [
    { role: 'user' as const, text: asked },
    { role: 'assistant' as const, text: said },
  ]);
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule };
  return answerFrom(aModelRequest({ messages: [...earlier, { role: 'user', text: question }], grounds }));
}

describe('the built-in answers', () => {
  it.each([
    ['How much is the steel kettle?', 'Steel kettle costs ₹1,499.'],
    ['What is the warranty of the steel kettle?', 'The warranty of Steel kettle is 24 months.'],
    ['Is the copper kettle in stock?', 'Copper kettle costs ₹2,499. Copper kettle is not available at the moment.'],
    ['How many beds does the lake room have?', 'Lake room has 3 beds.'],
    ['Do you have wifi?', 'Yes, free wifi in all rooms.'],
    ['When is breakfast served?', 'Breakfast is served from 7:30 AM to 10 AM on the terrace.'],
    ['Are small dogs welcome?', 'Small dogs are welcome for ₹300 a night, cats are not.'],
  ])('answers in a sentence, not a table row: %s', (question, said) => expect(answer(question)).toBe(said));

  it('is not sure when two sentences match equally well', () =>
    expect(answer('Can I bring my puppy?')).toMatch(/^I am not sure.*“Small dogs are welcome for ₹300 a night, cats are not\./u));

  it.each([
    ['What do three steel kettles cost?', '3 × Steel kettle comes to ₹4,497, at ₹1,499 each.'],
    ['What do two garden rooms and a bicycle cost?', '2 × Garden room and Bicycle hire together come to ₹4,480 (₹4,400 + ₹80).'],
    [
      'Which is bigger, the lake room or the garden room?',
      'It is Lake room; the difference is 60 sq ft. The size of Garden room is 180 sq ft. The size of Lake room is 240 sq ft.',
    ],
    [
      'Which is cheaper, the steel kettle or the copper kettle?',
      'It is Steel kettle; the difference is ₹1,000. Steel kettle costs ₹1,499. Copper kettle costs ₹2,499.',
    ],
  ])('computes and compares: %s', (question, said) => expect(answer(question)).toBe(said));

  it('reads a number as a quantity only when it counts the item', () => {
    expect(answer('What does the steel kettle with 24 months of warranty cost?')).not.toContain('×');
  });

  it('resolves follow-up questions: same question, new item; new question, same item', () => {
    const before: [string, string][] = [['How much is the garden room?', 'The price per night of Garden room is ₹2,200.']];
    expect(answer('And the lake room?', 'english', before)).toContain('₹3,600');
    expect(answer('How many beds does it have?', 'english', before)).toBe('Garden room has 2 beds.');
  });

  it('resolves "the bigger one" among the items mentioned before', () => {
    const before: [string, string][] = [
      ['How much are the lake room and the garden room?', 'Lake room is ₹3,600, Garden room is ₹2,200.'],
    ];
    expect(answer('How many beds does the bigger one have?', 'english', before)).toBe('Lake room has 3 beds.');
  });

  it.each([
    ['लेक रूम का किराया कितना है?', 'hindi', '₹3,600'],
    ['दो गार्डन रूम कितने के पड़ेंगे?', 'hindi', '₹4,400'],
    ['kutta la sakte hain kya?', 'hindi', '“Small dogs are welcome'],
    ['नाश्ता कितने बजे मिलता है?', 'hindi', 'हमारी जानकारी में यह लिखा है: “Breakfast is served'],
    ['स्टील केटलची किंमत किती आहे?', 'marathi', 'Steel kettle ची किंमत ₹1,499 आहे.'],
  ] as const)('answers in the language of the question: %s', (question, language, said) =>
    expect(answer(question, language)).toContain(said),
  );

  it.each([
    [
      'Do you have a sauna?',
      'english',
      'I am sorry, I do not know about a sauna. You can reach us at +912168260300. We are there Monday to Saturday',
    ],
    ['How much is the aluminium kettle stand?', 'english', 'I do not know'],
    [
      'क्या यहाँ हेलीकॉप्टर की सवारी है?',
      'hindi',
      'मुझे “हेलीकॉप्टर की सवारी” के बारे में जानकारी नहीं है। आप हमसे यहाँ संपर्क कर सकते हैं: +912168260300',
    ],
    ['तुमच्याकडे घोडेस्वारी आहे का?', 'marathi', 'मला “घोडेस्वारी” याबद्दल माहिती नाही. तुम्ही आमच्याशी येथे संपर्क करू शकता: +912168260300'],
  ] as const)('does not know, marks it, and says whom to ask: %s', (question, language, said) => {
    expect(answer(question, language)).toContain(said);
    expect(answer(question, language)).toMatch(new RegExp(`${unknownMark.replace(/[[\]]/gu, '\\$&')}$`, 'u'));
  });

  it('knows holidays by name and date, and the days that are closed', () => {
    const said = 'On Friday, 25 December (Christmas) we are open from 10:00 AM to 1:00 PM.';
    expect(answer('Are you open on Christmas?').replace('Friday 25', 'Friday, 25')).toBe(said);
    expect(answer('What are your hours on 25 December?').replace('Friday 25', 'Friday, 25')).toBe(said);
    expect(answer('Which day are you closed?')).toBe('On Sundays we are closed.');
    expect(answer('तुम्ही कोणत्या दिवशी बंद असता?', 'marathi')).toBe('रविवारी आम्ही बंद असतो.');
  });

  it('resolves follow-ups about a similar item, a weekday and the previous sentence', () => {
    expect(answer('And on Sunday?', 'english', [['When do you open on Friday?', 'At 09:30 AM.']])).toBe(
      'On Sundays we are closed.',
    );
    expect(answer('और शनिवार को?', 'hindi', [['रविवार को खुला है क्या?', 'बंद है।']])).toBe(
      'शनिवार को हम सुबह 9:30 बजे से शाम 7 बजे तक खुले रहते हैं।',
    );
    expect(answer('And the copper one?', 'english', [['How much is the steel kettle?', 'Steel kettle costs ₹1,499.']])).toContain(
      '₹2,499',
    );
    const guide: [string, string][] = [['Who is the guide?', 'The guide is Ravi Patil, 90110 45678.']];
    expect(answer('On which days is he here?', 'english', guide)).toContain('Tuesday and Friday');
    const area: [string, string][] = [['What is the area of a 3 BHK?', 'The area of 3 BHK is 915 sq ft.']];
    expect(answer('And of a 2 BHK?', 'english', area)).toBe('The area of 2 BHK is 668 sq ft.');
  });

  it('describes an item by its number, and what rows of a kind have in common', () => {
    expect(answer('What does flat A-102 cost?')).toContain('72.2');
    expect(answer('What is the area of a 2 BHK?')).toBe('The area of 2 BHK is 668 sq ft.');
  });

  it('does not answer a general question with a special case', () => {
    expect(answer('When do guests arrive?')).toBe('Guests arrive from 1 PM.');
    expect(answer('What does a late arrival cost?')).toContain('₹200');
  });

  it('does not confuse a service on an item with the item', () => {
    expect(answer('Do you sell seeds?')).toContain('I do not know');
    expect(answer('Do you rent out horses?')).toContain('I do not know');
  });

  it('says what a price is for, without column names', () => {
    expect(answer('How much is the lake room?')).toBe('Lake room costs ₹3,600 per night.');
    expect(answer('लेक रूम का किराया कितना है?', 'hindi')).toBe('Lake room की कीमत ₹3,600 प्रति रात है।');
  });

  it('quotes no retrieved row, entry or heading', () => {
    const quoted = (excerpt: string) => {
      const grounds: Grounds = {
        ...{ language: 'english', agentName: 'Maya', greeting: '', knowledge, schedule },
        passages: [{ title: 'rooms.csv', text: excerpt, excerpt }],
      };
      return answerFrom(aModelRequest({ messages: [{ role: 'user', text: 'Is there a jacuzzi upstairs?' }], grounds }));
    };
    for (const excerpt of ['Room: Attic; Beds: 1; Price (INR): 900', 'Tea set. Price: 900 INR. Available.', 'Opening hours'])
      expect(quoted(excerpt)).toContain('I do not know');
    expect(quoted('The upper floor has a jacuzzi for two guests.')).toContain('The upper floor has a jacuzzi for two guests.');
  });

  it('multiplies a price from a sentence, and says when the total is unknown', () => {
    expect(answer('How much is boarding a dog for five nights?')).toContain('₹3,000');
    expect(answer('How much is boarding two cats for one night?')).toContain('₹900');
    const sum = answer('What do 12 puppets on the terrace cost?');
    expect(sum).toContain('I do not know');
    const before: [string, string][] = [
      ['What does boarding a dog cost?', 'Boarding costs ₹600 a night for dogs and ₹450 for cats, food included.'],
    ];
    expect(answer('And for a cat?', 'english', before)).toContain('₹450');
  });

  it('gives the requested field, and of several prices the named one', () => {
    expect(answer('What does a full groom for a cat cost?')).toBe('The full groom of Cat is ₹1,000.');
    expect(answer('How long does grooming a small dog take?')).toContain('60');
    expect(answer('What do a bath and a full groom for a cat cost together?')).toContain('₹1,500');
    expect(answer('Which takes less time to groom, a cat or a small dog?')).toMatch(/^It is Cat/u);
    expect(answer('Is the small dog indoors?')).toMatch(/^No/u);
  });

  it('does not price an item when a service is asked for, nor quote a sentence for a comparison', () => {
    expect(answer('Can my cat stay in the steel kettle?')).not.toMatch(/kettle costs|1,?499/u);
    expect(answer('Which guide is the tallest?')).toContain('I do not know');
  });

  it('understands multi-word expressions and Marathi oblique forms', () => {
    expect(answer('I want to bring back tablets')).toContain('within fifteen days');
    expect(answer('कुत्र्याच्या ग्रूमिंगसाठी किती वेळ लागतो?', 'marathi')).toContain('60');
  });

  it('does not mistake a word for a weekday that shares three consonants', () => {
    expect(answer('क्या आप मेहंदी लगाते हैं?', 'hindi')).toContain('जानकारी नहीं');
  });
});
