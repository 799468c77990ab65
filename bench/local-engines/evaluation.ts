// `npm run models -- try [--most 12]`: one table of every local engine on this machine: how many words of a person's recordings
// it gets wrong, how long it takes per second of sound, when it detects the start of a voice, and how much memory it uses; or why
// it is missing, and how to get it. Each runs in a process of its own, one after the other.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { resample } from '@parley/audio';
import { aModelRequest, type SpeechToText, type SpokenLanguage, type TextToSpeech } from '@parley/ports';
import { LlamaCpp } from '@parley/providers/llama-cpp';
import { LocalEmbeddings } from '@parley/providers/local-embeddings';
import { SmartTurn } from '@parley/providers/smart-turn';
import { openSpeechToText, openTextToSpeech, transcribeProviders, voiceProviders } from '@parley/providers/speech-catalogue';
import { familyOf, proportionalBytesOf } from '../measure/process-cpu';
import { type Figures, report } from '../measure/report';
import { spokenWords, transcribed } from '../recognizers/spoken-words';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { most: { type: 'string', default: '12' }, one: { type: 'string' } },
});
const modelsFolder = process.env.PARLEY_MODELS || '.cache/models';
const config = { PARLEY_MODELS: modelsFolder, POCKETSPHINX_DIR: '.cache/pocketsphinx' };
const tryMsMax = 300_000;
/** A slower engine does not keep up with a call when others are running. */
const callShareMax = 0.7;
/** Only one of each engine's models and voices that share the same weights. */
const sherpaVoices = new Set(['en_US-amy-low', 'hi_IN-pratham-medium', 'af_heart', 'hf_alpha']);

const texts: Record<SpokenLanguage, readonly string[]> = {
  english: ['Yes.', 'We deliver to every address in the country within three working days.', 'Your order is on its way.'],
  hindi: ['हाँ।', 'हम तीन दिनों में पूरे देश में सामान पहुँचाते हैं।', 'आपका ऑर्डर रास्ते में है।'],
  marathi: ['हो.', 'आम्ही तीन दिवसांत संपूर्ण देशात वस्तू पोहोचवतो.', 'तुमची ऑर्डर वाटेत आहे.'],
};

/** An engine to try, and how to try it. */
interface Trial {
  readonly does: string;
  readonly engine: string;
  run(): Promise<Figures>;
}

function trials(): Trial[] {
  return [...hearing(), ...speaking(), ...thinking()];
}

function hearing(): Trial[] {
  return transcribeProviders
    .filter(({ isLocal }) => isLocal)
    .flatMap(({ name, models }) =>
      models.map(({ model }) => ({
        does: 'hears English',
        engine: `${name} ${model}`,
        run: async () => heardBy(await openSpeechToText(name, config), model),
      })),
    );
}

async function heardBy(engine: SpeechToText, model: string): Promise<Figures> {
  refuse(engine.capabilities.unavailable);
  const spoken = spokenWords(Number(values.most));
  if (spoken.length === 0) throw new Error('there are no recordings: Debian’s packages could not be downloaded');
  await transcribed(engine, { model, spoken: spoken.slice(0, 1) });
  const { wrong, words, seconds, tookMs } = await transcribed(engine, { model, spoken });
  return { 'word errors': `${((100 * wrong) / words).toFixed(1)} %`, ...shareOf(tookMs / seconds / 1000) };
}

function speaking(): Trial[] {
  return voiceProviders
    .filter(({ isLocal }) => isLocal)
    .flatMap(({ name, voices }) => {
      const firsts = voices.filter(
        ({ languages }, at) => voices.findIndex((other) => other.languages[0] === languages[0]) === at,
      );
      const tried = name === 'sherpa-onnx' ? voices.filter(({ voice }) => sherpaVoices.has(voice)) : firsts;
      return tried.flatMap(({ voice, languages: [language] }) =>
        language
          ? [
              {
                does: `speaks ${language}`,
                engine: `${name} ${voice}`,
                run: async () => saidBy(await openTextToSpeech(name, config), { voice, language }),
              },
            ]
          : [],
      );
    });
}

async function saidBy(engine: TextToSpeech, { voice, language }: { voice: string; language: SpokenLanguage }): Promise<Figures> {
  refuse(engine.capabilities.unavailable);
  const [loading = '', ...said] = texts[language];
  await spoken(engine, { text: loading, voice, language });
  let [tookMs, lastsMs, firstMs] = [0, 0, 0];
  for (const text of said) {
    const one = await spoken(engine, { text, voice, language });
    tookMs += one.tookMs;
    lastsMs += one.lastsMs;
    firstMs = Math.max(firstMs, one.firstMs);
  }
  return { ...shareOf(tookMs / lastsMs), 'first sound ms': Math.round(firstMs) };
}

async function spoken(engine: TextToSpeech, words: { text: string; voice: string; language: SpokenLanguage }) {
  const startedAtMs = performance.now();
  let [firstMs, lastsMs] = [0, 0];
  for await (const { samples, sampleRate } of engine.speak(words)) {
    firstMs ||= performance.now() - startedAtMs;
    lastsMs += (samples.length * 1000) / sampleRate;
  }
  return { firstMs, lastsMs, tookMs: performance.now() - startedAtMs };
}

