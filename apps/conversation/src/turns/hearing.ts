import { Injectable } from '@nestjs/common';
import { Fault, type SpeechLanguage, type streamTurn, transcribeRecording } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import type { Draft } from './draft';

type Recording = NonNullable<z.output<typeof streamTurn.request>['audio']>;

/** Turns a spoken question into text. */
@Injectable()
export class Hearing {
  constructor(private readonly bus: ServiceBus) {}

  async hear({ sampleRate, ...audioFile }: Recording, language: SpeechLanguage, draft: Draft): Promise<string> {
    const heard = await this.bus.ask(transcribeRecording, { audioFile, language, sampleRate });
    draft.audioSeconds = Math.ceil(heard.audioSeconds);
    draft.transcriptionMs = draft.elapsedMs;
    const words = heard.transcription.trim();
    if (words === '') throw new Fault('VALIDATION_FAILED', { details: [{ field: 'audioFile', message: 'holds no speech' }] });
    return words;
  }
}
