import { asker, type Business, honest, inDays, product, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const shows = `Show,Language,Starts,Length (minutes),Seats,Ticket (INR)
Journey to Saturn,English,11:00 AM,40,180,120
Life of a Star,Hindi,1:00 PM,35,180,90
Moon Stories,Marathi,3:00 PM,25,120,60
`;

const notes = `# Visiting

## Getting in
Visitors come in by the east gate; the west gate is for school buses. Latecomers are let in during the first five minutes only.
Children below three are not admitted to the dome. Children of three to five sit with a parent.
Wheelchairs have places in the first row; a ramp leads from the east gate.

## Telescope nights
Telescope nights are held on Friday and Saturday from 7 PM to 9 PM, on other days only for groups of more than twenty.
On cloudy nights visitors get a voucher for another night, which is valid for three months. A telescope night takes two hours.

## School visits
Schools book three weeks ahead. Two teachers for every forty pupils come in free. A guide goes with each class.
Colleges book one week ahead.

## Rules
Cameras with flash are not used in the dome. Food is eaten in the garden only, water may be taken inside.
Tickets are exchanged until one hour before the show and never refunded.

## Workshop
The rocket workshop is for children from eight to twelve and is held on Sunday at 10 AM. The mirror workshop is for adults and takes a whole day.
Each child brings an old newspaper, adults bring an apron.
`;

/** A planetarium for follow-up questions about anything but prices, and for questions that its knowledge does not answer. */
export const planetarium: Business = {
  name: 'Dhruva Planetarium',
  part: 'tuning',
  profile: {
    business_name: 'Dhruva Planetarium',
    business_type: 'Planetarium',
    industry: 'Education',
    company_description: 'A planetarium with one dome and a garden in Satara, since 1991. Director: Dr. Leena Gokhale.',
    support_email: 'dome@dhruva.example',
    support_phone: '+912162238844',
    office_address: 'Fort Road, Satara 415001',
    working_hours: week(['Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '10:00 AM', '05:00 PM'),
    holidays: [{ date: inDays(6), opens: '', closes: '', note: 'Maintenance of the projector' }],
    timezone: 'Asia/Kolkata',
  },
  products: [product('Star map', 'Souvenirs', 150), product('Small telescope', 'Souvenirs', 4200, false)],
  services: [service('Rocket workshop', 90, 350), service('Mirror workshop', 360, 1500)],
  faqs: [
    { Question: 'Do you have a canteen?', Answer: 'No, but there is a tea stall in the garden, open until 4 PM.' },
    { Question: 'Where can I leave my bag?', Answer: 'In the lockers beside the east gate, free of charge.' },
    { Question: 'Can I book tickets online?', Answer: 'Yes, on our website, until midnight of the day before.' },
    { Question: 'Is the dome air-conditioned?', Answer: 'Yes, bring a shawl; it is kept at 21 degrees.' },
  ],
  documents: [
    { fileName: 'shows.csv', text: shows },
    { fileName: 'visiting.md', text: notes },
  ],
  asked: [
    en('follow-up', 'And colleges?', ['one week'], ['one week'], { before: ['How far ahead do schools book?'], ...notHonest }),
    en('follow-up', 'And for adults?', ['mirror workshop'], ['mirror|whole day'], {
      before: ['Which workshop is for children from eight to twelve?'],
    }),
    en('follow-up', 'How long does it take?', ['two hours'], ['two hours'], {
      before: ['On which days are the telescope nights?'],
      ...notHonest,
    }),
    en('follow-up', 'What happens if it is cloudy?', ['voucher'], ['voucher'], { before: ['When are the telescope nights?'] }),
    en('follow-up', 'And how long is that valid?', ['three months'], ['three months'], {
      before: ['What do I get when a telescope night is cloudy?'],
    }),
    en('follow-up', 'And Moon Stories?', ['3:00 PM'], ['3:00 PM'], {
      before: ['When does Journey to Saturn start?'],
      never: [...honest.split('|'), '₹60'],
    }),
    en('follow-up', 'And in which language is that?', ['Marathi'], ['Marathi'], { before: ['How long is Moon Stories?'] }),
    en('follow-up', 'What about the Hindi one?', ['35'], ['35'], {
      before: ['How long is Journey to Saturn?'],
      never: [...honest.split('|')],
    }),
    en('follow-up', 'And how many seats?', ['180'], ['180'], { before: ['How long is Life of a Star?'] }),
    en('follow-up', 'How long is the second one?', ['35'], ['35'], {
      before: ['How many seats do Journey to Saturn and Life of a Star have?'],
    }),
    en('follow-up', 'And on Sunday?', ['05:00 PM'], ['10:00 AM'], {
      before: ['Until when are you open on Saturday?'],
      ...notHonest,
    }),
    en('follow-up', 'And on Monday?', [], ['closed'], { before: ['Are you open on Sunday?'], ...notHonest }),
    en('follow-up', 'And on Wednesday?', ['other days only for groups'], ['groups'], {
      before: ['Are there telescope nights on Friday?'],
      never: ['we are open', '10:00 AM'],
    }),
    en('follow-up', 'And water?', ['water may be taken'], ['water may be taken'], { before: ['Can I eat in the dome?'] }),
    en('follow-up', 'And is it free?', ['free of charge'], ['free of charge'], { before: ['Where can I leave my bag?'] }),
    en('follow-up', 'And a wheelchair?', ['first row'], ['first row|ramp'], { before: ['Where do children of four sit?'] }),
    en('follow-up', 'What do adults bring?', ['apron'], ['apron'], { before: ['What does each child bring to the workshop?'] }),
    en('follow-up', 'And until when?', ['4 PM'], ['4 PM'], { before: ['Is there a tea stall?'] }),
    en('follow-up', 'And the school buses?', ['west gate'], ['west gate'], { before: ['By which gate do visitors come in?'] }),
    en('follow-up', 'And to refund them?', ['never refunded'], ['never'], { before: ['Until when can tickets be exchanged?'] }),
    en('follow-up', 'And on a mobile?', [], [honest], { before: ['Is there an audio guide?'] }),
    hi('follow-up', 'और मून स्टोरीज़?', ['25'], ['25'], { before: ['जर्नी टू सैटर्न कितने मिनट का है?'] }),
    hi('follow-up', 'और सोमवार को?', [], ['बंद'], { before: ['रविवार को कितने बजे खुलता है?'], ...notHonest }),
    hi('follow-up', 'और कॉलेज?', ['one week'], ['one week|1 हफ़्त|एक हफ़्त'], { before: ['स्कूल कितने दिन पहले बुक करें?'] }),
    mr('follow-up', 'आणि किती जागा आहेत?', ['120'], ['120'], { before: ['Moon Stories किती वाजता सुरू होते?'] }),
    mr('follow-up', 'आणि शनिवारी?', ['05:00 PM'], ['5|10'], { before: ['शुक्रवारी किती वाजता उघडता?'], ...notHonest }),
    hl('follow-up', 'aur shaniwar ko?', ['05:00 PM'], ['10|5'], { before: ['shukrawar ko kab khulta hai?'], ...notHonest }),
    en('plain', 'Who is the director?', ['Leena Gokhale'], ['Gokhale']),
    en('plain', 'Are flashes allowed in the dome?', ['flash'], ['not used']),
    en('plain', 'May a child of two come into the dome?', ['below three'], ['not admitted']),
    en('plain', 'When is the rocket workshop?', ['Sunday at 10 AM'], ['Sunday']),
    en('price', 'How much is a ticket for Life of a Star?', ['90'], ['₹90']),
    en('price', 'What does the mirror workshop cost?', ['1500'], ['1,500']),
    en('paraphrase', 'My grandmother cannot climb stairs, can she come?', ['ramp'], ['ramp|first row']),
    en('paraphrase', 'I am running ten minutes behind, will I be let in?', ['first five minutes'], ['first five minutes']),
    en('paraphrase', 'Can I get my money back for a ticket?', ['never refunded'], ['never']),
    en('paraphrase', 'May we have a picnic?', ['garden only'], ['garden']),
    en('negation', 'What is not used in the dome?', ['flash'], ['flash']),
    en('unanswerable', 'Do you have a parking lot?', []),
    en('unanswerable', 'Is there a prayer room?', []),
    en('unanswerable', 'How big is the dome?', []),
    en('unanswerable', 'Who built the planetarium?', []),
    en('unanswerable', 'Can I rent the dome for a wedding?', []),
    en('unanswerable', 'Do you sell meteorites?', []),
    en('unanswerable', 'Is there a discount for soldiers on tickets?', []),
    en('unanswerable', 'Are dogs allowed in the garden?', []),
    en('unanswerable', 'What colour is the small telescope?', []),
    en('unanswerable', 'How many visitors come in a year?', []),
    en('unanswerable', 'Does the rocket workshop give a certificate?', []),
    en('unanswerable', 'Is there wifi in the dome?', []),
    en('unanswerable', 'How much does the star map weigh?', []),
    en('unanswerable', 'Can I join as a volunteer?', []),
    hi('unanswerable', 'क्या गुंबद में मोबाइल चार्ज कर सकते हैं?', []),
    hi('unanswerable', 'क्या आपके यहाँ पुस्तकालय है?', []),
    hi('unanswerable', 'दूरबीन पर कितने साल की वारंटी है?', []),
    mr('unanswerable', 'तुमच्याकडे राहण्याची सोय आहे का?', []),
    mr('unanswerable', 'तारांगण कोणी बांधले?', []),
    hl('unanswerable', 'kya aap birthday party karwate ho?', []),
  ],
};
