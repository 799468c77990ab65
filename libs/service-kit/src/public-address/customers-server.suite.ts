import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

/** A server as a customer might name one, on this machine. */
export class CustomersServer {
  /** Its requests: method, path, the header `x-key`, and the body. */
  readonly asked: string[] = [];
  port = 0;
  private readonly server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    this.asked.push([request.method, request.url, request.headers['x-key'], body].join(' ').trim());
    this.answer(request, response);
  });

  constructor(private readonly answer: RequestListener) {}

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    this.port = typeof address === 'object' && address ? address.port : 0;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
