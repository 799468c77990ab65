import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const groups = `गट,वय (वर्षे),वेळ,महिन्याची फी (₹),एका ताईकडे मुले
टॉडलर,1 ते 2,सकाळी 9 ते 11,4200,4
प्लेग्रुप,2 ते 3,सकाळी 9 ते 12,3600,8
नर्सरी,3 ते 4,सकाळी 9 ते 12:30,3900,12
शिशुवर्ग,4 ते 5,सकाळी 9 ते 1,4400,15
पाळणाघर अर्धा दिवस,1 ते 8,दुपारी 1 ते 7,5200,6
पाळणाघर पूर्ण दिवस,1 ते 8,सकाळी 8 ते 7,7800,6
`;

const parents = `# पालकांसाठी माहिती

## प्रवेश
प्रवेशासाठी जन्मदाखला, लसीकरण कार्ड आणि चार फोटो लागतात. प्रवेश शुल्क ₹2,500 एकदाच भरायचे असते आणि ते परत मिळत नाही.
पहिल्या आठवड्यात आई किंवा बाबा वर्गात एक तास थांबू शकतात.

## फी
फी दर महिन्याच्या पाच तारखेपर्यंत भरावी; त्यानंतर दिवसाला ₹50 दंड आहे. सख्ख्या भावंडाला फीमध्ये 20 टक्के सवलत आहे.
फी यूपीआय किंवा बँक ट्रान्सफरने घेतो, रोख घेत नाही. पाळणाघर बंद करायचे असेल तर एक महिना आधी कळवावे.

## खाणे
दुपारच्या जेवणाचे महिन्याला ₹900 वेगळे आहेत. जेवण शाकाहारी असते. डब्यात चिप्स, चॉकलेट आणि सरबत देऊ नये.
वाढदिवसाला केक आणू नये; त्याऐवजी फळे वाटावीत.

## आजारपण
ताप आलेल्या मुलाला ताप उतरल्यावर चोवीस तास घरीच ठेवावे. औषध द्यायचे असेल तर डॉक्टरांची चिठ्ठी हवी.
डॉ. अंजली फाटक दर महिन्याच्या पहिल्या गुरुवारी मुलांना तपासतात.

## न्यायला येणे
आईबाबांशिवाय कोणी न्यायला येणार असेल तर त्याचे ओळखपत्र आणि आमच्या ॲपवरचा कोड लागतो.
उशीर झाला तर पहिली पंधरा मिनिटे काही लागत नाही, पुढे दर अर्ध्या तासाला ₹100 लागतात.

## व्हॅन
तीन किलोमीटरपर्यंत व्हॅनचे महिन्याला ₹1,300, त्यापुढे घोडबंदर रोडवर मानपाड्यापर्यंत ₹1,800 लागतात. शनिवारी व्हॅन नसते.

## सुरक्षा
वर्गातले कॅमेरे पालकांना मोबाईलवर दिसतात. झोपायच्या खोलीत कॅमेरा नाही. दाराशी पहारेकरी सुरेश पवार असतात.

## भेट
प्रवेशाआधी जागा पाहायची असेल तर मंगळवारी आणि शुक्रवारी सकाळी 10 ते 11 या वेळेत यावे. मुख्याध्यापिका स्नेहल गोखले भेटतात.
`;

const weekdays = week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'], '08:00 AM', '07:30 PM') ?? [];

