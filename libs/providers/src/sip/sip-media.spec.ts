import { aLaw, dtmfTone, encodeSamples, muLaw } from '@parley/audio';
import type { MediaEvent } from '@parley/ports';
import { ManualClock } from '@parley/ports/suites';
import { describeCallMedia } from '@parley/ports/suites';
import { FakeSipPeer } from './sip.fake';

describeCallMedia('SIP', (surroundings) => new FakeSipPeer(surroundings));
describeCallMedia('SIP in A-law', (surroundings) => new FakeSipPeer(surroundings, 'PCMA'));

describe('a call over SIP', () => {
  const begun = (keysAs: 'events' | 'tones', codec: 'PCMU' | 'PCMA' = 'PCMU') => {
    const events: MediaEvent[] = [];
    const clock = new ManualClock();
    const peer = new FakeSipPeer({ clock, hear: (event) => events.push(event) }, codec, keysAs);
    peer.begin();
    return { events, clock, peer };
  };

  it('is reported as held while the other side holds it, and nothing is heard that was not sent', () => {
    const { events, clock, peer } = begun('events');
    clock.pass(1000);
    peer.hold();
    expect(events).toContainEqual({ kind: 'held', isHeld: true });
    clock.pass(10_000);
    events.splice(0);
    clock.pass(60_000);
    expect(events).toEqual([]);
    expect(peer.media.isEnded).toBe(false);
    peer.hangUp();
  });

  it('says how much of its sound is filler once the other side stops sending', () => {
    const { events, clock, peer } = begun('events');
    for (let frame = 0; frame < 75; frame += 1) {
      peer.speak(new Uint8Array(160).fill(0x33));
      clock.pass(20);
    }
    peer.goMute();
    clock.pass(20_000);
    const secondsOf = (wanted: boolean) =>
      events.reduce((sum, event) => {
        const isWanted = event.kind === 'audio' && (event.isFiller ?? false) === wanted;
        return isWanted ? sum + event.bytes.length / 8_000 : sum;
      }, 0);
    expect(secondsOf(false)).toBeCloseTo(1.5, 0);
    expect(secondsOf(true)).toBeGreaterThan(4);
    peer.hangUp();
  });

  it.each([
    ['PCMU', 'PCMA'],
    ['PCMA', 'PCMU'],
  ] as const)('keeps its line’s format when a call in %s continues in %s', (first, second) => {
    const { events, clock, peer } = begun('events', first);
    const laws = { PCMU: muLaw, PCMA: aLaw };
    const tone = dtmfTone('7', 8000, 100) ?? new Int16Array(0);
    clock.pass(1000);
    peer.agreeOn(second);
    clock.pass(200);
    events.splice(0);
    const before = peer.heard().length;
    const spoken = laws[second].encode(tone);
    for (let at = 0; at < spoken.length; at += 160) {
      peer.speak(spoken.subarray(at, at + 160));
      clock.pass(20);
    }
    clock.pass(200);
    const heard = Buffer.concat(events.flatMap((event) => (event.kind === 'audio' ? [event.bytes] : [])));
    expect(heard.includes(Buffer.from(laws[first].encode(laws[second].decode(spoken))))).toBe(true);
    const said = laws[first].encode(tone);
    peer.media.send(said);
    clock.pass(200);
    const expected = Buffer.from(laws[second].encode(laws[first].decode(said)));
    const received = Buffer.from(peer.heard().subarray(before));
    expect(received.includes(expected)).toBe(true);
    // A-law has no zero: its silence is next to mu-law's.
    expect(new Set(received.subarray(received.indexOf(expected) + expected.length))).toEqual(
      new Set([second === 'PCMA' ? 0xd5 : 0xfe]),
    );
    expect(peer.media.format?.encoding).toBe(first === 'PCMA' ? 'alaw' : 'mulaw');
    expect(peer.violations).toEqual([]);
    peer.hangUp();
  });

  it('reports how the call broke off, which is not a loss of its media', () => {
    const { events, peer } = begun('events');
    peer.breakOff();
    expect(events.at(-1)).toMatchObject({ kind: 'ended', reason: 'lost', brokenOff: 'the peer did not refresh the call' });
  });

  it('sends and receives keys as tones if the peer supports no events', () => {
    const { events, clock, peer } = begun('tones');
    const tone = encodeSamples(dtmfTone('7', 8000, 100) ?? new Int16Array(0), 'mulaw');
    for (let at = 0; at < tone.length; at += 160) {
      peer.speak(tone.subarray(at, at + 160));
      clock.pass(20);
    }
    clock.pass(200);
    expect(events.filter(({ kind }) => kind === 'digit')).toEqual([{ kind: 'digit', digit: '7', isInSound: true }]);
    expect(peer.media.sendDigits('5')).toBe(true);
    clock.pass(400);
    const pressed = encodeSamples(dtmfTone('5', 8000, 100) ?? new Int16Array(0), 'mulaw');
    expect(Buffer.from(peer.heard()).includes(Buffer.from(pressed))).toBe(true);
    peer.hangUp();
  });
});
