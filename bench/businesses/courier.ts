import { asker, type Business, honest, inDays, product, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const rates = `कुठे,अर्ध्या किलोपर्यंत (₹),पुढील प्रत्येक अर्धा किलो (₹),किती दिवस,विमा टक्के
सोलापूर शहर,40,15,1,1
महाराष्ट्र,70,30,2,1
दक्षिण भारत,110,55,4,1.5
उत्तर भारत,120,60,5,1.5
ईशान्य भारत,190,95,8,2
दुबई,1650,700,6,3
अमेरिका,2900,1250,9,3
`;

const information = `# ग्राहकांसाठी

## पाठवण्याआधी
पार्सलवर पाठवणाऱ्याचा आणि घेणाऱ्याचा फोन नंबर असावा. परदेशी पार्सलसाठी आधार कार्ड आणि सामानाची यादी लागते.
काचेचे सामान आम्ही फक्त आमच्याकडे पॅक केले असेल तरच घेतो; पॅकिंगचे ₹80 लागतात.

## काय पाठवत नाही
रोख रक्कम, दागिने, फटाके, अत्तर आणि नाशवंत अन्न आम्ही घेत नाही. कोरडा फराळ परदेशी पाठवता येतो.

## घरून नेणे
तीन किलोपेक्षा जड पार्सल घरून मोफत नेतो. त्याहून हलक्यासाठी ₹25 लागतात. सकाळी अकराच्या आत सांगितले तर त्याच दिवशी येतो.

## मागोवा
पावतीवरचा दहा अंकी क्रमांक आमच्या वेबसाइटवर टाकला की पार्सल कुठे आहे ते दिसते.

## हरवले किंवा फुटले तर
विमा केला असेल तर पूर्ण किंमत तीस दिवसांत देतो. विमा नसेल तर जास्तीत जास्त ₹1,000 मिळतात. तक्रार सात दिवसांच्या आत करावी.

## घेणारा घरी नसेल तर
दोन वेळा पुन्हा जातो. त्यानंतर पार्सल पाच दिवस कार्यालयात ठेवतो आणि मग पाठवणाऱ्याकडे परत जाते.

## तातडीची सेवा
पुणे आणि मुंबईला दुसऱ्या दिवशी दुपारी बाराच्या आत पोचवतो; त्याचे दुप्पट पैसे लागतात.

## दुकानदारांसाठी
महिन्याला शंभरपेक्षा जास्त पार्सले पाठवणाऱ्यांना 18 टक्के सवलत आहे. वस्तू पोचल्यावर पैसे घेण्याची सोय आहे, त्याचे पार्सलमागे ₹45 लागतात.

## माणसे
कार्यालय संतोष गायकवाड चालवतात.
`;

/** A courier office in Solapur whose knowledge is written in Marathi. */
export const courier: Business = {
  name: 'Vayuveg Courier',
  part: 'held-out',
  profile: {
    business_name: 'Vayuveg Courier',
    business_type: 'Courier',
    industry: 'Logistics',
    company_description: 'पार्सल आणि पत्रे देशात आणि परदेशात, 2001 पासून.',
    support_email: 'parcel@vayuveg.example',
    support_phone: '+912172312240',
    office_address: 'सात रस्ता, सोलापूर 413001',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '09:00 AM', '08:00 PM'),
    holidays: [
      { date: inDays(2), opens: '', closes: '', note: 'सिद्धेश्वर यात्रा (Siddheshwar fair)' },
      { date: inDays(9), opens: '09:00 AM', closes: '02:00 PM', note: 'Diwali' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    product('Small carton', 'Packing', 30),
    product('Large carton', 'Packing', 75),
    product('Bubble wrap 5 m', 'Packing', 120),
    product('Waterproof envelope', 'Packing', 12),
    product('Wine box', 'Packing', 160, false),
  ],
  services: [service('Document attestation', 30, 250)],
  faqs: [
    { Question: 'रविवारी पार्सल पोचवता का?', Answer: 'नाही, पण सणांच्या आठवड्यात पोचवतो.' },
    { Question: 'मोटारसायकल पाठवता येते का?', Answer: 'हो, ट्रेनने; पेट्रोल काढून टाकावे लागते.' },
  ],
  documents: [
    { fileName: 'rates.csv', text: rates },
    { fileName: 'mahiti.md', text: information },
  ],
  asked: [
    en('price', 'How much is a half kilo parcel to Dubai?', ['1650'], ['1,650|1650']),
    en('plain', 'In how many days does a parcel reach North India?', ['5'], ['5']),
    en('price', 'price of a large carton', ['75'], ['75']),
    en('hours', 'Till when can I drop a parcel on Friday?', ['08:00 PM'], ['8:00 PM|8 PM|eight']),
    en('exception', 'What are your hours on Diwali?', ['Diwali'], ['2:00 PM|2 PM|two']),
    en('exception', 'Will the office be open during the Siddheshwar fair?', ['Siddheshwar'], ['closed|no,|not open'], notHonest),
    en('comparison', 'Which place is the most expensive to send to?', ['2900'], ['अमेरिका|America|US']),
    en('computing', 'What does one kilo to Maharashtra cost?', ['70', '30'], ['100']),
    en('computing', 'I need six small cartons and a bubble wrap, how much in all?', ['30', '120'], ['300']),
    en(
      'paraphrase',
      'The receiver was out of town when your boy came. What happens to the packet now?',
      ['दोन वेळा पुन्हा'],
      ['दोन|पाच|two|five'],
    ),
    en('paraphrase', 'My parcel got lost and I had not insured it', ['जास्तीत जास्त ₹1,000'], ['1,000']),
    en('paraphrase', 'How can I see where my shipment is right now?', ['दहा अंकी'], ['वेबसाइट|website|दहा अंकी']),
    en('negation', 'What can I not send with you?', ['रोख रक्कम'], ['रोख|cash|दागिने']),
    en('follow-up', 'And to America?', ['9'], ['9'], {
      before: ['How many days does a parcel to Dubai take?'],
      never: ['2,900'],
    }),
    en('unanswerable', 'Do you sell stamps?', []),
    hi('price', 'दक्षिण भारत में आधा किलो भेजने का कितना?', ['110'], ['110']),
    hi('plain', 'क्या बाइक भेज सकते हैं?', ['ट्रेनने'], ['हो|हाँ|ट्रेन'], notHonest),
    hi('paraphrase', 'काँच का सामान भेजना है, टूटेगा तो नहीं?', ['काचेचे सामान'], ['काच|80']),
    hi('comparison', 'उत्तर भारत और ईशान्य भारत में जल्दी कहाँ पहुँचता है?', ['5', '8'], ['उत्तर']),
    hi('hours', 'सुबह दफ़्तर कितने बजे खुलता है?', ['09:00 AM'], ['9:00|9 बजे|नौ']),
    hi('unanswerable', 'क्या आप रेल टिकट बनाते हैं?', []),
    mr('price', 'पाण्याने न भिजणारं पाकीट कितीला मिळतं?', ['12'], ['12']),
    mr('plain', 'घरी येऊन पार्सल न्यायचे पैसे लागतात का?', ['₹25'], ['25|मोफत']),
    mr('paraphrase', 'माझं दुकान आहे, महिन्याला दीडशे पाकिटं जातात, काही कमी कराल का?', ['18 टक्के'], ['18']),
    mr('negation', 'रविवारी पार्सल देत नाही का?', ['सणांच्या आठवड्यात'], ['नाही|सणांच्या'], notHonest),
    mr('computing', 'चार मोठे खोके किती रुपयांचे?', ['75'], ['300']),
    mr('follow-up', 'आणि विमा नसेल तर?', ['₹1,000'], ['1,000'], { before: ['पार्सल हरवलं तर किती दिवसात पैसे मिळतात?'] }),
    hl('plain', 'foreign bhejne ke liye kaunse kagaz lagte hai?', ['आधार कार्ड'], ['आधार|aadhaar']),
    hl('price', 'bubble wrap kitne ka hai', ['120'], ['120']),
    hl('paraphrase', 'kal tak mumbai pahuncha doge kya?', ['दुसऱ्या दिवशी'], ['दुसऱ्या दिवशी|दुप्पट|बारा']),
  ],
};