/** A playschool and day-care in Thane whose knowledge is written in Marathi. */
export const dayCare: Business = {
  name: 'Chimani Pakhara Day-care',
  part: 'held-out',
  profile: {
    business_name: 'Chimani Pakhara Day-care',
    business_type: 'Playschool and day-care',
    industry: 'Education',
    company_description: 'एक ते आठ वर्षांच्या मुलांसाठी बालवाडी आणि पाळणाघर.',
    support_email: 'tai@chimanipakhara.example',
    support_phone: '+912225447096',
    office_address: 'बंगला क्र. 3, हिरानंदानी मेडोजजवळ, ठाणे पश्चिम 400610',
    working_hours: [
      ...weekdays.filter(({ is_open }) => is_open),
      { day: 'Saturday', is_open: true, open_time: '08:00 AM', close_time: '02:00 PM' },
      { day: 'Sunday', is_open: false, open_time: '', close_time: '' },
    ],
    holidays: [
      { date: inDays(3), opens: '', closes: '', note: 'गुढीपाडवा (Gudi Padwa)' },
      { date: inDays(10), opens: '08:00 AM', closes: '12:00 PM', note: 'स्नेहसंमेलन (annual gathering)' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    { product_id: null, product_name: 'Uniform set', category: 'Clothes', price: 780, currency: 'INR', availability: true },
    { product_id: null, product_name: 'School bag', category: 'Things', price: 450, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Raincoat', category: 'Clothes', price: 520, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Activity box', category: 'Things', price: 1250, currency: 'INR', availability: false },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Day-care by the hour',
      service_duration: 60,
      service_price: 150,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Summer camp, three weeks',
      service_duration: 240,
      service_price: 4800,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'डायपर घालणारे मूल चालते का?', Answer: 'हो, पण डायपर आणि बदलायचे कपडे घरून द्यावेत.' },
    { Question: 'उन्हाळ्याच्या सुट्टीत पाळणाघर सुरू असते का?', Answer: 'हो, बालवाडी मे महिन्यात बंद असते पण पाळणाघर सुरू असते.' },
    { Question: 'वर्गात कोणती भाषा बोलता?', Answer: 'मराठी आणि इंग्रजी दोन्ही.' },
  ],
  documents: [
    { fileName: 'gat.csv', text: groups },
    { fileName: 'palak.md', text: parents },
  ],
  asked: [
    en('plain', 'Who is the headmistress?', ['स्नेहल गोखले'], ['स्नेहल|Snehal']),
    en('plain', 'How much is the admission fee?', ['₹2,500'], ['2,500|2500']),
    en('price', 'What is the monthly fee of nursery?', ['3900'], ['3,900|3900']),
    en('price', 'hello ma’am how much do you charge for full day day care per month', ['7800'], ['7,800|7800'], {
      never: ['5,200', '5200'],
    }),
    en('price', 'What does a raincoat cost?', ['520'], ['520']),
    en('hours', 'How late is the day-care open on a Saturday?', ['02:00 PM'], ['2:00 PM|2 PM']),
    en('hours', 'Are you open on Sundays?', ['Sunday'], ['closed|not open|no,'], notHonest),
    en('exception', 'Is there day-care on Gudi Padwa?', ['Gudi Padwa'], ['closed|no,|not open'], notHonest),
    en('comparison', 'Which costs more a month, playgroup or toddler?', ['4200', '3600'], ['टॉडलर|Toddler']),
    en('comparison', 'In which group does one teacher look after the fewest children?', ['4'], ['टॉडलर|Toddler']),
    en('computing', 'What do two uniform sets and a school bag come to?', ['780', '450'], ['2,010|2010']),
    en('computing', 'How much is six hours of day-care by the hour?', ['150'], ['900']),
    en(
      'paraphrase',
      'My daughter had a temperature last night, may she come today?',
      ['चोवीस तास घरीच'],
      ['चोवीस|24|twenty-four|twenty four'],
    ),
    en(
      'paraphrase',
      'The grandfather will pick up the boy today, what must he show?',
      ['ओळखपत्र'],
      ['ओळखपत्र|identity|ID card|ID proof|कोड'],
    ),
    en('paraphrase', 'Both of my children would come, is the second one cheaper?', ['20 टक्के'], ['20']),
    en('follow-up', 'And the half day?', ['5200'], ['5,200|5200'], {
      before: ['How much is the full day day-care per month?'],
      never: ['7,800', '7800'],
    }),
    en('follow-up', 'And to Manpada on Ghodbunder Road?', ['₹1,800'], ['1,800|1800'], {
      before: ['What does the van cost within three kilometres?'],
    }),
    en('negation', 'What should I not put into the lunch box?', ['चिप्स, चॉकलेट आणि सरबत'], ['चिप्स|chips']),
    en('trap', 'When can I come to look at the place before admission?', ['मंगळवारी आणि शुक्रवारी'], ['मंगळवार|Tuesday'], {
      never: ['7:30'],
    }),
    en('unanswerable', 'Do you teach swimming?', []),
    en('unanswerable', 'How many children are there in all?', []),
    hi('price', 'प्लेग्रुप की महीने की फीस कितनी है?', ['3600'], ['3,600|3600']),
    hi('plain', 'एडमिशन के लिए कौन से कागज़ चाहिए?', ['जन्मदाखला'], ['जन्म']),
    hi('paraphrase', 'ऑफिस से निकलने में देर हो जाए और बच्चे को बीस मिनट बाद लेने आऊँ तो कुछ देना पड़ेगा?', ['पंधरा मिनिटे'], ['100|सौ|शंभर']),
    hi('hours', 'सुबह कितने बजे से बच्चे को छोड़ सकते हैं', ['08:00 AM'], ['8:00|8 बजे|आठ|8 ते|8 AM']),
    hi('computing', 'तीन महीने के खाने का कितना होगा?', ['₹900'], ['2,700|2700']),
    hi('follow-up', 'और नर्सरी की?', ['3900'], ['3,900|3900'], { before: ['शिशुवर्ग की महीने की फीस क्या है?'], never: ['4,400'] }),
    hi('negation', 'क्या फीस नकद नहीं ले सकते आप?', ['रोख घेत नाही'], ['घेत नाही|नहीं'], notHonest),
    hi('unanswerable', 'क्या आपके यहाँ बच्चों को कराटे सिखाते हैं?', []),
    mr('price', 'शिशुवर्गाची फी किती आहे?', ['4400'], ['4,400|4400']),
    mr('plain', 'डॉक्टर मुलांना कधी तपासतात?', ['पहिल्या गुरुवारी'], ['गुरुवार|गुरुवारी']),
    mr('paraphrase', 'बाळ अजून लंगोट वापरतं, त्याला घ्याल का?', ['डायपर आणि बदलायचे कपडे'], ['हो,|डायपर|diaper'], notHonest),
    mr('exception', 'स्नेहसंमेलनाच्या दिवशी किती वाजेपर्यंत उघडे आहे?', ['स्नेहसंमेलन'], ['12:00|12 वाज|बारा|12 PM']),
    mr('comparison', 'नर्सरी आणि प्लेग्रुपच्या फीमध्ये किती फरक आहे?', ['3900', '3600'], ['300']),
    mr('computing', 'दोन रेनकोट आणि एक स्कूल बॅग मिळून किती होतील?', ['520', '450'], ['1,490|1490']),
    mr('trap', 'व्हॅन शनिवारी पण येते का?', ['शनिवारी व्हॅन नसते'], ['नसते|नाही'], notHonest),
    mr('unanswerable', 'तुमच्याकडे पहिलीचा वर्ग आहे का?', []),
    hl('price', 'summer camp ki fees kitni hai', ['4800'], ['4,800|4800']),
    hl(
      'plain',
      'class me camera hai kya jo hum mobile pe dekh sake?',
      ['पालकांना मोबाईलवर दिसतात'],
      ['मोबाईल|haan|mobile|yes|हाँ'],
      notHonest,
    ),
    hl(
      'paraphrase',
      'birthday pe cake bhej sakte hain kya bacche ke saath?',
      ['केक आणू नये'],
      ['फळे|आणू नये|nahi|fruit|नहीं'],
      notHonest,
    ),
    hl('hours', 'shanivar ko kab tak khula hai?', ['02:00 PM'], ['2:00|2 PM|2 baje|2 बजे|दो बजे']),
  ],
};
