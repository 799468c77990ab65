import { once } from 'node:events';
import { connect } from 'node:net';
import type { MediaOptions, MediaProtocol, WiredMedia, WireMessage } from '@parley/ports';
import { WebSocket } from 'ws';
import { FakeAudioSocket } from '../asterisk-audiosocket/audiosocket.fake';
import { FakeAsteriskWebSocket } from '../asterisk-websocket/asterisk-websocket.fake';
import { FakeAudioFork } from '../audio-fork/audio-fork.fake';
import type { FakeCarrier, FakeSurroundings } from '../carrier-media/carrier.fake';
import type { MediaPlace } from '../carrier-peers';
import { FakeExotel } from '../exotel/exotel.fake';
import { FakeLoopback } from '../loopback/loopback.fake';
import { FakePlivo } from '../plivo/plivo.fake';
import { FakeTelnyx } from '../telnyx/telnyx.fake';
import { FakeTwilio } from '../twilio/twilio.fake';
import { FakeVonage } from '../vonage/vonage.fake';

export type { FakeCarrier } from '../carrier-media/carrier.fake';

/** Creates the media end of a carrier, which records violated rules. AudioSocket begins with the token. */
type OpenPhone = (surroundings: FakeSurroundings, token: string) => FakeCarrier;

/** The fakes of the adapters, by carrier id. For tests only. */
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

/** An open connection, before anything was sent on it. */
interface OpenWire {
  send(message: WireMessage): void;
  close(): void;
  listen(heard: { message(message: WireMessage): void; closed(): void }): void;
}

/** Connects like a carrier; rejects if the platform refuses. */
export async function connectMedia(place: MediaPlace): Promise<OpenWire> {
  return place.kind === 'tcp' ? byTcp(place) : byWebSocket(place);
}

async function byWebSocket({ url, headers = {}, subprotocols = [] }: Extract<MediaPlace, { kind: 'websocket' }>) {
  const socket = new WebSocket(url, [...subprotocols], { headers });
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>();
  socket.once('open', resolve).on('error', reject);
  socket.once('unexpected-response', (_, { statusCode }) => reject(new Error(`the media was refused with ${statusCode}`)));
  await opened;
  const wire: OpenWire = {
    send: (message) => socket.readyState === WebSocket.OPEN && socket.send(message),
    close: () => socket.close(1000),
    listen: ({ message, closed }) => {
      socket.on('message', (data: Buffer, isBinary) => message(isBinary ? data : data.toString('utf8')));
      socket.on('close', closed);
    },
  };
  return wire;
}

async function byTcp({ host, port }: Extract<MediaPlace, { kind: 'tcp' }>): Promise<OpenWire> {
  const socket = connect(port, host).on('error', () => undefined);
  await once(socket, 'connect');
  return {
    send: (message) => socket.writable && socket.write(message),
    close: () => socket.end(),
    listen: ({ message, closed }) => void socket.on('data', message).on('close', closed),
  };
}

/** Our end for a fake carrier, over a real connection. */
export function farEnd(wire: OpenWire): (protocol: MediaProtocol, options: MediaOptions) => WiredMedia {
  return ({ capabilities }, { wire: fake }) => {
    let isEnded = false;
    wire.listen({
      message: (message) => void fake.send(message),
      closed: () => {
        isEnded = true;
        fake.close();
      },
    });
    const elsewhere = (): never => {
      throw new Error('our end of this line is the platform');
    };
    return {
      capabilities,
      format: undefined,
      get isEnded() {
        return isEnded;
      },
      receive: (message) => wire.send(message),
      disconnected: () => wire.close(),
      close: () => wire.close(),
      send: elsewhere,
      mark: elsewhere,
      clear: elsewhere,
      sendDigits: elsewhere,
      hangUp: elsewhere,
    };
  };
}
