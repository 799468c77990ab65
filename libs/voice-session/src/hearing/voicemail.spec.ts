import { ScriptedCall } from '../scripted/scripted-call';
import { soundsLikeVoicemail } from './known-phrases';

const isMachine = (text: string) => soundsLikeVoicemail({ text });

describe('soundsLikeVoicemail', () => {
  it.each([
    "Hi, this is Asha. I can't come to the phone right now",
    'please leave a message after the beep',
    'You have reached the voicemail of',
    'The person you are calling is not answering',
    'आपके द्वारा डायल किया गया नंबर अभी व्यस्त है',
    'कृपया बीप के बाद अपना संदेश छोड़ें',
    'कृपया बीप नंतर आपला निरोप ठेवा',
    'कृपया ध्वनि के बाद अपना सन्देश दें',
    'कृपया आवाज़ के बाद अपना मैसेज दीजिए',
    'टोन के तुरंत बाद बोलिए',
    'बीप बजने के बाद, अपना नाम और नंबर बताइए',
    'अपना सन्देश रिकॉर्ड करें',
    'अपना मैसेज छोड़ दीजिए',
    'वॉयस मेल में आपका स्वागत है',
    'जिस व्यक्ति को आप कॉल कर रहे हैं वह उपलब्ध नहीं है',
    'आप जिस नंबर पर कॉल कर रहे हैं वह सम्पर्क क्षेत्र से बाहर है',
    'कृपया ध्वनीनंतर आपला संदेश नोंदवा',
    'बीपच्या नंतर बोला',
    'आवाजानंतर तुमचा निरोप सांगा',
    'तुमचा मेसेज रेकॉर्ड करा',
    'Krupaya beep nantar tumcha nirop theva',
    'Krupaya tumcha nirop theva',
    'Kripya beep ke baad apna sandesh chhodein',
    'kripya dhvani ke baad apna sandesh dein',
    'apna message chhod dijiye',
    'Apna sandesh record karein',
    'Aapke dwara dial kiya gaya number abhi vyast hai',
    'Aapan dial kelela number sampark kshetrachya baher aahe',
    'woh sampark kshetra se bahar hai',
    Array.from({ length: 25 }, () => 'word').join(' '),
  ])('is a machine: %s', (text) => {
    expect(isMachine(text)).toBe(true);
  });

  it.each([
    'Hello?',
    'Yes, who is this please?',
    'Good morning, Sharma and sons, how can I help you today?',
    'Can I leave the office at five?',
    'हाँ जी, बोलिए, कौन बोल रहा है',
    'हो, बोला',
    'मुझे मैसेज छोड़ दीजिए',
    'आपका संदेश मिला था मुझे',
    'आप मुझे संदेश दे दीजिए, मैं उन्हें बता दूँगी',
    'मुझे अपना मैसेज छोड़ दीजिए',
    'मैं मीटिंग के बाद फोन करता हूँ',
    'आपकी आवाज़ के बाद पहचाना मैंने',
    'निरोप मिळाला, धन्यवाद',
    'जेवण झाल्यानंतर फोन करा',
    'माझा निरोप त्यांना सांगा',
    'Haan boliye, aapka message mila tha',
    'mujhe message chhod dijiye',
    'lunch ke baad phone karna',
    'ho, mi nantar call karto',
    'tumcha nirop milala',
    '',
  ])('is a person: %s', (text) => {
    expect(isMachine(text)).toBe(false);
  });

  it('leaves its message and hangs up when a machine answers, only if detection is on', async () => {
    const settings = { voicemail: { listenMs: 20_000, message: 'We will call again.' } };
    const rules = { isVoicemail: soundsLikeVoicemail };
    const asked = new ScriptedCall({ settings, rules });
    await asked.says('please leave a message after the beep');
    await asked.isSilent(8000);
    expect(asked.line.endedBecause).toBe('VOICEMAIL');
    expect(asked.synthesizer.words.length).toBeGreaterThan(0);
    const notAsked = new ScriptedCall({ rules });
    await notAsked.says('please leave a message after the beep');
    await notAsked.isSilent(8000);
    expect(notAsked.line.endedBecause).toBeUndefined();
  });
});
