import { asker, type Business, honest, inDays, product, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const rates = `कीट,एक बेडरूम (₹),दो बेडरूम (₹),तीन बेडरूम (₹),गारंटी (महीने),समय (मिनट)
तिलचट्टे,900,1200,1500,6,40
दीमक,3800,5200,6900,36,240
खटमल,1800,2400,3100,3,90
मच्छर,700,950,1150,1,30
चूहे,1100,1350,1600,2,60
चींटियाँ,600,800,1000,4,30
`;

const guide = `# ग्राहकों के लिए जानकारी

## आने से पहले
रसोई के बर्तन और खाने का सामान ढक दें। दवा छिड़कने के बाद चार घंटे तक घर में न आएँ। मछलीघर को ढकना और उसका पंप बंद करना ज़रूरी है।
खटमल के इलाज से पहले सारे बिस्तर और कपड़े गर्म पानी में धोएँ।

## दवाएँ
तिलचट्टों के लिए जेल लगाते हैं जिसमें गंध नहीं होती, इसलिए घर खाली नहीं करना पड़ता। हमारी सभी दवाएँ सरकार से मंज़ूर हैं।
गर्भवती महिलाओं और छह महीने से छोटे बच्चों वाले घर में हम छिड़काव नहीं करते, केवल जेल लगाते हैं।

## गारंटी
गारंटी के भीतर कीड़े लौट आएँ तो हम मुफ़्त में दोबारा आते हैं। घर में पानी का रिसाव हो तो दीमक की गारंटी नहीं रहती।

## भुगतान
काम पूरा होने पर पैसे दें, पहले कुछ नहीं। नकद, यूपीआई और कार्ड चलते हैं। दुकानों और होटलों से सालाना करार पर 20 प्रतिशत कम लेते हैं।

## समय बदलना
तय समय से पाँच घंटे पहले तक समय बदलना मुफ़्त है, उसके बाद ₹200 लगते हैं।

## कहाँ जाते हैं
हम पूरे नागपुर शहर और कामठी में जाते हैं। हिंगणा में ₹250 आने-जाने के लगते हैं। वर्धा हम नहीं जाते।

## हम क्या नहीं करते
साँप और मधुमक्खी के छत्ते हम नहीं हटाते; इसके लिए वन विभाग को 1926 पर फ़ोन करें।

## लोग
टीम के प्रमुख दिलीप मेश्राम हैं, जिन्हें बाईस साल का अनुभव है। सभी कर्मचारी पहचान पत्र लेकर आते हैं।
`;

/** A pest control service in Nagpur whose knowledge is written in Hindi. */
export const pestControl: Business = {
  name: 'Kavach Pest Control',
  part: 'tuning',
  profile: {
    business_name: 'Kavach Pest Control',
    business_type: 'Pest control',
    industry: 'Home services',
    company_description: 'घर और दुकान को कीड़ों से बचाते हैं, 2006 से।',
    support_email: 'seva@kavach.example',
    support_phone: '+917122551920',
    office_address: 'धरमपेठ, झंडा चौक, नागपुर 440010',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Friday', 'Saturday', 'Sunday'], '08:00 AM', '06:00 PM'),
    holidays: [
      { date: inDays(1), opens: '', closes: '', note: 'कर्मचारी प्रशिक्षण (staff training)' },
      { date: inDays(7), opens: '08:00 AM', closes: '12:00 PM', note: 'Pola' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    product('Rat glue board', 'Traps', 90),
    product('Fly catcher machine', 'Traps', 2600),
    product('Cockroach gel tube', 'Medicines', 320),
    product('Window mosquito net', 'Nets', 750, false),
  ],
  services: [service('Inspection visit', 30, 150), service('Tree treatment', 45, 400)],
  faqs: [
    { Question: 'क्या पालतू जानवरों को नुकसान होता है?', Answer: 'नहीं, बस उन्हें दो घंटे दूसरे कमरे में रखें।' },
    { Question: 'दीवारों पर दाग पड़ते हैं क्या?', Answer: 'नहीं, हमारी दवा से दाग नहीं पड़ते।' },
  ],
  documents: [
    { fileName: 'rates.csv', text: rates },
    { fileName: 'guide.md', text: guide },
  ],
  asked: [
    en('price', 'How much is cockroach treatment for a two bedroom flat?', ['1200'], ['1,200|1200'], { never: ['900'] }),
    en('plain', 'How many months of guarantee do you give on termites?', ['36'], ['36']),
    en('price', 'what do you charge for an inspection visit', ['150'], ['150']),
    en('hours', 'Do you work on Thursdays?', ['Thursday'], ['closed|not open|no,'], notHonest),
    en('hours', 'From what time can your people come?', ['08:00 AM'], ['8:00 AM|8 AM|eight']),
    en('exception', 'Can somebody come tomorrow?', ['staff training'], ['closed|not open|no,'], notHonest),
    en('comparison', 'Is getting rid of rats dearer than mosquitoes in a one bedroom flat?', ['1100', '700'], ['rats|चूहे|yes']),
    en('computing', 'I want ten glue boards and one gel tube, total?', ['90', '320'], ['1,220|1220']),
    en('paraphrase', 'We have a cat at home, is the spray harmful to her?', ['दो घंटे'], ['दो घंटे|two hours|2 hours']),
    en(
      'paraphrase',
      'The insects came back after a month. Will you come again without charging?',
      ['मुफ़्त में दोबारा'],
      ['मुफ़्त|free'],
    ),
    en('paraphrase', 'My wife is expecting a baby, can you still do the spraying?', ['केवल जेल'], ['जेल|gel']),
    en('follow-up', 'And three bedrooms?', ['3100'], ['3,100|3100'], { before: ['What is bed bug treatment for two bedrooms?'] }),
    en('negation', 'Which animals do you not remove?', ['साँप'], ['साँप|snake']),
    en('trap', 'How many hours must we stay out of the house after spraying?', ['चार घंटे'], ['चार|four|4'], { never: ['8:00'] }),
    en('unanswerable', 'Do you also clean sofas?', []),
    hi('plain', 'दीमक के काम में कितना समय लगता है?', ['240'], ['240']),
    hi('price', 'एक बेडरूम में चींटियों का क्या रेट है?', ['600'], ['600']),
    hi('paraphrase', 'पैसे एडवांस देने पड़ेंगे क्या?', ['पहले कुछ नहीं'], ['काम पूरा|पहले कुछ नहीं']),
    hi('negation', 'वर्धा में सेवा नहीं देते क्या?', ['वर्धा हम नहीं'], ['नहीं जाते'], { never: ['जानकारी नहीं'] }),
    hi('follow-up', 'और मच्छरों पर?', ['1'], ['1 |एक'], { before: ['चूहों पर कितने महीने की गारंटी है?'], never: ['700', '950'] }),
    hi('unanswerable', 'क्या आप पानी की टंकी साफ़ करते हैं?', []),
    mr('price', 'दोन बेडरूमच्या घरात वाळवीचा खर्च किती?', ['5200'], ['5,200|5200']),
    mr('plain', 'तुमच्या टीमचा प्रमुख कोण आहे?', ['दिलीप मेश्राम'], ['दिलीप']),
    mr('paraphrase', 'आमचं हॉटेल आहे, वर्षभराचं काम दिलं तर सूट मिळेल का?', ['20 प्रतिशत'], ['20']),
    mr('comparison', 'झुरळ आणि ढेकूण यात कोणाची गॅरंटी जास्त आहे?', ['6', '3'], ['तिलचट्टे|झुरळ']),
    mr('exception', 'पोळ्याच्या दिवशी किती वाजेपर्यंत काम करता?', ['Pola'], ['12|बारा']),
    mr('unanswerable', 'तुम्ही रंगकाम करता का?', []),
    hl('plain', 'deewar pe daag to nahi padenge?', ['दाग नहीं'], ['नहीं|nahi'], notHonest),
    hl('price', 'machhar ka 3 bedroom ka kitna lagega', ['1150'], ['1,150|1150']),
    hl('paraphrase', 'aaj ka appointment kal kar du to charge lagega?', ['₹200'], ['200|मुफ़्त|muft|free']),
  ],
};
