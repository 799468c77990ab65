import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const common = { id: 'c', created: 1, model: 'scripted', object: 'chat.completion.chunk' };

/** One event of a streamed answer. */
export function completionEvent(choice: object, more: object = {}): string {
  return `data: ${JSON.stringify({ ...common, choices: [{ index: 0, ...choice }], ...more })}\n\n`;
}

/** A language model that speaks OpenAI's protocol, for tests. */
export abstract class ModelServer {
  private readonly server: Server = createServer(async (request, response) => {
    await this.answer(JSON.parse(Buffer.concat(await request.toArray()).toString()), response);
  });

  protected abstract answer(posted: unknown, response: ServerResponse): Promise<void> | void;

  async start(): Promise<this> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
