import { resample } from '@parley/audio';
import { patiences } from '@parley/contracts';
import { ScriptedSpeechToText } from '@parley/ports';
import { Silero } from '@parley/providers/silero';
import type { SessionSettings } from '@parley/voice-session';
import { noise } from '../hearing/spoken';
import { type Figures, report } from '../measure/report';
import { heldMusic, humanRecordings, recordedRate } from '../turns/recordings';
import { quantile } from '../voice/quantile';
import { interruptedCall } from '../voice/recognition/interrupted-call';
import { agentSpeech, type Interjection, lineOf } from '../voice/recognition/interrupting-callers';
import { peersHearing, type PlayedCall, type Reaction } from './peers';

const sampleRate = 8000;
/** The caller asks something, and is answered about a second later. */
const askedAtMs = 300;
const question = 'When do you open on Saturday';
const atMs = 6500;
const totalMs = 11_500;
export const othersOnTheLine = 5;
const secondsOfTalk = 3;
/** A caller close to the telephone; other sounds are softer by this many decibels. */
const callerPeak = 5000;
const [talkDb, televisionDb, musicDb, softlyDb] = [-14, -12, -10, -6];
/** Recordings of these speakers, and every second piece of music, are only for judging. */
const heldOutSpeakers = /^(it|ru)_/;

interface Heard extends Interjection {
  readonly kind: string;
  readonly db: number;
  /** What the recognizer transcribes: everything that is said, by anyone. */
  readonly text: string;
  readonly isHeldOut: boolean;
  /** What the caller asked before: by the same person, if it is the caller who is heard. */
  readonly asks: Int16Array;
}

interface OthersOptions {
  readonly agentVoice: string;
  readonly each: number;
  /** Whether agents-js hears the same calls too, and the Python interpreter that has pipecat. */
  readonly withPeers: boolean;
  readonly python: string | undefined;
}

/** Prints, for each kind of sound and each setting, how often the agent gave up its turn, and how long it was silent. */
export async function reportOthers({ agentVoice, each, withPeers, python }: OthersOptions): Promise<void> {
  const silero = new Silero({ gatherMs: 0, answerMs: 60_000 });
  try {
    // A run of the model that is not shared waits for more windows of the same call.
    for (let i = 0; i < othersOnTheLine; i++) await silero.open({ sampleRate, listener: () => undefined });
    const own = await resample(await agentSpeech(agentVoice), 16_000, sampleRate);
    const heard = await everything(each);
    for (const isHeldOut of [false, true]) {
      const rows: Figures[] = [];
      const those = heard.filter((one) => one.isHeldOut === isHeldOut);
      for (const [patience, { Interruption }] of Object.entries(patiences)) {
        const reactions = await Promise.all(those.map((one) => callWith(one, { interruption: Interruption, own, silero })));
        rows.push(...rowsOf(those, patience, reactions));
      }
      if (withPeers || python !== undefined) {
        const calls = await Promise.all(those.map(playedCall));
        for (const [name, reactions] of peersHearing(calls, python)) rows.push(...rowsOf(those, name, reactions));
      }
      report(`interruptions-others-${isHeldOut ? 'held-out' : 'tuning'}`, rows);
    }
  } finally {
    await silero.close();
  }
}

/** The whole call: a question, and later the sound. */
async function soundOf(heard: Heard): Promise<Awaited<ReturnType<typeof lineOf>>> {
  const peak = callerPeak * 10 ** (heard.db / 20);
  const caller = await lineOf(heard, { peak, sampleRate, atMs, totalMs });
  const asked = await lineOf(
    { voice: heard.voice, samples: heard.asks },
    { peak: callerPeak, sampleRate, atMs: askedAtMs, totalMs },
  );
  return { ...caller, sound: caller.sound.map((sample, at) => (at < caller.from ? (asked.sound[at] ?? 0) : sample)) };
}

async function playedCall(heard: Heard): Promise<PlayedCall> {
  const { sound, onset } = await soundOf(heard);
  return { samples: sound, sampleRate, atMs: (onset * 1000) / sampleRate, question, text: heard.text };
}

async function callWith(
  heard: Heard,
  { interruption, own, silero }: { interruption: SessionSettings['interruption']; own: Int16Array; silero: Silero },
): Promise<Reaction> {
  const caller = await soundOf(heard);
  const written = { text: question };
  let tookFloor = false;
  const speechToText = new ScriptedSpeechToText();
  speechToText.transcribe = async ({ language }) => ({ text: written.text, language });
  const setup = { sampleRate, interruption, own, voiceActivity: silero, speechToText };
  const onQuestion = (askedMs: number): void => {
    tookFloor ||= askedMs > atMs;
    written.text = heard.text;
  };
  const { silence, silentMs } = await interruptedCall(caller, { ...setup, onQuestion });
  return { tookFloor, silentAfterMs: silence?.cleared, silentMs };
}

