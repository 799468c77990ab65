import { inWrittenOrder, refuseDamaged } from './damaged-text';

const hindi =
  'सदस्य बनने के लिए आधार कार्ड और दो फोटो चाहिए। जमानत राशि सदस्यता छोड़ने पर लौटा दी जाती है। एक सदस्य एक बार में तीन किताबें ले सकता है। ' +
  'किताब चौदह दिन में लौटानी होती है, और एक बार सात दिन के लिए बढ़ाई जा सकती है।';
const english = 'A member may take three books at a time and keeps them for fourteen days. '.repeat(5);

describe('Devanagari out of a PDF', () => {
  it.each([
    ['Hindi', hindi],
    ['English', english],
    ['both', `${hindi} ${english}`],
    ['Marathi with endings on Latin words', 'ATMची सोय आहे. PDFमध्ये फॉर्म मिळतो. WhatsAppवर कळवा. '.repeat(3)],
    ['a word or two', 'घर'],
  ])('is accepted if intact: %s', (_what, text) => {
    expect(() => refuseDamaged(text)).not.toThrow();
    expect(inWrittenOrder(text)).toBe(text);
  });

  it.each([
    ['has lost its vowel signs', hindi.replace(/[\u093e-\u094c]/gu, ''), 'lost its vowel signs'],
    ['has lost letters under its signs', hindi.replace(/[कसत](?=[\u093e-\u094c])/gu, ' '), 'lost letters and vowel signs'],
    ['has letters of another alphabet for some shapes', hindi.replace(/ि/gu, 'ɜ'), 'lost letters and vowel signs'],
    ['has shapes without letters', hindi.replace(/[\u093e-\u094c]/gu, '\ue012'), 'which letters its shapes are'],
    ['is Latin letters of a typewriter’s font', 'lnL; cuus ds fy, vk/kkj dkMZ vkSj nks QksVks pkfg, gS '.repeat(6), 'Kruti Dev'],
  ])('is refused if it %s, with advice', (_what, text, sentence) => {
    expect(() => refuseDamaged(text)).toThrow(sentence);
  });

  it('is joined again where half letters were taken for the end of a word, but not where words end so', () => {
    const parted = hindi.replace(/\u094d(?=[\u0915-\u0939])/gu, '\u094d ');
    expect(parted).not.toBe(hindi);
    expect(inWrittenOrder(parted)).toBe(hindi);
    const sanskrit = `${hindi} अर्थात् यह नियम है।`;
    expect(inWrittenOrder(sanskrit)).toBe(sanskrit);
  });

  it('is reordered from drawing order to writing order', () => {
    const drawn = hindi.replace(/([\u0915-\u0939](?:\u094d[\u0915-\u0939])*)\u093f/gu, '\u093f$1');
    expect(drawn).not.toBe(hindi);
    expect(inWrittenOrder(drawn)).toBe(hindi);
  });
});

/** As a program writes it whose fonts lack the table of their letters: a character for the number of each shape. */
const numberedShapes = (text: string, shift: number): string =>
  text.replace(/[!-~]/gu, (letter) => String.fromCodePoint(Math.max(1, (letter.codePointAt(0) ?? 0) - shift)));
const brochure =
  'Guests may check in from noon and should leave their keys at the desk when they go. Lunch is cooked at one, and dinner at eight. ' +
  'Dogs need a place of their own, so please send us a note some days ahead. The house has ten rooms, each with a bath and a view ' +
  'onto the sea. Children under five stay without a charge, and beds for them can be added.';
const longHindi =
  `${hindi} नौका विहार रोज़ सुबह छह बजे से शाम सात बजे तक चलता है और मंगलवार को सफ़ाई के लिए बंद रहता है। टिकट का मूल्य वयस्क के लिए सौ रुपये, बच्चों के लिए ` +
  'पचास रुपये और विद्यार्थियों के लिए साठ रुपये है। किनारे पर पार्किंग मुफ़्त है और जीवन रक्षक जैकेट सबको दी जाती है। समूह में पच्चीस से अधिक लोग हों तो पहले से फ़ोन ' +
  'करके समय निश्चित कीजिए। बारिश के दिनों में नाव नहीं चलती, ऐसे में पूरा पैसा वापस मिलता है। खाने-पीने की चीज़ें लाना मना है, पास में छोटी सी कैंटीन है। निजी नाव का किराया प्रति घंटा दो हज़ार है, जिसकी रसीद दफ़्तर देता है।';
