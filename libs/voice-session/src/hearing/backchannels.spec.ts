import { spokenLanguages } from '@parley/ports';
import { isBackchannel, isFarewell } from './known-phrases';

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
  it.each(murmurs[language])('takes "%s" as a backchannel', (text) => {
    expect(isBackchannel(text, language)).toBe(true);
  });

  it.each(words[language])('takes "%s" as speech', (text) => {
    expect(isBackchannel(text, language)).toBe(false);
  });
});

describe('isFarewell', () => {
  it.each([
    'bye',
    'Goodbye!',
    'okay thank you, bye',
    'thank you so much',
    'yes yes, see you later, bye bye',
    'धन्यवाद',
    'ठीक है, नमस्ते',
    'thanks, have a nice day',
  ])('takes "%s" for no more than a goodbye', (text) =>
    expect(spokenLanguages.map((language) => isFarewell(text, language))).toEqual([true, true, true]),
  );

  it.each([
    'okay',
    'hmm',
    '',
    'bye?',
    'bye but when do you close',
    'thank you, one more thing',
    'goodbye means what',
    'नमस्ते मुझे पूछना है',
  ])('takes "%s" for none', (text) =>
    expect(spokenLanguages.map((language) => isFarewell(text, language))).toEqual([false, false, false]),
  );
});
