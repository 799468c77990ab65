/** @quiet Judged by CPU time. */
import { SentenceCutter, sentencesOf, speakableEnglish, speakableHindi, speakableIn, speakableMarathi, spokenPieces } from '.';

describe('speakableEnglish', () => {
  it.each([
    ['There are 42 rooms.', 'There are forty two rooms.'],
    ['1,50,000 and 150,000', 'one lakh fifty thousand and one hundred fifty thousand'],
    ['It costs ₹1,25,50,000.', 'It costs one crore twenty five lakh fifty thousand rupees.'],
    ['Rs. 499.50 only', 'four hundred ninety nine rupees and fifty paise only'],
    ['₹2.5 crore, $1 and €3.20', 'two crore fifty lakh rupees, one dollar and three euros and twenty cents'],
    ['on 2024-03-05', 'on fifth March two thousand twenty four'],
    ['Born 15/08/1947.', 'Born fifteenth August nineteen forty seven.'],
    ['at 9:30 am or 14:05', 'at nine thirty a m or two oh five p m'],
    ['open till 6 pm.', 'open till six p m'],
    ['Call +91 98765 43210.', 'Call plus nine one, nine eight seven six five, four three two one zero.'],
    ['Call 9876543210 now', 'Call nine eight seven six five, four three two one zero now'],
    ['1800-123-4567', 'one eight zero zero, one two three, four five six seven'],
    ['Dr. Rao lives 3.5 km away, etc.', 'Doctor Rao lives three point five kilometers away, et cetera'],
    ['It grew by -12.5%', 'It grew by minus twelve point five percent'],
    ['the 21st and 3rd floor', 'the twenty first and third floor'],
    ['Mail care.team@shop-in.co.in!', 'Mail care dot team at shop dash in dot co dot in!'],
    ['See https://www.example.com/help?x=1.', 'See www dot example dot com slash help.'],
    ['**Bold** _move_ with `code` and [a link](https://x.y/z)', 'Bold move with code and a link'],
    ['# Title\n- first\n- second', 'Title first second'],
    ['Great 👍🏽 news 🎉!', 'Great news!'],
    ['Tom & Jerry', 'Tom and Jerry'],
    ['Your code is 0042', 'Your code is zero zero four two'],
    ['the year-2000 bug, a 4x4', 'the year- two thousand bug, a four x four'],
    ['Your OTP is 4821, PIN code 400001.', 'Your O T P is four eight two one, PIN code four zero zero zero zero one.'],
    ['Order #A-1029 and ticket number 55012', 'Order number A one zero two nine and ticket number five five zero one two'],
    ['number 12, table #5, code 1,000', 'number twelve, table number five, code one thousand'],
    ['It takes 10-12 days, 5–7% more', 'It takes ten to twelve days, five to seven percent more'],
    [
      'FY 2025-26, 15 August 1947 and May 3, 1998',
      'F Y two thousand twenty five to twenty six, fifteen August nineteen forty seven and May third nineteen ninety eight',
    ],
    ['Rs. 500/- or 750/-, 9.5/10', 'five hundred rupees or seven hundred fifty rupees, nine point five by ten'],
    ['Version 2.0.1 at -5°C', 'Version two point zero point one at minus five degrees Celsius'],
    ['Rent is ₹35,000–45,000 a month', 'Rent is thirty five thousand to forty five thousand rupees a month'],
    ['between ₹35,000–₹45,000', 'between thirty five thousand to forty five thousand rupees'],
    ['a flat for ₹1.2 Cr or ₹45 L', 'a flat for one crore twenty lakh rupees or forty five lakh rupees'],
    ['₹80 L–₹1.2 Cr', 'eighty lakh rupees to one crore twenty lakh rupees'],
    [
      'Monday to Saturday, 09:30 AM to 07:00 PM; closed on Sunday.',
      'Monday to Saturday, half past nine to seven; closed on Sunday.',
    ],
    ['Visits 2:30–8:00 PM, lessons 10 AM to 1 PM', 'Visits half past two to eight p m, lessons ten to one'],
    ['11:45 AM to 12:15 PM and 9 PM to 2 AM', 'quarter to twelve to quarter past twelve and nine p m to two a m'],
    ['Canada Corner, Nashik 422005.', 'Canada Corner, Nashik four two two zero zero five.'],
    ['Pay EMI with GST by UPI, not NEET', 'Pay E M I with G S T by U P I, not NEET'],
    ['We have 250000 books', 'We have two hundred fifty thousand books'],
    ['₹80/kg, 2 kg of it', 'eighty rupees per kilogram, two kilograms of it'],
    ['Rs. 500/- / month or ₹45 per sq ft', 'five hundred rupees per month or forty five rupees per square foot'],
    ['260 INR and AED 15', 'two hundred sixty rupees and fifteen dirhams'],
    ['10:00–13:00 and 17:00–21:00', 'ten to one and five to nine p m'],
    ['14:00–22:00 only', 'two to ten p m only'],
    ['10:00 AM to 11:00 PM', 'ten in the morning to eleven at night'],
    ['9 AM–9 PM, 7:30 AM–8 PM', 'nine in the morning to nine at night, half past seven in the morning to eight in the evening'],
    ['at 9.30 am, 2½ km away', 'at nine thirty a m, two point five kilometers away'],
    ['PIN code 400 001, OTP 482 913', 'PIN code four zero zero zero zero one, O T P four eight two nine one three'],
    ['₹35–45 thousand', 'thirty five thousand rupees to forty five thousand rupees'],
    ['₹50,000–2 lakh', 'fifty thousand rupees to two lakh rupees'],
    ['$1,500,000', 'one million five hundred thousand dollars'],
    ['₹1,200 (+ 18% GST)', 'one thousand two hundred rupees (plus eighteen percent G S T)'],
  ])('reads %j as %j', (written, spoken) => {
    expect(speakableEnglish(written)).toBe(spoken);
  });
});

