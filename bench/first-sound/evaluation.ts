// `npm run eval -- first-sound [--each 12] [--silences 300,450,600,800,1000]`: recorded people speak, with and without a longer
// pause, into complete calls on a virtual clock. Measures the silence from their last sound to the agent's first, how much of it
// is ours, and whether the ledger agrees.
import { parseArgs } from 'node:util';
import { joinSamples } from '@parley/audio';
import { Silero } from '@parley/providers/silero';
import { SmartTurn } from '@parley/providers/smart-turn';
import { type Figures, report } from '../measure/report';
import { noticedAfterMs, type PausedSpeech, pausedSpeech } from '../turns/paused-speech';
import { humanRecordings, recordedRate } from '../turns/recordings';
import { quantile } from '../voice/quantile';
import { type Answered, answeredCall, modelMs, recognizerMs } from './answered';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { each: { type: 'string', default: '12' }, silences: { type: 'string', default: '300,450,600,800,1000' } },
});
/** Enough other streams that all runs of the model are shared: then it never waits for further windows of a voice. */
const othersOnTheLine = 5;
/** How much of the shortest pause in a recording is kept. */
const naturalMs = 100;
const dictationSilenceMs = 1500;
/** By how much the ledger may differ from the waveform. */
const trueMs = 20;

interface Judges {
  readonly by: string;
  readonly turnEnd?: SmartTurn;
  readonly punctuates: boolean;
}

async function main(): Promise<void> {
  const model = new SmartTurn(process.env.PARLEY_MODELS ?? '.cache/models', { answerMs: 60_000 });
  const voiceActivity = new Silero({ gatherMs: 0, answerMs: 60_000 });
  const said = await callers(voiceActivity);
  for (let i = 0; i < othersOnTheLine; i++) await voiceActivity.open({ sampleRate: recordedRate, listener: () => undefined });
  const rules: Judges[] = [
    { by: 'rules', punctuates: true },
    { by: 'rules, no full stops', punctuates: false },
  ];
  const models = model.capabilities.unavailable ? [] : rules.map((one) => ({ ...one, by: `${one.by}, prosody`, turnEnd: model }));
  const rows: Figures[] = [];
  try {
    for (const judges of [...rules, ...models]) {
      for (const silenceMs of values.silences.split(',').map(Number)) {
        const { by, ...setup } = judges;
        const endOfTurn = { silenceMs, dictationSilenceMs };
        const answered: Answered[] = [];
        const fluent: Answered[] = [];
        for (const speech of said) {
          answered.push(await answeredCall(speech, { ...setup, voiceActivity, endOfTurn }));
          fluent.push(await answeredCall(fluently(speech), { ...setup, voiceActivity, endOfTurn }));
        }
        rows.push(rowOf(`${by}, ${silenceMs} ms`, fluent, answered));
        process.stdout.write(`${JSON.stringify(rows.at(-1))}\n`);
      }
    }
    report('first-sound', rows);
  } finally {
    await Promise.all([model.close(), voiceActivity.close()]);
  }
}

/** The same number from each speaker, with a pause between words. */
async function callers(voiceActivity: Silero): Promise<PausedSpeech[]> {
  const said: PausedSpeech[] = [];
  const counts = new Map<string, number>();
  for (const recording of humanRecordings()) {
    const count = counts.get(recording.speaker) ?? 0;
    if (count >= Number(values.each)) continue;
    const speech = await pausedSpeech(recording, { between: 'words', index: said.length, voiceActivity });
    if (!speech) continue;
    counts.set(recording.speaker, count + 1);
    said.push(speech);
  }
  return said;
}

/** The same words without the longer pause. */
function fluently(speech: PausedSpeech): PausedSpeech {
  const { untilPause, untilEnd, pauseMs } = speech;
  const pause = untilPause.length - (noticedAfterMs * recordedRate) / 1000;
  const rest = untilEnd.subarray(pause + (pauseMs * recordedRate) / 1000);
  return {
    ...speech,
    pauseMs: naturalMs,
    untilEnd: joinSamples([untilEnd.subarray(0, pause + (naturalMs * recordedRate) / 1000), rest]),
  };
}

function rowOf(by: string, fluent: readonly Answered[], pausing: readonly Answered[]): Figures {
  const whole = fluent.filter(({ isCutOff }) => !isCutOff);
  const silences = whole.flatMap(({ silenceMs }) => silenceMs ?? []);
  const ours = silences.map((ms) => ms - recognizerMs - modelMs);
  const errors = [...whole, ...pausing.filter(({ isCutOff }) => !isCutOff)].flatMap(({ silenceMs, ledgerMs }) =>
    silenceMs === undefined || ledgerMs === undefined ? [] : ledgerMs - silenceMs,
  );
  const share = (count: number, of: number) => `${((100 * count) / Math.max(1, of)).toFixed(0)} %`;
  const cutOff = (of: readonly Answered[]) => share(of.filter((one) => one.isCutOff).length, of.length);
  const mean = (count: (one: Answered) => number) =>
    (fluent.reduce((all, one) => all + count(one), 0) / fluent.length).toFixed(1);
  return {
    'judged by': by,
    callers: fluent.length,
    'cut off in a pause': cutOff(pausing),
    'cut off without one': cutOff(fluent),
    'silence p50 ms': quantile(silences, 0.5).toFixed(0),
    'p95 ms': quantile(silences, 0.95).toFixed(0),
    'of it ours p50': quantile(ours, 0.5).toFixed(0),
    'ours p95': quantile(ours, 0.95).toFixed(0),
    'ledger less waveform p5, p50, p95': [0.05, 0.5, 0.95].map((at) => quantile(errors, at).toFixed(0)).join(', '),
    [`within ${trueMs} ms`]: share(errors.filter((ms) => Math.abs(ms) <= trueMs).length, errors.length),
    'transcriptions, answers a caller': `${mean((one) => one.transcriptions)}, ${mean((one) => one.answers)}`,
  };
}

void main();
