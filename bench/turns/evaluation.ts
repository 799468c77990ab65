// `npm run eval -- turns [--each 30] [--peers] [--pipecat python]`: how often is a caller who pauses cut off, and how long does
// one who has finished wait? By silence, by prosody and by both, on people's voices. The rules are given no words, so only their
// silence is judged. Compared with livekit agents-js, which is installed once, and with pipecat, for which an interpreter that
// has it is named.
import { parseArgs } from 'node:util';
import { patiences } from '@parley/contracts';
import { Silero } from '@parley/providers/silero';
import { SmartTurn } from '@parley/providers/smart-turn';
import { ruleJudge } from '@parley/voice-session';
import { type Figures, report } from '../measure/report';
import { quantile } from '../voice/quantile';
import { type PausedSpeech, pausedSpeech } from './paused-speech';
import { type Peer, peersThere } from './peers';
import { humanRecordings, recordedRate } from './recordings';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { each: { type: 'string', default: '30' }, peers: { type: 'boolean', default: false }, pipecat: { type: 'string' } },
});

/** How long after the end of the voice its prosody is judged: detection, and a run of the model. */
const judgedMs = 250;
/** How long pipecat waits for a speaker who sounds unfinished. */
const unfinishedMs = 3000;
/** From the most eager to the most patient. */
const silences = Object.entries(patiences).map(([word, { EndOfTurn }]) => [word, EndOfTurn.silenceMs] as const);
const certainties = [0.1, 0.3, 0.5, 0.7, 0.9];

interface Judged extends Pick<PausedSpeech, 'pauseMs' | 'isHeldOut'> {
  readonly atPause: number;
  readonly atEnd: number;
  /** How long each peer waits for more speech, at the pause and at the end. */
  readonly peers: ReadonlyMap<string, { readonly atPause: number; readonly atEnd: number }>;
}

type WaitOf = (soundsDone: number, moment: 'atPause' | 'atEnd', judged: Judged) => number;

async function main(): Promise<void> {
  const model = new SmartTurn(process.env.PARLEY_MODELS ?? '.cache/models', { answerMs: 60_000 });
  const voiceActivity = new Silero({ gatherMs: 0, answerMs: 60_000 });
  try {
    const { unavailable } = model.capabilities;
    if (unavailable) throw new Error(`there is nothing to judge by: smart-turn ${unavailable}`);
    for (const between of ['words', 'phrases'] as const) {
      const judged = await judgeAll(between, model, voiceActivity);
      const part = (isHeldOut: boolean) => judged.filter((one) => one.isHeldOut === isHeldOut);
      report(`turns-between-${between}-tuning`, curvesOf(part(false)));
      report(`turns-between-${between}-held-out`, curvesOf(part(true)));
    }
  } finally {
    await Promise.all([model.close(), voiceActivity.close()]);
  }
}

async function judgeAll(between: 'phrases' | 'words', model: SmartTurn, voiceActivity: Silero): Promise<Judged[]> {
  const said: { readonly speech: PausedSpeech; readonly language: string }[] = [];
  const counts = new Map<string, number>();
  for (const recording of humanRecordings()) {
    const count = counts.get(recording.speaker) ?? 0;
    if (count >= Number(values.each)) continue;
    const speech = await pausedSpeech(recording, { between, index: said.length, voiceActivity });
    if (!speech) continue;
    counts.set(recording.speaker, count + 1);
    said.push({ speech, language: recording.speaker.slice(0, 2) });
  }
  const waits = values.peers ? await peersThere(said, values.pipecat) : [];
  const judged: Judged[] = [];
  for (const [index, { speech }] of said.entries()) {
    const [atPause, atEnd] = await Promise.all(
      [speech.untilPause, speech.untilEnd].map((samples) => model.judge({ samples, sampleRate: recordedRate })),
    );
    if (atPause === undefined || atEnd === undefined) throw new Error('nobody judged a recording');
    const { pauseMs, isHeldOut } = speech;
    judged.push({ pauseMs, isHeldOut, atPause, atEnd, peers: peersOf(waits, index) });
  }
  return judged;
}

function peersOf(waits: readonly Peer[], index: number): Judged['peers'] {
  return new Map(
    waits.map(({ name, atPauseMs, atEndMs }) => [name, { atPause: atPauseMs[index] ?? 0, atEnd: atEndMs[index] ?? 0 }]),
  );
}

function curvesOf(judged: readonly Judged[]): Figures[] {
  return [
    ...silences.map(([word, ms]) => rowOf(`silence, ${word} (${ms} ms)`, judged, () => waitOf(ms))),
    ...certainties.map((from) => rowOf(`prosody, from ${from}`, judged, (p) => (p >= from ? judgedMs : unfinishedMs))),
    ...silences.map(([word, ms]) => rowOf(`both, ${word} (${ms} ms)`, judged, (p) => waitOf(ms, p))),
    ...[...(judged[0]?.peers.keys() ?? [])].map((peer) =>
      rowOf(peer, judged, (_, moment, { peers }) => peers.get(peer)?.[moment] ?? 0),
    ),
  ];
}

/** Prosody does not change a wait that ends before it is judged. */
function waitOf(silenceMs: number, soundsDone?: number): number {
  const pause = {
    ...({ text: '', isFinal: true, language: 'english', usualPauseMs: undefined } as const),
    ...{ silenceMs, dictationSilenceMs: 1500 },
  };
  const unheardMs = ruleJudge.judge(pause).waitMs;
  if (soundsDone === undefined || unheardMs <= judgedMs) return unheardMs;
  return Math.max(judgedMs, ruleJudge.judge({ ...pause, soundsDone }).waitMs);
}

function rowOf(by: string, judged: readonly Judged[], wait: WaitOf): Figures {
  const waits = judged.map((one) => wait(one.atEnd, 'atEnd', one));
  const cutOff = judged.filter((one) => wait(one.atPause, 'atPause', one) < one.pauseMs).length;
  return {
    'judged by': by,
    pauses: judged.length,
    'cut off': `${((100 * cutOff) / judged.length).toFixed(0)} %`,
    'waits mean ms': (waits.reduce((sum, ms) => sum + ms, 0) / waits.length).toFixed(0),
    'p50 ms': quantile(waits, 0.5).toFixed(0),
    'p95 ms': quantile(waits, 0.95).toFixed(0),
  };
}

void main();
