import { asker, type Business, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const rules = `# पुस्तकालय के नियम

## सदस्यता
सदस्य बनने के लिए आधार कार्ड और दो फोटो चाहिए। ₹500 की जमानत राशि सदस्यता छोड़ने पर लौटा दी जाती है।
बारह साल से छोटे बच्चों की सदस्यता मुफ्त है।

## किताबें
एक सदस्य एक बार में तीन किताबें ले सकता है। किताब चौदह दिन में लौटानी होती है, और एक बार सात दिन के लिए बढ़ाई जा सकती है।
देर होने पर हर दिन ₹2 का जुर्माना लगता है। खोई हुई किताब का दुगना दाम देना पड़ता है।

## बैठने की जगह
पहली मंज़िल पर 40 सीटों का काम करने का कमरा है, जहाँ वाई-फाई की गति 200 Mbps है।
फोन पर बात सिर्फ बालकनी में की जा सकती है।

## कार्यक्रम
हर महीने के आखिरी शनिवार को शाम 5 बजे बच्चों के लिए कहानी का कार्यक्रम होता है।
`;

const meetingRooms = `# Meeting rooms

The small meeting room seats six and costs ₹400 an hour; the large one seats twenty and costs ₹1,100 an hour with a projector.
Rooms are booked at the counter or by e-mail two days ahead. The meeting rooms close at 6 PM.
Coffee is sold on the ground floor until 4 PM; food may not be brought upstairs.
`;

/** A library in Indore that also rents out desks, with knowledge mostly written in Hindi. */
export const library: Business = {
  name: 'Akshar Library and Desks',
  part: 'tuning',
  profile: {
    business_name: 'Akshar Library and Desks',
    business_type: 'Library and co-working space',
    industry: 'Education',
    company_description: 'किताबें, शांति और काम करने की जगह, 2015 से।',
    support_email: 'namaste@akshar.example',
    support_phone: '+917314400555',
    office_address: 'छप्पन दुकान के पीछे, इंदौर 452001',
    working_hours: week(['Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '08:00 AM', '09:00 PM'),
    holidays: [{ date: inDays(7), opens: '', closes: '', note: 'स्टॉक की गिनती (stocktaking)' }],
    timezone: 'Asia/Kolkata',
  },
  products: [
    { product_id: null, product_name: 'Akshar tote bag', category: 'Gifts', price: 350, currency: 'INR', availability: true },
  ],
  services: [
    {
      service_id: null,
      service_name: 'मासिक सदस्यता',
      service_duration: 0,
      service_price: 250,
      currency: 'INR',
      booking_required: false,
    },
    {
      service_id: null,
      service_name: 'Day desk',
      service_description: 'A desk for one day',
      service_duration: 0,
      service_price: 220,
      currency: 'INR',
      booking_required: false,
    },
    {
      service_id: null,
      service_name: 'Monthly desk',
      service_duration: 0,
      service_price: 3900,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'क्या घर पर किताबें पहुँचाते हैं?', Answer: 'हाँ, पाँच किलोमीटर के अंदर ₹40 में, बुधवार और शनिवार को।' },
    { Question: 'क्या पुरानी किताबें दान में लेते हैं?', Answer: 'हाँ, पाठ्यपुस्तकों को छोड़कर सब।' },
  ],
  documents: [
    { fileName: 'niyam.md', text: rules },
    { fileName: 'meeting-rooms.md', text: meetingRooms },
  ],
  asked: [
    en('plain', 'How many books may a member take at a time?', ['तीन किताबें'], ['three|तीन|3']),
    en('plain', 'What does the large meeting room cost?', ['₹1,100'], ['1,100']),
    en('plain', 'What is the fine for a late book?', ['₹2'], ['₹2|2']),
    en('paraphrase', 'I lost the book, what do I owe?', ['दुगना दाम'], ['double|twice|दुगना']),
    en('paraphrase', 'How fast is the internet upstairs?', ['200 Mbps'], ['200']),
    en('paraphrase', 'Can I give you the novels I have read?', ['पाठ्यपुस्तकों को छोड़कर'], ['yes|हाँ']),
    en('hours', 'What are your opening hours?', ['08:00 AM|8:00 AM', '09:00 PM|9:00 PM'], ['8:00|08:00|eight']),
    en('price', 'How much is a day desk?', ['220']),
    en('exception', 'Is the library open on the day of the stocktaking?', ['stocktaking'], ['closed|no'], {
      never: ['9:00 PM', '09:00 PM'],
    }),
    en('trap', 'When do the meeting rooms close?', ['close at 6 PM'], ['6 PM'], { never: ['9:00 PM', '09:00 PM'] }),
    en('trap', 'Until when can I get coffee?', ['until 4 PM'], ['4 PM'], { never: ['9:00 PM', '09:00 PM'] }),
    en('unanswerable', 'Do you rent out bicycles?', []),
    en('follow-up', 'And the small one?', ['₹400'], ['400'], { before: ['What does the large meeting room cost?'] }),
    en('follow-up', 'Can I keep them longer?', ['सात दिन के लिए बढ़ाई'], ['seven|7|सात'], {
      before: ['How long may I keep the books?'],
    }),
    hi('plain', 'किताब कितने दिन में लौटानी होती है?', ['चौदह दिन'], ['चौदह|14']),
    hi('plain', 'सदस्य बनने के लिए क्या चाहिए?', ['आधार कार्ड और दो फोटो'], ['आधार']),
    hi('paraphrase', 'फोन कहाँ कर सकते हैं?', ['बालकनी'], ['बालकनी']),
    hi('paraphrase', 'मीटिंग के लिए बीस लोगों का कमरा कितने का है?', ['₹1,100'], ['1,100']),
    hi('hours', 'आप कब खुलते हैं?', ['08:00 AM|8:00 AM'], ['8:00|08:00|आठ']),
    hi('price', 'मासिक सदस्यता कितने की है?', ['250']),
    hi('trap', 'बच्चों का कार्यक्रम कब होता है?', ['आखिरी शनिवार'], ['शनिवार'], { never: ['08:00'] }),
    hi('follow-up', 'और देर हो गई तो?', ['₹2'], ['₹2|2'], { before: ['किताब कितने दिन में लौटानी होती है?'] }),
    hi('unanswerable', 'क्या आप फोटोकॉपी करते हैं?', []),
    mr('plain', 'एका वेळी किती पुस्तके घेता येतात?', ['तीन किताबें'], ['तीन|3']),
    mr('plain', 'पुस्तक हरवले तर काय द्यावे लागते?', ['दुगना दाम'], ['दुगना|दुप्पट']),
    mr('paraphrase', 'लहान मुलांसाठी किती पैसे लागतात?', ['सदस्यता मुफ्त'], ['मुफ्त|मोफत|free']),
    mr('paraphrase', 'घरी पुस्तके पाठवता का?', ['पाँच किलोमीटर'], ['₹40|40']),
    mr('price', 'Day desk कितीला आहे?', ['220']),
    mr('unanswerable', 'तुमच्याकडे संगणक वर्ग आहेत का?', []),
    hl('plain', 'ek baar me kitni kitabein le sakte hain?', ['तीन किताबें'], ['teen|तीन|3|three']),
    hl('paraphrase', 'kitab kho gayi to kya karna padega?', ['दुगना दाम'], ['दुगना|double|dugna']),
    hl('paraphrase', 'wifi ki speed kya hai?', ['200 Mbps'], ['200']),
    hl('hours', 'aap kab khulte ho?', ['08:00 AM|8:00 AM'], ['8:00|08:00|aath']),
    hl('trap', 'meeting room kitne baje band hota hai?', ['close at 6 PM'], ['6'], { never: ['09:00 PM'] }),
  ],
};
