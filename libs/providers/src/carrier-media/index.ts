import type { MediaClock, MediaEvent, MediaProtocol, WiredMedia } from '@parley/ports';
import { WebSocket } from 'ws';

export { CallLine } from './call-line';
export {
  anyLength,
  audioOf,
  base64Of,
  type ChunkLimits,
  ChunkOrder,
  Count,
  type Dialect,
  digitOf,
  formatOf,
  type DialectEvent,
  jsonOf,
  malformed,
  Parameters,
} from './dialect';

const pingEveryMs = 10_000;

interface Connected {
  readonly protocol: MediaProtocol;
  readonly clock: MediaClock;
  readonly hear: (event: MediaEvent) => void;
}

/** A carrier's media over an open WebSocket, which is lost if it answers no ping for ten seconds. */
export function mediaOverWebSocket(socket: WebSocket, { protocol, clock, hear }: Connected): WiredMedia {
  const wire = {
    send: (message: string | Uint8Array) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(message);
    },
    close: () => socket.close(1000),
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
  };
  const media = protocol.open({ wire, clock, hear });
  socket.on('message', (data, isBinary) => {
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
    media.receive(isBinary ? bytes : bytes.toString('utf8'));
  });
  const stopPinging = keepAlive(socket, clock, media);
  socket.on('error', (error) => media.disconnected({ isClean: false, message: error.message }));
  socket.on('close', (code) => {
    stopPinging();
    media.disconnected({
      isClean: code === 1000 || code === 1001 || code === 1005,
      message: `the connection was closed with ${code}`,
    });
  });
  return media;
}

function keepAlive(socket: WebSocket, clock: MediaClock, media: WiredMedia): () => void {
  let isAnswered = true;
  let cancel = () => {};
  const check = () => {
    if (!isAnswered) {
      media.close('lost', 'the other end of the connection does not answer');
      socket.terminate();
      return;
    }
    isAnswered = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
    cancel = clock.wakeAt(clock.now() + pingEveryMs, check);
  };
  cancel = clock.wakeAt(clock.now() + pingEveryMs, check);
  socket.on('pong', () => (isAnswered = true));
  return () => cancel();
}
