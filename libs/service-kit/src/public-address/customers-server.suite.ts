import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';

/** A local server such as a customer might name. */
export class CustomersServer {
  /** The requests received: method, path, the header `x-key`, and the body. */
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

/** Answers endlessly, as fast as it is read. */
export function flood(response: ServerResponse): void {
  const part = Buffer.alloc(65_536, 'x');
  const endless = new Readable({
    read() {
      this.push(part);
    },
  });
  pipeline(endless, response, () => undefined);
}

/** Switches to another protocol, which nobody requested. */
export function switchProtocol(response: ServerResponse): void {
  response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
}
