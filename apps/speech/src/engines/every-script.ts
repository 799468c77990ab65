import { cutByScript, forScripts, languageOf, latinFor, saysAll, sentencesOf } from '@parley/language';
import {
  ProviderFailure,
  type SpeechBlock,
  type SpeechRequest,
  type SpokenLanguage,
  type TextToSpeech,
  type TimedWord,
} from '@parley/ports';

/** A voice of another script, and the language in which it says it. */
export interface OtherVoice {
  readonly engine: TextToSpeech;
  readonly voice: string | undefined;
  readonly language: SpokenLanguage;
}

/** Finds a voice that says all of a text, in one of these languages if possible. */
type FindVoice = (text: string, likely: readonly SpokenLanguage[]) => OtherVoice | undefined;

/** Consecutive sentences of one voice, the wanted one unless there is another. */
interface SpokenRun {
  readonly other: OtherVoice | undefined;
  text: string;
  /** How much of the text it is, in the lengths of its sentences. */
  share: number;
}

interface SpokenPlan {
  readonly runs: readonly SpokenRun[];
  /** How many characters no voice says. */
  readonly unsaid: number;
}

/** How much of a text tells its language. */
const judgedMax = 500;

/** The scripts that an engine says in a language. */
export function scriptsOf({ capabilities: { scripts } }: TextToSpeech, language: SpokenLanguage): 'any' | readonly string[] {
  return scripts === 'any' ? scripts : (scripts[language] ?? []);
}

/** The same engine, but what it would leave out of a text, since it does not know the letters, is said by other voices. */
export function inEveryScript(engine: TextToSpeech, findVoice: FindVoice): TextToSpeech {
  return {
    get capabilities() {
      return engine.capabilities;
    },
    voices: () => engine.voices(),
    speak: (request) => {
      const scripts = scriptsOf(engine, request.language);
      if (scripts === 'any' || saysAll(request.text, scripts)) return engine.speak(request);
      return spokenInRuns(engine, request, planOf(request, scripts, findVoice));
    },
    close: () => engine.close(),
  };
}

function planOf(
  { text, language }: Pick<SpeechRequest, 'text' | 'language'>,
  scripts: readonly string[],
  findVoice: FindVoice,
): SpokenPlan {
  const sentences = sentencesOf(text).map((sentence) => ({ sentence, part: forScripts(sentence, scripts) }));
  const left = sentences.filter(({ part }) => !part.isOwn).map(({ sentence }) => sentence);
  // Judged once for the whole text, or one sentence might have the Hindi and the next the Marathi voice.
  const likely = [languageOf(left.join('\n').slice(0, judgedMax)), language];
  const runs = new Runs();
  for (const { sentence, part } of sentences) {
    const other = part.isOwn ? undefined : findVoice(sentence, likely);
    if (part.isOwn || other) runs.add(part.text, sentence.length, other);
    else for (const piece of cutByScript(sentence, scripts)) addPiece(runs, piece, { scripts, likely, findVoice });
  }
  return runs;
}

/** No voice says all of the sentence, so each says what it can. */
function addPiece(
  runs: Runs,
  { text, isOwn }: ReturnType<typeof cutByScript>[number],
  { scripts, likely, findVoice }: { scripts: readonly string[]; likely: readonly SpokenLanguage[]; findVoice: FindVoice },
): void {
  const other = isOwn ? undefined : findVoice(text, likely);
  const own = isOwn ? text : latinFor(text, scripts);
  if (other) runs.add(text, text.length, other);
  else if (own === undefined) runs.unsaid += [...text].length;
  else runs.add(own, text.length, undefined);
}

class Runs implements SpokenPlan {
  readonly runs: SpokenRun[] = [];
  unsaid = 0;

  add(text: string, share: number, other: OtherVoice | undefined): void {
    const last = this.runs.at(-1);
    if (!last || last.other !== other) this.runs.push({ text, share, other });
    // On lines of their own, they remain sentences.
    else Object.assign(last, { text: `${last.text}\n${text}`, share: last.share + share });
  }
}

async function* spokenInRuns(
  engine: TextToSpeech,
  request: SpeechRequest,
  { runs, unsaid }: SpokenPlan,
): AsyncGenerator<SpeechBlock> {
  const all = [...request.text].length;
  if (unsaid > 0) request.onUnsaid?.(runs.length === 0 ? all : unsaid);
  const characters = all - unsaid;
  const shares = runs.reduce((sum, { share }) => sum + share, 0);
  let passed = 0;
  let passedMs = 0;
  for (const { text, share, other } of runs) {
    const from = passed;
    const length = [...text].length;
    const beforePiece = (given: number): Promise<void> | undefined =>
      request.beforePiece?.(Math.ceil((characters * (from + (share * given) / length)) / shares));
    const own = { ...request, text, ...(request.beforePiece && { beforePiece: async (given: number) => beforePiece(given) }) };
    const blocks = other ? spokenBy(other, own) : engine.speak(own);
    for await (const block of blocks) {
      yield later(block, passedMs);
      passedMs += (block.samples.length * 1000) / block.sampleRate;
    }
    passed += share;
  }
}

/** The other voice has its own circuit breakers, so its failure must not count as one of the engine for which it speaks. */
async function* spokenBy({ engine, voice, language }: OtherVoice, request: SpeechRequest): AsyncGenerator<SpeechBlock> {
  try {
    yield* engine.speak({ ...request, voice, language });
  } catch (failure) {
    if (!(failure instanceof ProviderFailure)) throw failure;
    const { provider, message, retryAfterMs } = failure;
    throw new ProviderFailure(provider, message, {
      retryable: false,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      cause: failure,
    });
  }
}

/** Words are timed from the start of the whole speech. */
function later(block: SpeechBlock, byMs: number): SpeechBlock {
  const words = block.words?.map((word): TimedWord => ({ ...word, startMs: word.startMs + byMs, endMs: word.endMs + byMs }));
  return words ? { ...block, words } : block;
}
