import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const shoots = `शूट,दाम (₹),तस्वीरें कितने दिन में,साथ में क्या मिलता है
शादी एक दिन,28000,30,30 पन्नों का एल्बम
शादी दो दिन,48000,45,40 पन्नों का एल्बम
प्री-वेडिंग,18500,15,35 एडिट की हुई तस्वीरें
बच्चे का शूट,6500,7,15 एडिट की हुई तस्वीरें
जन्मदिन की पार्टी,7800,10,100 तस्वीरें पेन ड्राइव में
मॉडलिंग पोर्टफोलियो,9000,8,20 एडिट की हुई तस्वीरें
दुकान के सामान के फोटो,3500,5,25 तस्वीरें
`;

const rules = `# काम करने का तरीका

## बुकिंग
तारीख पक्की करने के लिए 25 प्रतिशत एडवांस देना होता है। शूट के दिन 50 प्रतिशत और बाकी पैसा एल्बम मिलने पर।
तारीख एक बार बिना पैसे के बदल सकते हैं, अगर पंद्रह दिन पहले बता दें। बुकिंग रद्द करने पर एडवांस वापस नहीं होता।

## शहर से बाहर
भोपाल से बाहर जाने पर आने-जाने का ₹10 प्रति किलोमीटर लगता है। रहने और खाने का इंतज़ाम ग्राहक करता है।

## समय
रात ग्यारह बजे के बाद हर घंटे के ₹1,500 अलग लगते हैं। स्टूडियो में शूट सुबह 11 से शाम 6 के बीच, समय लेकर होता है।

## तस्वीरें और एल्बम
एल्बम की तस्वीरें ग्राहक खुद चुनता है, तीस दिन के अंदर। एल्बम में एक पन्ना बढ़ाने के ₹180 लगते हैं।
बिना एडिट की हुई (रॉ) तस्वीरें हम नहीं देते। सारी तस्वीरें एक साल तक हमारे पास सुरक्षित रहती हैं।
शादी के साथ इंस्टाग्राम के लिए दो रील मुफ़्त हैं।

## पासपोर्ट और वीज़ा फोटो
पासपोर्ट फोटो दस मिनट में मिल जाती है, समय लेने की ज़रूरत नहीं। सफ़ेद बैकग्राउंड रहता है और चश्मा उतारना पड़ता है।
अमेरिका के वीज़ा की फोटो अलग नाप की होती है और ₹200 में चार मिलती हैं।

## स्कूल और दफ़्तर
पहचान पत्र की फोटो हम स्कूल आकर खींचते हैं, ₹35 प्रति बच्चा, कम से कम सौ बच्चे होने चाहिए।

## पुराने फोटो
फटे या धुंधले फोटो ठीक करने के ₹450 लगते हैं और चार दिन लगते हैं। पुरानी वीडियो कैसेट को पेन ड्राइव में डालने के ₹600 प्रति कैसेट लगते हैं।

## टीम
मुख्य फोटोग्राफर तारिक अनवर हैं और वीडियो दीपिका साहू बनाती हैं। मेकअप हम नहीं करते, पर ब्यूटीशियन का नंबर दे सकते हैं।
ब्राइड और फैमिली की तस्वीरों के लिए महिला फोटोग्राफर भी मिलती हैं।

## पैसे
नकद, यूपीआई और बैंक ट्रांसफर चलता है। ₹20,000 से ऊपर की बुकिंग तीन किस्तों में दे सकते हैं।
`;

