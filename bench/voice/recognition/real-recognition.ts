import { resample } from '@parley/audio';
import { ScriptedSpeechToText } from '@parley/ports';
import { Silero } from '@parley/providers/silero';
import type { SessionSettings } from '@parley/voice-session';
import type { Figures } from '../../measure/report';
import { quantile } from '../quantile';
import { agentSpeech, type Interjection, interjections, levels, lineOf } from './interrupting-callers';
import { type EchoWay, interruptedCall, type Outcome } from './interrupted-call';

const callsAtOnce = 25;
const sampleRates = [8000, 16_000];
/** Enough other streams that all runs of the model are shared: then it never waits for further windows of a voice. */
const othersOnTheLine = 5;
const totalMs = 4500;
/** Callers begin to speak at different moments, so that they meet windows, packets and blocks in every phase. */
const firstAtMs = 1800;
const phaseMs = 37;

interface Setup {
  readonly settings: string;
  readonly interruption: SessionSettings['interruption'];
  /** How much of the agent's own voice comes back over the caller's line, and with which delay. */
  readonly echo?: EchoWay;
}

const setups: readonly Setup[] = [
  { settings: 'default', interruption: { minSpeechMs: 300, minWords: 1 } },
  {
    settings: 'default, echo',
    interruption: { minSpeechMs: 300, minWords: 1 },
    echo: { delayMs: 120, parts: [{ atMs: 0, strength: 0.2 }] },
  },
  { settings: 'most eager', interruption: { minSpeechMs: 0, minWords: 0 } },
];

/**
 * Callers interrupt the agent: real speech, the Silero model, the engine, and a line in real time. Measures from the first sample
 * of the caller's speech to the last audible sample of the agent's.
 */
export async function realRecognition(): Promise<Figures[]> {
  const silero = new Silero({ gatherMs: 0, answerMs: 60_000 });
  const said = (await interjections()).flatMap((one) => levels.map((peak) => ({ one, peak })));
  const agent = await agentSpeech();
  const rows: Figures[] = [];
  try {
    for (let i = 0; i < othersOnTheLine; i++) await silero.open({ sampleRate: 8000, listener: () => undefined });
    for (const setup of setups) {
      for (const sampleRate of sampleRates) {
        const own = await resample(agent, 16_000, sampleRate);
        rows.push(rowOf(setup, sampleRate, await interruptAll({ setup, sampleRate, own, silero }, said)));
      }
    }
  } finally {
    await silero.close();
  }
  return rows;
}

interface Scene {
  readonly setup: Setup;
  readonly sampleRate: number;
  readonly own: Int16Array;
  readonly silero: Silero;
}

async function interruptAll(scene: Scene, said: readonly { one: Interjection; peak: number }[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < said.length; at += callsAtOnce) {
    const together = said.slice(at, at + callsAtOnce).map(async ({ one, peak }, index) => {
      const { sampleRate, own, silero, setup } = scene;
      const caller = await lineOf(one, { peak, sampleRate, atMs: firstAtMs + (((at + index) * phaseMs) % 400), totalMs });
      return interruptedCall(caller, {
        ...setup,
        sampleRate,
        own,
        voiceActivity: silero,
        speechToText: new ScriptedSpeechToText(),
      });
    });
    outcomes.push(...(await Promise.all(together)));
  }
  return outcomes;
}

function rowOf({ settings }: Setup, sampleRate: number, outcomes: readonly Outcome[]): Figures {
  const silent = outcomes.flatMap(({ silence }) => silence ?? []);
  const kept = silent.map(({ uncleared }) => uncleared);
  const cleared = silent.map(({ cleared: ms }) => ms);
  return {
    'real recognition, settings': settings,
    'samples/s': sampleRate,
    interruptions: outcomes.length,
    'not noticed': outcomes.length - silent.length,
    'line keeps its sound: silent after p50 ms': quantile(kept, 0.5).toFixed(0),
    'p95 ms': quantile(kept, 0.95).toFixed(0),
    'max ms': quantile(kept, 1).toFixed(0),
    'line is cleared: p50 ms': quantile(cleared, 0.5).toFixed(0),
    'cleared p95 ms': quantile(cleared, 0.95).toFixed(0),
    'agent paused before anybody spoke': outcomes.reduce((sum, { pausesBefore }) => sum + pausesBefore, 0),
    'agent went on meanwhile': outcomes.filter(({ wentOn }) => wentOn).length,
  };
}