describe('speakableHindi', () => {
  it.each([
    ['कुल 42 कमरे', 'कुल बयालीस कमरे'],
    ['₹1,50,000 दीजिए।', 'एक लाख पचास हज़ार रुपये दीजिए।'],
    ['₹80/kg', 'अस्सी रुपये प्रति किलो'],
    ['₹99.50', 'निन्यानवे रुपये पचास पैसे'],
    ['१५/०८/१९४७ को', 'पंद्रह अगस्त उन्नीस सौ सैंतालीस को'],
    ['9:30 और 14:00', 'साढ़े नौ बजे और दोपहर दो बजे'],
    ['शाम 5:20 बजे, 1:30 बजे, 12:45', 'शाम पाँच बजकर बीस मिनट, डेढ़ बजे, पौने एक बजे'],
    ['OTP 4821 और पिन कोड 400001', 'ओ टी पी चार आठ दो एक और पिन कोड चार शून्य शून्य शून्य शून्य एक'],
    ['ऑर्डर #A-1029, नंबर 12', 'ऑर्डर नंबर ए एक शून्य दो नौ, नंबर बारह'],
    ['EMI, GST और PAN कार्ड', 'ई एम आई, जी एस टी और PAN कार्ड'],
    ['10-12 दिन, 15 अगस्त 1947', 'दस से बारह दिन, पंद्रह अगस्त उन्नीस सौ सैंतालीस'],
    ['500/- में 3 किमी, -5°C', 'पाँच सौ रुपये में तीन किलोमीटर, माइनस पाँच डिग्री सेल्सियस'],
    ['+91 98765 43210', 'प्लस नौ एक, नौ आठ सात छह पाँच, चार तीन दो एक शून्य'],
    ['डॉ. शर्मा 5 km दूर हैं।', 'डॉक्टर शर्मा पाँच किलोमीटर दूर हैं।'],
    ['12.5% छूट 🎉', 'बारह दशमलव पाँच प्रतिशत छूट'],
    ['help@shop.in पर लिखें', 'help ऐट shop डॉट in पर लिखें'],
    ['**ज़रूरी** बात', 'ज़रूरी बात'],
    ['₹2 करोड़', 'दो करोड़ रुपये'],
    ['किराया ₹35,000–45,000', 'किराया पैंतीस हज़ार से पैंतालीस हज़ार रुपये'],
    ['सोमवार से शनिवार 09:30 AM से 07:00 PM तक; रविवार को बंद।', 'सोमवार से शनिवार सुबह साढ़े नौ से शाम सात बजे तक; रविवार को बंद।'],
    ['₹1.2 Cr और ₹45 लाख', 'एक करोड़ बीस लाख रुपये और पैंतालीस लाख रुपये'],
    ['नाशिक 422005', 'नाशिक चार दो दो शून्य शून्य पाँच'],
    ['10:00–13:00 और 17:00–21:00 खुला', 'दस से दोपहर एक बजे और शाम पाँच से रात नौ बजे खुला'],
    ['₹35–45 हज़ार, ₹20 हजार', 'पैंतीस हज़ार रुपये से पैंतालीस हज़ार रुपये, बीस हज़ार रुपये'],
    ['1.5 घंटे, 2.5 किलो, 3.5 km', 'डेढ़ घंटे, ढाई किलो, साढ़े तीन किलोमीटर'],
    ['1.5–2.5 घंटे में, संस्करण 2.5', 'डेढ़ से ढाई घंटे में, संस्करण दो दशमलव पाँच'],
    ['पिन कोड 400 001', 'पिन कोड चार शून्य शून्य शून्य शून्य एक'],
    ['कीमत 250000', 'कीमत दो लाख पचास हज़ार'],
  ])('reads %j as %j', (written, spoken) => {
    expect(speakableHindi(written)).toBe(spoken.normalize('NFC'));
  });
});

