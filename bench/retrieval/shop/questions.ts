import { type Question, questionOf } from '../question';

type Asked = readonly (readonly [topic: string, ...questions: string[]])[];

const english: Asked = [
  ['return-window', 'how many days do I have to send something back', 'can I return a thing I bought last week'],
  ['refund-time', 'when will I get my money back', 'how long does a refund take to arrive'],
  ['delivery-pune', 'how fast do you deliver in Pune', 'is delivery free within Pune city'],
  ['delivery-india', 'I live in Nagpur, how long will shipping take', 'what is the delivery charge for the rest of India'],
  ['delivery-abroad', 'do you ship to Dubai', 'can I have it sent to my sister in America'],
  ['kettle-warranty', 'how long is the guarantee on the kettle', 'does the kettle warranty cover the switch'],
  ['fan-warranty', 'warranty period of the ceiling fan', 'are the fan blades covered by the guarantee'],
  ['mixer-capacity', 'how powerful is the mixer', 'how many jars come with the mixer grinder'],
  ['payment-methods', 'can I pay with a credit card', 'do you take cash when the parcel arrives'],
  ['instalments', 'can I pay in monthly parts', 'is there an EMI without interest'],
  ['cancel-order', 'I want to cancel what I ordered', 'until when can an order be cancelled for free'],
  ['track-order', 'where is my parcel right now', 'how do I track a shipment'],
  ['damaged-goods', 'my lamp came broken, what should I do', 'the box arrived damaged'],
  ['gift-wrap', 'can you wrap it as a present', 'what does gift packing cost'],
  ['loyalty-points', 'how do I collect loyalty points', 'do my reward points expire'],
  ['installation', 'will somebody come and fit the fan at home', 'price of having the purifier installed'],
  ['purifier-filter', 'how often must the purifier filter be replaced', 'when do I change the water filter'],
  ['parking', 'where can I park my car', 'is there parking at the store'],
  ['bulk-discount', 'do I get a discount if I buy fifty pieces', 'wholesale price reduction'],
  ['gst-invoice', 'I need a tax invoice with GST', 'where do I put my GST number'],
  ['repair-service', 'can you repair a kettle whose warranty is over', 'how many days does a repair take'],
  ['old-exchange', 'do you take my old mixer in exchange', 'how much off for bringing an old fan'],
  ['jobs', 'are you hiring drivers', 'how can I apply for work in your store'],
  ['privacy', 'what do you do with my phone number', 'please delete my telephone number'],
];

const hindi: Asked = [
  ['return-window', 'सामान कितने दिन में लौटा सकते हैं', 'क्या मैं खरीदा हुआ सामान वापस लौटा सकता हूँ'],
  ['refund-time', 'पैसा कितने दिन में वापस आएगा', 'रिटर्न की जाँच के बाद पैसे कब मिलेंगे'],
  ['delivery-pune', 'पुणे में डिलीवरी कितने दिन में होती है', 'क्या पुणे शहर में डिलीवरी मुफ्त है'],
  ['delivery-india', 'पुणे के बाहर डिलीवरी का शुल्क कितना है', 'भारत में दूसरे शहर में ऑर्डर कितने दिन में आएगा'],
  ['delivery-abroad', 'क्या आप भारत के बाहर सामान भेजते हैं', 'विदेश के पते पर सामान भेजोगे क्या'],
  ['kettle-warranty', 'केतली की वारंटी कितने महीने की है', 'क्या केतली का स्विच वारंटी में आता है'],
  ['fan-warranty', 'सीलिंग फैन की वारंटी बताइए', 'पंखे की मोटर पर कितनी वारंटी है'],
  ['mixer-capacity', 'मिक्सर की मोटर कितने वाट की है', 'मिक्सर के साथ कितने जार आते हैं'],
  ['payment-methods', 'क्या आप क्रेडिट कार्ड लेते हैं', 'यूपीआई से भुगतान हो सकता है क्या'],
  ['instalments', 'क्या किस्तों में भुगतान कर सकते हैं', 'बिना ब्याज की किस्त मिलती है क्या'],
  ['cancel-order', 'मुझे ऑर्डर रद्द करना है', 'ऑर्डर कब तक मुफ्त में रद्द होता है'],
  ['track-order', 'मेरा पार्सल कहाँ है', 'ट्रैकिंग नंबर कैसे मिलेगा'],
  ['damaged-goods', 'सामान टूटा हुआ आया है', 'टूटी हुई चीज बदल कर मिलेगी क्या'],
  ['gift-wrap', 'उपहार पैकिंग का कितना लगेगा', 'क्या आप गिफ्ट की पैकिंग करते हैं'],
  ['loyalty-points', 'लॉयल्टी पॉइंट कैसे मिलते हैं', 'पॉइंट कब समाप्त होते हैं'],
  ['installation', 'पंखा लगाने के लिए घर कोई आएगा क्या', 'तकनीशियन घर आने का कितना लेता है'],
  ['purifier-filter', 'प्यूरीफायर का फिल्टर कब बदलना चाहिए', 'पानी का फिल्टर कितने लीटर चलता है'],
  ['parking', 'पार्किंग कहाँ है', 'क्या दुकान के पीछे पार्किंग मिलेगी'],
  ['bulk-discount', 'ज्यादा नग लेने पर छूट मिलेगी क्या', '20 नग के ऑर्डर पर कितनी छूट है'],
  ['gst-invoice', 'जीएसटी का बिल चाहिए', 'जीएसटी नंबर कहाँ डालें'],
  ['repair-service', 'वारंटी खत्म है, मरम्मत हो जाएगी क्या', 'मरम्मत में कितने दिन लगते हैं'],
  ['old-exchange', 'पुराना मिक्सर देकर नया ले सकते हैं क्या', 'पुराने पंखे पर कितनी छूट मिलेगी'],
  ['jobs', 'दुकान में नौकरी के लिए आवेदन कैसे करें', 'क्या ड्राइवर की नौकरी है'],
  ['privacy', 'मेरे फोन नंबर का क्या करते हैं', 'मेरा नंबर हटा दीजिए'],
];

