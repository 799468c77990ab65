import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { freePort } from '../measure/servers';

const wavHeaderBytes = 44;

/** A transcription server with OpenAI's protocol that returns no text and counts the samples it receives. */
export class CountingEngine {
  /** For each piece, in order. */
  readonly heardSamples: number[] = [];
  private readonly server = createServer((request, response) => {
    void this.count(request).then(() =>
      response.setHeader('content-type', 'application/json').end('{"text":"words","language":"english"}'),
    );
  });

  private constructor(readonly url: string) {}

  static async start(): Promise<CountingEngine> {
    const port = await freePort();
    const engine = new CountingEngine(`http://127.0.0.1:${port}/v1`);
    engine.server.listen(port, '127.0.0.1');
    await once(engine.server, 'listening');
    return engine;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async count(request: IncomingMessage): Promise<void> {
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const form = await new Response(await buffer(request), { headers }).formData();
    const file = form.get('file');
    if (file === null || typeof file === 'string') throw new Error('a piece came without its sound');
    this.heardSamples.push((file.size - wavHeaderBytes) / 2);
  }
}
