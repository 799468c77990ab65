import type { TongueEnds } from './tongue-ends';
import { ending, wordSet } from './words';

const asked = '(?:कश|कोण|कुण|कधी|किती|कुठ|काय|kash|kon|kadhi|kiti|kuth|kay)';

/** Marathi in both scripts: as Hindi, but what marks a noun grows together with it, and `का` at the end asks. */
export const marathiEnds: TongueEnds = {
  continuing: wordSet(
    'आणि व किंवा पण परंतु कारण की तर जर जेव्हा तेव्हा म्हणून म्हणजे म्हणजेच',
    'ते तो ती एक खूप अजून आधी नंतर सुद्धा अं उम्म हम्म फक्त जरा मग असं',
    'साठी मध्ये वर पासून पर्यंत बद्दल सोबत जवळ समोर खरंतर तसं जो जी जे ज्या त्यात ज्यात यात',
    'ani aani kinva kiva pan parantu karan ki tar jar jevha tevha mhanun mhanje te to ti ek khup ajun adhi nantar fakta jara mag',
    'sathi madhe var pasun paryant baddal sobat javal tasa jo je jya umm',
  ),
  closing: wordSet(
    'आहे आहेत आहात आहोत आहेस नाही नाहीत नको पाहिजे हवे हवा हवी हवं हवंय',
    'होता होती होते होतं करा द्या सांगा या का नाहीये असेल होईल चालेल',
    'करायचं आहे झालं झाले झाली झाला गेला गेली गेले आला आली आले मिळेल बोला थांबवा शकता शकतो शकते',
    'aahe ahe aahet ahet aahat aahot ahot nahi nahit nako pahije hava have',
    'havi hota hoti hote kara dya sanga ka asel hoil chalel zala zali zale',
    'gela geli gele aala ali ale milel bola shakta shakto shakte',
  ),
  answers: wordSet(
    'हो होय ठीक बरोबर धन्यवाद नमस्कार एवढंच वाजता उद्या आज hoy thik barobar dhanyavaad namaskar evdhach vajta udya aaj',
  ),
  asking: wordSet(
    'काय कोण कधी कुठे कसे कसं कशी कसा किती का कोणता कोणती कोणते कशाला कितीला',
    'kay kaay kon kadhi kuthe kase kasa kashi kiti konta konti',
  ),
  opening: wordSet(
    'मी मला माझा माझी माझे माझं माझ्या आम्ही आम्हाला आमचा आमची आमचे आमचं आमच्या',
    'तुम्ही तुम्हाला तुमचा तुमची तुमचे तुमचं तुमच्या त्याने तिने जर जेव्हा कारण की',
    'mi mala majha majhi majhe mazha mazhi majhya amhi amhala amcha amchi tumhi tumhala tumcha tumchi tumchya jar jevha karan',
  ),
  verb: /(?:तो|ते|तात|तंय|तोय|तेय|ईन|ेन|ील|ेल|ला|ली|ले|लं|लो|चं|यचं|ta|to|te|tat|in|il|el|la|li|le|cha)$/u,
  whole: ending(`${asked}\\S*`, 'आणि (?:तुम्ही|तू)|ani (?:tumhi|tu)|(?:खूप|khup) \\S+|(?:थोड्या वेळाने|नंतर)'),
  broken: ending(
    '(?:एक|ek) (?:मिनिट|मिनट|सेकंद|minute|min|second)|(?:थांबा|थांब|ऐका|thamba|aika)(?: (?:जरा|jara))?|खरं तर|khara tar',
    '\\S+(?:च्या|साठी|बद्दल|मध्ये|पासून|पर्यंत|कडे|हून|नंतर|ल्यावर|ताना|णारी|णारा|णारे)',
    '\\S{2,}(?:ून|ऊन)|\\S+(?:chya|sathi|madhe|baddal|pasun)',
    '(?:माझं|माझे|माझा|majha|mazha) (?:नाव|पत्ता|नंबर|प्रश्न|naav|patta|number) (?:आहे|aahe|ahe)',
    '\\S+ करत|\\S+ karat',
  ),
};
