import type { MediaEvent, WireMessage } from '@parley/ports';
import { holdConversation, ManualClock } from '@parley/ports/suites';
import fc from 'fast-check';
import { FakeAudioSocket } from '../asterisk-audiosocket/audiosocket.fake';
import { FakeAsteriskWebSocket } from '../asterisk-websocket/asterisk-websocket.fake';
import { FakeAudioFork } from '../audio-fork/audio-fork.fake';
import { FakeExotel } from '../exotel/exotel.fake';
import { FakeLoopback } from '../loopback/loopback.fake';
import { FakePlivo } from '../plivo/plivo.fake';
import { FakeTelnyx } from '../telnyx/telnyx.fake';
import { FakeTwilio } from '../twilio/twilio.fake';
import { FakeVonage } from '../vonage/vonage.fake';
import type { FakeCarrier, FakeSurroundings } from './carrier.fake';

const numRuns = Number(process.env['CARRIER_FUZZ'] ?? 250);
const carriers: readonly [string, (surroundings: FakeSurroundings) => FakeCarrier][] = [
  ['Twilio', (surroundings) => new FakeTwilio(surroundings)],
  ['Plivo', (surroundings) => new FakePlivo(surroundings)],
  ['Exotel', (surroundings) => new FakeExotel(surroundings)],
  ['Vonage', (surroundings) => new FakeVonage(surroundings)],
  ['Telnyx', (surroundings) => new FakeTelnyx(surroundings)],
  ['AudioSocket', (surroundings) => new FakeAudioSocket(surroundings)],
  ['chan_websocket', (surroundings) => new FakeAsteriskWebSocket(surroundings)],
  ['chan_websocket in JSON', (surroundings) => new FakeAsteriskWebSocket(surroundings, 'json')],
  ['an audio fork', (surroundings) => new FakeAudioFork(surroundings)],
  ['the simulated network', (surroundings) => new FakeLoopback(surroundings)],
];

/** Every message that a carrier sends in a whole conversation. */
function recordedOf(connect: (surroundings: FakeSurroundings) => FakeCarrier): WireMessage[] {
  const recorded: WireMessage[] = [];
  holdConversation((surroundings) => {
    const carrier = connect(surroundings);
    const receive = carrier.media.receive.bind(carrier.media);
    carrier.media.receive = (message) => {
      recorded.push(typeof message === 'string' ? message : message.slice());
      receive(message);
    };
    return carrier;
  });
  return recorded;
}

type Act = { readonly kind: 'message'; readonly message: WireMessage } | { readonly kind: 'ours'; readonly what: number };

/** Recorded messages with fields mutated, truncated or mixed with garbage, and any action of our side in between. */
function actsFrom(recorded: readonly WireMessage[]): fc.Arbitrary<Act[]> {
  const asRecorded = fc.constantFrom(...recorded);
  const garbage = fc.oneof(
    fc.string({ maxLength: 200, unit: 'binary' }),
    fc.uint8Array({ maxLength: 700 }),
    fc.json(),
    fc.constantFrom('', '{}', '[]', 'null', '{"event":null}', '{"event":"__proto__"}', 'MEDIA_START', '\u0000'),
  );
  const bent = fc
    .tuple(asRecorded, fc.nat(), fc.oneof(fc.jsonValue(), fc.constantFrom('', -1, 1e308, 'NaN', '\u0000', null)))
    .map(([message, at, value]) => bend(message, at, value));
  const cut = fc.tuple(asRecorded, fc.nat()).map(([message, at]) => message.slice(0, at % (message.length + 1)));
  const message = fc.oneof({ weight: 4, arbitrary: asRecorded }, bent, cut, garbage);
  const acts = fc.oneof(
    { weight: 5, arbitrary: message.map((one): Act => ({ kind: 'message', message: one })) },
    fc.nat({ max: 6 }).map((what): Act => ({ kind: 'ours', what })),
  );
  const opening = recorded.slice(0, 2).map((message): Act => ({ kind: 'message', message }));
  // Half of the calls start correctly, so that later states are reached.
  return fc
    .tuple(fc.boolean(), fc.array(acts, { maxLength: 60 }))
    .map(([begins, rest]) => (begins ? [...opening, ...rest] : rest));
}

/** One field, at any depth, replaced; one byte of a binary message changed. */
function bend(message: WireMessage, at: number, value: unknown): WireMessage {
  if (typeof message !== 'string') {
    const copy = message.slice();
    if (copy.length > 0) copy[at % copy.length] = typeof value === 'number' ? value & 0xff : 0xff;
    return copy;
  }
  if (!message.startsWith('{')) return message.replace(message[at % message.length] ?? '', String(value));
  let fields = 0;
  JSON.stringify(JSON.parse(message), (_key, field) => {
    fields++;
    return field;
  });
  let seen = 0;
  return JSON.stringify(JSON.parse(message), (_key, field) => (seen++ === at % fields ? value : field)) ?? '';
}

describe.each(carriers)('any input from %s', (_name, connect) => {
  const recorded = recordedOf(connect);

  it('never throws, and ends each call once', () => {
    fc.assert(
      fc.property(actsFrom(recorded), (acts) => {
        const clock = new ManualClock();
        const events: MediaEvent[] = [];
        const { media } = connect({ clock, hear: (event) => events.push(event) });
        for (const act of acts) {
          if (act.kind === 'message') media.receive(act.message);
          else ours(media, act.what, clock);
        }
        const bytesMax = acts.reduce((sum, act) => sum + (act.kind === 'message' ? act.message.length : 0), 0);
        const audio = events.flatMap((event) => (event.kind === 'audio' ? [event.bytes.length] : []));
        expect(audio.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(bytesMax);
        // In any state, hanging up ends it and leaves no timer.
        media.hangUp();
        clock.pass(60_000);
        expect(events.filter(({ kind }) => kind === 'ended')).toHaveLength(1);
        expect(events.at(-1)?.kind).toBe('ended');
        const started = events.findIndex(({ kind }) => kind === 'started');
        const spoken = events.findIndex(({ kind }) => kind === 'audio' || kind === 'digit');
        expect(spoken < 0 || (started >= 0 && started < spoken)).toBe(true);
        expect(events.filter(({ kind }) => kind === 'started').length).toBeLessThanOrEqual(1);
        expect(events.filter(({ kind }) => kind === 'warning').length).toBeLessThanOrEqual(100);
        clock.pass(200_000);
        expect(clock.waiting).toBe(0);
      }),
      { numRuns },
    );
  });

  it('ends the call if it is nothing but garbage', () => {
    const clock = new ManualClock();
    const events: MediaEvent[] = [];
    const { media } = connect({ clock, hear: (event) => events.push(event) });
    for (let i = 0; i < 60; i++) media.receive(`garbage ${i}`);
    expect(events.at(-1)).toMatchObject({ kind: 'ended', reason: 'protocol' });
  });
});

function ours(media: FakeCarrier['media'], what: number, clock: ManualClock): void {
  if (what === 0) media.send(new Uint8Array(321));
  else if (what === 1) media.mark('m');
  else if (what === 2) media.clear();
  else if (what === 3) media.sendDigits('1w#');
  else if (what === 4) clock.pass(250);
  else if (what === 5) media.send(new Uint8Array(160));
  else media.mark('long '.repeat(100));
}
