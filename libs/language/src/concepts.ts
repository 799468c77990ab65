import { foldSpelling, wordsOf } from './spelling';
import { stemOf } from './stems';

/**
 * What customers ask any business about, with the words for it in three languages and two scripts. A word belongs to only one concept;
 * words of particular trades are not included.
 */
const table = {
  PRICE:
    'price pricing cost charge fee rate tariff fare rupee rs amount kimat keemat kimmat bhav bhaav daam dam shulk कीमत दाम मूल्य शुल्क ' +
    'भाव रेट चार्ज फीस खर्च खर्चा रुपये रुपया किंमत दर फी मोल',
  PAY: 'pay payment paid bhugtan भुगतान पेमेंट चुकाना पैसे पैसा paisa paise money भरणा',
  FREE: 'free complimentary gratis muft mofat फ्री मुफ्त निःशुल्क मोफत फुकट विनामूल्य विनाशुल्क',
  DISCOUNT: 'discount offer deal coupon promo rebate concession chhoot savlat छूट ऑफर डिस्काउंट रियायत कूपन सवलत सूट',
  CASH: 'cash nakad rokh नकद नगद कैश रोख रोकड',
  CARD: 'card कार्ड',
  INSTALMENT: 'instalment installment emi kist hapta किस्त ईएमआई हप्ता हप्ते',
  INVOICE: 'invoice bill receipt rasid बिल रसीद इनवॉइस पावती',
  ORDER: 'order parcel package consignment ऑर्डर पार्सल',
  PRODUCT: 'product item article goods सामान वस्तु उत्पाद वस्तू माल उत्पादन',
  DELIVER:
    'deliver delivery ship shipping shipment dispatch courier send डिलीवरी डिलिवरी डिलिव्हरी भेजना भेजते पहुंचाना ' +
    'पहुंचाते कूरियर पाठवणे पाठवता पोहोचवता घरपोच कुरियर',
  TRACK: 'track tracking trace ट्रैक ट्रैकिंग ट्रॅक ट्रॅकिंग',
  RETURN: 'return returned wapas vapas parat वापस वापसी लौटाना लौटाने रिटर्न परत',
  REFUND: 'refund reimburse reimbursement रिफंड धनवापसी परतावा',
  CHANGE: 'change modify exchange replace replacement swap reschedule postpone alter badal बदल बदलना बदलाव एक्सचेंज बदलणे बदलून',
  CANCEL: 'cancel cancellation radd रद्द कैंसल कॅन्सल',
  BOOK: 'book booking reserve reservation appointment slot बुक बुकिंग आरक्षण आरक्षित अपॉइंटमेंट',
  OPEN: 'open opening khula khuli khule khulta khulti khulte खुला खुलना खुलती खुले उघडे उघडणे उघडते',
  CLOSE: 'close closed closing shut band बंद',
  TIME: 'time timing hour duration समय टाइम टाइमिंग घंटे बजे वेळ वाजता तास',
  HOLIDAY: 'holiday vacation chhutti sutti छुट्टी अवकाश सुट्टी',
  PLACE: 'address location located situated directions पता लोकेशन पत्ता ठिकाण',
  CONTACT: 'contact call phone telephone helpline sampark संपर्क फोन कॉल दूरध्वनी',
  WARRANTY: 'warranty guarantee वारंटी गारंटी वॉरंटी गॅरंटी हमी',
  REPAIR: 'repair fix mend marammat durusti मरम्मत रिपेयर दुरुस्ती दुरुस्त रिपेअर',
  BROKEN: 'broken damaged damage defective faulty cracked tuta toota टूटा टूटी टूटे खराब तुटलेली तुटले तुटलेला बिघडले',
  INSTALL: 'install installation इंस्टॉल इंस्टॉलेशन इन्स्टॉलेशन बसवणे बसवता बसवून',
  SIZE: 'size measurement साइज नाप आकार साईज माप',
  COLOUR: 'colour color shade rang रंग',
  GIFT: 'gift present uphar उपहार गिफ्ट तोहफा भेटवस्तू',
  BULK: 'bulk wholesale thok थोक घाऊक',
  MEMBER: 'member membership subscription subscribe सदस्य सदस्यता मेंबरशिप सभासद सदस्यत्व',
  JOIN:
    'join enroll enrol enrolment register registration admission apply application दाखिला एडमिशन प्रवेश पंजीकरण ' +
    'रजिस्ट्रेशन आवेदन नोंदणी अर्ज',
  PAPERS: 'document paper certificate identification dastavez kagaj दस्तावेज कागज कागजात कागदपत्र कागदपत्रे प्रमाणपत्र',
  AGE: 'age aged umar vay उम्र आयु वय वयाची वयोमर्यादा',
  CHILD: 'child children kid baby infant bachche mule बच्चा बच्चे बच्चों मुले मुलांना मुलांचे लहान बाळ',
  TEACHER: 'teacher tutor instructor trainer coach shikshak शिक्षक टीचर अध्यापक प्रशिक्षक',
  DOCTOR: 'doctor physician specialist डॉक्टर चिकित्सक वैद्य',
  CLASS: 'class course lesson batch lecture session क्लास कक्षा कोर्स बैच वर्ग बॅच',
  TEST: 'test exam examination checkup assessment परीक्षा टेस्ट जाँच जांच तपासणी चाचणी',
  RESULT: 'result report परिणाम रिपोर्ट निकाल अहवाल',
  HEALTH: 'health sehat स्वास्थ्य सेहत आरोग्य',
  INSURANCE: 'insurance insurer insured bima vima बीमा विमा',
  FOOD: 'food meal eat dining breakfast lunch dinner khana jevan खाना भोजन नाश्ता जेवण नाष्टा',
  ROOM: 'room accommodation lodging kamra kholi कमरा कमरे रूम खोली खोल्या',
  VEHICLE: 'car vehicle bike scooter gadi कार गाड़ी वाहन गाडी',
  JOB: 'job hiring vacancy career employment recruit naukri नौकरी भर्ती रोजगार नोकरी भरती',
  COMPLAINT: 'complaint complain grievance shikayat takrar शिकायत तक्रार',
  DELETE: 'delete remove erase हटाना हटाइए मिटाना डिलीट हटवणे काढून',
  LANGUAGE: 'language bhasha भाषा',
  ONLINE: 'online internet website app ऑनलाइन वेबसाइट ऐप संकेतस्थळ',
  HOME: 'home house doorstep ghar घर घरी',
  URGENT: 'urgent urgently emergency immediate immediately express turant तुरंत आपातकालीन इमरजेंसी तातडीने आपत्कालीन',
  ABROAD: 'abroad overseas international foreign videsh विदेश परदेश',
  GENUINE: 'genuine original authentic real asli असली ओरिजिनल अस्सल',
  CLEAN: 'clean cleaning wash washing laundry साफ सफाई धोना धुलाई स्वच्छ धुणे धुलाई',
  USED: 'old used purana juna पुराना पुरानी पुराने जुना जुने जुनी',
  START: 'start begin commence shuru शुरू आरंभ सुरू सुरुवात',
  END: 'end finish expire khatam खत्म समाप्त संपते संपतो संपणे',
  WAIT: 'wait waiting queue इंतजार प्रतीक्षा',
  TRIAL: 'trial demo sample ट्रायल डेमो नमूना नमुना',
  GROUP: 'people person guest group लोग व्यक्ति मेहमान लोक व्यक्ती पाहुणे',
  LEAST: 'minimum least न्यूनतम किमान',
  MOST: 'maximum most अधिकतम कमाल',
  SUNDAY: 'sunday रविवार इतवार',
  MONDAY: 'monday सोमवार',
  TUESDAY: 'tuesday मंगलवार मंगळवार',
  WEDNESDAY: 'wednesday बुधवार',
  THURSDAY: 'thursday गुरुवार',
  FRIDAY: 'friday शुक्रवार',
  SATURDAY: 'saturday शनिवार',
} satisfies Record<string, string>;