const marathi: Asked = [
  ['return-window', 'माल किती दिवसांत परत करता येतो', 'खरेदी केलेली वस्तू परत करता येईल का'],
  ['refund-time', 'पैसे किती दिवसांत परत मिळतील', 'तपासणीनंतर पैसे कधी मिळतात'],
  ['delivery-pune', 'पुण्यात डिलिव्हरी किती दिवसांत होते', 'पुणे शहरात डिलिव्हरी मोफत आहे का'],
  ['delivery-india', 'पुण्याबाहेर डिलिव्हरीचे शुल्क किती', 'भारतात इतर ठिकाणी किती दिवस लागतात'],
  ['delivery-abroad', 'भारताबाहेर माल पाठवता का', 'परदेशातील पत्त्यावर पाठवाल का'],
  ['kettle-warranty', 'किटलीची वॉरंटी किती महिन्यांची आहे', 'किटलीचा स्विच वॉरंटीत येतो का'],
  ['fan-warranty', 'सीलिंग फॅनची वॉरंटी किती', 'फॅनच्या मोटरची वॉरंटी सांगा'],
  ['mixer-capacity', 'मिक्सरची मोटर किती वॅटची आहे', 'मिक्सरसोबत किती भांडी येतात'],
  ['payment-methods', 'तुम्ही क्रेडिट कार्ड घेता का', 'यूपीआयने पैसे भरता येतील का'],
  ['instalments', 'हप्त्यांत पैसे भरता येतात का', 'बिनव्याजी हप्ते आहेत का'],
  ['cancel-order', 'मला ऑर्डर रद्द करायची आहे', 'ऑर्डर कधीपर्यंत मोफत रद्द होते'],
  ['track-order', 'माझे पार्सल कुठे आहे', 'ट्रॅकिंग क्रमांक कसा मिळेल'],
  ['damaged-goods', 'वस्तू तुटलेली आली आहे', 'तुटलेली वस्तू बदलून मिळेल का'],
  ['gift-wrap', 'भेटवस्तू पॅकिंगचे किती पैसे', 'भेट म्हणून पॅकिंग करून द्याल का'],
  ['loyalty-points', 'लॉयल्टी पॉइंट कसे मिळतात', 'पॉइंट कधी संपतात'],
  ['installation', 'फॅन बसवायला घरी कोणी येईल का', 'तंत्रज्ञ घरी यायला किती घेतो'],
  ['purifier-filter', 'प्युरिफायरचा फिल्टर कधी बदलावा', 'पाण्याचा फिल्टर किती लिटर चालतो'],
  ['parking', 'पार्किंग कुठे आहे', 'दुकानामागे पार्किंग मिळेल का'],
  ['bulk-discount', 'जास्त नग घेतले तर सवलत मिळेल का', '20 नगांवर किती सवलत आहे'],
  ['gst-invoice', 'जीएसटी बिल हवे आहे', 'जीएसटी क्रमांक कुठे टाकायचा'],
  ['repair-service', 'वॉरंटी संपली आहे, दुरुस्ती होईल का', 'दुरुस्तीला किती दिवस लागतात'],
  ['old-exchange', 'जुना मिक्सर देऊन नवीन घेता येईल का', 'जुन्या पंख्यावर किती सूट मिळते'],
  ['jobs', 'दुकानात नोकरीसाठी अर्ज कसा करायचा', 'चालकाची नोकरी आहे का'],
  ['privacy', 'माझ्या फोन क्रमांकाचे काय करता', 'माझा क्रमांक काढून टाका'],
];

