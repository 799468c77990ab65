import { FakeAudioSocket } from '../asterisk-audiosocket/audiosocket.fake';
import { FakeAsteriskWebSocket } from '../asterisk-websocket/asterisk-websocket.fake';
import { FakeAudioFork } from '../audio-fork/audio-fork.fake';
import type { FakeCarrier, FakeSurroundings } from '../carrier-media/fake-carrier';
import { FakeExotel } from '../exotel/exotel.fake';
import { FakeLoopback } from '../loopback/loopback.fake';
import { FakePlivo } from '../plivo/plivo.fake';
import { FakeTelnyx } from '../telnyx/telnyx.fake';
import { FakeTwilio } from '../twilio/twilio.fake';
import { FakeVonage } from '../vonage/vonage.fake';

export type { FakeCarrier, FakeSurroundings } from '../carrier-media/fake-carrier';
export { connectMedia, farEnd } from './far-end';

/** Makes the media end of a carrier, which notes each of its rules that is broken. AudioSocket begins with the token. */
export type OpenPhone = (surroundings: FakeSurroundings, token: string) => FakeCarrier;

/** For tests alone: the fakes that stand beside the adapters, by the id of their carrier. */
export const carrierPhones: Readonly<Record<string, OpenPhone>> = {
  twilio: (surroundings) => new FakeTwilio(surroundings),
  plivo: (surroundings) => new FakePlivo(surroundings),
  exotel: (surroundings) => new FakeExotel(surroundings),
  vonage: (surroundings) => new FakeVonage(surroundings),
  telnyx: (surroundings) => new FakeTelnyx(surroundings),
  'asterisk-audiosocket': (surroundings, token) => new FakeAudioSocket(surroundings, undefined, token),
  'asterisk-websocket': (surroundings) => new FakeAsteriskWebSocket(surroundings),
  'audio-fork': (surroundings) => new FakeAudioFork(surroundings),
  loopback: (surroundings) => new FakeLoopback(surroundings),
};