function rowsOf(heard: readonly Heard[], setting: string, reactions: readonly (Reaction | undefined)[]): Figures[] {
  const kinds = Map.groupBy(reactions, (_, index) => heard[index]?.kind ?? '');
  return [...kinds].map(([kind, those]) =>
    rowOf(
      kind,
      setting,
      those.flatMap((one) => one ?? []),
    ),
  );
}

function rowOf(kind: string, setting: string, reactions: readonly Reaction[]): Figures {
  const first = reactions.flatMap(({ silentAfterMs }) => silentAfterMs ?? []);
  const silent = reactions.map(({ silentMs }) => silentMs);
  return {
    'patience, or the peer': setting,
    heard: kind,
    cases: reactions.length,
    'took the floor': reactions.filter(({ tookFloor }) => tookFloor).length,
    'paused at all': first.length,
    'silent before it went on, p50 ms': quantile(silent, 0.5).toFixed(0),
    'silent after, p50, p95 ms':
      first.length === 0 ? '' : `${quantile(first, 0.5).toFixed(0)}, ${quantile(first, 0.95).toFixed(0)}`,
  };
}

async function everything(each: number): Promise<Heard[]> {
  const people = await recordings(each);
  const music = await Promise.all(heldMusic().map(async (piece) => resample(part(piece, 20), recordedRate, 16_000)));
  /** Somebody else from the same half. */
  const stranger = (index: number, isHeldOut: boolean): Int16Array => {
    const those = people.filter((one) => one.isHeldOut === isHeldOut);
    return those[index % those.length]?.samples ?? new Int16Array(0);
  };
  const apart = people.map((one, index) => ({ ...one, asks: stranger(index + 1, one.isHeldOut) }));
  return [
    ...people.map((one) => ({ ...one, asks: one.samples, kind: 'a caller interrupts', db: 0, text: 'I have another question' })),
    ...people.map((one) => ({
      ...one,
      asks: one.samples,
      kind: 'the same, softly',
      db: softlyDb,
      text: 'I have another question',
    })),
    ...people.map((one) => ({ ...one, ...assent(one.samples) })),
    ...apart.map((one) => ({ ...one, kind: 'talk in the room', db: talkDb, text: 'we were at the market' })),
    ...apart.map((one, index) => ({
      ...one,
      samples: mixed(one.samples, music[index % music.length] ?? new Int16Array(0)),
      ...{ kind: 'television', db: televisionDb, text: 'and now the weather' },
    })),
    ...music.map((samples, index) => {
      const isHeldOut = index % 2 === 1;
      return { kind: 'music', db: musicDb, text: '', voice: 'music', samples, isHeldOut, asks: stranger(index, isHeldOut) };
    }),
    ...[false, true].flatMap((isHeldOut) =>
      Array.from({ length: each }, (_, index) => ({
        ...{ kind: 'a cough', db: 0, text: '', voice: 'cough', isHeldOut, asks: stranger(index, isHeldOut) },
        samples: cough(index + (isHeldOut ? each : 0)),
      })),
    ),
  ];
}

function assent(sentence: Int16Array): Pick<Heard, 'asks' | 'samples' | 'kind' | 'db' | 'text'> {
  return { asks: sentence, samples: sentence.subarray(0, 16_000 * 0.4), kind: 'assent', db: 0, text: 'yes okay' };
}

/** This many sentences from each half of the speakers, at 16 kHz. */
async function recordings(each: number): Promise<Omit<Heard, 'kind' | 'db' | 'text' | 'asks'>[]> {
  const all = humanRecordings();
  const half = (isHeldOut: boolean) => all.filter(({ speaker }) => heldOutSpeakers.test(speaker) === isHeldOut);
  const taken = [false, true].flatMap((isHeldOut) => {
    const those = half(isHeldOut);
    return those.filter((_, index) => index % Math.ceil(those.length / each) === 0).map((one) => ({ ...one, isHeldOut }));
  });
  return Promise.all(
    taken.map(async ({ speaker, samples, isHeldOut }) => {
      const talk = samples.subarray(0, secondsOfTalk * recordedRate);
      return { voice: speaker, samples: await resample(talk, recordedRate, 16_000), isHeldOut };
    }),
  );
}

/** Three seconds of a recording, starting at a given second. */
function part(samples: Int16Array, fromSeconds: number): Int16Array {
  return samples.subarray(fromSeconds * recordedRate, (fromSeconds + secondsOfTalk) * recordedRate);
}

function mixed(speech: Int16Array, music: Int16Array): Int16Array {
  return speech.map((sample, at) => sample + (music[at] ?? 0) / 3);
}

/** Two bursts of breath, each with a hard onset. */
function cough(seed: number): Int16Array {
  const hiss = noise(16_000, 9000);
  const lasts = 2400 + 400 * (seed % 5);
  let low = 0;
  return hiss.map((sample, at) => {
    const since = at % 6400;
    const level = at < 12_800 && since < lasts ? Math.exp((-4 * since) / lasts) : 0;
    low += (sample - low) * (0.15 + 0.03 * (seed % 7));
    return low * level;
  });
}
