import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { muLaw, wavFile } from '@parley/audio';
import {
  type ArrivedCall,
  type CallHandler,
  type CallMedia,
  type CallNotice,
  type Listening,
  type MediaEvent,
  type PlaceRequest,
} from '@parley/ports';
import { FrameClock } from '@parley/sip';
import { realClock } from '@parley/voice-session';
import { SipCarrier } from './index';
import { SipCredentials } from './sip-control';
import { unchecked } from '../carrier-http/stub-carrier-api';

export const loopback = '127.0.0.1';
const frames = new FrameClock();
let mediaPort = 24_000 + (process.pid % 50) * 100;

/** A tone at half of full scale, 8 kHz. */
export function tone(hz: number, ms: number): Int16Array {
  return Int16Array.from({ length: ms * 8 }, (_, i) => Math.round(9000 * Math.sin((2 * Math.PI * hz * i) / 8000)));
}

/** The share of these samples' energy at one frequency: near 1 for a clean tone, near 0 without it. */
export function shareOf(samples: Int16Array, hz: number): number {
  let [real, imaginary, energy] = [0, 0, 1];
  for (const [i, sample] of samples.entries()) {
    real += sample * Math.cos((2 * Math.PI * hz * i) / 8000);
    imaginary += sample * Math.sin((2 * Math.PI * hz * i) / 8000);
    energy += sample * sample;
  }
  return (2 * (real * real + imaginary * imaginary)) / (samples.length * energy);
}

/** A WAV file of a tone, longer than any test. */
export async function toneFile(hz: number): Promise<{ file: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-tone-'));
  const file = path.join(folder, 'tone.wav');
  await writeFile(file, wavFile(tone(hz, 30_000), 8000));
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The platform's end of a call, whose events can be awaited. */
class AgentEnd {
  readonly events: MediaEvent[] = [];
  media: CallMedia | undefined;
  private readonly waiting = new Set<() => void>();

  constructor(readonly call: ArrivedCall) {}

  answer(): this {
    this.media = this.call.answer((event) => {
      this.events.push(event);
      for (const wake of this.waiting) wake();
    });
    return this;
  }

  get line(): CallMedia {
    if (!this.media) throw new Error('the call was not answered');
    return this.media;
  }

  get digits(): string {
    return this.events.map((event) => (event.kind === 'digit' ? event.digit : '')).join('');
  }

  /** Everything that was heard, decoded. */
  get heard(): Int16Array {
    const bytes = this.events.flatMap((event) => (event.kind === 'audio' ? [event.bytes] : []));
    return muLaw.decode(Buffer.concat(bytes));
  }

  say(hz: number, ms: number): void {
    this.line.send(muLaw.encode(tone(hz, ms)));
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.waiting.add(resolve));
    this.waiting.clear();
  }

  async ended(): Promise<Extract<MediaEvent, { kind: 'ended' }>> {
    const found = () => this.events.find((event) => event.kind === 'ended');
    await this.until(() => found() !== undefined);
    const event = found();
    if (event?.kind !== 'ended') throw new Error('not ended');
    return event;
  }
}

/** A listening account of the SIP carrier that records its events. */
export class FakePbx implements CallHandler {
  readonly notices: CallNotice[] = [];
  readonly ends: AgentEnd[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(
    readonly carrier: SipCarrier,
    private readonly answers: boolean,
  ) {}

  static async open(
    account: Record<string, unknown> = {},
    options: { answers?: boolean; port?: number } = {},
  ): Promise<FakePbx & { listening: Listening }> {
    const pbx = FakePbx.at(account, options.answers);
    return Object.assign(pbx, { listening: await pbx.listen(options.port) });
  }

  static at(account: Record<string, unknown>, answers = true): FakePbx {
    mediaPort += 40;
    const media = { mediaPortFrom: mediaPort, mediaPortTo: mediaPort + 39 };
    const credentials = SipCredentials.parse({ trusted: [loopback], ...media, ...account });
    return new FakePbx(new SipCarrier(credentials, { clock: realClock }, { frames }), answers);
  }

  listen(port = 0): Promise<Listening> {
    return this.carrier.listen({ host: loopback, port }, this);
  }

  arrived(call: ArrivedCall): void {
    const end = new AgentEnd(call);
    this.ends.push(this.answers ? end.answer() : end);
    for (const wake of this.waiting) wake();
  }

  noticed(notice: CallNotice): void {
    this.notices.push(notice);
    for (const wake of this.waiting) wake();
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  /** The first call that arrived, once it has begun. */
  async first(): Promise<AgentEnd> {
    await this.until(() => this.ends.length > 0);
    const [end] = this.ends;
    if (!end) throw new Error('no call');
    if (this.answers) await end.until(() => end.events.some(({ kind }) => kind === 'started'));
    return end;
  }

  get states(): string[] {
    return this.notices.flatMap((notice) => (notice.kind === 'state' ? [notice.state] : []));
  }

  order(to: string, more: Partial<PlaceRequest> = {}): PlaceRequest {
    const urls = { answerUrl: '', statusUrl: '', mediaUrl: '' };
    return {
      reference: 'attempt-1',
      from: 'agent',
      to: unchecked(to),
      ...urls,
      ringSeconds: 10,
      secondsMax: 600,
      detectMachine: false,
      ...more,
    };
  }
}
