// `npm run bench -- echo [--rates 8000,16000] [--calls 1,30]`: how much the echo filter removes, and its cost: CPU time of this
// thread for each 20 ms in which the agent speaks, without voice detection.
import { parseArgs } from 'node:util';
import { resample } from '@parley/audio';
import { EchoCanceller, EchoGuard } from '@parley/voice-session';
import { noise } from '../hearing/spoken';
import { type Line, lines } from '../interruptions/lines';
import { type Figures, report } from '../measure/report';
import { agentSpeech } from '../voice/recognition/interrupting-callers';
import { type EchoWay } from '../voice/recognition/interrupted-call';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { rates: { type: 'string', default: '8000,16000' }, calls: { type: 'string', default: '1,30' } },
});
const frameMs = 20;
const windowMs = 32;
const roomNoise = 40;
/** Removal is measured over this much of the end of the agent's speech. */
const measuredMs = 3000;

interface Sounds {
  readonly own: Int16Array;
  readonly heard: Int16Array;
  readonly rate: number;
}

/** One call's filter, with its input and what remained at the end. */
class Filtered {
  private readonly canceller: EchoCanceller;
  private readonly guard: EchoGuard;
  private nextMs = windowMs;
  heardPower = 0;
  leftPower = 1;

  constructor(private readonly sounds: Sounds) {
    this.canceller = new EchoCanceller(sounds.rate);
    this.guard = new EchoGuard(sounds.rate);
  }

  frame(at: number): void {
    const { own, heard, rate } = this.sounds;
    const end = at + (rate * frameMs) / 1000;
    const [played, came] = [own.subarray(at, end), heard.subarray(at, end)];
    const atMs = at === 0 ? 0 : undefined;
    this.guard.noticeOwnVoice(played, atMs);
    this.canceller.noticeOwnVoice(played, atMs);
    this.guard.hear(came);
    const left = this.canceller.hear(came);
    for (; this.nextMs <= (at * 1000) / rate; this.nextMs += windowMs) this.judge();
    if (heard.length - at > (rate * measuredMs) / 1000) return;
    this.heardPower += powerOf(came);
    this.leftPower += powerOf(left);
  }

  /** Called as recognition does for each window that may contain a voice. */
  private judge(): void {
    if (this.canceller.residualOwner(this.nextMs) === 'own') return;
    this.guard.whoSpeaks(this.nextMs);
    this.canceller.found(this.guard.echo);
  }
}

function powerOf(samples: Int16Array): number {
  return samples.reduce((power, sample) => power + sample * sample, 0);
}

function echoOf(own: Int16Array, way: EchoWay, rate: number): Int16Array {
  const placed = ({ delayMs, parts }: EchoWay) =>
    parts.map(({ atMs, strength }) => ({ strength, delay: Math.round(((delayMs + atMs) * rate) / 1000) }));
  const [first, later] = [placed(way), placed(way.later?.way ?? way)];
  const changesAt = ((way.later?.fromMs ?? 0) * rate) / 1000;
  const room = noise(own.length, roomNoise);
  return room.map((sample, at) =>
    (at < changesAt ? first : later).reduce((sum, { strength, delay }) => sum + strength * (own[at - delay] ?? 0), sample),
  );
}

function measured({ name }: Line, sounds: Sounds, calls: number): Figures {
  const filters = Array.from({ length: calls }, () => new Filtered(sounds));
  const frame = (sounds.rate * frameMs) / 1000;
  const frames = Math.floor(sounds.own.length / frame);
  const before = process.cpuUsage();
  for (let at = 0; at < frames; at++) for (const filter of filters) filter.frame(at * frame);
  const { user, system } = process.cpuUsage(before);
  const microsEach = (user + system) / frames / calls;
  const [one] = filters;
  return {
    line: name,
    'samples/s': sounds.rate,
    calls,
    'echo taken out dB': one ? (10 * Math.log10(one.heardPower / one.leftPower)).toFixed(1) : '',
    'µs per 20 ms': microsEach.toFixed(1),
    '% of a core a call': (microsEach / frameMs / 10).toFixed(2),
  };
}

async function main(): Promise<void> {
  const agent = await agentSpeech();
  const rows: Figures[] = [];
  for (const rate of values.rates.split(',').map(Number)) {
    const own = await resample(agent, 16_000, rate);
    const sounds = (way: EchoWay) => ({ own, heard: echoOf(own, way, rate), rate });
    // Run once first, so that the code is compiled.
    for (const { way } of lines) if (way) measured({ name: '', way }, sounds(way), 1);
    for (const line of lines)
      for (const calls of values.calls.split(',').map(Number)) if (line.way) rows.push(measured(line, sounds(line.way), calls));
  }
  report('echo', rows);
}

void main();
