import type { HearingRequest, SpeechToText, TextToSpeech } from '@parley/ports';

/** The same engine, speaking with this voice unless asked for another. */
export function withVoice(engine: TextToSpeech, voice: string): TextToSpeech {
  return {
    get capabilities() {
      return engine.capabilities;
    },
    voices: () => engine.voices(),
    speak: (request) => engine.speak({ ...request, voice: request.voice ?? voice }),
    close: () => engine.close(),
  };
}

/** The same engine, hearing by this model unless asked for another. */
export function withModel(engine: SpeechToText, model: string): SpeechToText {
  const own = <Request extends HearingRequest>(request: Request): Request => ({ ...request, model: request.model ?? model });
  const { listen } = engine;
  return {
    get capabilities() {
      return engine.capabilities;
    },
    models: () => engine.models(),
    transcribe: (request) => engine.transcribe(own(request)),
    ...(listen && { listen: (request) => listen.call(engine, own(request)) }),
    close: () => engine.close(),
  };
}