describe('speakableMarathi', () => {
  it.each([
    ['एकूण 42 खोल्या', 'एकूण बेचाळीस खोल्या'],
    ['₹1,50,000 द्या.', 'एक लाख पन्नास हजार रुपये द्या.'],
    ['100 आणि 125', 'शंभर आणि एकशे पंचवीस'],
    ['₹3 कोटी', 'तीन कोटी रुपये'],
    ['15-08-1947 रोजी', 'पंधरा ऑगस्ट एकोणीसशे सत्तेचाळीस रोजी'],
    ['9:30', 'साडे नऊ वाजता'],
    ['संध्या. 5:15 वाजता, 2:30, 7:10', 'संध्याकाळी सव्वा पाच वाजता, अडीच वाजता, सात वाजून दहा मिनिटांनी'],
    ['OTP 4821, क्र. 12345', 'ओ टी पी चार आठ दोन एक, क्रमांक एक दोन तीन चार पाच'],
    ['रु. 500, 10-12 दिवस', 'पाचशे रुपये, दहा ते बारा दिवस'],
    ['9876543210', 'नऊ आठ सात सहा पाच, चार तीन दोन एक शून्य'],
    ['डॉ. पाटील', 'डॉक्टर पाटील'],
    ['50% सूट 👍', 'पन्नास टक्के सूट'],
    ['info@shop.in', 'info ॲट shop डॉट in'],
    ['भाडे ₹35,000–45,000', 'भाडे पस्तीस हजार ते पंचेचाळीस हजार रुपये'],
    ['सोमवार ते शनिवार 09:30 AM ते 07:00 PM; रविवार बंद.', 'सोमवार ते शनिवार सकाळी साडे नऊ ते संध्याकाळी सात; रविवार बंद.'],
    ['सकाळी 9:30 ते संध्याकाळी 7:30 पर्यंत', 'सकाळी साडे नऊ ते संध्याकाळी साडे सात पर्यंत'],
    ['सकाळी 9:30 पासून, 10:10 ते', 'सकाळी साडे नऊ पासून, दहा वाजून दहा मिनिटे ते'],
    ['14:00–20:00 पर्यंत, 10:00–13:00 वाजेपर्यंत', 'दुपारी दोन ते रात्री आठ पर्यंत, दहा ते दुपारी एक वाजेपर्यंत'],
    ['10:10–11:20', 'दहा वाजून दहा मिनिटे ते अकरा वाजून वीस मिनिटे'],
    ['1.5 तास, 2.5 किलो, 4.5 लाख', 'दीड तास, अडीच किलो, साडे चार लाख'],
    ['पुणे 411001', 'पुणे चार एक एक शून्य शून्य एक'],
  ])('reads %j as %j', (written, spoken) => {
    expect(speakableMarathi(written)).toBe(spoken.normalize('NFC'));
  });
});

