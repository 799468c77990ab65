import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const repairs = `मरम्मत,दाम (₹),समय (घंटे),गारंटी (महीने)
स्क्रीन बदलना,1800,2,6
बैटरी बदलना,950,1,6
चार्जिंग पोर्ट,600,1,3
कैमरा बदलना,1400,3,3
पानी से खराब फोन,2200,24,1
`;

const rules = `दुकान के नियम

जाँच
फोन की जाँच मुफ़्त है। जाँच में पंद्रह मिनट लगते हैं। मरम्मत से पहले हम दाम बताते हैं।

डेटा
मरम्मत से पहले अपने डेटा की प्रति बना लें। डेटा निकालने के ₹500 लगते हैं। हम पासवर्ड नहीं माँगते।

बदले का फोन
मरम्मत के दौरान ₹100 रोज़ पर दूसरा फोन मिलता है, जिसके लिए ₹2,000 जमा करने होते हैं।

पुराने फोन
हम पुराने फोन खरीदते हैं। खरीद के लिए बिल और पहचान पत्र ज़रूरी है। टूटी स्क्रीन वाले फोन नहीं खरीदते।

घर से मरम्मत
पाँच किलोमीटर के अंदर कारीगर घर आता है। उसके ₹200 अलग लगते हैं।

गारंटी
गारंटी पानी और गिरने से हुए नुकसान पर नहीं है। गारंटी के लिए रसीद दिखानी होती है।

भुगतान
भुगतान नकद, कार्ड या यूपीआई से होता है। ₹3,000 से ऊपर दो किस्तों में दे सकते हैं।

लोग
मालिक इरफ़ान कुरैशी हैं। कारीगर सुनीता और जॉर्ज हैं।

न ली गई चीज़ें
तीन महीने तक न ली गई चीज़ें बेच दी जाती हैं।
`;

/**
 * A telephone repair shop in Indore whose knowledge is written in Hindi; written after the engine was corrected, and asked once.
 */
