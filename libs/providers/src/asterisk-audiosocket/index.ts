import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { CallHandler, CallMedia, CarrierDescriptor, Listening, MediaClock, MediaEvent } from '@parley/ports';
import { askedCarrier } from '../carrier-http';
import { AsteriskControl, asteriskControlCapabilities, AsteriskCredentials, AsteriskWebhooks } from '../asterisk';
import {
  audioSocketFrame,
  audioSocketMedia,
  audioSocketMediaCapabilities,
  frameKinds,
  FrameReader,
  uuidBytes,
  uuidOf,
} from './audiosocket-media';

/** A self-hosted Asterisk with AudioSocket over TCP, any version since 18. */
export const asteriskAudioSocket: CarrierDescriptor<typeof AsteriskCredentials> = {
  id: 'asterisk-audiosocket',
  name: 'Asterisk, by AudioSocket',
  credentials: AsteriskCredentials,
  capabilities: {
    media: audioSocketMediaCapabilities,
    control: asteriskControlCapabilities,
    connects: 'tcp',
    tokens: 'uuid',
    signs: { webhooks: false, upgrade: false },
  },
  open: (credentials, { clock, fetch }) => {
    const control = new AsteriskControl(credentials, fetch);
    return askedCarrier({
      id: 'asterisk-audiosocket',
      media: audioSocketMedia,
      control,
      webhooks: new AsteriskWebhooks(credentials.webhookSecret),
      listen: (address, handler) => listenForAudioSockets(address, handler, clock),
    });
  },
};

const connectionsMax = 1000;
/** How long the UUID, which Asterisk sends on connecting, may take. */
const uuidMs = 2000;
/** How long the platform's decision may take before the call is refused. */
const answerMs = 10_000;
const earlyBytesMax = 256 * 1024;
/** How long a peer may keep its half of the connection open; Asterisk closes it when we do. */
const lingerMs = 2000;

/** Ends our half of a connection now, and all of it a little later. */
function leave(socket: Socket, clock: MediaClock, last: Uint8Array = new Uint8Array(0)): void {
  if (socket.destroyed) return;
  socket.end(last);
  const cancel = clock.wakeAt(clock.now() + lingerMs, () => socket.destroy());
  socket.once('close', cancel);
}

/** Listens for AudioSockets. Each is reported with its UUID as the token, before any sound is processed. */
export async function listenForAudioSockets(
  address: { readonly host: string; readonly port: number },
  handler: CallHandler,
  clock: MediaClock,
): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => undefined));
    socket.setNoDelay(true);
    receiveCall(socket, handler, clock);
  });
  server.maxConnections = connectionsMax;
  server.listen(address.port, address.host);
  await once(server, 'listening');
  const bound = server.address();
  const close = async (until = new Date()) => {
    const ended = once(server, 'close');
    server.close();
    const cancel = clock.wakeAt(clock.now() + Math.max(0, until.getTime() - Date.now()), () => {
      for (const socket of sockets) socket.destroy();
    });
    await ended;
    cancel();
  };
  return { host: address.host, port: typeof bound === 'object' && bound ? bound.port : address.port, close };
}

/** Reads the UUID. What arrives before the call is answered is kept for its media. */
function receiveCall(socket: Socket, handler: CallHandler, clock: MediaClock): void {
  const early: Buffer[] = [];
  const reader = new FrameReader();
  let bytes = 0;
  const cancel = clock.wakeAt(clock.now() + uuidMs, () => socket.destroy());
  socket.once('close', cancel);
  const gather = (part: Buffer) => {
    early.push(part);
    bytes += part.length;
    if (bytes > earlyBytesMax) socket.destroy();
  };
  const findUuid = (part: Buffer) => {
    const [first] = reader.push(part);
    if (!first && reader.mayBecome(frameKinds.uuid, uuidBytes)) return;
    socket.off('data', findUuid);
    cancel();
    const uuid = first?.kind === frameKinds.uuid ? uuidOf(first.payload) : undefined;
    if (uuid === undefined) socket.destroy();
    else arrived({ socket, uuid, early, gather }, handler, clock);
  };
  socket.on('data', gather).on('data', findUuid);
}

interface Caller {
  readonly socket: Socket;
  readonly uuid: string;
  readonly early: Buffer[];
  readonly gather: (part: Buffer) => void;
}

function arrived({ socket, uuid, early, gather }: Caller, handler: CallHandler, clock: MediaClock): void {
  const refuse = () => leave(socket, clock, audioSocketFrame(frameKinds.hangUp));
  const cancel = clock.wakeAt(clock.now() + answerMs, refuse);
  socket.once('close', cancel);
  handler.arrived({
    callId: uuid,
    token: uuid,
    refuse: () => {
      cancel();
      refuse();
    },
    answer: (hear) => {
      cancel();
      socket.off('data', gather);
      return mediaOverTcp(socket, { clock, hear, early: early.splice(0) });
    },
  });
}

interface Connected {
  readonly clock: MediaClock;
  readonly hear: (event: MediaEvent) => void;
  /** Bytes already read from the connection. */
  readonly early: readonly Uint8Array[];
}

/** An AudioSocket's media over its TCP connection. */
function mediaOverTcp(socket: Socket, { clock, hear, early }: Connected): CallMedia {
  const wire = {
    send: (message: string | Uint8Array) => {
      if (socket.writable) socket.write(message);
    },
    close: () => leave(socket, clock),
    get bufferedBytes() {
      return socket.writableLength;
    },
  };
  const media = audioSocketMedia.open({ wire, clock, hear });
  let hasEnded = false;
  socket.on('data', (bytes) => media.receive(bytes));
  socket.on('end', () => (hasEnded = true));
  socket.on('error', (error) => media.disconnected({ isClean: false, message: error.message }));
  socket.on('close', () => media.disconnected({ isClean: hasEnded, message: 'Asterisk closed the connection' }));
  // Deferred, so that the caller gets the media before its first event.
  queueMicrotask(() => {
    for (const bytes of early) media.receive(bytes);
    if (socket.destroyed) media.disconnected({ isClean: true, message: 'Asterisk closed the connection' });
  });
  return media;
}