const openDays = ['Monday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A photo studio in Bhopal whose knowledge is written in Hindi. */
export const photoStudio: Business = {
  name: 'Chhaya Studio',
  part: 'tuning',
  profile: {
    business_name: 'Chhaya Studio',
    business_type: 'Photographer',
    industry: 'Photography',
    company_description: 'शादी, बच्चों और दुकानों की फोटोग्राफी, 1991 से।',
    support_email: 'hello@chhayastudio.example',
    support_phone: '+917552551930',
    office_address: 'दुकान 12, न्यू मार्केट, टीटी नगर, भोपाल 462003',
    working_hours: week(openDays, '10:00 AM', '09:00 PM'),
    holidays: [
      { date: inDays(5), opens: '', closes: '', note: 'गणतंत्र दिवस (Republic Day)' },
      { date: inDays(9), opens: '02:00 PM', closes: '09:00 PM', note: 'बसंत पंचमी (Basant Panchami)' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    {
      product_id: null,
      product_name: 'Passport photos, 8 prints',
      category: 'Prints',
      price: 110,
      currency: 'INR',
      availability: true,
    },
    { product_id: null, product_name: 'Print 4x6 inch', category: 'Prints', price: 14, currency: 'INR', availability: true },
    {
      product_id: null,
      product_name: 'Framed print 12x18 inch',
      category: 'Prints',
      price: 950,
      currency: 'INR',
      availability: true,
    },
    { product_id: null, product_name: 'Photo mug', category: 'Gifts', price: 320, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Photo key ring', category: 'Gifts', price: 130, currency: 'INR', availability: true },
    {
      product_id: null,
      product_name: 'Canvas 24x36 inch',
      category: 'Prints',
      price: 2600,
      currency: 'INR',
      availability: false,
    },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Drone video',
      service_duration: 180,
      service_price: 7000,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Video of one day',
      service_duration: 600,
      service_price: 15000,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'क्या फोटो व्हाट्सऐप पर भेजते हैं?', Answer: 'हाँ, छोटी साइज़ में; पूरी साइज़ की तस्वीरें लिंक से मिलती हैं।' },
    { Question: 'क्या पालतू जानवर के साथ फोटो खिंचवा सकते हैं?', Answer: 'हाँ, स्टूडियो में कुत्ते-बिल्ली ला सकते हैं।' },
  ],
  documents: [
    { fileName: 'shoot.csv', text: shoots },
    { fileName: 'tarika.md', text: rules },
  ],
  asked: [
    en('plain', 'Who makes the videos?', ['दीपिका साहू'], ['दीपिका|Deepika|Dipika']),
    en('plain', 'How much advance do I pay to fix the date?', ['25 प्रतिशत'], ['25']),
    en('plain', 'In which market is your studio?', ['न्यू मार्केट'], ['न्यू मार्केट|New Market']),
    en('price', 'How much is a pre-wedding shoot?', ['18500'], ['18,500|18500']),
    en('price', 'what is the cost of a photo mug', ['320'], ['320']),
    en('hours', 'At what time do you close on Friday?', ['09:00 PM'], ['9:00 PM|9 PM|nine']),
    en('hours', 'On which day of the week are you closed?', ['Tuesday'], ['Tuesday'], { never: ['Monday: closed'] }),
    en('exception', 'From what time are you open on Basant Panchami?', ['Basant Panchami'], ['2:00 PM|2 PM'], {
      never: ['10:00 AM'],
    }),
    en(
      'comparison',
      'Which is more expensive, the baby shoot or the birthday party?',
      ['6500', '7800'],
      ['जन्मदिन|birthday party costs|birthday party is|the birthday'],
    ),
    en('comparison', 'How much more is the two day wedding than the one day wedding?', ['48000', '28000'], ['20,000|20000']),
    en('computing', 'What do fifty 4x6 prints cost?', ['14'], ['700']),
    en('computing', 'One photo mug and three key rings, how much altogether?', ['320', '130'], ['710']),
    en('paraphrase', 'My granddad’s picture is torn, can it be restored and for how much?', ['₹450'], ['450']),
    en('paraphrase', 'The function is in Indore, who bears the travelling?', ['₹10 प्रति किलोमीटर'], ['10']),
    en(
      'paraphrase',
      'If the groom’s family shifts the wedding, do I lose money when I tell you a month ahead?',
      ['पंद्रह दिन पहले'],
      ['पंद्रह|15|fifteen|बिना पैसे|free'],
    ),
    en('follow-up', 'And in how many days do I get the pictures?', ['7'], ['7|seven|सात'], {
      before: ['What does the baby shoot cost?'],
    }),
    en('follow-up', 'And for three hours of it?', ['₹1,500'], ['4,500|4500'], {
      before: ['What do you charge per hour after eleven at night?'],
    }),
    en('negation', 'Is there any kind of picture that you do not hand over?', ['(रॉ) तस्वीरें'], ['रॉ|raw|unedited|बिना एडिट']),
    en('trap', 'Between what times can I be photographed inside the studio?', ['सुबह 11 से शाम 6'], ['11', '6'], {
      never: ['9:00 PM', '9 PM'],
    }),
    en('unanswerable', 'Which camera do you use?', []),
    en('unanswerable', 'Do you sell camera lenses?', []),
    hi('price', 'जन्मदिन की पार्टी के फोटो का कितना लेते हैं?', ['7800'], ['7,800|7800']),
    hi('plain', 'एल्बम में एक पन्ना बढ़वाना हो तो कितना लगेगा', ['₹180'], ['180']),
    hi('paraphrase', 'पापा की शादी की पुरानी वीएचएस पड़ी है, उसे डिजिटल करवाने का क्या लोगे?', ['₹600'], ['600']),
    hi('hours', 'मंगलवार को स्टूडियो आ सकते हैं क्या?', ['Tuesday'], ['बंद|closed|नहीं'], notHonest),
    hi('exception', 'गणतंत्र दिवस पर आप खुले हो?', ['गणतंत्र दिवस'], ['बंद|closed|नहीं'], notHonest),
    hi('computing', 'डेढ़ सौ बच्चों की पहचान पत्र वाली फोटो का कुल कितना होगा?', ['₹35'], ['5,250|5250']),
    hi('negation', 'क्या आप दुल्हन का मेकअप नहीं करते?', ['मेकअप हम नहीं करते'], ['नहीं'], notHonest),
    hi('unanswerable', 'क्या आप शादी के कार्ड छापते हैं?', []),
    mr('price', 'ड्रोन शूटिंगचे किती पैसे घेता?', ['7000'], ['7,000|7000']),
    mr('plain', 'पासपोर्ट फोटो किती वेळात मिळतो?', ['दस मिनट'], ['दस|10|दहा']),
    mr('paraphrase', 'लग्नाच्या खर्चाचे पैसे थोडे थोडे करून दिले तर चालतील का?', ['तीन किस्तों'], ['तीन|हप्त']),
    mr('hours', 'रविवारी किती वाजता उघडता', ['10:00 AM'], ['10:00|10 वाज|दहा']),
    mr('comparison', 'पोर्टफोलिओ आणि बाळाचे शूट यांत किती फरक आहे?', ['9000', '6500'], ['2,500|2500']),
    mr('computing', 'दोन फ्रेम केलेले फोटो किती रुपयांना पडतील?', ['950'], ['1,900|1900']),
    mr('follow-up', 'आणि दोन दिवसांचं?', ['48000'], ['48,000|48000'], {
      before: ['एका दिवसाच्या लग्नाचं शूट कितीला आहे?'],
      never: ['28,000', '28000'],
    }),
    mr('unanswerable', 'तुमच्याकडे फोटोग्राफीचे क्लास आहेत का?', []),
    hl('price', 'passport size photo aath copy kitne ki hai', ['110'], ['110']),
    hl('plain', 'wedding ke saath reel bhi milti hai kya?', ['दो रील मुफ़्त'], ['दो रील|do reel|two reels|2 reel']),
    hl('paraphrase', 'apne doggy ko leke photo khichwa sakte hain kya', ['कुत्ते-बिल्ली'], ['हाँ|haan|yes|कुत्ते'], notHonest),
    hl('trap', 'america visa ke liye photo ka kya charge hai', ['₹200'], ['200'], { never: ['110'] }),
  ],
};
