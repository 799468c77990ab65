import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { signatureOf } from './webhook-sender';

const Event = z.looseObject({ id: z.string(), type: z.string(), CampaignKeyID: z.string().nullable() });

/** A request to a receiver, unmodified. */
interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly event: z.output<typeof Event>;
}

/** A customer's server that receives events, reliably or not. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** How it answers; by default it accepts everything. */
  answer: (event: Received, response: ServerResponse) => void = (_, response) => void response.writeHead(204).end();
  private readonly server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += String(part)));
    request.on('end', () => {
      const received = { path: request.url ?? '', headers: request.headers, body, event: Event.parse(JSON.parse(body)) };
      this.received.push(received);
      this.answer(received, response);
    });
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  reset(): void {
    this.received.splice(0);
    this.answer = (_, response) => void response.writeHead(204).end();
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Verifies a signature as a customer would. */
export function isSignedBy(secret: string, { headers, body }: Received): boolean {
  const signature = String(headers['parley-signature']);
  return signatureOf(body, secret, Number(/^t=(\d+),/.exec(signature)?.[1])) === signature;
}