const noto =
  'O*B94D ,PBɟ9=B4 ,PBɟ9=B44O_<E0==0 K<K:B2<B(0 K(6(B=L4269B4O<bB Kɡ60*4=(B=Lh ɞ##B2FÒ393×Kɡ6(D,<Pơ.3K̟ 0ǴǍKɡ6%Ka<Pơ.3K4ɟ9ȘBɹ)ʌ3ǍKɡ6*O<Pơ.3K=Lh';
const lohit =
  'ňżŗůŦšűřŽņů ŰŦŪůšřŽņů ŰŦŪůššżƌũŲŝŪŌŪŝōŸũŸŧůşũůŕŝōŸŕņŋţŕůŪŹ ŅšşĳňţŦůšņżũƏůĹņŸǺţŀŝĳɗšŪŕůŪŹƕ ŰŐņŐņůşųȧŠŦŠȭņņŸǺţŀŕűřũŽʕśŠŸ ŝɧʠņŸǺţŀŒŸƎũŽʕśŠŸ';
const renumbered = '!!”#$%$&\'(()*$+,-.()*$+/012(()*$ " 34"! * *5678 9 :! ;9 '.repeat(3);
const lostToZero = hindi.replace(/ि|ें|ों/gu, '\0');

describe('text that is only the numbers of shapes', () => {
  it.each([
    ['Noto Sans Devanagari', noto],
    ['Lohit Devanagari', lohit],
    ['shapes numbered anew', renumbered],
    ['shapes numbered anew, with control characters', numberedShapes(english, 0x5c)],
    ['Latin letters beside their places', numberedShapes(brochure, 29)],
    ['Devanagari in a text that is otherwise readable', `${english} ${noto} ${noto}`],
  ])('is refused: %s', (_what, text) => {
    expect(() => refuseDamaged(text)).toThrow('which letters its shapes are');
  });

  it.each([
    ['the zero character', lostToZero],
    ['the zero character, within an English text', `${english} ${lostToZero}`],
    ['a blank', hindi.replace(/ि|ें|ों/gu, ' ').replace(/[ा](?=[ \u0915-\u0939])/gu, ' ')],
    ['a phonetic letter at the start of words', hindi.replace(/([\u0915-\u0939])ि/gu, 'ɟ$1')],
    ['a letter of Hungarian', hindi.replace(/ि/gu, 'Ű')],
    ['a mark of phonetics at the start of words', hindi.replace(/([\u0915-\u0939])ि/gu, 'ʹ$1')],
    ['nothing', longHindi.replace(/ि/gu, '')],
  ])('is refused where a Devanagari sign became %s', (_what, text) => {
    expect(() => refuseDamaged(text)).toThrow('lost letters and vowel signs');
  });
});

