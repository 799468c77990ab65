/**
 * The knowledge base of a shop: the topic of each passage, and its text in three languages. Some differ only by a number or a
 * place.
 */
export const shopPassages: Readonly<Record<string, readonly [english: string, hindi: string, marathi: string]>> = {
  'return-window': [
    'Goods may be returned within 30 days of purchase if they are unused and in their original packing.',
    'बिना इस्तेमाल किया हुआ सामान मूल पैकिंग में खरीद के 30 दिन के भीतर लौटाया जा सकता है।',
    'न वापरलेला माल मूळ पॅकिंगमध्ये खरेदीपासून 30 दिवसांत परत करता येतो.',
  ],
  'refund-time': [
    'Refunds reach the original payment method five working days after the returned item has been checked.',
    'लौटाए गए सामान की जाँच के पाँच कार्य दिवस बाद पैसा उसी भुगतान माध्यम में वापस आ जाता है।',
    'परत आलेल्या वस्तूची तपासणी झाल्यावर पाच कामकाजाच्या दिवसांत पैसे मूळ खात्यात परत मिळतात.',
  ],
  'delivery-pune': [
    'Inside Pune orders are delivered within two working days and delivery is free above 500 rupees.',
    'पुणे शहर में ऑर्डर दो कार्य दिवस में पहुँचता है और 500 रुपये से ऊपर डिलीवरी मुफ़्त है।',
    'पुणे शहरात ऑर्डर दोन कामकाजाच्या दिवसांत पोहोचते आणि 500 रुपयांच्या वर डिलिव्हरी मोफत आहे.',
  ],
  'delivery-india': [
    'Outside Pune, anywhere in India, delivery takes five to seven working days and costs 80 rupees.',
    'पुणे के बाहर पूरे भारत में डिलीवरी में पाँच से सात कार्य दिवस लगते हैं और 80 रुपये शुल्क है।',
    'पुण्याबाहेर संपूर्ण भारतात डिलिव्हरीला पाच ते सात कामकाजाचे दिवस लागतात आणि 80 रुपये शुल्क आहे.',
  ],
  'delivery-abroad': [
    'We do not ship to addresses outside India.',
    'हम भारत के बाहर किसी पते पर सामान नहीं भेजते।',
    'आम्ही भारताबाहेरील पत्त्यावर माल पाठवत नाही.',
  ],
  'kettle-warranty': [
    'The steel kettle has a warranty of 12 months that covers the heating element and the switch.',
    'स्टील केतली पर 12 महीने की वारंटी है, जिसमें हीटिंग एलिमेंट और स्विच शामिल हैं।',
    'स्टील किटलीवर 12 महिन्यांची वॉरंटी आहे, त्यात हीटिंग एलिमेंट आणि स्विच समाविष्ट आहेत.',
  ],
  'fan-warranty': [
    'The ceiling fan has a warranty of 24 months on the motor; the blades are not covered.',
    'सीलिंग फैन की मोटर पर 24 महीने की वारंटी है; पंखुड़ियाँ इसमें शामिल नहीं हैं।',
    'सीलिंग फॅनच्या मोटरवर 24 महिन्यांची वॉरंटी आहे; पाती त्यात समाविष्ट नाहीत.',
  ],
  'mixer-capacity': [
    'The mixer grinder has a 750 watt motor and three jars of 0.4, 1 and 1.5 litres.',
    'मिक्सर ग्राइंडर में 750 वाट की मोटर और 0.4, 1 और 1.5 लीटर के तीन जार हैं।',
    'मिक्सर ग्राइंडरमध्ये 750 वॅटची मोटर आणि 0.4, 1 व 1.5 लिटरची तीन भांडी आहेत.',
  ],
  'payment-methods': [
    'We accept UPI, all debit and credit cards, net banking and cash on delivery up to 10,000 rupees.',
    'हम यूपीआई, सभी डेबिट और क्रेडिट कार्ड, नेट बैंकिंग और 10,000 रुपये तक कैश ऑन डिलीवरी लेते हैं।',
    'आम्ही यूपीआय, सर्व डेबिट व क्रेडिट कार्ड, नेट बँकिंग आणि 10,000 रुपयांपर्यंत कॅश ऑन डिलिव्हरी स्वीकारतो.',
  ],
  instalments: [
    'Purchases above 3,000 rupees can be paid in three or six monthly instalments without interest.',
    '3,000 रुपये से ऊपर की खरीद तीन या छह मासिक किस्तों में बिना ब्याज चुकाई जा सकती है।',
    '3,000 रुपयांवरील खरेदी तीन किंवा सहा मासिक हप्त्यांत बिनव्याजी भरता येते.',
  ],
  'cancel-order': [
    'An order can be cancelled free of charge until it leaves our warehouse; after that it has to be returned.',
    'गोदाम से निकलने से पहले ऑर्डर मुफ़्त में रद्द किया जा सकता है; उसके बाद उसे लौटाना होगा।',
    'गोदामातून बाहेर पडण्यापूर्वी ऑर्डर मोफत रद्द करता येते; त्यानंतर ते परत करावे लागेल.',
  ],
  'track-order': [
    'You can follow your parcel with the tracking number that we send by SMS when it leaves.',
    'पार्सल निकलते ही हम एसएमएस से ट्रैकिंग नंबर भेजते हैं, जिससे आप उसकी जगह देख सकते हैं।',
    'पार्सल निघाल्यावर आम्ही एसएमएसने ट्रॅकिंग क्रमांक पाठवतो, त्यावरून ते कुठे आहे ते पाहता येते.',
  ],
  'damaged-goods': [
    'If an article arrives broken, send us a photo within 48 hours and we replace it without charge.',
    'अगर सामान टूटा हुआ पहुँचे तो 48 घंटे में फ़ोटो भेजें, हम उसे मुफ़्त में बदल देंगे।',
    'वस्तू तुटलेली आली तर 48 तासांत फोटो पाठवा, आम्ही ती विनाशुल्क बदलून देऊ.',
  ],
  'gift-wrap': [
    'Gift wrapping with a handwritten card costs 50 rupees an article.',
    'हाथ से लिखे कार्ड के साथ उपहार पैकिंग का शुल्क प्रति वस्तु 50 रुपये है।',
    'हस्तलिखित कार्डासह भेटवस्तू पॅकिंगचे शुल्क प्रति वस्तू 50 रुपये आहे.',
  ],
  'loyalty-points': [
    'For every 100 rupees you earn one loyalty point; a point is worth one rupee and expires after a year.',
    'हर 100 रुपये पर एक लॉयल्टी पॉइंट मिलता है; एक पॉइंट एक रुपये के बराबर है और एक साल बाद समाप्त हो जाता है।',
    'प्रत्येक 100 रुपयांवर एक लॉयल्टी पॉइंट मिळतो; एक पॉइंट एका रुपयाइतका असून एका वर्षाने संपतो.',
  ],
  installation: [
    'A technician installs ceiling fans and water purifiers at your home for 499 rupees; book a day ahead.',
    'तकनीशियन 499 रुपये में घर आकर सीलिंग फैन और वाटर प्यूरीफायर लगाता है; एक दिन पहले बुकिंग करें।',
    'तंत्रज्ञ 499 रुपयांत घरी येऊन सीलिंग फॅन आणि वॉटर प्युरिफायर बसवतो; एक दिवस आधी बुकिंग करा.',
  ],
  'purifier-filter': [
    'The filter of the water purifier should be changed every six months or after 3,000 litres.',
    'वाटर प्यूरीफायर का फ़िल्टर हर छह महीने में या 3,000 लीटर के बाद बदलना चाहिए।',
    'वॉटर प्युरिफायरचा फिल्टर दर सहा महिन्यांनी किंवा 3,000 लिटरनंतर बदलावा.',
  ],
  parking: [
    'Customers park free of charge for two hours in the basement behind the store.',
    'ग्राहक दुकान के पीछे तहखाने में दो घंटे मुफ़्त पार्किंग कर सकते हैं।',
    'ग्राहक दुकानामागील तळघरात दोन तास मोफत पार्किंग करू शकतात.',
  ],
  'bulk-discount': [
    'Orders of 20 pieces or more get a discount of 12 percent; ask for a quotation.',
    '20 या अधिक नग के ऑर्डर पर 12 प्रतिशत छूट मिलती है; कोटेशन माँगें।',
    '20 किंवा अधिक नगांच्या ऑर्डरवर 12 टक्के सवलत मिळते; कोटेशन मागवा.',
  ],
  'gst-invoice': [
    'A GST invoice is issued for every purchase; enter your GST number before you pay.',
    'हर खरीद पर जीएसटी बिल मिलता है; भुगतान से पहले अपना जीएसटी नंबर डालें।',
    'प्रत्येक खरेदीवर जीएसटी बिल मिळते; पैसे भरण्यापूर्वी आपला जीएसटी क्रमांक टाका.',
  ],
  'repair-service': [
    'Repairs outside the warranty are estimated free of charge and take about four days.',
    'वारंटी के बाहर मरम्मत का अनुमान मुफ़्त है और उसमें लगभग चार दिन लगते हैं।',
    'वॉरंटीबाहेरील दुरुस्तीचा अंदाज मोफत मिळतो आणि तिला सुमारे चार दिवस लागतात.',
  ],
  'old-exchange': [
    'Bring an old mixer, fan or kettle in any condition and get 300 rupees off a new one.',
    'पुराना मिक्सर, पंखा या केतली किसी भी हालत में लाएँ और नए पर 300 रुपये की छूट पाएँ।',
    'जुना मिक्सर, पंखा किंवा किटली कोणत्याही स्थितीत आणा आणि नवीनवर 300 रुपये सूट मिळवा.',
  ],
  jobs: [
    'Applications for work in the store are taken by e-mail with a curriculum vitae; drivers need a licence.',
    'दुकान में नौकरी के लिए बायोडाटा के साथ ईमेल से आवेदन करें; ड्राइवर के पास लाइसेंस होना चाहिए।',
    'दुकानात नोकरीसाठी बायोडेटासह ईमेलने अर्ज करा; चालकाकडे परवाना हवा.',
  ],
  privacy: [
    'Your telephone number is used for your order only and is never sold; ask us to delete it at any time.',
    'आपका फ़ोन नंबर केवल ऑर्डर के लिए इस्तेमाल होता है और कभी बेचा नहीं जाता; उसे कभी भी हटवाया जा सकता है।',
    'आपला फोन क्रमांक फक्त ऑर्डरसाठी वापरला जातो आणि कधीही विकला जात नाही; तो केव्हाही काढून टाकता येतो.',
  ],
};
