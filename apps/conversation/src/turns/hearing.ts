import { Injectable } from '@nestjs/common';
import { type AgentRuntime, chosenTranscribersOf, Fault, type streamTurn, transcribeRecording } from '@parley/contracts';
import { currentCall, runInCall, ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import type { Draft } from './draft';

type Recording = NonNullable<z.output<typeof streamTurn.request>['audio']>;

/** Turns a spoken question into text. */
@Injectable()
export class Hearing {
  constructor(private readonly bus: ServiceBus) {}

  /** By the models that the agent's builder chose, where they hear the language. */
  async hear({ sampleRate, ...audioFile }: Recording, agent: AgentRuntime, draft: Draft): Promise<string> {
    const wish = { audioFile, language: draft.language, sampleRate, preferredTranscribeIDs: chosenTranscribersOf(agent) };
    // Who leaves does not stop it: how much of it was done by then, nobody could say.
    const heard = await undisturbed(() => this.bus.ask(transcribeRecording, wish));
    draft.audioSeconds = Math.ceil(heard.audioSeconds);
    draft.transcriptionMs = draft.elapsedMs;
    const words = heard.transcription.trim();
    if (words === '') throw new Fault('VALIDATION_FAILED', { details: [{ field: 'audioFile', message: 'holds no speech' }] });
    return words;
  }
}

const never = new AbortController().signal;

/** Does work in the call at hand, but to its end. */
function undisturbed<T>(work: () => Promise<T>): Promise<T> {
  const call = currentCall();
  if (!call) return work();
  const { requestId, principal, deadlineAtMs } = call;
  return runInCall({ requestId, deadlineAtMs, signal: never, ...(principal && { principal }) }, work);
}
