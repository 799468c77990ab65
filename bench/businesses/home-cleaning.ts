import { asker, type Business, product, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const rules = `# Terms of Bright Corner

## Prices
GST of 18 percent is added to every bill. Visits after 7 pm cost 20 percent more. Visits on a public holiday cost ₹300 more.
Holders of an annual plan get 10 percent off all other work.

## Visits
The team brings its own machines and water is taken from the house. Somebody has to be at home when we begin and when we end.
`;

/** A home cleaning service with prices by size of home, by seat, by window and by square foot. */
export const homeCleaning: Business = {
  name: 'Bright Corner Cleaning',
  part: 'tuning',
  isOfPrices: true,
  profile: {
    business_name: 'Bright Corner Cleaning',
    business_type: 'Home cleaning',
    industry: 'Home services',
    company_description: 'Cleans homes in Pune since 2014.',
    support_email: 'hello@brightcorner.example',
    support_phone: '+912041007722',
    office_address: '12 Lane D, Kothrud, Pune 411038',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '08:00 AM', '09:00 PM'),
    holidays: [],
    timezone: 'Asia/Kolkata',
  },
  products: [
    product('Floor cleaner 1 litre', '', 140),
    product('Floor cleaner 5 litres', '', 600),
    { ...product('Microfibre cloths', '', 270), product_description: 'Pack of 6, washable.' },
    { ...product('Dustbin bags', '', 120), product_description: 'A roll of 30 bags.' },
    product('Rubber gloves (small)', '', 80),
    product('Rubber gloves (large)', '', 95),
    product('Scrub pads, box of 50', '', 450),
  ],
  services: [
    { ...service('Deep cleaning (1 BHK)', 240, 2500), service_description: 'Kitchen, bathrooms, floors and fans.' },
    { ...service('Deep cleaning (2 BHK)', 300, 3400), service_description: 'Kitchen, bathrooms, floors and fans.' },
    { ...service('Deep cleaning (3 BHK)', 420, 4200), service_description: 'Kitchen, bathrooms, floors and fans.' },
    { ...service('Sofa cleaning', 60, 180), service_description: 'Vacuum and shampoo. Price per seat.' },
    { ...service('Carpet shampoo', 60, 12), service_description: 'Dries in six hours. Price per square foot.' },
    { ...service('Window cleaning', 20, 90), service_description: 'Frames and grills included. Price per window.' },
    service('Bathroom scrub (small)', 45, 350),
    service('Bathroom scrub (large)', 75, 550),
    service('Kitchen degreasing (with chimney)', 150, 1800),
    service('Kitchen degreasing (without chimney)', 120, 1300),
    { ...service('Water tank cleaning (500 litres)', 60, 800), service_description: 'Two people.' },
    { ...service('Water tank cleaning (1000 litres)', 90, 1200), service_description: 'Two people.' },
  ],
  faqs: [{ Question: 'Do I have to buy the cleaning liquids?', Answer: 'No, we bring them.' }],
  documents: [{ fileName: 'terms.md', text: rules }],
  asked: [
    en('price', 'How much is deep cleaning for a 2 BHK?', ['3400'], ['3,400'], { never: ['2,500', '4,200', '6,800'] }),
    en('price', 'What do you charge to deep clean a 3 BHK flat?', ['4200'], ['4,200'], { never: ['12,600', '2,500'] }),
    en('price', 'What does deep cleaning cost?', ['2500', '3400', '4200'], ['2,500', '4,200'], { never: ['10,100'] }),
    en('price', 'How much is deep cleaning for a 4 BHK?', ['4200'], ['2,500', '4,200'], {
      never: ['40,400', '16,800', '10,100'],
    }),
    en('computing', 'How much are two large bathroom scrubs?', ['550'], ['1,100'], { never: ['1,800'] }),
    en('computing', 'We have three small bathrooms, what does the scrub come to?', ['350'], ['1,050'], { never: ['2,700'] }),
    en('computing', 'Scrubbing two small bathrooms and one large one, total?', ['350', '550'], ['1,250'], { never: ['1,800'] }),
    en('computing', 'How much are three bathroom scrubs?', ['350', '550'], ['350|1,050', '550|1,650'], {
      never: ['2,700', '900'],
    }),
    en('price', 'What is kitchen degreasing without the chimney?', ['1300'], ['1,300'], { never: ['1,800', '3,100'] }),
    en('price', 'What does kitchen degreasing with chimney cost?', ['1800'], ['1,800'], { never: ['1,300', '3,100'] }),
    en(
      'price',
      'How much do you take for a kitchen degreasing?',
      ['1800', '1300'],
      ['1,800', '1,300', 'with chimney', 'without chimney'],
    ),
    en('computing', 'Sofa with seven seats, how much to clean it?', ['180'], ['1,260'], { never: ['..'] }),
    en('price', 'What is the price per seat for a sofa?', ['180'], ['180'], { never: ['..'] }),
    en('computing', 'Carpet of 80 square feet, what will shampooing it cost?', ['12'], ['960'], { never: ['..'] }),
    en('computing', 'How much is it to clean nine windows?', ['90'], ['810'], { never: ['..'] }),
    en('computing', 'How much are 150 scrub pads?', ['450'], ['1,350'], { never: ['67,500'] }),
    en('computing', 'I need 120 scrub pads, what would that be?', ['450'], ['1,350'], { never: ['54,000'] }),
    en('computing', 'How much are three boxes of scrub pads?', ['450'], ['1,350'], { never: ['22,500'] }),
    en('computing', 'What do 18 microfibre cloths cost?', ['270'], ['810'], { never: ['4,860'] }),
    en('computing', 'Two packs of microfibre cloths, how much?', ['270'], ['540']),
    en('computing', 'What are 60 dustbin bags?', ['120'], ['240'], { never: ['7,200'] }),
    en('computing', 'How much are two dozen microfibre cloths?', ['270'], ['1,080'], { never: ['6,480', '540'] }),
    en('price', 'What does floor cleaner of 5 litres cost?', ['600'], ['600'], { never: ['3,000', '140'] }),
    en('price', 'How much is the 2 litre floor cleaner?', ['140', '600'], ['140', '600'], { never: ['1,480', '280', '1,200'] }),
    en('price', 'How much is window cleaning with GST?', ['18 percent'], ['106.20|18 percent'], {}),
    en('price', 'What is a 1 BHK deep cleaning at 8 in the evening?', ['20 percent'], ['3,000|20 percent']),
    en('price', 'Is GST included in the sofa price?', ['18 percent'], ['18 percent']),
    en('follow-up', 'And a 3 BHK?', ['4200'], ['4,200'], {
      before: ['How much is deep cleaning for a 1 BHK?'],
      never: ['2,500'],
    }),
    en('follow-up', 'And five of them?', ['90'], ['450'], { before: ['How much is window cleaning?'] }),
    en('follow-up', 'And ten?', ['180'], ['1,800'], { before: ['What does sofa cleaning cost?'] }),
    en('comparison', 'Which is dearer, the small or the large bathroom scrub?', ['550'], ['large', '200|550']),
    en('computing', 'How much are four pairs of large rubber gloves?', ['95'], ['380'], { never: ['700'] }),
    hi('price', '2 बीएचके की डीप क्लीनिंग कितने की है?', ['3400'], ['3,400'], { never: ['2,500', '10,100', '20,200'] }),
    hi('computing', 'सात सीट का सोफ़ा साफ़ कराने का कितना होगा?', ['180'], ['1,260'], { never: ['..', '।.'] }),
    hi('computing', 'दो बड़े बाथरूम स्क्रब कितने के पड़ेंगे?', ['550'], ['1,100'], { never: ['1,800'] }),
    hi('computing', 'ढाई सौ स्क्रब पैड कितने के?', ['450'], ['2,250'], { never: ['1,12,500'] }),
    mr('price', 'चिमणीशिवाय किचन डीग्रीसिंग किती रुपयांना?', ['1300'], ['1,300'], { never: ['1,800', '3,100'] }),
    mr('computing', 'खिडक्या साफ करायच्या आहेत, आठ खिडक्यांचे किती होतील?', ['90'], ['720']),
    mr('price', '3 बीएचके घराच्या डीप क्लीनिंगची किंमत किती?', ['4200'], ['4,200'], { never: ['30,300', '2,500'] }),
    hl('price', '2 BHK ki deep cleaning kitne ki hai?', ['3400'], ['3,400'], { never: ['2,500', '20,200'] }),
    hl('computing', 'do chhote bathroom scrub ka kitna hoga?', ['350'], ['700'], { never: ['1,800'] }),
    hl('computing', '100 scrub pads kitne ke honge?', ['450'], ['900'], { never: ['45,000'] }),
  ],
};
