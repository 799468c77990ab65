import { dtmfTone, encodeSamples } from '@parley/audio';
import { ManualClock, type MediaEvent } from '@parley/ports';
import { describeCallMedia } from '@parley/ports/suites';
import { FakeSipPeer } from './sip.fake';

describeCallMedia('SIP', (surroundings) => new FakeSipPeer(surroundings));
describeCallMedia('SIP in A-law', (surroundings) => new FakeSipPeer(surroundings, 'PCMA'));

describe('a call over SIP', () => {
  const begun = (keysAs: 'events' | 'tones') => {
    const events: MediaEvent[] = [];
    const clock = new ManualClock();
    const peer = new FakeSipPeer({ clock, hear: (event) => events.push(event) }, 'PCMU', keysAs);
    peer.begin();
    return { events, clock, peer };
  };

  it('goes on being heard, as silence, while the other side has it on hold', () => {
    const { events, clock, peer } = begun('events');
    clock.pass(1000);
    peer.hold();
    clock.pass(60_000);
    events.splice(0);
    clock.pass(1000);
    const heard = events.flatMap((event) => (event.kind === 'audio' ? [...event.bytes] : []));
    expect(heard).toHaveLength(8000);
    expect(heard.every((byte) => byte === 0xff)).toBe(true);
    peer.hangUp();
  });

  it('hears and presses keys as tones where the peer knows no events', () => {
    const { events, clock, peer } = begun('tones');
    const tone = encodeSamples(dtmfTone('7', 8000, 100) ?? new Int16Array(0), 'mulaw');
    for (let at = 0; at < tone.length; at += 160) {
      peer.speak(tone.subarray(at, at + 160));
      clock.pass(20);
    }
    clock.pass(200);
    expect(events.filter(({ kind }) => kind === 'digit')).toEqual([{ kind: 'digit', digit: '7' }]);
    expect(peer.media.sendDigits('5')).toBe(true);
    clock.pass(400);
    const pressed = encodeSamples(dtmfTone('5', 8000, 100) ?? new Int16Array(0), 'mulaw');
    expect(Buffer.from(peer.heard()).includes(Buffer.from(pressed))).toBe(true);
    peer.hangUp();
  });
});
