import { defineService } from '@parley/service-kit';
import { SpeechVariables } from './config';
import { SpeechModule } from './speech.module';

/** Everything that is sound: voices, text to speech, speech to text. */
export const speech = defineService({
  name: 'speech',
  config: SpeechVariables,
  module: (config) => SpeechModule.with(config),
});