/** What must not be lost between a text and its sound, as each language says it. */
const signs: readonly (readonly [written: string, english: string, hindi: string, marathi: string])[] = [
  ['-₹50', 'minus fifty rupees', 'माइनस पचास रुपये', 'उणे पन्नास रुपये'],
  ['−₹50', 'minus fifty rupees', 'माइनस पचास रुपये', 'उणे पन्नास रुपये'],
  ['–₹50', 'minus fifty rupees', 'माइनस पचास रुपये', 'उणे पन्नास रुपये'],
  ['(-Rs. 50)', '(minus fifty rupees)', '(माइनस पचास रुपये)', '(उणे पन्नास रुपये)'],
  ['₹-50', 'minus fifty rupees', 'माइनस पचास रुपये', 'उणे पन्नास रुपये'],
  ['-50 INR', 'minus fifty rupees', 'माइनस पचास रुपये', 'उणे पन्नास रुपये'],
  ['−250', 'minus two hundred fifty', 'माइनस दो सौ पचास', 'उणे दोनशे पन्नास'],
  ['－250', 'minus two hundred fifty', 'माइनस दो सौ पचास', 'उणे दोनशे पन्नास'],
  ['−5%', 'minus five percent', 'माइनस पाँच प्रतिशत', 'उणे पाच टक्के'],
  ['10 − 2', 'ten minus two', 'दस माइनस दो', 'दहा उणे दोन'],
  ['−5 – −2', 'minus five to minus two', 'माइनस पाँच से माइनस दो', 'उणे पाच ते उणे दोन'],
  ['50₹', 'fifty rupees', 'पचास रुपये', 'पन्नास रुपये'],
  ['50 €', 'fifty euros', 'पचास यूरो', 'पन्नास युरो'],
  ['¥50', 'fifty yen', 'पचास येन', 'पन्नास येन'],
  ['(₹)', '(rupees)', '(रुपये)', '(रुपये)'],
  ['½', 'half', 'आधा', 'अर्धा'],
  ['-½', 'minus half', 'माइनस आधा', 'उणे अर्धा'],
  ['¼', 'one quarter', 'एक चौथाई', 'पाव'],
  ['¾', 'three quarters', 'तीन चौथाई', 'पाऊण'],
  ['⅓', 'one third', 'एक तिहाई', 'एक तृतीयांश'],
  ['⅔', 'two thirds', 'दो तिहाई', 'दोन तृतीयांश'],
  ['⅝', 'five eighths', 'पाँच बटा आठ', 'पाच छेद आठ'],
  ['3⁄5', 'three fifths', 'तीन बटा पाँच', 'तीन छेद पाच'],
  ['2¾', 'two point seven five', 'दो दशमलव सात पाँच', 'दोन पूर्णांक सात पाच'],
  ['2⅓', 'two and one third', 'दो और एक तिहाई', 'दोन आणि एक तृतीयांश'],
  ['½–1', 'half to one', 'आधा से एक', 'अर्धा ते एक'],
  ['≤ 10', 'at most ten', 'अधिकतम दस', 'जास्तीत जास्त दहा'],
  ['<=10', 'at most ten', 'अधिकतम दस', 'जास्तीत जास्त दहा'],
  ['≥ 10', 'at least ten', 'कम से कम दस', 'कमीत कमी दहा'],
  ['<10', 'less than ten', 'दस से कम', 'दहा पेक्षा कमी'],
  ['a >₹10', 'a more than ten rupees', 'a दस रुपये से अधिक', 'a दहा रुपये पेक्षा जास्त'],
  ['± 2', 'plus or minus two', 'प्लस माइनस दो', 'अधिक उणे दोन'],
  ['+/-2', 'plus or minus two', 'प्लस माइनस दो', 'अधिक उणे दोन'],
  ['10 ÷ 2', 'ten divided by two', 'दस भागा दो', 'दहा भागिले दोन'],
  ['3×4', 'three times four', 'तीन गुणा चार', 'तीन गुणिले चार'],
  ['3*4', 'three times four', 'तीन गुणा चार', 'तीन गुणिले चार'],
  ['≈ 9', 'about nine', 'लगभग नौ', 'सुमारे नऊ'],
  ['~9', 'about nine', 'लगभग नौ', 'सुमारे नऊ'],
  ['8~9', 'eight to nine', 'आठ से नौ', 'आठ ते नऊ'],
  ['≠ 9', 'not equal to nine', 'बराबर नहीं नौ', 'बरोबर नाही नऊ'],
  ['9 = 9', 'nine equals nine', 'नौ बराबर नौ', 'नऊ बरोबर नऊ'],
  ['9 + 1', 'nine plus one', 'नौ प्लस एक', 'नऊ अधिक एक'],
  ['9/10', 'nine by ten', 'नौ बटा दस', 'नऊ भागिले दहा'],
  ['5°', 'five degrees', 'पाँच डिग्री', 'पाच अंश'],
  ['5 ℃', 'five degrees Celsius', 'पाँच डिग्री सेल्सियस', 'पाच अंश सेल्सिअस'],
  ['5°F', 'five degrees Fahrenheit', 'पाँच डिग्री फ़ारेनहाइट', 'पाच अंश फॅरनहाइट'],
  ['5%', 'five percent', 'पाँच प्रतिशत', 'पाच टक्के'],
  ['5‰', 'five per thousand', 'पाँच प्रति हज़ार', 'पाच दर हजारी'],
  ['§ 5', 'section five', 'धारा पाँच', 'कलम पाच'],
  ['№ 5', 'number five', 'नंबर पाँच', 'क्रमांक पाच'],
  ['5 m²', 'five square meters', 'पाँच वर्ग मीटर', 'पाच चौरस मीटर'],
  ['5 km²', 'five square kilometers', 'पाँच वर्ग किलोमीटर', 'पाच चौरस किलोमीटर'],
  ['5 m³', 'five cubic meters', 'पाँच घन मीटर', 'पाच घन मीटर'],
  ['5²', 'five squared', 'पाँच का वर्ग', 'पाच चा वर्ग'],
  ['10⁶', 'ten to the power six', 'दस की घात छह', 'दहा चा घात सहा'],
  ['10^-6', 'ten to the power minus six', 'दस की घात माइनस छह', 'दहा चा घात उणे सहा'],
  ['60 km/h', 'sixty kilometers per hour', 'साठ किलोमीटर प्रति घंटा', 'साठ किलोमीटर प्रति तास'],
  ['1 → 2', 'one to two', 'एक से दो', 'एक ते दोन'],
  ['√9', 'square root of nine', 'नौ का वर्गमूल', 'नऊ चे वर्गमूळ'],
  ['∞', 'infinity', 'अनंत', 'अनंत'],
];

