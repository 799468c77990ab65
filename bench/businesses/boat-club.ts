import { asker, type Business, product, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const rules = `# माहिती

## दर
शनिवारी आणि रविवारी सर्व फेऱ्यांना 20 टक्के जास्त लागतात. सर्व दरांत जीएसटी धरलेला आहे.
पंधरा किंवा जास्त जणांच्या गटाला बोट फेरीवर 10 टक्के सवलत मिळते.

## सुरक्षा
लाइफ जॅकेट घातल्याशिवाय कोणालाही बोटीत बसता येत नाही.
`;

const told = (name: string, price: number, product_description = '') => ({ ...product(name, '', price), product_description });

/** A boat club at a lake near Pune whose knowledge is in Marathi: tickets by age, boats and tents by what they hold. */
export const boatClub: Business = {
  name: 'Sarovar Boat Club',
  part: 'tuning',
  isOfPrices: true,
  profile: {
    business_name: 'सरोवर बोट क्लब',
    business_type: 'बोट क्लब',
    industry: 'Tourism',
    company_description: 'पानशेत तलावावर बोटिंग आणि मुक्काम, 2003 पासून.',
    support_email: 'namaste@sarovar.example',
    support_phone: '+912027431180',
    office_address: 'पानशेत रस्ता, पुणे 412107',
    working_hours: week(['Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '09:00 AM', '06:00 PM'),
    holidays: [],
    timezone: 'Asia/Kolkata',
  },
  products: [
    told('बोट फेरी (मोठी माणसे)', 250, 'तीस मिनिटे. दर प्रति व्यक्ती.'),
    told('बोट फेरी (लहान मुले)', 120, 'तीस मिनिटे. दर प्रति व्यक्ती.'),
    told('पेडल बोट, 2 जणांची', 300, 'दर प्रति तास.'),
    told('पेडल बोट, 4 जणांची', 500, 'दर प्रति तास.'),
    told('तंबू (एसी)', 3200, 'दोन जणांसाठी, नाश्त्यासह. दर प्रति रात्र.'),
    told('तंबू (बिगर एसी)', 2000, 'चार जणांसाठी, नाश्त्यासह. दर प्रति रात्र.'),
    told('पार्टी बोट (सकाळ)', 9000, '20 पाहुण्यांसाठी.'),
    told('पार्टी बोट (संध्याकाळ)', 12000, '35 पाहुण्यांसाठी.'),
    told('लाइफ जॅकेट', 50),
    told('टी-शर्ट (M)', 350),
    told('टी-शर्ट (XL)', 400),
    told('कांदा भजी', 60, 'एका प्लेटमध्ये 8 नग.'),
    told('मक्याचे कणीस', 40),
    told('फोटो प्रिंट', 200, '5 चा संच.'),
    told('मासेमारी गळ', 150),
    told('चॉकलेट, 20 चा डबा', 240),
  ],
  services: [],
  faqs: [{ Question: 'जेवण मिळते का?', Answer: 'हो, दुपारी बारा ते तीन.' }],
  documents: [{ fileName: 'mahiti.md', text: rules }],
  asked: [
    mr('price', 'लहान मुलांच्या बोट फेरीची किंमत किती?', ['120'], ['120'], { never: ['250', '370'] }),
    mr('price', 'बोट फेरी किती रुपयांना आहे?', ['250', '120'], ['250', '120', 'मोठी', 'लहान'], { never: ['370'] }),
    mr('computing', 'तीन मोठी माणसे बोट फेरीला, किती पैसे?', ['250'], ['750'], { never: ['1,110'] }),
    mr('computing', 'दोन मोठी माणसे आणि तीन लहान मुले, बोट फेरीचे एकूण किती?', ['250', '120'], ['860'], { never: ['1,850', '740'] }),
    mr('computing', 'दोन रात्री एसी तंबू किती रुपयांना?', ['3200'], ['6,400'], { never: ['10,400'] }),
    mr('computing', 'तीन बिगर एसी तंबू एका रात्रीसाठी किती होतील?', ['2000'], ['6,000'], { never: ['15,600'] }),
    mr('computing', 'एक एसी तंबू आणि एक बिगर एसी तंबू मिळून किती?', ['3200', '2000'], ['5,200']),
    mr('price', '4 जणांची पेडल बोट किती रुपयांना?', ['500'], ['500'], { never: ['300', '2,000', '3,200'] }),
    mr('price', '6 जणांची पेडल बोट किती रुपयांना?', ['300', '500'], ['300', '500'], { never: ['4,800', '800', '1,800', '3,000'] }),
    mr('computing', 'पाच लाइफ जॅकेट किती रुपयांना?', ['50'], ['250']),
    mr('computing', 'अडीचशे मक्याची कणसे किती रुपयांना?', ['40'], ['10,000']),
    mr('computing', 'डझनभर लाइफ जॅकेटचे किती?', ['50'], ['600']),
    mr('computing', '60 चॉकलेट किती रुपयांना?', ['240'], ['720'], { never: ['14,400'] }),
    mr('computing', 'चॉकलेटचे दोन डबे किती रुपयांना?', ['240'], ['480'], { never: ['9,600'] }),
    mr('computing', '10 फोटो प्रिंट किती रुपयांना?', ['200'], ['400'], { never: ['2,000'] }),
    mr('computing', 'तीन एक्सएल टी-शर्टचे किती पैसे?', ['400'], ['1,200'], { never: ['2,250'] }),
    mr('price', 'टी-शर्ट किती रुपयांना मिळतो?', ['350', '400'], ['350', '400', 'XL|एक्सएल'], { never: ['750'] }),
    mr('price', 'रविवारी पार्टी बोट (सकाळ) किती रुपयांना?', ['20 टक्के'], ['10,800|20 टक्के']),
    mr('price', 'तंबूच्या दरात जीएसटी धरला आहे का?', ['जीएसटी धरलेला'], ['धरलेला|हो']),
    mr('comparison', 'कोणत्या पार्टी बोटीत जास्त पाहुणे मावतात?', ['35'], ['संध्याकाळ', '35']),
    mr('plain', 'सकाळच्या पार्टी बोटीत किती पाहुणे बसतात?', ['20'], ['20'], { never: ['35'] }),
    mr('follow-up', 'आणि लहान मुलांसाठी?', ['120'], ['120'], { before: ['मोठ्या माणसांची बोट फेरी किती रुपयांना?'], never: ['370'] }),
    mr('follow-up', 'आणि चार?', ['50'], ['200'], { before: ['लाइफ जॅकेट किती रुपयांना आहे?'] }),
    mr('computing', 'दोन पार्टी बोटी किती रुपयांना?', ['9000', '12000'], ['9,000|18,000', '12,000|24,000'], {
      never: ['42,000', '21,000'],
    }),
    en('price', 'What does a boat ride cost for a child?', ['120'], ['120'], { never: ['250', '370'] }),
    en('computing', 'How much are boat rides for two adults and one child?', ['250', '120'], ['620'], {
      never: ['740', '870', '1,110'],
    }),
    en('computing', 'Three non-AC tents for one night, how much?', ['2000'], ['6,000'], { never: ['15,600', '9,600'] }),
    en('price', 'How much is a tent?', ['3200', '2000'], ['3,200', '2,000'], { never: ['5,200'] }),
    en('computing', 'How much are half a dozen life jackets?', ['50'], ['300']),
    en('computing', 'How much are 40 chocolates?', ['240'], ['480'], { never: ['9,600'] }),
    en('price', 'How much is a T-shirt in size L?', ['350', '400'], ['350', '400'], { never: ['750'] }),
    en('follow-up', 'And for a child?', ['120'], ['120'], {
      before: ['What does the boat ride cost for an adult?'],
      never: ['370'],
    }),
    hi('price', 'एसी तंबू कितने का है?', ['3200'], ['3,200'], { never: ['2,000', '5,200'] }),
    hi('computing', 'दो बच्चों की बोट फेरी कितने की?', ['120'], ['240'], { never: ['740'] }),
    hi('computing', 'सवा सौ लाइफ जैकेट कितने के?', ['50'], ['6,250']),
    hi('computing', '100 चॉकलेट कितने की?', ['240'], ['1,200'], { never: ['24,000'] }),
    hi('follow-up', 'और बीस?', ['40'], ['800'], { before: ['मक्याचे कणीस कितने का है?'] }),
    hl('price', 'AC tambu kitne ka hai?', ['3200'], ['3,200'], { never: ['2,000', '5,200'] }),
    hl('computing', 'do XL t-shirt kitne ke?', ['400'], ['800'], { never: ['1,500', '700'] }),
    hl('computing', 'dedh sau life jacket ka kitna?', ['50'], ['7,500']),
    hl('price', 'boat feri kiti rupayanna aahe?', ['250', '120'], ['250', '120'], { never: ['370'] }),
    hl('computing', '15 photo print kiti rupayanna?', ['200'], ['600'], { never: ['3,000'] }),
  ],
};
