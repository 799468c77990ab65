import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const paints = `रंग,पैक,दाम (₹),सूखने का समय (घंटे),कहाँ लगता है
डिस्टेंपर,10 किलो,620,3,अंदर की दीवार
अंदर का इमल्शन,4 लीटर,1180,4,अंदर की दीवार
बाहर का इमल्शन,4 लीटर,1560,6,बाहर की दीवार
एनामेल,1 लीटर,310,10,लोहा और लकड़ी
प्राइमर,4 लीटर,540,8,हर दीवार
वार्निश,1 लीटर,390,16,लकड़ी
वॉटरप्रूफ कोटिंग,4 लीटर,1890,24,छत और सीलन वाली दीवार
`;

const rules = `# दुकान की जानकारी

## रंग मिलाना
हमारी मशीन 1,200 शेड मिला सकती है और एक डिब्बे में दस मिनट लगते हैं। शेड कार्ड मुफ़्त है। मिलाया हुआ रंग वापस नहीं होता।

## वापसी
सीलबंद सामान पंद्रह दिन के अंदर बिल दिखाकर लौटाया जा सकता है। बिजली का सामान वापस नहीं होता, खराब निकले तो सात दिन में बदल देते हैं।

## सामान पहुँचाना
शहर में ₹3,000 से ऊपर की खरीद पर सामान मुफ़्त पहुँचाते हैं, उससे कम पर ऑटो के ₹80 लगते हैं। बरगी और पाटन तक ₹350 लगते हैं।
सीमेंट दस बोरी से कम हो तो घर नहीं भेजते।

## कारीगर
हमारे पेंटर रामसेवक और उनके साथी सुबह 8 से शाम 5 बजे तक काम करते हैं और एक वर्ग फुट के ₹14 लेते हैं, रंग का दाम अलग। मज़दूरी सीधे उन्हीं को देनी होती है।

## चाबी
घर और अलमारी की डुप्लीकेट चाबी ₹40 में पाँच मिनट में बनती है। कार की चाबी हम नहीं बनाते।

## किराए पर औज़ार
सीढ़ी ₹120 रोज़, ड्रिल मशीन ₹250 रोज़ और टाइल कटर ₹300 रोज़ पर मिलता है। हर औज़ार पर ₹1,000 जमा रखने होते हैं जो लौटाने पर वापस मिलते हैं। आधार कार्ड की कॉपी चाहिए।

## उधार और बिल
ठेकेदारों को तीस दिन का उधार मिलता है, ₹1 लाख तक। पक्का जीएसटी बिल सबको मिलता है। चेक नहीं लेते।

## सलाह
सीलन वाली दीवार पर पहले वॉटरप्रूफ कोटिंग, फिर प्राइमर और आखिर में इमल्शन लगाइए। बारिश में बाहर की पुताई मत करवाइए।
नई दीवार को रंगने से पहले अट्ठाईस दिन सूखने दीजिए।
`;