/** Question words, which are matched unstemmed, since their stems could be confused. */
const asking = {
  TIME: 'when kab kadhi कब कधी',
  PLACE: 'where kahan kuthe कहाँ कहां कुठे कुठं',
  WHY: 'why kyun kyon क्यों क्यूं',
  WHO: 'who whose',
  PAST: 'did',
} satisfies Record<string, string>;

/** Phrases with a meaning of their own, in folded spelling. They are matched before single words. */
const phrases = (
  [
    ['CLOCK', 'what time is it', 'what is the time', 'what is the time now', 'कितने बजे हैं', 'कितने बजे है', 'किती वाजले'],
    ['REFUND', 'money back', 'get back my money', 'my money back', 'पैसे वापस', 'पैसा वापस', 'पैसे परत', 'paise wapas', 'paise parat'],
    [
      'TIME',
      'how long',
      'how many days',
      'how soon',
      'how fast',
      'what time',
      'how many hours',
      'how much time',
      'कितने दिन',
      'कितना समय',
      'कितनी देर',
      'किती दिवस',
      'किती दिवसांत',
      'किती वेळ',
      'kitne din',
      'kiti divas',
    ],
    [
      'PRICE',
      'how much',
      'how expensive',
      'कितने का',
      'कितने की',
      'कितने में',
      'कितने पैसे',
      'कितना पैसा',
      'कितना लगेगा',
      'कितना लगता',
      'कितने रुपये',
      'कितना खर्च',
      'किती पैसे',
      'किती रुपये',
      'कितीला',
      'केवढ्याला',
      'किती लागतात',
      'kitne ka',
      'kitna lagega',
      'kiti paise',
      'kitna paisa',
    ],
  ] as const
).flatMap(([concept, ...spoken]) => spoken.map((phrase) => ({ concept, words: ` ${wordsOf(phrase).join(' ')} ` })));

const beginnings = new Set(phrases.map(({ words }) => words.trim().split(' ')[0]));

const concepts = byWord(table, (word) => stemOf(foldSpelling(word)));
const wanted = byWord(asking, foldSpelling);

function byWord(of: Record<string, string>, keyOf: (word: string) => string): ReadonlyMap<string, string> {
  const entries = Object.entries(of).flatMap(([concept, words]) =>
    words.split(' ').map((word) => [keyOf(word), concept] as const),
  );
  return new Map(entries);
}

/** The concept of a stemmed word, if any. */
export function conceptOf(stem: string): string | undefined {
  return concepts.get(stem);
}

/** What a question word, in folded spelling, asks for: a time, a place, a reason. */
export function wantedBy(word: string): string | undefined {
  return wanted.get(word);
}

/** The concepts of phrases in a text, and the text without them. */
export function spokenTogether(text: string): { concepts: string[]; rest: string } {
  const wordsOfText = wordsOf(text);
  const found: string[] = [];
  let rest = ` ${wordsOfText.join(' ')} `;
  // Most sentences do not contain the first word of any phrase.
  if (!wordsOfText.some((word) => beginnings.has(word))) return { concepts: found, rest };
  for (const { concept, words } of phrases) {
    if (!rest.includes(words)) continue;
    found.push(concept);
    rest = rest.replaceAll(words, ' ');
  }
  return { concepts: found, rest };
}
