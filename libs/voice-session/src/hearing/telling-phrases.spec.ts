import { spokenLanguages } from '@parley/ports';
import { ScriptedCall } from '../scripted/scripted-call';
import { isBackchannel, soundsLikeVoicemail } from './telling-phrases';

const murmurs = {
  english: ['hmm', 'Mm-hmm.', 'uh-huh', 'okay', 'OK', 'yeah', 'right', 'I see', 'got it', 'yes yes', 'oh okay', 'haan'],
  hindi: ['हाँ', 'हां जी', 'अच्छा', 'ठीक है', 'haan', 'accha accha', 'theek hai', 'hmm theek hai', 'जी', 'okay', 'हम्म'],
  marathi: ['हो', 'बरं', 'ठीक आहे', 'ho ho', 'bara', 'होय', 'अच्छा', 'हो बरोबर', 'okay'],
};

const words = {
  english: [
    'no',
    'wait',
    'stop',
    'okay but',
    'yes I want two',
    'right now',
    'okay?',
    '',
    'hold on',
    'what',
    'fine dining',
    'oh no',
  ],
  hindi: ['नहीं', 'रुको', 'हाँ लेकिन', 'ठीक है पर', 'nahi', 'ruko', 'haan mujhe ek aur chahiye', 'अच्छा सुनो', 'क्या'],
  marathi: ['नाही', 'थांबा', 'हो पण', 'बरं ऐका', 'nahi', 'thamba', 'ho mala pahije', 'काय'],
};

describe.each(spokenLanguages)('isBackchannel in %s', (language) => {
  it.each(murmurs[language])('takes "%s" for a sign of listening', (text) => {
    expect(isBackchannel(text, language)).toBe(true);
  });

  it.each(words[language])('takes "%s" for something said', (text) => {
    expect(isBackchannel(text, language)).toBe(false);
  });
});

const isMachine = (text: string) => soundsLikeVoicemail({ text, language: 'english', sinceOpenedMs: 2000 });

describe('soundsLikeVoicemail', () => {
  it.each([
    "Hi, this is Asha. I can't come to the phone right now",
    'please leave a message after the beep',
    'You have reached the voicemail of',
    'The person you are calling is not answering',
    'आपके द्वारा डायल किया गया नंबर अभी व्यस्त है',
    'कृपया बीप के बाद अपना संदेश छोड़ें',
    'कृपया बीप नंतर आपला निरोप ठेवा',
    Array.from({ length: 25 }, () => 'word').join(' '),
  ])('takes for a machine: %s', (text) => {
    expect(isMachine(text)).toBe(true);
  });

  it.each([
    'Hello?',
    'Yes, who is this please?',
    'Good morning, Sharma and sons, how can I help you today?',
    'Can I leave the office at five?',
    'हाँ जी, बोलिए, कौन बोल रहा है',
    'हो, बोला',
    '',
  ])('takes for a person: %s', (text) => {
    expect(isMachine(text)).toBe(false);
  });

  it('leaves its message and hangs up when a machine picks up, and only where the settings want to know', async () => {
    const settings = { voicemail: { listenMs: 20_000, message: 'We will call again.' } };
    const rules = { isVoicemail: soundsLikeVoicemail };
    const asked = new ScriptedCall({ settings, rules });
    await asked.says('please leave a message after the beep');
    await asked.isSilent(8000);
    expect(asked.line.endedBecause).toBe('VOICEMAIL');
    expect(asked.mouth.words.length).toBeGreaterThan(0);
    const notAsked = new ScriptedCall({ rules });
    await notAsked.says('please leave a message after the beep');
    await notAsked.isSilent(8000);
    expect(notAsked.line.endedBecause).toBeUndefined();
  });
});
