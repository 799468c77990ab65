import { asker, type Business, honest, inDays, product, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const slides = `स्लाइड,ऊँचाई (मीटर),कम से कम कद (सेमी),सवारी,समय
नागिन,18,140,अकेले,सुबह 10 से शाम 5
मछली,6,90,दो लोग,सुबह 10 से शाम 6
तूफ़ान,24,150,अकेले,दोपहर 12 से शाम 4
`;

const notes = `# नियम

## कपड़े
नायलॉन के कपड़े ज़रूरी हैं; सूती कपड़ों में पानी में जाना मना है। तैराकी के कपड़े काउंटर पर किराये पर मिलते हैं।
चश्मा उतारकर लॉकर में रखें। लॉकर की चाबी खोने पर ₹200 लगते हैं।

## बच्चे
दस साल से छोटे बच्चों के साथ एक बड़ा होना चाहिए। तीन साल तक के बच्चों का टिकट नहीं लगता।
बच्चों का तालाब दो फुट गहरा है, लहरों वाला तालाब पाँच फुट गहरा है।
बच्चों के तालाब में दो तैराक देखरेख करते हैं, लहरों वाले तालाब में चार।

## खाना
बाहर का खाना अंदर लाना मना है, छोटे बच्चों का खाना ला सकते हैं। भोजनालय दोपहर 12 से 3 बजे तक चलता है, नाश्ता सुबह 10 बजे से मिलता है।
जैन खाना एक दिन पहले बताने पर मिलता है।

## समूह
तीस से ज़्यादा लोगों के समूह को 15 प्रतिशत छूट मिलती है। स्कूलों को 25 प्रतिशत छूट मिलती है, उन्हें एक हफ़्ते पहले बुकिंग करनी होती है।
बारिश से पार्क बंद हुआ तो टिकट अगले पंद्रह दिन में फिर चलता है।
`;

/**
 * A water park whose knowledge is in Hindi, for follow-up questions about anything but prices, and for questions that its
 * knowledge does not answer.
 */
export const waterPark: Business = {
  name: 'जलतरंग वाटर पार्क',
  part: 'tuning',
  profile: {
    business_name: 'जलतरंग वाटर पार्क',
    business_type: 'वाटर पार्क',
    industry: 'Entertainment',
    company_description: 'इंदौर के पास परिवारों के लिए वाटर पार्क। प्रबंधक: रमेश पटेल।',
    support_email: 'namaste@jaltarang.example',
    support_phone: '+917312556677',
    office_address: 'खंडवा रोड, इंदौर 452020',
    working_hours: week(['Monday', 'Tuesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '10:00 AM', '06:00 PM'),
    holidays: [{ date: inDays(5), opens: '', closes: '', note: 'सफ़ाई का दिन' }],
    timezone: 'Asia/Kolkata',
  },
  products: [product('बड़ों का टिकट', 'टिकट', 600), product('बच्चों का टिकट', 'टिकट', 400), product('तौलिया', 'सामान', 180)],
  services: [service('तैराकी की कक्षा', 45, 300), service('नाव की सैर', 20, 100)],
  faqs: [
    { Question: 'क्या गाड़ी खड़ी करने की जगह है?', Answer: 'हाँ, दो सौ गाड़ियों की, दिन भर के ₹50।' },
    { Question: 'पानी कितने दिन में बदला जाता है?', Answer: 'हर रात छाना जाता है और हर हफ़्ते बदला जाता है।' },
    { Question: 'क्या डॉक्टर रहता है?', Answer: 'हाँ, नर्स पूरे दिन रहती है और डॉक्टर दस मिनट में आते हैं।' },
  ],
  documents: [
    { fileName: 'slides.csv', text: slides },
    { fileName: 'niyam.md', text: notes },
  ],
  asked: [
    hi('follow-up', 'और लहरों वाला?', ['पाँच फुट'], ['पाँच'], { before: ['बच्चों का तालाब कितना गहरा है?'], ...notHonest }),
    hi('follow-up', 'और स्कूलों को?', ['25 प्रतिशत'], ['25'], { before: ['समूह को कितनी छूट मिलती है?'] }),
    hi('follow-up', 'और तूफ़ान?', ['24'], ['24'], { before: ['नागिन स्लाइड कितनी ऊँची है?'], never: [...honest.split('|'), '150'] }),
    hi('follow-up', 'और उसके लिए कद कितना चाहिए?', ['150'], ['150'], { before: ['तूफ़ान स्लाइड कितनी ऊँची है?'] }),
    hi('follow-up', 'उस पर कितने लोग बैठते हैं?', ['दो लोग'], ['दो'], { before: ['मछली स्लाइड कितनी ऊँची है?'] }),
    hi('follow-up', 'और नाश्ता?', ['सुबह 10'], ['10'], { before: ['भोजनालय कब चलता है?'] }),
    hi('follow-up', 'और चाबी खो गई तो?', ['₹200'], ['200'], { before: ['चश्मा कहाँ रखें?'] }),
    hi('follow-up', 'और रविवार को?', ['06:00 PM'], ['10|6'], { before: ['शनिवार को कितने बजे खुलते हैं?'], ...notHonest }),
    hi('follow-up', 'और बुधवार को?', [], ['बंद'], { before: ['क्या मंगलवार को खुले हैं?'], ...notHonest }),
    hi('follow-up', 'और सूती कपड़े?', ['मना है'], ['मना'], { before: ['क्या नायलॉन के कपड़े ज़रूरी हैं?'] }),
    hi('follow-up', 'और बारिश हो गई तो?', ['पंद्रह दिन'], ['पंद्रह'], { before: ['टिकट कितने का है?'] }),
    hi('follow-up', 'वह कितनी देर की होती है?', ['45'], ['45'], { before: ['क्या तैराकी की कक्षा होती है?'] }),
    hi('follow-up', 'और नाव की सैर?', ['20'], ['20'], { before: ['तैराकी की कक्षा कितनी देर की होती है?'] }),
    hi('follow-up', 'वहाँ कितने तैराक रहते हैं?', ['चार'], ['चार'], { before: ['लहरों वाला तालाब कितना गहरा है?'] }),
    hi('follow-up', 'और रात को?', [], [honest], { before: ['नर्स कब रहती है?'], never: ['हम बंद', 'हम खुले'] }),
    hi('follow-up', 'दूसरी वाली कितने मीटर की है?', ['6'], ['6 '], {
      before: ['नागिन और मछली स्लाइड पर कितने लोग बैठते हैं?'],
      never: ['18'],
    }),
    mr('follow-up', 'आणि लाटांचा?', ['पाँच फुट'], ['पाँच'], { before: ['मुलांचा तलाव किती खोल आहे?'] }),
    mr('follow-up', 'आणि शाळांना?', ['25'], ['25'], { before: ['गटाला किती सूट मिळते?'] }),
    mr('follow-up', 'आणि बुधवारी?', [], ['बंद'], { before: ['गुरुवारी किती वाजता उघडता?'], ...notHonest }),
    en('follow-up', 'And the wave pool?', ['पाँच फुट'], ['पाँच'], { before: ['How deep is the children’s pool?'] }),
    en('follow-up', 'And schools?', ['25'], ['25'], { before: ['What discount does a group get?'] }),
    en('follow-up', 'And on Wednesday?', [], ['closed'], { before: ['Are you open on Tuesday?'], ...notHonest }),
    hl('follow-up', 'aur budhwar ko?', [], ['बंद'], { before: ['mangalwar ko khule ho kya?'], ...notHonest }),
    hl('follow-up', 'aur school ko?', ['25'], ['25'], { before: ['group ko kitna discount milta hai?'] }),
    hl('follow-up', 'aur nagin?', ['18'], ['18'], { before: ['machhli slide kitni unchi hai?'] }),
    hi('plain', 'प्रबंधक कौन हैं?', ['रमेश पटेल'], ['रमेश']),
    hi('plain', 'क्या जैन खाना मिलता है?', ['जैन खाना'], ['जैन']),
    hi('plain', 'पानी कब बदला जाता है?', ['हर हफ़्ते'], ['हर हफ़्ते']),
    hi('price', 'बच्चों का टिकट कितने का है?', ['400'], ['400']),
    hi('price', 'तौलिया कितने का है?', ['180'], ['180']),
    hi('comparison', 'सबसे ऊँची स्लाइड कौन सी है?', ['24'], ['तूफ़ान']),
    hi('paraphrase', 'क्या जींस पहनकर उतर सकते हैं?', ['नायलॉन'], ['नायलॉन|सूती']),
    hi('paraphrase', 'चोट लगे तो कौन देखेगा?', ['नर्स'], ['नर्स']),
    hi('paraphrase', 'घर से टिफ़िन ला सकते हैं?', ['मना है'], ['मना']),
    hi('paraphrase', 'दो साल की बेटी का पैसा लगेगा?', ['तीन साल'], ['तीन साल|नहीं लगता']),
    hi('unanswerable', 'क्या यहाँ होटल के कमरे हैं?', []),
    hi('unanswerable', 'क्या शराब मिलती है?', []),
    hi('unanswerable', 'तौलिया किस रंग का है?', []),
    hi('unanswerable', 'क्या कुत्ता ला सकते हैं?', []),
    hi('unanswerable', 'पार्क कब बना था?', []),
    hi('unanswerable', 'क्या वाई-फ़ाई है?', []),
    hi('unanswerable', 'क्या सैनिकों को छूट मिलती है?', []),
    hi('unanswerable', 'तैराकी कौन सिखाता है?', []),
    hi('unanswerable', 'क्या स्टेशन से बस चलती है?', []),
    hi('unanswerable', 'मछली स्लाइड कितनी लंबी है?', []),
    mr('unanswerable', 'लग्नासाठी पार्क भाड्याने देता का?', []),
    mr('unanswerable', 'व्हीलचेअर मिळते का?', []),
    en('unanswerable', 'Do you have a spa?', []),
    en('unanswerable', 'Is there a gift shop?', []),
    en('unanswerable', 'Can I pay in instalments?', []),
    hl('unanswerable', 'kya aap naukri dete ho?', []),
  ],
};
