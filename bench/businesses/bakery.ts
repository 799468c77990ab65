import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const cakes = `केक,अर्धा किलो (₹),एक किलो (₹),अंड्याशिवाय मिळतो का,किती तास आधी सांगावे
ब्लॅक फॉरेस्ट,380,720,हो,4
पायनॅपल,350,660,हो,4
बटरस्कॉच,400,760,हो,4
चॉकलेट ट्रफल,450,860,हो,6
मँगो,480,900,हो,24
रेड व्हेल्वेट,520,980,नाही,24
ड्रायफ्रूट,600,1150,नाही,48
फोटो केक,650,1240,हो,36
`;

const information = `# ग्राहकांसाठी माहिती

## ऑर्डर
केकची ऑर्डर देताना निम्मी रक्कम आगाऊ द्यावी लागते. केकवर नाव लिहायचे वेगळे पैसे नाहीत.
ऑर्डर चोवीस तास आधी रद्द केली तर सर्व पैसे परत मिळतात; त्यानंतर फक्त निम्मे मिळतात.

## घरपोच सेवा
सांगली आणि मिरजेत घरपोच केक ₹60 मध्ये देतो. ₹1,500 पेक्षा मोठ्या ऑर्डरला घरपोच सेवा मोफत आहे.
वाढदिवसासाठी रात्री बारा वाजता केक हवा असेल तर ₹150 जास्त लागतात. कुपवाडला आम्ही पोचवत नाही.

## काय वापरतो
बिस्किटांमध्ये फक्त लोणी वापरतो, वनस्पती तूप नाही. ब्राऊन ब्रेडमध्ये मैदा नसतो, तो पूर्ण गव्हाचा आहे.
जिलेटिन कशातही वापरत नाही. अंड्याचे आणि बिनअंड्याचे केक वेगळ्या ओव्हनमध्ये भाजतो.

## किती दिवस टिकते
क्रीमचा केक फ्रीजमध्ये दोन दिवस टिकतो. बिस्किटे हवाबंद डब्यात एक महिना टिकतात. पाव त्याच दिवशी खावा.

## सोबत काय मिळते
केकसोबत मेणबत्ती आणि प्लास्टिकचा चाकू मोफत मिळतो. फुगे आम्ही ठेवत नाही.

## हॉटेल आणि कॅन्टीन
रोज पन्नास लाद्यांपेक्षा जास्त पाव घेणाऱ्यांना 15 टक्के सूट आहे आणि महिन्याचे बिल एकदम देता येते. पाव पहाटे 5 वाजता पोचवतो.

## उरलेले पदार्थ
रात्री उरलेला पाव आणि खारी सावली निवारा केंद्राला देतो.

## माणसे
मुख्य बेकर फ्रान्सिस डिसोझा 1998 पासून आमच्याकडे आहेत. काउंटर वैशाली ताई सांभाळतात.
`;

