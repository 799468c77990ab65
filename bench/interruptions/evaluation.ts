// `npm run eval -- interruptions [--every 4] [--rates 8000,16000] [--voice slt] [--drawn 20 [--seed 1]]`: callers interrupt the
// agent on lines with echo, from phones and rooms: how many go unnoticed, how soon the others are noticed, and how many false
// alarms there are; `--drawn` generates this many lines that nothing was tuned for. With `--others [--each 6]`: sounds other than
// the caller's speech (music, television, talk in the room, coughs, assent) on a clean line, and how they stop the agent, from
// the most eager setting to the most patient; with `--peers` compared with livekit agents-js, and with `--pipecat <python>` with
// the pipecat of that interpreter.
import { parseArgs } from 'node:util';
import { resample } from '@parley/audio';
import { ScriptedSpeechToText } from '@parley/ports';
import { Silero } from '@parley/providers/silero';
import { type Figures, report } from '../measure/report';
import { interruptedCall, type Outcome } from '../voice/recognition/interrupted-call';
import { agentSpeech, type Interjection, interjections, lineOf } from '../voice/recognition/interrupting-callers';
import { quantile } from '../voice/quantile';
import { drawnLines, type Line, lines } from './lines';
import { othersOnTheLine, reportOthers } from './others';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    every: { type: 'string', default: '4' },
    rates: { type: 'string', default: '8000,16000' },
    voice: { type: 'string', default: 'slt' },
    drawn: { type: 'string' },
    seed: { type: 'string', default: '1' },
    others: { type: 'boolean', default: false },
    each: { type: 'string', default: '6' },
    peers: { type: 'boolean', default: false },
    pipecat: { type: 'string' },
  },
});
const callsAtOnce = 12;
const totalMs = 6500;
const firstAtMs = 3000;
/** On a line that changes, callers interrupt this much later. */
const changedMs = 1500;
const phaseMs = 37;
/** An ordinary caller, as loud as the agent's answer before it is attenuated by the echo. */
const peak = 6000;

async function main(): Promise<void> {
  const { voice: agentVoice, each, peers: withPeers, pipecat: python } = values;
  if (values.others) return reportOthers({ agentVoice, each: Number(each), withPeers, python });
  const silero = new Silero({ gatherMs: 0, answerMs: 60_000 });
  const said = (await interjections()).filter((_, index) => index % Number(values.every) === 0);
  const agent = await agentSpeech(values.voice);
  const rows: Figures[] = [];
  try {
    for (let i = 0; i < othersOnTheLine; i++) await silero.open({ sampleRate: 8000, listener: () => undefined });
    for (const sampleRate of values.rates.split(',').map(Number)) {
      const own = await resample(agent, 16_000, sampleRate);
      for (const line of values.drawn === undefined ? lines : drawnLines(Number(values.drawn), Number(values.seed))) {
        const outcomes = await callsOn(line, { said, own, sampleRate, silero });
        rows.push(rowOf(line, sampleRate, outcomes));
        process.stdout.write(`${JSON.stringify(rows.at(-1))}\n`);
      }
    }
    report('interruptions', rows);
  } finally {
    await silero.close();
  }
}

interface Scene {
  readonly said: readonly Interjection[];
  readonly own: Int16Array;
  readonly sampleRate: number;
  readonly silero: Silero;
}

async function callsOn({ way }: Line, { said, own, sampleRate, silero }: Scene): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < said.length; at += callsAtOnce) {
    const together = said.slice(at, at + callsAtOnce).map(async (one, index) => {
      const waitsMs = way?.later ? changedMs : 0;
      const atMs = firstAtMs + waitsMs + (((at + index) * phaseMs) % 400);
      const caller = await lineOf(one, { peak, sampleRate, atMs, totalMs: totalMs + waitsMs });
      const speechToText = new ScriptedSpeechToText();
      const interruption = { minSpeechMs: 300, minWords: 1 };
      return interruptedCall(caller, {
        sampleRate,
        interruption,
        own,
        voiceActivity: silero,
        speechToText,
        ...(way && { echo: way }),
      });
    });
    outcomes.push(...(await Promise.all(together)));
  }
  return outcomes;
}

function rowOf({ name }: Line, sampleRate: number, outcomes: readonly Outcome[]): Figures {
  const silent = outcomes.flatMap(({ silence }) => silence ?? []);
  const cleared = silent.map((each) => each.cleared);
  const invented = outcomes.reduce((sum, { pausesBefore }) => sum + pausesBefore, 0);
  return {
    line: name,
    'samples/s': sampleRate,
    interruptions: outcomes.length,
    'not noticed': outcomes.length - silent.length,
    'fell silent for nobody': `${invented} in ${outcomes.length} calls`,
    'silent after p50 ms': quantile(cleared, 0.5).toFixed(0),
    'p95 ms': quantile(cleared, 0.95).toFixed(0),
  };
}

void main();