function thinking(): Trial[] {
  const embeddings = [
    { engine: 'built in', does: 'finds in English', open: () => new LocalEmbeddings() },
    { engine: 'multilingual-e5-small', does: 'finds in all languages', open: () => LocalEmbeddings.ofAllLanguages(modelsFolder) },
  ];
  return [
    ...embeddings.map(({ open, ...what }) => ({ ...what, run: () => embeddedBy(open()) })),
    {
      does: 'hears the end of turns',
      engine: 'smart-turn',
      run: () => judgedBy(new SmartTurn(modelsFolder, { answerMs: 60_000 })),
    },
    { does: 'answers', engine: 'llama-cpp', run: () => answeredBy(process.env.LLAMA_MODEL_PATH) },
  ];
}

async function embeddedBy(engine: LocalEmbeddings | undefined): Promise<Figures> {
  if (!engine) throw new Error('is not there: npm run models -- add multilingual-e5-small');
  const asked = ['When does the shop open?', 'How much is the delivery?', 'Who repairs bicycles here?'];
  await engine.embed(['Loaded first.']);
  const startedAtMs = performance.now();
  for (const question of asked) await engine.embed([question], { as: 'question' });
  return { 'each takes': `${((performance.now() - startedAtMs) / asked.length).toFixed(1)} ms a question` };
}

async function judgedBy(engine: SmartTurn): Promise<Figures> {
  refuse(engine.capabilities.unavailable);
  const recording = spokenWords(1)[0]?.samples ?? new Int16Array(32_000);
  const samples = await resample(recording, 8000, 16_000);
  await engine.judge({ samples, sampleRate: 16_000 });
  const startedAtMs = performance.now();
  for (let run = 0; run < 5; run++) await engine.judge({ samples, sampleRate: 16_000 });
  return { 'each takes': `${((performance.now() - startedAtMs) / 5).toFixed(0)} ms a pause` };
}

async function answeredBy(path: string | undefined): Promise<Figures> {
  if (!path) throw new Error('is not there: LLAMA_MODEL_PATH names no GGUF file (and node-llama-cpp has to be installed)');
  const model = new LlamaCpp({ path, contextTokens: 2048 });
  const messages = [{ role: 'user' as const, text: 'Name three fruits.' }];
  const request = aModelRequest({ messages, temperature: 0, tokensMax: 60 });
  let [firstMs, pieces] = [0, 0];
  // The first request waits until the model is loaded.
  for await (const _event of model.stream({ ...request, tokensMax: 1 }, new AbortController().signal)) continue;
  const startedAtMs = performance.now();
  for await (const event of model.stream(request, new AbortController().signal)) {
    if (event.type !== 'text') continue;
    firstMs ||= performance.now() - startedAtMs;
    pieces += 1;
  }
  const tookMs = performance.now() - startedAtMs;
  return {
    'each takes': `${((1000 * pieces) / Math.max(1, tookMs - firstMs)).toFixed(1)} pieces a second`,
    'first sound ms': Math.round(firstMs),
  };
}

/** Throws what the engine lacks, leaving out the advice for containers. */
function refuse(unavailable: string | undefined): void {
  if (unavailable !== undefined) throw new Error(unavailable.replace(/, or in a container.*?,/u, ','));
}

/** How much time the work takes relative to the length of the sound. */
function shareOf(share: number): Figures {
  return { 'times its sound': share.toFixed(2), 'keeps up with calls': share <= callShareMax ? 'yes' : 'no' };
}

/** Memory of this process and its children, where the kernel reports it. */
function memoryMb(): number {
  if (process.platform !== 'linux') return process.memoryUsage().rss / 2 ** 20;
  return familyOf(process.pid).reduce((sum, pid) => sum + proportionalBytesOf(pid), 0) / 2 ** 20;
}

async function tryOne(index: number): Promise<void> {
  const trial = trials()[index];
  if (!trial) throw new Error(`there is no trial ${index}`);
  const before = memoryMb();
  const figures = await trial
    .run()
    .catch((failure: unknown) => ({ without: failure instanceof Error ? failure.message : String(failure) }));
  const memory = 'without' in figures ? {} : { 'memory MB': Math.round(memoryMb() - before) };
  process.stdout.write(JSON.stringify({ ...figures, ...memory }));
  process.exit(0);
}

/** If the process dies, that is a row too: an engine that cannot run here only fails its own row. */
function rowOf({ does, engine }: Trial, index: number): Figures {
  const words = [__filename, '--one', String(index), '--most', values.most];
  try {
    const told = execFileSync(process.execPath, words, { timeout: tryMsMax, stdio: ['ignore', 'pipe', 'ignore'] });
    return { does, engine, ...JSON.parse(told.toString()) };
  } catch (failure) {
    return { does, engine, without: failure instanceof Error ? (failure.message.split('\n')[0] ?? '') : String(failure) };
  }
}

function tryAll(): void {
  const columns = {
    does: '',
    engine: '',
    'word errors': '',
    'times its sound': '',
    'keeps up with calls': '',
    'first sound ms': '',
  };
  const rows = trials().map((trial, index) => {
    process.stderr.write(`${trial.does}: ${trial.engine}\n`);
    return { ...columns, 'each takes': '', 'memory MB': '', ...rowOf(trial, index) };
  });
  report('models-try', rows);
}

if (values.one === undefined) tryAll();
else void tryOne(Number(values.one));
