import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const plans = `सदस्यत्व,कालावधी (महिने),शुल्क (₹),तरण तलाव
मासिक,1,1400,नाही
तिमाही,3,3600,नाही
सहामाही,6,6500,हो
वार्षिक,12,11000,हो
विद्यार्थी,3,2700,नाही
`;

const rules = `व्यायामशाळेचे नियम

प्रवेश
प्रवेश शुल्क ₹300 आहे आणि ते एकदाच भरावे लागते. सोळा वर्षांखालील मुलांना प्रवेश नाही. ओळखपत्र आणि दोन फोटो आणावेत.

प्रशिक्षक
प्रशिक्षक संदीप घोरपडे आणि रेश्मा तांबे आहेत. स्वतंत्र प्रशिक्षणाचे महिन्याला ₹3,500 लागतात.

योगवर्ग
योगवर्ग सोमवार, बुधवार आणि शुक्रवारी सकाळी 7 ते 8 या वेळेत होतो. सदस्यांना तो मोफत आहे.

तरण तलाव
तरण तलाव दुपारी 2 ते 6 या वेळेत उघडा असतो. पोहताना टोपी घालणे आवश्यक आहे. पावसाळ्यात तलाव बंद असतो.

महिलांसाठी
दुपारी 12 ते 2 ही वेळ फक्त महिलांसाठी राखीव आहे.

सदस्यत्व थांबवणे
वार्षिक सदस्यत्व वर्षातून तीस दिवस थांबवता येते. भरलेले शुल्क परत मिळत नाही. सदस्यत्व दुसऱ्याच्या नावावर करता येते, त्यासाठी ₹200 लागतात.

लॉकर
लॉकरचे महिन्याला ₹150 भाडे आहे. किल्ली हरवल्यास ₹100 दंड आहे.

वस्तू
टॉवेल आणि स्वच्छ बूट आणावेत. व्यायाम करताना चप्पल चालत नाही.

पार्किंग
दुचाकीसाठी पार्किंग मोफत आहे. चारचाकीसाठी जागा नाही.

पैसे भरणे
पैसे रोख किंवा यूपीआयने भरता येतात. वार्षिक शुल्क दोन हप्त्यांत भरता येते.
`;

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** A gymnasium in Satara whose knowledge is written in Marathi. */
export const gymnasium: Business = {
  name: 'Balopasana Gym',
  part: 'tuning',
  profile: {
    business_name: 'Balopasana Gym',
    business_type: 'Gymnasium',
    industry: 'Fitness',
    company_description: 'साताऱ्यातील व्यायामशाळा आणि तरण तलाव.',
    support_email: 'namaste@balopasana.example',
    support_phone: '+912162233908',
    office_address: 'पोवई नाका, सातारा 415001',
    working_hours: week(days, '05:30 AM', '10:00 PM'),
    holidays: [
      { date: inDays(5), opens: '', closes: '', note: 'Champa Shashthi' },
      { date: inDays(10), opens: '05:30 AM', closes: '12:00 PM', note: 'Wrestling match' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    { product_id: null, product_name: 'Protein powder 1 kg', category: 'Food', price: 2300, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Gym gloves', category: 'Things', price: 350, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Swimming cap', category: 'Things', price: 120, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Skipping rope', category: 'Things', price: 240, currency: 'INR', availability: false },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Diet advice',
      service_duration: 45,
      service_price: 700,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Massage',
      service_duration: 40,
      service_price: 650,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'एक दिवस करून बघता येईल का?', Answer: 'हो, एक दिवसाची चाचणी मोफत आहे.' },
    { Question: 'वातानुकूलित आहे का?', Answer: 'नाही, पण मोठे पंखे आणि खिडक्या आहेत.' },
  ],
  documents: [
    { fileName: 'plans.csv', text: plans },
    { fileName: 'niyam.md', text: rules },
  ],
  asked: [
    en('plain', 'How much is the entrance fee?', ['₹300'], ['300']),
    en('plain', 'When is the yoga class?', ['सकाळी 7 ते 8'], ['7'], { never: ['5:30', '05:30'] }),
    en('plain', 'Is there car parking?', ['चारचाकीसाठी जागा नाही'], ['जागा नाही|no space|no parking|no room'], notHonest),
    en('plain', 'Who are the trainers?', ['संदीप घोरपडे'], ['संदीप|Sandeep']),
    en('price', 'What does the yearly membership cost?', ['11000'], ['11,000']),
    en('price', 'How much are gym gloves?', ['350'], ['350']),
    en('price', 'How much do you charge for a massage?', ['650'], ['650']),
    en('hours', 'How early do you open on weekdays?', ['05:30 AM'], ['5:30|half past five']),
    en('hours', 'Are you closed on Sunday?', ['Sunday'], ['closed|yes']),
    en('comparison', 'Which costs more, diet advice or a massage?', ['700', '650'], ['Diet advice'], notHonest),
    en('comparison', 'How much do I save with the student plan over the quarterly one?', ['2700', '3600'], ['900']),
    en('computing', 'How much for three swimming caps?', ['120'], ['360']),
    en('computing', 'What do I pay for gloves and a skipping rope?', ['350', '240'], ['590']),
    en('paraphrase', 'Can I try the place before I join?', ['चाचणी मोफत'], ['चाचणी|trial|free|मोफत']),
    en('paraphrase', 'I am travelling for a month, can my subscription be paused?', ['तीस दिवस'], ['तीस|30|thirty']),
    en('follow-up', 'And for six months?', ['6500'], ['6,500'], { before: ['How much is a membership for three months?'] }),
    en('follow-up', 'And what if I lose the key?', ['₹100'], ['100'], { before: ['How much is a locker?'] }),
    en('negation', 'What may I not wear while exercising?', ['चप्पल चालत नाही'], ['चप्पल|slippers|sandals']),
    en(
      'exception',
      'Are you open in the evening on the day of the wrestling match?',
      ['Wrestling match'],
      ['12:00 PM|12 PM|noon|closed'],
    ),
    en('unanswerable', 'Do you teach boxing?', []),
    hi('price', 'प्रोटीन पाउडर कितने का है?', ['2300'], ['2,300']),
    hi('plain', 'लॉकर का किराया कितना है?', ['₹150'], ['150']),
    hi('paraphrase', 'क्या औरतों के लिए अलग समय है?', ['महिलांसाठी राखीव'], ['12']),
    hi('hours', 'शनिवार को रात कितने बजे तक खुला है?', ['10:00 PM'], ['10']),
    hi('computing', 'दो जोड़ी दस्ताने कितने के पड़ेंगे?', ['350'], ['700']),
    hi('comparison', 'सबसे सस्ता सदस्यत्व कौन सा है?', ['1400'], ['मासिक']),
    hi('exception', 'चंपा षष्ठी को जिम खुला रहेगा?', ['Champa Shashthi'], ['बंद|closed']),
    hi('negation', 'क्या फीस वापस नहीं मिलती?', ['परत मिळत नाही'], ['परत मिळत नाही|नहीं'], notHonest),
    hi('unanswerable', 'क्या यहाँ ज़ुम्बा सिखाते हैं?', []),
    mr('plain', 'तरण तलाव कधी उघडा असतो?', ['दुपारी 2 ते 6'], ['2 ते 6'], { never: ['10:00'] }),
    mr('price', 'सहामाही सदस्यत्वाचे शुल्क किती?', ['6500'], ['6,500']),
    mr('paraphrase', 'माझा मुलगा चौदा वर्षांचा आहे, त्याला येता येईल का?', ['सोळा वर्षांखालील'], ['सोळा|16']),
    mr('computing', 'तीन महिन्यांचे लॉकरचे भाडे किती होईल?', ['₹150'], ['450']),
    mr('comparison', 'मासिक आणि तिमाही यांत किती फरक आहे?', ['1400', '3600'], ['2,200']),
    mr('follow-up', 'त्यात पोहता येते का?', ['हो'], ['हो,|हो।|हो.|: हो|होय|आहे: हो'], {
      before: ['वार्षिक सदस्यत्व कितीला आहे?'],
      never: ['नाही'],
    }),
    mr('negation', 'कोणत्या दिवशी जिम बंद असते?', ['Sunday'], ['रविवार']),
    mr('unanswerable', 'तुमच्याकडे स्टीम बाथ आहे का?', []),
    hl('price', 'student ka kitna lagega?', ['2700'], ['2,700']),
    hl('plain', 'parking hai kya bike ke liye?', ['पार्किंग मोफत'], ['मोफत|free|muft']),
    hl('paraphrase', 'paise do baar mein de sakte hain kya?', ['दोन हप्त्यांत'], ['हप्त्यांत|हप्ते']),
  ],
};