export const repairShop: Business = {
  name: 'Sudhar Mobile Care',
  part: 'tuning',
  profile: {
    business_name: 'Sudhar Mobile Care',
    business_type: 'Phone repair',
    industry: 'Retail',
    company_description: 'इंदौर में फोन की मरम्मत।',
    support_email: 'care@sudhar.example',
    support_phone: '+917312419022',
    office_address: 'राजवाड़ा चौक, इंदौर 452004',
    working_hours: week(['Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '10:30 AM', '08:00 PM'),
    holidays: [
      { date: inDays(3), opens: '', closes: '', note: 'Milad' },
      { date: inDays(9), opens: '10:30 AM', closes: '03:00 PM', note: 'Owner’s wedding' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    {
      product_id: null,
      product_name: 'Tempered glass',
      category: 'Accessories',
      price: 199,
      currency: 'INR',
      availability: true,
    },
    {
      product_id: null,
      product_name: 'Silicone cover',
      category: 'Accessories',
      price: 249,
      currency: 'INR',
      availability: true,
    },
    { product_id: null, product_name: 'Fast charger', category: 'Accessories', price: 899, currency: 'INR', availability: false },
    { product_id: null, product_name: 'Wireless earphones', category: 'Audio', price: 1499, currency: 'INR', availability: true },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Software update',
      service_duration: 30,
      service_price: 150,
      currency: 'INR',
      booking_required: false,
    },
  ],
  faqs: [
    { Question: 'क्या असली पुर्ज़े लगाते हैं?', Answer: 'हाँ, कंपनी के असली पुर्ज़े; सस्ते पुर्ज़े माँगने पर ही।' },
    { Question: 'क्या टैबलेट भी ठीक करते हैं?', Answer: 'हाँ, पर लैपटॉप नहीं।' },
  ],
  documents: [
    { fileName: 'repairs.csv', text: repairs },
    { fileName: 'niyam.md', text: rules },
  ],
  asked: [
    en('plain', 'Is checking the phone free?', ['जाँच मुफ़्त'], ['मुफ़्त|free']),
    en('plain', 'Who is the owner?', ['इरफ़ान'], ['इरफ़ान|Irfan']),
    en('price', 'How much is replacing the battery?', ['950'], ['950']),
    en('price', 'What does a silicone cover cost?', ['249'], ['249']),
    en('price', 'Is the fast charger available, and for how much?', ['899'], ['899|not available']),
    en('hours', 'On which day are you closed?', ['Monday'], ['Monday']),
    en('hours', 'When do you open on Sundays?', ['10:30 AM'], ['10:30|half past ten']),
    en('comparison', 'Which is dearer, the tempered glass or the silicone cover?', ['199', '249'], ['Silicone cover'], notHonest),
    en('computing', 'What do two tempered glasses and a silicone cover come to?', ['199', '249'], ['647']),
    en('computing', 'What do I pay for a lent phone for five days?', ['₹100'], ['500']),
    en('paraphrase', 'I dropped my phone in the sink, what would it cost to mend?', ['2200'], ['2,200']),
    en('paraphrase', 'Would you take my old handset for money?', ['पुराने फोन खरीदते'], ['खरीदते|buy']),
    en('follow-up', 'And how long is the guarantee on it?', ['6'], ['6'], { before: ['How much is a new screen?'] }),
    en('follow-up', 'And the earphones?', ['1499'], ['1,499'], { before: ['How much is the tempered glass?'] }),
    en('negation', 'What does the guarantee not cover?', ['पानी और गिरने'], ['पानी']),
    en('exception', 'Until when are you there on the day of the owner’s wedding?', ['Owner'], ['3:00|3 PM']),
    en('trap', 'When are things sold that nobody collects?', ['तीन महीने'], ['तीन|three|3'], { never: ['10:30', '8:00'] }),
    en('unanswerable', 'Do you sell cameras?', []),
    en('unanswerable', 'Who repairs washing machines here?', []),
    hi('price', 'स्क्रीन बदलने के कितने लगेंगे?', ['1800'], ['1,800']),
    hi('plain', 'डेटा निकालने का कितना लेते हैं?', ['₹500'], ['500']),
    hi('paraphrase', 'मैं दुकान नहीं आ सकता, कोई आ जाएगा क्या?', ['कारीगर घर आता'], ['कारीगर घर|200']),
    hi('hours', 'शाम को कब तक खुले रहते हैं?', ['08:00 PM'], ['8:00|8 बजे|आठ']),
    hi('computing', 'तीन टेम्पर्ड ग्लास का कुल कितना?', ['199'], ['597']),
    hi('comparison', 'सबसे ज़्यादा समय किस मरम्मत में लगता है?', ['24'], ['पानी']),
    hi('follow-up', 'और बैटरी की?', ['950'], ['950|6'], { before: ['कैमरा बदलने की कीमत क्या है?'] }),
    hi('negation', 'कौन से फोन नहीं खरीदते?', ['टूटी स्क्रीन'], ['टूटी']),
    hi('unanswerable', 'क्या नए सिम कार्ड मिलते हैं?', []),
    mr('price', 'चार्जिंग पोर्टचे किती पैसे?', ['600'], ['600']),
    mr('plain', 'तपासणीला किती वेळ लागतो?', ['पंद्रह मिनट'], ['पंद्रह|15|पंधरा']),
    mr('paraphrase', 'पैसे हप्त्याने देता येतील का?', ['दो किस्तों'], ['किस्तों|हप्त']),
    mr('hours', 'सोमवारी दुकान बंद असते का?', ['Monday'], ['बंद']),
    mr('comparison', 'बॅटरी आणि कॅमेरा बदलण्यात किती रुपयांचा फरक आहे?', ['950', '1400'], ['450']),
    mr('exception', 'मिलादला दुकान उघडे असेल का?', ['Milad'], ['बंद']),
    mr('unanswerable', 'तुम्ही टीव्ही दुरुस्त करता का?', []),
    hl('price', 'earphones kitne ke hain?', ['1499'], ['1,499']),
    hl('plain', 'laptop theek karte ho kya?', ['लैपटॉप नहीं'], ['लैपटॉप नहीं|nahi'], notHonest),
    hl('comparison', 'battery aur camera badalne mein kaunsa sasta hai?', ['950', '1400'], ['बैटरी|battery'], notHonest),
    hl('paraphrase', 'paani mein gir gaya phone, warranty milegi kya?', ['पानी'], ['नहीं|nahi'], notHonest),
    hl('hours', 'monday ko khula hai kya?', ['Monday'], ['बंद|band|closed']),
  ],
};
