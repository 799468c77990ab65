import { asker, type Business, honest, inDays, product, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const rules = `बाब,नियम
रद्द करणे,"दोन दिवस आधी रद्द केल्यास पूर्ण पैसे परत; नंतर निम्मे"
उशीर,"उशिरा परत आल्यास दर पंधरा मिनिटांना ₹100; इंधन वेगळे"
`;

/** A boating club in Pune with knowledge in Marathi, written to test opposite questions, other subjects and dates. */
export const lakeBoats: Business = {
  name: 'शिवसागर नौका क्लब',
  part: 'held-out',
  profile: {
    business_name: 'शिवसागर नौका क्लब',
    business_type: 'नौकाविहार केंद्र',
    industry: 'Leisure',
    company_description: 'खडकवासला तलावावर नौकाविहार, 1999 पासून. व्यवस्थापक: अरुण भोसले.',
    support_email: 'boat@shivsagar.example',
    support_phone: '+912025550788',
    office_address: 'धरण रस्ता, खडकवासला, पुणे 411024',
    working_hours: week(['Monday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '07:00 AM', '06:30 PM'),
    holidays: [
      { date: inDays(3), opens: '07:00 AM', closes: '11:30 AM', note: 'वार्षिक शर्यत' },
      { date: inDays(10), opens: '', closes: '', note: 'धरण पाहणी' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    product('पेडल बोट', 'बोटी', 200),
    product('मोटर बोट', 'बोटी', 900),
    product('कयाक', 'बोटी', 350),
    product('लाइफ जॅकेट', 'साहित्य', 50),
  ],
  services: [],
  faqs: [
    { Question: 'लाइफ जॅकेट घालावे लागते का?', Answer: 'हो, बोटीत असेपर्यंत.' },
    { Question: 'लहान मुलांसाठी पेडल बोट सुरक्षित आहे का?', Answer: 'हो, मोठ्या माणसासोबत.' },
    { Question: 'बोटीत खाणे आणता येते का?', Answer: 'नाही, फक्त पाणी.' },
    { Question: 'पोहता येणे आवश्यक आहे का?', Answer: 'नाही, लाइफ जॅकेट पुरेसे आहे.' },
    { Question: 'तलावात पोहण्यास परवानगी आहे का?', Answer: 'नाही, कुठेही नाही.' },
    { Question: 'पाऊस असताना बोटी चालतात का?', Answer: 'नाही, पाऊस थांबेपर्यंत थांबावे लागते.' },
  ],
  documents: [{ fileName: 'niyam.csv', text: rules }],
  asked: [
    mr('opposite', 'लाइफ जॅकेट न घालता बोटीत बसता येते का?', ['बोटीत असेपर्यंत'], ['बोटीत असेपर्यंत'], { notLed: ['हो'] }),
    mr('opposite', 'बोटीत लाइफ जॅकेट काढता येते का?', ['बोटीत असेपर्यंत'], ['बोटीत असेपर्यंत|माहिती'], { notLed: ['हो'] }),
    mr('opposite', 'लहान मुलांसाठी पेडल बोट धोकादायक आहे का?', ['मोठ्या माणसासोबत'], ['मोठ्या माणसासोबत'], { notLed: ['हो'] }),
    mr('opposite', 'पेडल बोट लहान मुलांसाठी असुरक्षित आहे का?', ['मोठ्या माणसासोबत'], ['मोठ्या माणसासोबत'], { notLed: ['हो'] }),
    mr('opposite', 'तलावात पोहण्यास बंदी आहे का?', ['कुठेही नाही'], ['कुठेही नाही'], { notLed: ['नाही'] }),
    mr('opposite', 'तलावात पोहण्यास मनाई आहे का?', ['कुठेही नाही'], ['कुठेही नाही'], { notLed: ['नाही'] }),
    mr('opposite', 'पोहता येत नसेल तर चालते का?', ['पुरेसे आहे'], ['पुरेसे आहे|माहिती'], { notLed: ['नाही'] }),
    mr('plain', 'लाइफ जॅकेट घालावेच लागते का?', ['बोटीत असेपर्यंत'], ['हो', 'बोटीत असेपर्यंत']),
    mr('plain', 'बोटीत खाणे आणता येईल का?', ['फक्त पाणी'], ['नाही', 'पाणी']),
    mr('plain', 'दोन दिवस आधी रद्द केल्यास पैसे परत मिळतात का?', ['पूर्ण पैसे परत'], ['पूर्ण पैसे परत'], { never: ['बाब:', 'नियम:'] }),
    mr('plain', 'उशिरा परत आल्यास किती लागतात?', ['₹100'], ['100'], { never: ['बाब:', 'नियम:'] }),
    mr('hours', 'तुमची वेळ काय आहे?', ['07:00 AM|7:00 AM'], ['सकाळी 7', 'संध्याकाळी 6:30']),
    mr('hours', 'मंगळवारी उघडे असता का?', ['Tuesday|मंगळवार'], ['मंगळवारी आम्ही बंद']),
    mr('exception', 'वार्षिक शर्यतीच्या दिवशी दुपारी 2 वाजता उघडे आहात का?', ['वार्षिक शर्यत'], ['नाही', '11:30'], {
      notLed: ['हो'],
    }),
    mr('exception', 'वार्षिक शर्यतीच्या दिवशी सकाळी 9 वाजता येऊ शकतो का?', ['वार्षिक शर्यत'], ['हो', '11:30'], {
      notLed: ['नाही'],
    }),
    mr('exception', 'तुम्हाला सुट्टी कधी असते?', ['धरण पाहणी'], ['धरण पाहणी|मंगळवार']),
    mr('trap', 'धरण पाहणीच्या दिवशी बँक उघडी आहे का?', [], [honest], { never: ['आम्ही बंद', 'उघडे आ', 'उघडे अस'] }),
    mr('trap', 'शाळा उद्या उघडी आहे का?', [], [honest], { never: ['आम्ही बंद', 'उघडे आ', 'उघडे अस'] }),
    mr('trap', 'मंगळवारी वाचनालय उघडे असते का?', [], [honest], { never: ['आम्ही बंद', 'उघडे आ', 'उघडे अस'] }),
    mr('unanswerable', 'तुमच्याकडे पार्किंग आहे का?', []),
    mr('unanswerable', 'तुमच्याकडे हॉटेल आहे का?', []),
    mr('follow-up', 'आणि मंगळवारी?', ['Tuesday|मंगळवार'], ['बंद'], { before: ['सोमवारी किती वाजेपर्यंत उघडे असता?'] }),
    en('opposite', 'Is swimming in the lake forbidden?', ['कुठेही नाही'], ['कुठेही नाही|not know|not sure'], {
      notLed: ['no', 'नाही'],
    }),
    en('hours', 'When do you close on Saturday?', ['06:30 PM|6:30 PM'], ['6:30 PM']),
    en('trap', 'Is the museum open on Sunday?', [], [honest], { never: ['we are open', 'we are closed'] }),
    en('unanswerable', 'Do you have an app?', []),
    hi('opposite', 'क्या तालाब में तैरना मना है?', ['कुठेही नाही'], ['कुठेही नाही|जानकारी'], { notLed: ['नहीं', 'नाही'] }),
    hi('hours', 'सोमवार को कितने बजे खुलते हो?', ['07:00 AM|7:00 AM'], ['सुबह 7 बजे']),
    hi('price', 'कयाक का किराया?', ['350'], ['350'], { never: ['आहे', 'किंमत'] }),
    hi('trap', 'रविवार को डाकघर खुला है?', [], [honest], { never: ['हम बंद', 'खुले हैं'] }),
    hl('opposite', 'talavat pohnyas bandi aahe ka?', ['कुठेही नाही'], ['kuthehi|कुठेही|mahiti'], { notLed: ['nahi', 'नाही'] }),
    hl('hours', 'Shanivari kiti vajta ughadta?', ['07:00 AM|7:00 AM'], ['sakali 7']),
    hl('exception', 'dharan pahani chya divshi ughde aahat ka?', ['धरण पाहणी'], ['band|बंद']),
    hl('trap', 'bank ravivari ughdi aste ka?', [], [honest], { never: ['hum band', 'khule hain', 'amhi band', 'ughde as'] }),
  ],
};
