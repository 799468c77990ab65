import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const plants = `पौधा,ऊँचाई (फुट),धूप,पानी,दाम (₹)
गुलाब,2,पूरी धूप,रोज़,90
तुलसी,1,पूरी धूप,रोज़,30
मनी प्लांट,1,छाया,हफ्ते में दो बार,120
आम का पौधा,4,पूरी धूप,हफ्ते में तीन बार,350
एलोवेरा,1,आधी धूप,हफ्ते में एक बार,80
`;

const advice = `नर्सरी के नियम

डिलीवरी
₹1,000 से ऊपर के ऑर्डर पर नासिक शहर में डिलीवरी मुफ्त है। उससे कम पर ₹60 लगते हैं। शहर के बाहर हम नहीं भेजते।

वापसी
पौधा सात दिन में सूख जाए तो हम बदलकर देते हैं। पैसे वापस नहीं मिलते।

माली सेवा
हमारे माली रमेश पवार घर आकर बगीचे की देखभाल करते हैं। एक बार आने के ₹500 लगते हैं।

मिट्टी और खाद
गोबर की खाद का पाँच किलो का थैला ₹75 का है। हम रासायनिक खाद नहीं बेचते।

कार्यशाला
बोन्साई की कार्यशाला हर महीने के पहले शनिवार को सुबह 10 से 12 बजे तक होती है। फीस ₹350 है।

ग्रीनहाउस
ग्रीनहाउस दोपहर 3 से 5 बजे तक देखा जा सकता है, सोमवार को बंद रहता है।
`;

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** A plant nursery in Nashik whose knowledge is written in Hindi. */
export const plantNursery: Business = {
  name: 'Hariyali Nursery',
  part: 'tuning',
  profile: {
    business_name: 'Hariyali Nursery',
    business_type: 'Plant nursery',
    industry: 'Agriculture',
    company_description: 'नासिक की पुरानी नर्सरी, 1985 से।',
    support_email: 'namaste@hariyali.example',
    support_phone: '+912532310850',
    office_address: 'Gangapur Road, Nashik 422013',
    working_hours: (week(days, '08:00 AM', '07:00 PM') ?? []).map((hours) =>
      hours.day === 'Sunday' ? { ...hours, is_open: true, open_time: '09:00 AM', close_time: '01:00 PM' } : hours,
    ),
    holidays: [{ date: inDays(3), opens: '', closes: '', note: 'वृक्षारोपण दिवस' }],
    timezone: 'Asia/Kolkata',
  },
  products: [
    { product_id: null, product_name: 'मिट्टी का गमला', price: 110, currency: 'INR', availability: true },
    { product_id: null, product_name: 'पानी का झारा', price: 260, currency: 'INR', availability: true },
  ],
  services: [],
  faqs: [{ Question: 'क्या आप फूलों के बीज बेचते हैं?', Answer: 'हाँ, मौसमी फूलों के बीज का पैकेट ₹40 का है।' }],
  documents: [
    { fileName: 'plants.csv', text: plants },
    { fileName: 'advice.txt', text: advice },
  ],
  asked: [
    hi('price', 'गुलाब का पौधा कितने का है?', ['90'], ['90']),
    hi('plain', 'मनी प्लांट को कितना पानी चाहिए?', ['हफ्ते में दो बार'], ['दो बार']),
    hi('plain', 'बोन्साई की कार्यशाला कब होती है?', ['पहले शनिवार'], ['शनिवार']),
    hi('comparison', 'सबसे सस्ता पौधा कौन सा है?', ['तुलसी'], ['तुलसी']),
    hi('computing', 'पाँच तुलसी के पौधे कितने के होंगे?', ['30'], ['150']),
    hi('paraphrase', 'पौधा मर गया तो क्या करेंगे?', ['सात दिन'], ['सात|7|बदल']),
    hi('follow-up', 'और एलोवेरा का?', ['80'], ['80'], { before: ['गुलाब का दाम क्या है?'] }),
    hi('exception', 'क्या आप रासायनिक खाद रखते हैं?', ['रासायनिक खाद नहीं'], ['नहीं'], notHonest),
    hi('hours', 'रविवार को कितने बजे तक खुला रहता है?', ['01:00 PM|1 बजे|1:00 PM'], ['01:00|1']),
    hi('unanswerable', 'क्या आपके यहाँ मछलियाँ मिलती हैं?', []),
    mr('price', 'कोरफडीचे रोप केवढ्याला आहे?', ['80'], ['80']),
    mr('price', 'मातीच्या कुंडीची किंमत किती आहे?', ['110'], ['110']),
    mr('plain', 'माळी घरी यायचे किती घेतो?', ['₹500'], ['500']),
    mr('plain', 'आंब्याच्या रोपाची उंची किती आहे?', ['आम का पौधा'], ['4']),
    mr('paraphrase', 'रोप वाळले तर बदलून मिळेल का?', ['सात दिन'], ['सात|7|बदल']),
    mr('comparison', 'गुलाब आणि मनी प्लांट यांत कोणते स्वस्त आहे?', ['90', '120'], ['गुलाब']),
    mr('computing', 'तीन मातीच्या कुंड्या कितीला पडतील?', ['110'], ['330']),
    mr('follow-up', 'आणि तुळशीची?', ['30'], ['30'], { before: ['गुलाबाची किंमत किती आहे?'] }),
    mr('follow-up', 'आणि रविवारी?', ['09:00|9 AM|9 बजे'], ['09:00|9', '01:00|1'], { before: ['शनिवारी किती वाजता उघडता?'] }),
    mr('hours', 'नर्सरी रोज किती वाजता उघडते?', ['08:00|8 AM|8:00'], ['08:00|8']),
    mr('exception', 'नाशिकच्या बाहेर पाठवता का?', ['शहर के बाहर'], ['नाही|नहीं'], notHonest),
    mr('unanswerable', 'तुमच्याकडे ट्रॅक्टर भाड्याने मिळतो का?', []),
    mr('trap', 'ग्रीनहाऊस कधी पाहता येते?', ['3 से 5'], ['3', '5'], { never: ['07:00', '7:00'] }),
    mr('paraphrase', 'बोन्साय शिकवता का?', ['बोन्साई'], ['शनिवार|350']),
    hl('price', 'gulab ka paudha kitne ka hai?', ['90'], ['90']),
    hl('computing', 'do aam ke paudhe kitne ke honge?', ['350'], ['700']),
    hl('plain', 'mali ghar aane ka kitna leta hai?', ['₹500'], ['500']),
    hl('unanswerable', 'kya aap kutte ka khana bechte ho?', []),
    en('price', 'How much is a money plant?', ['120'], ['120']),
    en('hours', 'When do you open on Sunday?', ['09:00|9 AM'], ['09:00|9']),
  ],
};