describe('signs', () => {
  it.each(signs)('says %j as %j, %j and %j', (written, ...spoken) => {
    expect([speakableEnglish, speakableHindi, speakableMarathi].map((speakable) => speakable(written))).toEqual(
      spoken.map((words) => words.normalize('NFC')),
    );
  });

  it.each([
    ['Refund of -₹50. Price:-₹50', 'Refund of minus fifty rupees. Price:-fifty rupees'],
    ['Your balance is −250 rupees.', 'Your balance is minus two hundred fifty rupees.'],
    ['Temperature −5 to −2 °C.', 'Temperature minus five to minus two degrees Celsius.'],
    ['Add ½ cup and 1½ spoons', 'Add half cup and one point five spoons'],
    ['US$ 5', 'US five dollars'],
    ['CO₂', 'C O two'],
  ])('are said within a sentence: %s', (written, spoken) => {
    expect(speakableEnglish(written)).toBe(spoken);
  });

  it.each([
    ['a well-known shop', 'a well-known shop'],
    ['open 9-5', 'open nine - five'],
    ['open 5-9', 'open five to nine'],
    ['Tea - ₹50', 'Tea - fifty rupees'],
    ['Tea – 50', 'Tea – fifty'],
    ['Menu > Settings', 'Menu Settings'],
    ['~~old~~ new ~ x', 'old new x'],
    ['> quoted', 'quoted'],
    ['A−B', 'A-B'],
    ['offer¹ here', 'offer here'],
  ])('that mean nothing in an amount stay as they were: %s', (written, spoken) => {
    expect(speakableEnglish(written)).toBe(spoken);
  });
});

