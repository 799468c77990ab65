import { asker, type Business, honest, inDays, product, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const rules = `विषय,नियम
रद्द करना,"एक दिन पहले रद्द करने पर कुछ नहीं लगता; उसी दिन ₹150 लगते हैं"
पुराना यंत्र,"पुराना यंत्र लेने पर ₹500 कम होते हैं; टूटा हुआ नहीं लेते"
फ़िल्टर,"फ़िल्टर हर छह महीने में बदलना चाहिए; खारे पानी में चार महीने में"
`;

/** A water purifier service in Kanpur with knowledge in Hindi, written to test opposite questions, other subjects and dates. */
export const waterPurifiers: Business = {
  name: 'गंगोत्री जल शोधक',
  part: 'tuning',
  profile: {
    business_name: 'गंगोत्री जल शोधक',
    business_type: 'पानी के यंत्र की दुकान',
    industry: 'Home services',
    company_description: 'कानपुर में पानी साफ़ करने के यंत्र, बिक्री और मरम्मत, 2004 से। मालिक: अनिल कटियार।',
    support_email: 'seva@gangotri.example',
    support_phone: '+915122550417',
    office_address: '31 माल रोड, कानपुर 208001',
    working_hours: [
      ...week(['Monday', 'Tuesday', 'Thursday', 'Friday', 'Saturday'], '09:30 AM', '07:00 PM').filter(
        ({ day }) => day !== 'Sunday',
      ),
      { day: 'Sunday', is_open: true, open_time: '10:00 AM', close_time: '01:00 PM' },
    ],
    holidays: [
      { date: inDays(4), opens: '11:00 AM', closes: '03:00 PM', note: 'वार्षिक पूजा' },
      { date: inDays(8), opens: '', closes: '', note: 'गंगा मेला' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [product('घरेलू यंत्र', 'यंत्र', 8900), product('दुकान का यंत्र', 'यंत्र', 21500), product('कार्बन फ़िल्टर', 'पुर्जे', 450)],
  services: [service('सालाना मरम्मत', 60, 1800), service('यंत्र लगाना', 90, 600)],
  faqs: [
    { Question: 'क्या मरम्मत के समय पानी बंद करना पड़ता है?', Answer: 'हाँ, आधे घंटे के लिए।' },
    { Question: 'क्या यंत्र का पानी छोटे बच्चों के लिए सुरक्षित है?', Answer: 'हाँ, तीन महीने से बड़े बच्चों के लिए।' },
    { Question: 'क्या यंत्र को धूप में रख सकते हैं?', Answer: 'नहीं, छाया में लगाएँ।' },
    { Question: 'क्या बिना बिजली के यंत्र चलता है?', Answer: 'नहीं, बिजली चाहिए।' },
    { Question: 'क्या मरम्मत के लिए यंत्र दुकान पर लाना पड़ता है?', Answer: 'नहीं, हम घर आते हैं।' },
    { Question: 'गारंटी कितनी है?', Answer: 'यंत्र की गारंटी दो साल है।' },
  ],
  documents: [{ fileName: 'niyam.csv', text: rules }],
  asked: [
    hi('opposite', 'क्या मरम्मत के समय पानी चालू रख सकते हैं?', ['आधे घंटे'], ['आधे घंटे'], { notLed: ['हाँ'] }),
    hi('opposite', 'क्या यंत्र का पानी छोटे बच्चों के लिए ख़तरनाक है?', ['तीन महीने'], ['तीन महीने'], { notLed: ['हाँ'] }),
    hi('opposite', 'क्या यंत्र का पानी बच्चों के लिए असुरक्षित है?', ['तीन महीने'], ['तीन महीने'], { notLed: ['हाँ'] }),
    hi('opposite', 'यंत्र को धूप में रखना मना है क्या?', ['छाया में'], ['छाया'], { notLed: ['नहीं'] }),
    hi('opposite', 'क्या यंत्र को धूप से बचाना पड़ता है?', ['छाया में'], ['छाया|जानकारी'], { notLed: ['नहीं'] }),
    hi('opposite', 'क्या यंत्र बिजली से चलता है?', ['बिजली चाहिए'], ['बिजली चाहिए'], { notLed: ['नहीं'] }),
    hi('opposite', 'क्या मरम्मत घर पर हो जाती है?', ['हम घर आते हैं'], ['घर आते हैं'], { notLed: ['नहीं'] }),
    hi('plain', 'क्या मरम्मत करते समय पानी बंद करना पड़ेगा?', ['आधे घंटे'], ['हाँ', 'आधे घंटे']),
    hi('plain', 'उसी दिन रद्द करने पर कितना लगता है?', ['₹150'], ['150'], { never: ['विषय:', 'नियम:'] }),
    hi('plain', 'पुराना यंत्र देने पर कितना कम होगा?', ['₹500'], ['500'], { never: ['विषय:', 'नियम:'] }),
    hi('price', 'कार्बन फ़िल्टर का दाम?', ['450'], ['450', 'है'], { never: ['आहे', 'किंमत'] }),
    hi('price', 'यंत्र लगाने का खर्च?', ['600'], ['600'], { never: ['आहे', 'किंमत'] }),
    hi('price', 'सालाना मरम्मत का शुल्क?', ['1800|1,800'], ['1,800|1800'], { never: ['आहे', 'किंमत'] }),
    hi('hours', 'रविवार को कब से कब तक खुला है?', ['10:00'], ['सुबह 10 बजे', 'दोपहर 1 बजे']),
    hi('hours', 'दुकान का समय क्या है?', ['9:30|09:30'], ['सुबह 9:30 बजे', 'शाम 7 बजे']),
    hi('hours', 'बुधवार को खुले हैं?', ['Wednesday|बुधवार'], ['बुधवार को हम बंद']),
    hi('exception', 'वार्षिक पूजा के दिन शाम 5 बजे खुले हैं?', ['वार्षिक पूजा'], ['नहीं', 'दोपहर 3 बजे'], { notLed: ['हाँ'] }),
    hi('exception', 'वार्षिक पूजा को दोपहर 12 बजे आ सकते हैं?', ['वार्षिक पूजा'], ['हाँ', 'दोपहर 3 बजे'], { notLed: ['नहीं'] }),
    hi('exception', 'क्या आपकी कोई छुट्टी है?', ['गंगा मेला'], ['गंगा मेला']),
    hi('trap', 'क्या बैंक गंगा मेला को खुला है?', [], [honest], { never: ['हम बंद', 'खुले हैं'] }),
    hi('trap', 'रविवार को डाकघर खुला है क्या?', [], [honest], { never: ['हम बंद', 'खुले हैं'] }),
    hi('trap', 'कल स्कूल खुला है?', [], [honest], { never: ['हम बंद', 'खुले हैं'] }),
    hi('unanswerable', 'क्या आपके यहाँ पार्किंग है?', []),
    hi('unanswerable', 'क्या आपका ऐप है?', []),
    hi('unanswerable', 'क्या आप गीज़र की मरम्मत करते हैं?', []),
    en('opposite', 'Is the water of the purifier dangerous for babies?', ['तीन महीने'], ['तीन महीने|three months'], {
      notLed: ['yes', 'हाँ'],
    }),
    en('hours', 'Until when are you open on Sunday?', ['01:00 PM|1:00 PM'], ['1:00 PM|1 pm']),
    en('trap', 'Is the railway station open on Wednesday?', [], [honest], { never: ['we are open', 'we are closed'] }),
    mr('opposite', 'यंत्र उन्हात ठेवायला मनाई आहे का?', ['छाया में'], ['छाया|माहिती'], { notLed: ['नाही', 'नहीं'] }),
    mr('hours', 'शनिवारी किती वाजेपर्यंत दुकान उघडे असते?', ['07:00 PM|7:00 PM'], ['संध्याकाळी 7']),
    mr('trap', 'बँक रविवारी उघडी असते का?', [], [honest], { never: ['आम्ही बंद', 'उघडे आ', 'उघडे अस'] }),
    hl('opposite', 'kya marammat ke samay paani chalu rakh sakte hain?', ['आधे घंटे'], ['आधे घंटे|jaankari'], {
      notLed: ['haan', 'हाँ'],
    }),
    hl('hours', 'Ravivar ko dukan kab khulti hai?', ['10:00'], ['subah 10 baje']),
    hl('trap', 'kya school ganga mela ko khula hai?', [], [honest], {
      never: ['hum band', 'khule hain', 'amhi band', 'ughde as'],
    }),
    hl('plain', 'filter kitne mahine me badalna chahiye?', ['छह महीने'], ['छह'], { never: ['vishay', 'niyam'] }),
    hi('follow-up', 'और सोमवार को?', ['9:30|09:30'], ['शाम 7 बजे'], { before: ['रविवार को कब तक खुले हो?'] }),
  ],
};
