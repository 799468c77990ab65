import { detectLanguage } from './detected-language';

describe('the language of a question', () => {
  it.each([
    ['लहान मुलांचे रक्त कोण घेते?', 'marathi'],
    ['दुकानासाठी बोर्ड बनवायचे आहेत', 'marathi'],
    ['बच्चों का खून कौन लेता है?', 'hindi'],
    ['दुकान के लिए बोर्ड बनवाना है', 'hindi'],
    ['सादी थाली का दाम?', 'hindi'],
    ['ढाई सौ सादी थाली का दाम?', 'hindi'],
    ['छोटे हॉल का किराया?', 'hindi'],
    ['कुत्र्यांना घेता का?', 'marathi'],
    ['घर सोडावे लागते का?', 'marathi'],
    ['हॉल मिळेल का?', 'marathi'],
    ['report kitne ghante me aati hai', 'hinglish'],
    ['repair ke baad kuch guarantee milti hai', 'hinglish'],
    ['ravivar ko dukan khuli hai kya', 'hinglish'],
    ['ravivari dukan chalu aste ka?', 'marathi'],
    ['tel kadhayla kiti vel lagto', 'marathi'],
    ['ghari delivery milel ka?', 'marathi'],
    ['mirchi kandap konta divshi hote', 'marathi'],
    ['Can I pay the bill by card?', 'english'],
    ['Do you sell ka brand oil to schools?', 'english'],
    ['Who takes the blood of children?', 'english'],
  ] as const)('follows from small words and case endings: %s', (question, language) =>
    expect(detectLanguage(question)).toBe(language),
  );

  it.each(['सादी थाली का?', 'थाली, किराया?', 'जनरेटर?'])(
    'is that of the conversation where the words are of both: %s',
    (question) => {
      expect(detectLanguage(question, 'marathi')).toBe('marathi');
      expect(detectLanguage(question, 'hindi')).toBe('hindi');
    },
  );
});

describe('the grammar of a short question', () => {
  it.each([
    ['रविवारी बंद का असता?', 'marathi'],
    ['महाग की स्वस्त?', 'marathi'],
    ['कोणते स्वस्त आहे?', 'marathi'],
    ['यात महाग कोणते?', 'marathi'],
    ['दोन्ही मिळून?', 'marathi'],
    ['दोघांना किती पडेल?', 'marathi'],
    ['चावी उद्या द्याल?', 'marathi'],
    ['दोनों मिलाकर?', 'hindi'],
    ['चाबी कल दोगे?', 'hindi'],
    ['और बड़े वाले का?', 'hindi'],
    ['dukan kab khulegi', 'hinglish'],
    ['itvaar ko band', 'hinglish'],
    ['chabi kal doge?', 'hinglish'],
    ['dono milakar?', 'hinglish'],
    ['chavi udya dyal?', 'marathi'],
    ['donhi milun?', 'marathi'],
    ['gaadichi kimmat?', 'marathi'],
    ['Sunday ko open?', 'hinglish'],
    ['Sundayla open asel?', 'marathi'],
    ['GST alag lagega?', 'hinglish'],
    ['veg sandwich ka?', 'hinglish'],
    ['dusra milel ka?', 'marathi'],
    ['AC room का rent?', 'hindi'],
    ['और beginner pottery course?', 'hindi'],
    ['क्या home delivery available है?', 'hindi'],
    ['आणि weekend batch timing?', 'marathi'],
    ['तुमच्या कडे wheelchair ramp आहे का available?', 'marathi'],
    ['What does the राजमा चावल thali cost?', 'english'],
    ['Tell me about the माझी लाडकी बहीण scheme please', 'english'],
    ['Is पुरणपोळी on the menu?', 'english'],
    ['AC room चे rent?', 'marathi'],
  ] as const)('tells Marathi, Hindi and both in Latin letters apart: %s', (question, language) =>
    expect(detectLanguage(question)).toBe(language),
  );

  it.each([
    'Is paneer tikka on the menu?',
    'Full plate or half?',
    'Price of one kg mithai?',
    'Do you have kurtas for men?',
    'Is the Char Dham trip on?',
    'Vanilla cake, one kilo',
    'Until noon?',
    'Total?',
  ])('leaves English with words and names of India English: %s', (question) => expect(detectLanguage(question)).toBe('english'));

  it('is that of the conversation in Latin letters too, where the words are of both', () => {
    expect(detectLanguage('aaj band?', 'marathi')).toBe('marathi');
    expect(detectLanguage('aaj band?', 'hindi')).toBe('hinglish');
  });
});
