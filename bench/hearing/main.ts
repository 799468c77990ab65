// `npm run bench -- hearing`: the cost, delay and false alarms of voice detection.
import { LoudnessVoiceActivity } from '@parley/ports';
import { Rnnoise } from '@parley/providers/rnnoise';
import { Silero } from '@parley/providers/silero';
import { type Figures, report } from '../measure/report';
import { measureCost, type Listeners } from './cost';
import { falseAlarms } from './false-alarms';
import { measureLatency } from './latency';

const lineups: readonly Omit<Listeners, 'silero' | 'rnnoise'>[] = [
  { what: 'the clock of this test alone', sampleRate: 8000, streams: 1 },
  { what: 'voice activity', sampleRate: 8000, streams: 1 },
  { what: 'voice activity', sampleRate: 8000, streams: 10 },
  { what: 'voice activity', sampleRate: 8000, streams: 25 },
  { what: 'voice activity', sampleRate: 8000, streams: 100 },
  { what: 'voice activity', sampleRate: 16_000, streams: 1 },
  { what: 'voice activity', sampleRate: 16_000, streams: 100 },
  { what: 'whole recognition', sampleRate: 8000, streams: 25 },
  { what: 'whole recognition', sampleRate: 8000, streams: 100 },
  { what: 'whole recognition', sampleRate: 48_000, streams: 25 },
  { what: 'whole recognition, own voice played', sampleRate: 8000, streams: 25 },
  { what: 'whole recognition, noise suppressed', sampleRate: 8000, streams: 10 },
];

async function main(): Promise<void> {
  const silero = new Silero();
  const rnnoise = new Rnnoise();
  try {
    const costs: Figures[] = [];
    for (const lineup of lineups) costs.push(await measureCost({ ...lineup, silero, rnnoise }));
    report('hearing-cost', costs);
    const latencies: Figures[] = [];
    for (const sampleRate of [8000, 16_000]) latencies.push(await measureLatency(silero, sampleRate));
    report('hearing-latency', latencies);
    const alarms: Figures[] = [];
    for (const sampleRate of [8000, 16_000]) {
      for (const engine of [silero, new LoudnessVoiceActivity()]) alarms.push(...(await falseAlarms(engine, sampleRate)));
    }
    report('hearing-false-alarms', alarms);
  } finally {
    await Promise.all([silero.close(), rnnoise.close()]);
  }
}

void main();