const readable: [string, string][] = [
  [
    'names of a program',
    'xsltDecimalFormatPtr xsltDocumentPtr xsltEffectiveNsPtr xsltStyleSheetPtr xsltTransformCtxtPtr xsltStackElemPtr xsltTemplPtr xsltKeyDefPtr',
  ],
  ['French', 'Les élèves déjà inscrits reçoivent leur œuvre à la rentrée, où l’on fête l’été. Ça coûte 12,50 € (TVA incluse).'],
  ['German', 'Für Übungsräume gilt: größere Gruppen melden sich früh; Schlüssel gibt es an der Theke (Mo–Fr, 9:00–17:30 Uhr).'],
  [
    'Polish',
    'Zajęcia odbywają się w każdą środę; źródło światła i gęś są już w cenie. Proszę wziąć ręcznik, łyżkę i żółtą świnkę.',
  ],
  ['Czech', 'Příliš žluťoučký kůň úpěl ďábelské ódy. Otevřeno každý den kromě neděle, děti do šesti let zdarma.'],
  ['Hungarian', 'Árvíztűrő tükörfúrógép. A nyitvatartás hétfőtől péntekig kilenctől ötig tart, az őszi szünetben zárva.'],
  ['Latvian', 'Glāžšķūņa rūķīši dzērumā čiepj Baha koncertflīģeļu vākus. Darba laiks katru dienu no deviņiem.'],
  ['Lithuanian', 'Įlinkdama fechtuotojo špaga sublykčiojusi pragręžė apvalų arbūzą. Dirbame kiekvieną dieną.'],
  ['Romanian', 'Muzicologă în bej vând whisky și tequila, preț fix. Închis duminică, în afară de sărbători, după ora șase.'],
  ['Turkish', 'Pijamalı hasta yağız şoföre çabucak güvendi. İş yerimiz pazar günleri kapalıdır, öğle arası yoktur.'],
  [
    'Vietnamese',
    'Chúng tôi mở cửa từ chín giờ sáng đến sáu giờ chiều, trừ ngày lễ. Được đổi trả trong bảy ngày với hóa đơn; đường đi ở trước cổng.',
  ],
  ['Welsh', 'Mae’r siop ar agor bob dydd ac eithrio dŵr a thŷ bach; gŵyl y banc ar gau. Cwm, cwrw, bws, tŵr.'],
  ['Hausa', 'Ɗalibai suna ƙoƙari a ɓangaren ƙasa; ƙofar ɗakin tana buɗe kowace rana. Ƴan mata sun zo.'],
  [
    'Sanskrit in Latin letters',
    'Āsana, prāṇāyāma and dhyāna: śavāsana follows sūrya namaskāra, with Pātañjali’s Yoga Sūtra read on Fridays.',
  ],
  [
    'phonetic spelling',
    'Words of the day: culture /ˈkʌltʃər/, thought /θɔːt/, ship /ʃɪp/, sheep /ʃiːp/, vision /ˈvɪʒən/, thing /θɪŋ/.',
  ],
  ['Russian', 'Мы открыты каждый день с девяти до шести, кроме праздников. Возврат в течение семи дней.'],
  ['Tamil', 'எங்கள் கடை தினமும் காலை ஒன்பது மணி முதல் மாலை ஆறு மணி வரை திறந்திருக்கும்.'],
  ['Arabic', 'نحن مفتوحون كل يوم من التاسعة صباحا حتى السادسة مساء ما عدا أيام العطل.'],
  ['Chinese', '我们每天早上九点到下午六点营业，节假日除外。七天内可凭收据退换。'],
  ['capitals', 'ALL VISITORS MUST SIGN IN AT RECEPTION. NO SMOKING. PPE IS REQUIRED BEYOND THIS POINT (SEE NOTICE #4).'],
  ['a table of figures', 'Item Qty Rate (₹) GST% Total ' + 'Cup 12 1,250.00 (18%) 14,750.00 +5% $1,299.99/pc -3% '.repeat(6)],
  ['part numbers', 'Part no. Fits ' + 'BRK-2231/A GX[12]-440 M8x1.25 AB#77-9012 SKU:KLM-90 3/4"-16 UNF 4xPCD114.3 '.repeat(5)],
  ['part numbers with few vowels', 'Code Stock ' + 'BRKT-PLT-12MM 40 SHFT-GRND-8MM 22 WSHR-SPRG-M10 9 '.repeat(4)],
  [
    'addresses',
    'See https://example.com/a?b=1&c=%20x#top or https://maps.example.com/?q=18.5,73.8&z=12, mail to desk@example.com. '.repeat(
      3,
    ),
  ],
  ['code', 'if (a[i] <= b[j] && !c) { x = f(y, z) * 2; } else { total += rate[k]; } SUM(A1:B2) =IF(C3>0,D4*2,"") '.repeat(3)],
  [
    'a form and a table of contents',
    'Name: ____________ (in capitals) Rooms ........ 3 Pets ........ 5 [ ] Yes [ ] No ***** '.repeat(3),
  ],
  [
    'formulas',
    'Let P(A|B)=P(B|A)*P(A)/P(B) be given. Then E[X^2]-(E[X])^2 is the variance, as is shown below in full. '.repeat(2),
  ],
  [
    'bullets of an older program',
    'Bring:\n\u000f two towels\n\u000f water\n\u000fa hat\n\u000f shoes\n\u007f\u007f \u007f\u007f \u007f\u007f\nThank you',
  ],
  ['long Hindi', longHindi],
  ['a lettered list in Hindi', 'क. घर ख. दफ़्तर ग. दुकान (घ) मैदान (च) छत (छ) बरामदा क) मेज़ ख) कुर्सी ग) पलंग'],
  ['Hindi with lone letters that are words', 'चाय व कॉफ़ी, नाश्ता व भोजन, न दूध न चीनी। दिन व रात खुला, न छुट्टी न अवकाश।'],
  ['a short price list in Devanagari', 'चाय १० रु\nकॉफ़ी २० रु\nवडा पाव १५ रु\nसमोसा १२ रु\nफोन ९८२२०'],
];

describe('text that is readable', () => {
  it.each(readable)('is accepted: %s', (_what, text) => {
    expect(() => refuseDamaged(text)).not.toThrow();
    expect(() => refuseDamaged(`${text}\n`.repeat(8))).not.toThrow();
  });
});
