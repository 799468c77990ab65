import { type AudioItem, Fault, type SpeechLanguage, synthesizeSpeech } from '@parley/contracts';
import { type Call, runInCall, type ServiceBus } from '@parley/messaging';
import type { Charge } from '../../credits/charge';

const charactersMax = 5000;

export interface Voice {
  /** In the order of the agent's builder; whoever of them speaks the language. */
  readonly preferredVoiceIDs: number[];
  readonly pace: number;
}

/** The audio of an answer, once it has begun. A longer answer than the speech service takes is spoken up to there. */
export async function speak(
  bus: ServiceBus,
  call: Call,
  words: { answer: string; language: SpeechLanguage; voice: Voice },
): Promise<AsyncIterator<AudioItem>> {
  const text = [...words.answer].slice(0, charactersMax).join('');
  return runInCall(call, () => bus.stream(synthesizeSpeech, { text, language: words.language, ...words.voice }))[
    Symbol.asyncIterator
  ]();
}

/** Waits for the format, by which the characters are known, and answers the bytes that follow. */
export async function audioOf(parts: AsyncIterator<AudioItem>, call: Call, charge: Charge): Promise<AsyncGenerator<Buffer>> {
  const format = await runInCall(call, () => parts.next());
  if (format.done || format.value.type !== 'format')
    throw new Fault('INTERNAL', { cause: new Error('speech began without its format') });
  charge.use('TTS_API', format.value.characters);
  return bytesOf(parts, call, charge);
}

/** Settles at the end; a client that leaves pays as well, for it is all spoken. A failure in the middle costs nothing. */
async function* bytesOf(parts: AsyncIterator<AudioItem>, call: Call, charge: Charge): AsyncGenerator<Buffer> {
  let hasFailed = false;
  try {
    for (;;) {
      const part = await runInCall(call, () => parts.next());
      if (part.done) return;
      if (part.value.type === 'audio') yield Buffer.from(part.value.base64, 'base64');
    }
  } catch (error) {
    hasFailed = !call.signal.aborted;
    throw error;
  } finally {
    await parts.return?.().catch(() => undefined);
    await (hasFailed ? charge.release() : charge.settle());
  }
}

const headerCharactersMax = 8000;

/** Text for a header: percent-encoded, cut between characters where clients would refuse a longer one. */
export function headerText(text: string): string {
  let encoded = '';
  for (const character of text) {
    const next = encodeURIComponent(character.isWellFormed() ? character : '\uFFFD');
    if (encoded.length + next.length > headerCharactersMax) break;
    encoded += next;
  }
  return encoded;
}
