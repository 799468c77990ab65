import { ScriptedSpeechToText } from './speech-to-text/speech-to-text';
import { describeSpeechToText } from './speech-to-text/speech-to-text.suite';
import { ScriptedTextToSpeech } from './text-to-speech/text-to-speech';
import { ScriptedTurnEnd } from './voice-activity/voice-activity';
import { describeTurnEnd } from './voice-activity/turn-end.suite';
import { describeTextToSpeech } from './text-to-speech/text-to-speech.suite';

describeTextToSpeech('ScriptedTextToSpeech', () => new ScriptedTextToSpeech());

describeSpeechToText(
  'ScriptedSpeechToText',
  () => new ScriptedSpeechToText(),
  () => ({ samples: new Int16Array(16_000).fill(5000), language: 'english', word: 'hello' }),
);

describeTurnEnd(
  'ScriptedTurnEnd',
  () => new ScriptedTurnEnd(),
  async () => ({ finished: new Int16Array(8000), brokenOff: new Int16Array(8000).fill(5000), sampleRate: 8000 }),
);
