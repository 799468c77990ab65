import type { OpenEars } from '@parley/voice-session';
import type { SpeechLanguage } from '@parley/contracts';
import type { LiveOpening } from './live-session';

/** Gives every line its ears. */
export abstract class LineHearing {
  abstract earsFor(about: LiveOpening, language: SpeechLanguage): OpenEars;
}