describe.each([
  ['English', speakableEnglish],
  ['Hindi', speakableHindi],
  ['Marathi', speakableMarathi],
])('%s', (_name, speakable) => {
  it('leaves no digit and no sign to a voice, whatever the text', () => {
    const pieces = [
      '12',
      '₹5',
      ' ',
      '.',
      ',',
      '-',
      '/',
      ':',
      '%',
      'a@b.co',
      '#',
      '**',
      '👍',
      '\n',
      '9:99',
      '1/1/1',
      '٣',
      'x',
      '0',
    ];
    let seed = 7;
    for (let round = 0; round < 500; round++) {
      const text = Array.from({ length: 12 }, () => {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
        return pieces[seed % pieces.length];
      }).join('');
      expect(speakable(text)).not.toMatch(/[0-9₹%@#*👍]/u);
    }
  });

  it('reads five thousand hostile characters with less than a second of work', () => {
    for (const text of [
      '1,'.repeat(2500),
      'a.'.repeat(2500),
      '<a'.repeat(2500),
      '[x]('.repeat(1250),
      '- '.repeat(2500),
      'a@a.'.repeat(1250),
      'OTP '.repeat(1250),
      '1-'.repeat(2500),
      '#A-1'.repeat(1250),
      '−'.repeat(5000),
      '- '.repeat(2500) + '₹',
      '1⁄'.repeat(2500),
      '½'.repeat(5000),
      '1 ~ '.repeat(1250),
      '<1,'.repeat(1600),
      '1²'.repeat(2500),
      'm²'.repeat(2500),
      '¥ '.repeat(2500),
      '1 * '.repeat(1250),
    ]) {
      // Work, not time: another process may have the core meanwhile.
      const before = process.cpuUsage();
      speakable(text);
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
    }
  });
});

describe('what a voice says', () => {
  const signs = [...'9९,. \t-–|*_`~aकA@<>/[!#+(%½°:=\n"👍', '₹9', 'Rs.', '](', '![', 'otp ', 'per ', '5 to ', 'INR', 'www.'];
  const leads = ['', '₹', '| ', 'otp ', '['];

  it.each(signs)('takes time in proportion to a text of nothing but %j, whatever is before it', (sign) => {
    for (const lead of leads) {
      const text = `${lead}${sign.repeat(20_000 / sign.length)}x`;
      // Work, not time: another process may have the core meanwhile. Quadratic work takes several seconds.
      const before = process.cpuUsage();
      speakableEnglish(text);
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
    }
  });

  it.each(['english', 'hindi', 'marathi'] as const)(
    'is prepared in short pieces, however long the figures are in words: %s',
    (language) => {
      for (const figures of ['9', '९', '9½', '₹9,99,99,999.99 ', '9-', '#1', '/9', '+9', '99 ', '½', '−9', '≤9', '9²', '¥9']) {
        const text = figures.repeat(4_900 / figures.length);
        const pieces = [...spokenPieces(text, language)].map(({ spoken }) => spoken);
        expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(400);
        const whole = sentencesOf(text).map(speakableIn[language]).join(' ');
        expect(pieces.join(' ').replace(/\s+/g, ' ')).toBe(whole.replace(/\s+/g, ' ').trim());
      }
    },
  );

  it('leaves a sentence whole that is only a little longer in words', () => {
    const sentence = `${'word '.repeat(55)}costs ₹1,25,500.`;
    expect([...spokenPieces(sentence, 'english')]).toHaveLength(1);
    expect([...spokenPieces('…! 👍 |', 'english')]).toEqual([]);
  });

  it('counts the characters of the text up to each piece, however they are said', () => {
    const text = 'It costs 1,250 rupees 👍. And it is here.';
    const untils = [...spokenPieces(text, 'english')].map(({ until }) => until);
    expect(untils).toEqual([25, [...text].length]);
    const long = `${'word '.repeat(400)}end`;
    const all = [...spokenPieces(long, 'english')].map(({ until }) => until);
    expect(all.length).toBeGreaterThan(4);
    expect(all).toEqual(all.toSorted((one, other) => one - other));
    expect(all.at(-1)).toBe(long.length);
  });
});

it.each(['४५', '૪૫', '٤٥', '৪৫', '４５', '𝟒𝟓', '𝟰𝟱'])('says digits in whatever script: %s', (digits) =>
  expect(speakableEnglish(`${digits} seats`)).toBe('forty five seats'),
);

describe('sentencesOf', () => {
  const repeated = ['?', '.', '…', '!"', '.)', 'Dr. ', 'A. ', 'No. 1 ', '| a. ', '|a|b|\n', 'a: b; c: d\n', 'word ', ' ', '\n'];
  const cpuMsOf = (work: () => unknown): number => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1000;
  };

  it.each(repeated)('takes time in proportion to a text of nothing but %j', (part) => {
    const text = `${part.repeat(100_000 / part.length)}x`;
    expect(cpuMsOf(() => sentencesOf(text))).toBeLessThan(1000);
  });

  it.each(repeated)('takes time in proportion to %j that comes four letters at a time', (part) => {
    const text = part.repeat(100_000 / part.length);
    const cutter = new SentenceCutter();
    const pieces = text.match(/[^]{1,4}/gu) ?? [];
    expect(cpuMsOf(() => pieces.map((piece) => cutter.push(piece)))).toBeLessThan(1000);
  });
});
