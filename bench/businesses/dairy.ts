import { asker, type Business, honest, inDays, product, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const milk = `दूध,फॅट (टक्के),अर्धा लिटर (₹),एक लिटर (₹),कधी मिळते
गायीचे दूध,3.5,30,58,सकाळ आणि संध्याकाळ
म्हशीचे दूध,6.5,38,74,सकाळ आणि संध्याकाळ
ए-टू गीर गायीचे दूध,4.5,55,108,फक्त सकाळ
शेळीचे दूध,4,70,138,फक्त शनिवार
`;

const rules = `आमची पद्धत

घरपोच सेवा
दूध रोज सकाळी 5:30 ते 7:30 दरम्यान घरी पोचवतो. संध्याकाळची घरपोच सेवा नाही. घरपोच सेवेचे महिन्याला ₹60 लागतात; रोज दोन लिटरपेक्षा जास्त घेतल्यास सेवा मोफत आहे.

सुट्टी
गावाला जाणार असाल तर आदल्या दिवशी रात्री 8 वाजेपर्यंत कळवा, त्या दिवसाचे पैसे घेत नाही. उशिरा कळवले तर दूध मोजले जाते.

बिल
बिल दर महिन्याच्या 3 तारखेला येते आणि 10 तारखेपर्यंत भरायचे असते. उशीर झाल्यास ₹50 दंड लागतो.

बाटल्या
दूध काचेच्या बाटलीत देतो. एका बाटलीसाठी ₹40 अनामत घेतो, बाटली परत केल्यावर ते परत मिळतात. प्लास्टिकची पिशवी देत नाही.

नासलेले दूध
दूध नासले तर दुपारी 12 पर्यंत फोटो पाठवा, दुसऱ्या दिवशी तेवढेच दूध मोफत देतो.

चाचणी
प्रत्येक गायीच्या दुधाची आठवड्यातून एकदा प्रयोगशाळेत तपासणी होते. भेसळ सिद्ध केल्यास ₹1,00,000 बक्षीस.

गोठा
गोठा रविवारी सकाळी 9 ते 11 पाहता येतो. माणशी ₹20, पाच वर्षांखालील मुलांना मोफत. आमच्याकडे 64 गायी आणि 38 म्हशी आहेत.

शेणखत
शेणखताची ट्रॉली ₹2,200 ला मिळते. गोवऱ्या विकत नाही.
`;

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A dairy near Sangli that delivers milk; its knowledge is written in Marathi. */
export const dairy: Business = {
  name: 'Krishnakath Dairy',
  part: 'held-out',
  profile: {
    business_name: 'Krishnakath Dairy',
    business_type: 'Dairy farm',
    industry: 'Food',
    company_description: 'कृष्णेच्या काठी, 1978 पासून.',
    support_email: 'namaskar@krishnakath.example',
    support_phone: '+912332375521',
    office_address: 'Market Yard Road, Sangli 416416',
    working_hours: (week(days, '06:00 AM', '09:00 PM') ?? []).map((hours) =>
      hours.day === 'Thursday' ? { ...hours, close_time: '12:00 PM' } : hours,
    ),
    holidays: [{ date: inDays(5), opens: '', closes: '', note: 'बैलपोळा' }],
    timezone: 'Asia/Kolkata',
  },
  products: [
    product('पनीर 200 ग्रॅम', 'दुग्धजन्य', 90),
    product('पनीर 1 किलो', 'दुग्धजन्य', 420),
    product('दही 500 ग्रॅम', 'दुग्धजन्य', 55),
    product('तूप 500 मिली', 'दुग्धजन्य', 390),
    product('श्रीखंड 250 ग्रॅम', 'गोड', 95),
    product('पेढे 500 ग्रॅम', 'गोड', 260),
    product('बासुंदी 500 मिली', 'गोड', 180, false),
    product('ताक 1 लिटर', 'पेय', 25),
  ],
  services: [],
  faqs: [
    { Question: 'लग्नासाठी मोठी ऑर्डर घेता का?', Answer: 'हो, 50 लिटरच्या वर चार दिवस आधी सांगावे लागते आणि पाच टक्के सूट मिळते.' },
    { Question: 'दूध पाश्चराइज्ड आहे का?', Answer: 'नाही, दूध कच्चे आणि ताजे असते, उकळून प्यावे.' },
  ],
  documents: [
    { fileName: 'milk.csv', text: milk },
    { fileName: 'rules.txt', text: rules },
  ],
  asked: [
    en('price', 'How much is a litre of cow milk?', ['58'], ['58']),
    en('price', 'What does half a litre of buffalo milk cost?', ['38'], ['38']),
    en('price', 'What is the price of ghee?', ['390'], ['390']),
    en('price', 'How much is the deposit for a bottle?', ['40'], ['40']),
    en('plain', 'At what time is the milk delivered in the morning?', ['5:30'], ['5:30']),
    en('plain', 'On which date does the bill come?', ['3 तारखे'], ['3']),
    en('plain', 'On which day is goat milk available?', ['शनिवार'], ['Saturday|शनिवार']),
    en('plain', 'How many buffaloes do you have?', ['38'], ['38']),
    en('hours', 'What are your opening hours on Thursday?', ['12:00'], ['12']),
    en('hours', 'Are you open on Sunday evening?', ['09:00 PM|9:00 PM'], ['yes|open|9']),
    en('comparison', 'Which milk has the most fat?', ['6.5'], ['म्हशी|buffalo']),
    en('comparison', 'Which costs more, shrikhand or pedhe?', ['260'], ['pedhe|पेढे']),
    en('computing', 'What do two litres of buffalo milk cost?', ['74'], ['148']),
    en('computing', 'Three packs of curd, how much?', ['55'], ['165']),
    en('paraphrase', 'We are travelling next week, can I stop the milk for those days?', ['आदल्या दिवशी'], ['8|आदल्या']),
    en('paraphrase', 'My milk curdled, what will you do?', ['नासले'], ['मोफत|free|फोटो|photo']),
    en('paraphrase', 'Is there a fine if I pay late?', ['दंड'], ['50']),
    en('paraphrase', 'Do I have to boil it?', ['उकळून'], ['उकळून|raw|boil'], notHonest),
    en('paraphrase', 'Do you use plastic bags?', ['प्लास्टिक'], ['काच|glass|नाही|देत नाही']),
    en('follow-up', 'And for one litre?', ['108'], ['108'], { before: ['What does half a litre of A2 gir cow milk cost?'] }),
    en('exception', `Is the dairy open on ${inDays(5)}?`, [inDays(5)], ['closed|not open|no,']),
    en('trap', 'When can we visit the cowshed?', ['9 ते 11'], ['9|नऊ']),
    en('negation', 'Which products are not available at the moment?', ['बासुंदी'], ['बासुंदी|basundi']),
    en('unanswerable', 'Do you sell cheese slices?', [], []),
    en('unanswerable', 'Do you have camel milk?', [], []),
    hi('price', 'एक किलो पनीर कितने का है?', ['420'], ['420']),
    hi('price', 'छाछ कितने की है?', ['25'], ['25']),
    hi('plain', 'बिल कब तक भरना होता है?', ['10 तारखे'], ['10']),
    hi('plain', 'गोशाला देखने का कितना पैसा लगता है?', ['20'], ['20']),
    hi('paraphrase', 'दूध फट गया तो क्या होगा?', ['नासले'], ['मोफत|मुफ्त|फोटो']),
    hi('paraphrase', 'शादी के लिए ज़्यादा दूध मिल सकता है?', ['50 लिटर'], ['चार|सूट|हो']),
    hi('computing', 'तीन लीटर गाय का दूध कितने का होगा?', ['58'], ['174']),
    hi('comparison', 'सबसे महँगा दूध कौन सा है?', ['138'], ['शेळी|बकरी']),
    hi('hours', 'गुरुवार को कितने बजे बंद होता है?', ['12:00'], ['12']),
    hi('follow-up', 'और भैंस का?', ['74'], ['74'], { before: ['गाय का दूध एक लीटर कितने का है?'] }),
    hi('unanswerable', 'क्या आप गाय भी बेचते हैं?', [], []),
    hi('trap', 'गोशाला कब देख सकते हैं?', ['9 ते 11'], ['9|रविवार']),
    mr('price', 'श्रीखंड कितीला आहे?', ['95'], ['95']),
    mr('price', 'शेणखताची ट्रॉली केवढ्याला?', ['2,200'], ['2,200|2200']),
    mr('plain', 'संध्याकाळी घरपोच दूध मिळतं का?', ['संध्याकाळची घरपोच सेवा नाही'], ['नाही'], notHonest),
    mr('plain', 'दुधाची तपासणी किती वेळा होते?', ['आठवड्यातून एकदा'], ['आठवड्यातून|एकदा']),
    mr('hours', 'तुम्ही सकाळी किती वाजता उघडता?', ['06:00 AM|6:00 AM'], ['6|सहा']),
    mr('comparison', 'सगळ्यात स्वस्त दूध कोणतं?', ['58'], ['गायीचे']),
    mr('computing', 'चार बाटल्यांची अनामत किती होईल?', ['40'], ['160']),
    mr('computing', '200 ग्रॅमची दोन पनीर पाकिटं कितीला पडतील?', ['90'], ['180']),
    mr('paraphrase', 'आम्ही बाहेरगावी जाणार आहोत, दूध नको असेल तर कधी सांगायचं?', ['आदल्या दिवशी'], ['8|आदल्या']),
    mr('paraphrase', 'दुधात पाणी मिसळलंय असं वाटलं तर?', ['भेसळ'], ['भेसळ|बक्षीस|तपासणी']),
    mr('paraphrase', 'लहान मुलांना गोठा बघायला तिकीट लागतं का?', ['पाच वर्षांखालील'], ['मोफत']),
    mr('follow-up', 'आणि एक किलोचं?', ['420'], ['420'], { before: ['200 ग्रॅम पनीरची किंमत किती?'] }),
    mr('negation', 'तुम्ही काय विकत नाही?', ['गोवऱ्या'], ['गोवऱ्या']),
    mr('exception', 'बैलपोळ्याला चालू असता का?', ['बैलपोळा'], ['बंद']),
    mr('unanswerable', 'तुमच्याकडे अंडी मिळतात का?', [], []),
    hl('price', 'dahi kitne ka hai?', ['55'], ['55']),
    hl('plain', 'doodh subah kitne baje aata hai?', ['5:30'], ['5:30']),
    hl('paraphrase', 'late payment par penalty hai kya?', ['दंड'], ['50']),
    hl('computing', 'do litre bhains ka doodh kitne ka hoga?', ['74'], ['148']),
    hl('unanswerable', 'ice cream milega kya?', [], []),
  ],
};
