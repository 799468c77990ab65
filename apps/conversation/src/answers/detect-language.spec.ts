import { detectLanguage } from './detect-language';

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