const openDays = ['Monday', 'Tuesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const evenings = week(openDays, '04:30 PM', '09:30 PM') ?? [];

/** A bakery in Sangli that closes at midday and whose knowledge is written in Marathi. */
export const bakery: Business = {
  name: 'Madhura Bakery',
  part: 'tuning',
  profile: {
    business_name: 'Madhura Bakery',
    business_type: 'Bakery',
    industry: 'Food',
    company_description: 'पाव, बिस्किटे आणि वाढदिवसाचे केक, 1985 पासून.',
    support_email: 'order@madhurabakery.example',
    support_phone: '+912332374410',
    office_address: 'गणपती पेठ, राजवाडा चौकाजवळ, सांगली 416416',
    working_hours: [...(week(openDays, '07:30 AM', '01:00 PM') ?? []), ...evenings.filter(({ is_open }) => is_open)],
    holidays: [
      { date: inDays(1), opens: '', closes: '', note: 'भट्टीची दुरुस्ती (oven repair)' },
      { date: inDays(11), opens: '07:30 AM', closes: '11:00 PM', note: 'Christmas' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    {
      product_id: null,
      product_name: 'Shrewsbury biscuits 500 g',
      category: 'Biscuits',
      price: 260,
      currency: 'INR',
      availability: true,
    },
    { product_id: null, product_name: 'Nankhatai 500 g', category: 'Biscuits', price: 210, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Khari 250 g', category: 'Biscuits', price: 85, currency: 'INR', availability: true },
    {
      product_id: null,
      product_name: 'Sugar-free cookies 250 g',
      category: 'Biscuits',
      price: 190,
      currency: 'INR',
      availability: false,
    },
    { product_id: null, product_name: 'Brown bread', category: 'Bread', price: 48, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Pav ladi', category: 'Bread', price: 36, currency: 'INR', availability: true },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Cake baking class',
      service_description: 'One afternoon for beginners, materials included',
      service_duration: 180,
      service_price: 1400,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'पैसे कसे देता येतात?', Answer: 'रोख किंवा यूपीआय. कार्ड चालत नाही.' },
    { Question: 'तिथे बसून खाता येते का?', Answer: 'नाही, बसायला जागा नाही; सर्व पदार्थ बांधून देतो.' },
    { Question: 'तीन मजली केक करता का?', Answer: 'हो, लग्नासाठी करतो, किमान पाच किलोचा; आठ दिवस आधी सांगावे.' },
  ],
  documents: [
    { fileName: 'cakes.csv', text: cakes },
    { fileName: 'mahiti.md', text: information },
  ],
  asked: [
    en('plain', 'Who is the main baker?', ['फ्रान्सिस डिसोझा'], ['फ्रान्सिस|Francis']),
    en('plain', 'How much of the money do I pay in advance for a cake order?', ['निम्मी रक्कम'], ['निम्मी|half']),
    en('price', 'How much is a one kilo black forest cake?', ['720'], ['720']),
    en('price', 'what do shrewsbury biscuits cost', ['260'], ['260']),
    en('price', 'How much is the butterscotch cake, half a kilo?', ['400'], ['400'], { never: ['760'] }),
    en('hours', 'When do you open again in the afternoon?', ['04:30 PM'], ['4:30']),
    en('hours', 'Is the bakery shut on Wednesdays?', ['Wednesday'], ['closed|yes|shut'], notHonest),
    en('exception', 'Are you open tomorrow?', ['oven repair'], ['closed|not open|no,'], notHonest),
    en('exception', 'How late can I pick up a cake on Christmas?', ['Christmas'], ['11:00 PM|11 PM|eleven']),
    en('comparison', 'Which half kilo cake is the cheapest?', ['350'], ['पायनॅपल|Pineapple']),
    en('comparison', 'What is the difference between one kilo of mango and one kilo of red velvet?', ['900', '980'], ['80']),
    en('computing', 'How much are three packets of khari and two brown breads?', ['85', '48'], ['351']),
    en('computing', 'Two one kilo pineapple cakes, what is the bill?', ['660'], ['1,320|1320']),
    en(
      'paraphrase',
      'Will the cream cake still be good to eat if I put it in the refrigerator for a week?',
      ['दोन दिवस टिकतो'],
      ['दोन|two|2 days'],
    ),
    en('paraphrase', 'Where does the unsold bread go at night?', ['सावली निवारा केंद्राला'], ['सावली|Savali|Sawali|shelter']),
    en('paraphrase', 'We run a canteen and need eighty ladis a day, is there a better rate?', ['15 टक्के'], ['15']),
    en('follow-up', 'And for one kilo?', ['860'], ['860'], {
      before: ['What is the price of half a kilo of chocolate truffle?'],
      never: ['450'],
    }),
    en('follow-up', 'Can I get it without egg?', ['नाही'], ['नाही|not|no,|no.'], {
      before: ['How much is a red velvet cake of one kilo?'],
      never: ['yes', ...notHonest.never],
    }),
    en('negation', 'What do you not give along with a cake?', ['फुगे आम्ही ठेवत नाही'], ['फुगे|balloon']),
    en('trap', 'At what time do you deliver bread to hotels?', ['पहाटे 5'], ['5'], { never: ['7:30', '4:30'] }),
    en('unanswerable', 'Do you make pizza?', []),
    en('unanswerable', 'How many calories are there in a khari?', []),
    hi('price', 'एक किलो मैंगो केक कितने का है?', ['900'], ['900']),
    hi('plain', 'क्या केक पर नाम लिखवाने के अलग पैसे लगते हैं?', ['वेगळे पैसे नाहीत'], ['नाहीत|नहीं|मुफ़्त'], notHonest),
    hi('paraphrase', 'रात बारह बजे सरप्राइज़ देना है, उस समय केक घर भेजोगे?', ['₹150'], ['150']),
    hi('hours', 'बुधवार को दुकान खुली रहती है क्या', ['Wednesday'], ['बंद|closed|नहीं'], notHonest),
    hi('comparison', 'सबसे महँगा केक कौन सा है?', ['1240'], ['फोटो|Photo']),
    hi('computing', 'नानखटाई के तीन डिब्बे कितने के होंगे?', ['210'], ['630']),
    hi('negation', 'क्या कार्ड से पेमेंट नहीं होता?', ['कार्ड चालत नाही'], ['चालत नाही|नहीं'], notHonest),
    hi('unanswerable', 'क्या आप समोसे बनाते हैं?', []),
    mr('price', 'ड्रायफ्रूट केक अर्धा किलो कितीला?', ['600'], ['600']),
    mr('plain', 'फोटो केक किती तास आधी सांगावा लागतो?', ['36'], ['36']),
    mr('paraphrase', 'परवाचा कार्यक्रमच नाही झाला तर केकचे पैसे बुडतील का', ['चोवीस तास आधी'], ['परत']),
    mr('hours', 'दुपारी दोन वाजता आलो तर दुकान उघडं असेल का?', ['01:00 PM', '04:30 PM'], ['नाही|बंद|4:30|साडेचार'], notHonest),
    mr('exception', 'नाताळला किती वाजेपर्यंत सुरू आहे?', ['Christmas'], ['11:00|11 वाज|अकरा|11 PM']),
    mr('computing', 'दहा लाद्या पाव किती रुपयांचे होतील?', ['36'], ['360']),
    mr('follow-up', 'आणि पायनॅपल?', ['660'], ['660'], { before: ['बटरस्कॉच केक एक किलो किती रुपये?'], never: ['760'] }),
    mr('unanswerable', 'तुम्ही आईस्क्रीम ठेवता का?', []),
    hl('price', 'brown bread kitne ka hai?', ['48'], ['48']),
    hl('plain', 'kupwad me delivery dete ho kya', ['कुपवाडला'], ['नाही|nahi|नहीं|not'], notHonest),
    hl(
      'paraphrase',
      'shaadi ke liye bada teen manzil wala cake banate ho?',
      ['किमान पाच किलो'],
      ['हो,|haan|yes|हाँ|पाच|5 kilo'],
      notHonest,
    ),
    hl('price', 'cake banana seekhna hai class ki fees kya hai', ['1400'], ['1,400|1400']),
  ],
};
