import { describeSpeechToText, ScriptedSpeechToText } from './speech-to-text';
import { describeTextToSpeech, ScriptedTextToSpeech } from './text-to-speech';

describeTextToSpeech('ScriptedTextToSpeech', () => new ScriptedTextToSpeech());

describeSpeechToText(
  'ScriptedSpeechToText',
  () => new ScriptedSpeechToText(),
  () => ({ samples: new Int16Array(16_000).fill(5000), language: 'english', word: 'hello' }),
);