/** A shop for paint and hardware in Jabalpur whose knowledge is written in Hindi. */
export const hardwareShop: Business = {
  name: 'Narmada Paints and Hardware',
  part: 'held-out',
  profile: {
    business_name: 'Narmada Paints and Hardware',
    business_type: 'Paint and hardware shop',
    industry: 'Building materials',
    company_description: 'रंग, औज़ार, नल और बिजली का सामान, जबलपुर में 1979 से।',
    support_email: 'dukaan@narmadapaints.example',
    support_phone: '+917612410862',
    office_address: 'लॉर्डगंज थाने के सामने, जबलपुर 482002',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '09:00 AM', '08:00 PM'),
    holidays: [
      { date: inDays(5), opens: '', closes: '', note: 'होली (Holi)' },
      { date: inDays(13), opens: '09:00 AM', closes: '01:00 PM', note: 'विश्वकर्मा पूजा (Vishwakarma Puja)' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    {
      product_id: null,
      product_name: 'Cement bag 50 kg',
      category: 'Building',
      price: 410,
      currency: 'INR',
      availability: true,
    },
    { product_id: null, product_name: 'Paint brush 4 inch', category: 'Tools', price: 140, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Paint roller 9 inch', category: 'Tools', price: 220, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Sandpaper sheet', category: 'Tools', price: 15, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Claw hammer', category: 'Tools', price: 285, currency: 'INR', availability: true },
    {
      product_id: null,
      product_name: 'LED bulb 9 watt',
      category: 'Electrical',
      price: 95,
      currency: 'INR',
      availability: true,
      warranty: 12,
    },
    {
      product_id: null,
      product_name: 'Ceiling fan',
      category: 'Electrical',
      price: 1950,
      currency: 'INR',
      availability: true,
      warranty: 24,
    },
    { product_id: null, product_name: 'Brass door lock', category: 'Locks', price: 1450, currency: 'INR', availability: false },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Plumber visit',
      service_duration: 60,
      service_price: 300,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Fan fitting',
      service_duration: 30,
      service_price: 150,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'क्या यूपीआई से पैसे दे सकते हैं?', Answer: 'हाँ, यूपीआई, कार्ड और नकद सब चलता है।' },
    { Question: 'गाड़ी कहाँ खड़ी करें?', Answer: 'दुकान के पीछे मंदिर के मैदान में, एक घंटे तक मुफ़्त।' },
  ],
  documents: [
    { fileName: 'rang.csv', text: paints },
    { fileName: 'jaankari.md', text: rules },
  ],
  asked: [
    en('plain', 'How many shades can your machine mix?', ['1,200 शेड'], ['1,200|1200']),
    en('plain', 'How much deposit do I leave for a drill machine?', ['₹1,000'], ['1,000|1000']),
    en('price', 'What is the price of a bag of cement?', ['410'], ['410']),
    en('price', 'bhaiya can you tell me the rate of one litre enamel', ['310'], ['310']),
    en('hours', 'At what time do you open on Saturday?', ['09:00 AM'], ['9:00 AM|9 AM|nine']),
    en('hours', 'Can I come shopping on a Sunday?', ['Sunday'], ['closed|not open|no,'], notHonest),
    en('exception', 'How long are you open on Vishwakarma Puja?', ['Vishwakarma Puja'], ['1:00 PM|1 PM'], { never: ['8:00 PM'] }),
    en(
      'comparison',
      'Is the emulsion for inside or the one for outside more expensive?',
      ['1180', '1560'],
      ['बाहर|outside|exterior|outdoor'],
    ),
    en('comparison', 'Which of the coatings takes the longest to dry?', ['24'], ['वॉटरप्रूफ|waterproof']),
    en('computing', 'I need twelve bags of cement, how much is that?', ['410'], ['4,920|4920']),
    en('computing', 'Two paint rollers and four sheets of sandpaper, what do I pay?', ['220', '15'], ['500']),
    en('computing', 'What will it cost to rent the ladder for three days?', ['₹120'], ['360']),
    en('paraphrase', 'I bought one tin too many and never opened it, will you take it back?', ['पंद्रह दिन'], ['पंद्रह|fifteen|15']),
    en(
      'paraphrase',
      'Moisture comes through my ceiling, what should go on first?',
      ['पहले वॉटरप्रूफ कोटिंग'],
      ['वॉटरप्रूफ|waterproof'],
    ),
    en(
      'paraphrase',
      'I built a room last week, how long before I may put colour on it?',
      ['अट्ठाईस दिन'],
      ['अट्ठाईस|28|twenty-eight|twenty eight'],
    ),
    en('follow-up', 'And the tile cutter?', ['₹300'], ['300'], { before: ['What is the rent of a drill machine per day?'] }),
    en('follow-up', 'And how many hours does it need to dry?', ['16'], ['16|sixteen'], {
      before: ['What does the varnish cost?'],
    }),
    en(
      'negation',
      'Which keys can you not make?',
      ['कार की चाबी'],
      ['कार की|car key|keys of cars|keys for cars|for a car|for cars|of a car|car’s'],
    ),
    en('trap', 'Until when in the day does the painter work?', ['शाम 5 बजे'], ['5'], { never: ['8:00 PM', '8 PM'] }),
    en('unanswerable', 'Do you sell marble slabs?', []),
    en('unanswerable', 'Which company makes your varnish?', []),
    hi('price', 'छत वाला पंखा कितने का है?', ['1950'], ['1,950|1950']),
    hi('plain', 'डुप्लीकेट चाबी बनवाने के कितने लगते हैं?', ['₹40'], ['40']),
    hi('paraphrase', 'भैया मैं ठेकेदारी करता हूँ पैसे बाद में दूँ तो चलेगा क्या', ['तीस दिन का उधार'], ['तीस|30']),
    hi('hours', 'शाम को दुकान कितने बजे बंद होती है?', ['08:00 PM'], ['8:00|8 बजे|आठ']),
    hi('exception', 'होली पर दुकान खुलेगी क्या?', ['होली'], ['बंद|closed']),
    hi('computing', 'सौ वर्ग फुट की पुताई की मज़दूरी कितनी होगी?', ['₹14'], ['1,400|1400']),
    hi('follow-up', 'और लगवाने का कितना?', ['150'], ['150'], { before: ['सीलिंग फैन का दाम क्या है?'] }),
    hi('unanswerable', 'क्या आपके पास सोलर पैनल मिलते हैं?', []),
    mr('price', 'डिस्टेंपर दहा किलोचा डबा कितीला आहे?', ['620'], ['620']),
    mr('plain', 'पाटणपर्यंत सामान पोचवायला किती घेता?', ['₹350'], ['350']),
    mr('paraphrase', 'बल्ब लावला आणि लगेच गेला, पैसे परत मिळतील का की दुसरा द्याल?', ['सात दिन में बदल'], ['बदल|सात|7']),
    mr('comparison', 'एनामेल आणि वॉर्निश यांत काय स्वस्त आहे?', ['310', '390'], ['एनामेल|Enamel']),
    mr('computing', 'सहा एलईडी बल्ब किती रुपयांना पडतील?', ['95'], ['570']),
    mr('hours', 'तुम्ही सकाळी किती वाजता उघडता', ['09:00 AM'], ['9:00|9 वाज|नऊ']),
    mr('negation', 'चेक दिला तर घेत नाही का?', ['चेक नहीं लेते'], ['नहीं लेते|नाही|घेत नाही'], notHonest),
    mr('unanswerable', 'तुमच्याकडे सायकलचे टायर मिळतात का?', []),
    hl('price', 'claw hammer yaani hathoda kitne ka hai', ['285'], ['285']),
    hl('paraphrase', 'paanch bori cement ghar bhej doge kya?', ['दस बोरी से कम'], ['दस|10|nahi|नहीं'], notHonest),
    hl('plain', 'seedhi ka ek din ka kiraya kitna hai', ['₹120'], ['120']),
    hl('unanswerable', 'bathroom ke tiles rakhte ho kya?', []),
  ],
};
