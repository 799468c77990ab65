import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { bytesFromSamples, samplesFromBytes } from '@parley/audio';
import type { Handset } from '@parley/providers/loopback';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Demo } from '../demo/demo-file';
import { SimulatedPhone } from './simulated-phone';

const frameBytesMax = 16_000;
/** How far a browser may send ahead of the call; with more, the delay would keep growing. */
const unsaidMsMax = 200;
const unreadBytesMax = 64_000;

/** What the phone needs from its host. */
export interface BrowserPhoneOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined until the demo has been created. */
  readonly demo: () => Demo | undefined;
  /** The origins of the pages that may call. */
  readonly origins: () => readonly string[];
}

/**
 * The demo page's telephone. Its microphone and speaker use a WebSocket with 16-bit samples at 8 kHz in both directions; the call
 * reaches the platform over the simulated network, as from a carrier. There is one telephone, so only one call at a time.
 */
export class BrowserPhones {
  private isBusy = false;

  private constructor(
    private readonly server: WebSocketServer,
    private readonly place: BrowserPhoneOptions,
  ) {
    server.on('connection', (socket) => void this.serve(socket));
  }

  static async open(place: BrowserPhoneOptions): Promise<BrowserPhones> {
    const { host, port, origins } = place;
    const server = new WebSocketServer({
      host,
      port,
      maxPayload: frameBytesMax,
      perMessageDeflate: false,
      // Another site's page must not place calls at this installation's expense.
      verifyClient: ({ origin }: { origin: string; req: IncomingMessage }) => origins().includes(origin),
    });
    await once(server, 'listening');
    return new BrowserPhones(server, place);
  }

  async close(): Promise<void> {
    for (const client of this.server.clients) client.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(socket: WebSocket): Promise<void> {
    const tell = (word: object): void => socket.send(JSON.stringify(word));
    const end = (text: string): void => {
      tell({ type: 'over', text });
      socket.close(1000);
    };
    const demo = this.place.demo();
    if (!demo) return end('The demo agent is not ready yet. Try again in a moment.');
    if (this.isBusy) return end('Somebody else is on this telephone. Try again in a moment.');
    this.isBusy = true;
    try {
      const phone = new SimulatedPhone(demo, (text) => tell({ type: 'line', text }));
      const { record } = await phone.call({ attach: (handset) => this.join(socket, handset, tell) });
      end(record.cause ?? 'The call is over.');
    } catch (error) {
      end(`The call failed: ${error instanceof Error ? error.message : 'nobody knows why'}`);
    } finally {
      this.isBusy = false;
    }
  }

  /** The call is connected: passes sound in both directions until either side hangs up. */
  private join(socket: WebSocket, handset: Handset, tell: (word: object) => void): void {
    if (socket.readyState !== socket.OPEN) return handset.hangUp();
    tell({ type: 'answered' });
    handset.onHeard = (frame) => {
      if (socket.readyState === socket.OPEN && socket.bufferedAmount < unreadBytesMax) socket.send(bytesFromSamples(frame));
    };
    socket.on('message', (data, isBinary) => {
      if (!isBinary) return handset.hangUp();
      if (!Buffer.isBuffer(data) || handset.unsaidMs > unsaidMsMax) return;
      handset.speak(samplesFromBytes(data.subarray(0, data.length - (data.length % 2))));
    });
    socket.on('close', () => handset.hangUp());
  }
}