/** Near-duplicates, numbers, negations, mixed languages, and misspellings typical of speech recognition. */
const adversarial: Asked = [
  [
    'fan-warranty',
    'is it 24 months on the sealing fan',
    'seeling fan warrenty how much',
    'what is not covered by the fan guarantee',
  ],
  [
    'kettle-warranty',
    'stil kettel waranty',
    'is the warranty 12 months or 24 for the kettle',
    'steel kettle ki warranty kitni hai',
  ],
  ['delivery-pune', 'free delivery above 500 in poona', 'pune delivary how meny days', 'delivery inside the city in two days'],
  ['delivery-india', 'delivery costs 80 rupees where', 'not in Pune, how many days', 'five to seven days delivery'],
  ['purifier-filter', 'every six months what has to be changed', 'purifyer filtr chenge', 'after 3000 litres'],
  ['instalments', '3000 rupees three or six months', 'imi without intrest', 'kist me payment without byaj'],
  ['refund-time', 'refand kab aayega, when does it reach my account', 're fund time five days'],
  ['cancel-order', 'can sell my order', 'order cancel before it leaves the ware house'],
  ['gst-invoice', 'g s t in voice', 'मुझे GST invoice चाहिए'],
  ['payment-methods', 'cash on delivery की limit कितनी है', 'क्या UPI चलेगा'],
  ['old-exchange', 'three hundred off for the old one, any condition', 'पुरानी केतली exchange करनी है'],
  ['bulk-discount', 'twelve percent discount for how many pieces', 'बल्क ऑर्डर पर discount'],
  ['repair-service', 'repair out of warranty', 'वारंटी नहीं है तब मरम्मत'],
  ['delivery-abroad', 'you ship outside India, yes', 'international shiping'],
];

/** Nothing in the knowledge base answers these: the honest reply is "I don't know". */
const unanswerable: readonly string[] = [
  ...[
    'who won the cricket world cup',
    'what is the weather in Mumbai today',
    'recommend a good doctor for back pain',
    'how tall is mount Everest',
    'can you write a poem about rain',
  ],
  ...[
    'what is the capital of Japan',
    'do you sell mobile phones',
    'how do I reset my email password',
    'is the museum open on Friday',
    'book a table for two tonight',
  ],
  ...[
    'how many calories are in a banana',
    'tell me a joke',
    'what time does the train to Delhi leave',
    'do you offer yoga classes',
    'who is the prime minister',
  ],
  ...[
    'आज मौसम कैसा है',
    'क्रिकेट मैच कौन जीता',
    'दिल्ली की ट्रेन कितने बजे है',
    'मुझे सिर दर्द की दवा बताइए',
    'एक चुटकुला सुनाओ',
    'क्या आप मोबाइल बेचते हैं',
  ],
  ...[
    'भारत के प्रधानमंत्री कौन हैं',
    'खाना बनाने की विधि बताओ',
    'सोने का भाव क्या है',
    'मेरी कुंडली देखो',
    'बच्चों के स्कूल में दाखिला कैसे लें',
    'योग कैसे करें',
  ],
  ...[
    'आज हवामान कसे आहे',
    'सामना कोण जिंकला',
    'मुंबईची गाडी किती वाजता आहे',
    'डोकेदुखीवर औषध सांगा',
    'एक विनोद सांग',
    'तुम्ही मोबाईल विकता का',
  ],
  ...[
    'महाराष्ट्राचे मुख्यमंत्री कोण',
    'पुरणपोळी कशी बनवायची',
    'सोन्याचा भाव काय आहे',
    'शाळेत प्रवेश कसा घ्यायचा',
    'गणपती कधी आहेत',
    'योगा वर्ग आहेत का',
  ],
];

const listed = (part: Question['part'], asked: Asked): Question[] =>
  asked.flatMap(([topic, ...questions]) => questions.map((text) => questionOf(part, text, topic)));

/** The evaluation. Nothing was tuned on it; the clinic is for that. */
export const shopQuestions: readonly Question[] = [
  ...listed('plain', english),
  ...listed('plain', hindi),
  ...listed('plain', marathi),
  ...listed('adversarial', adversarial),
  ...unanswerable.map((text) => questionOf('unanswerable', text)),
];
