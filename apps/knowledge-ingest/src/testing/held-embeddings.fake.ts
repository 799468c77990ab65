import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Body = z.object({ input: z.array(z.string()) });
const dimensions = 64;

/**
 * An embeddings service that holds requests, all or those with a certain word, until it is released. Its vectors are computed
 * from letters.
 */
export class HeldEmbeddings {
  readonly texts: string[] = [];
  private readonly gate = Promise.withResolvers<void>();
  private readonly asked = Promise.withResolvers<void>();
  private readonly server = createServer((request, response) => {
    void (async () => {
      const { input } = Body.parse(JSON.parse(Buffer.concat(await request.toArray()).toString()));
      this.texts.push(...input);
      this.asked.resolve();
      if (input.some((text) => text.includes(this.heldWord))) await this.gate.promise;
      const data = input.map((text, index) => ({ object: 'embedding', index, embedding: letterCounts(text) }));
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ object: 'list', model: 'letters', data, usage: {} }));
    })();
  });

  constructor(private readonly heldWord = '') {}

  /** Starts it; returns the settings with which the service uses it. */
  async start(): Promise<Record<string, string>> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address: AddressInfo | string | null = this.server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const url = `http://127.0.0.1:${port}/v1`;
    return {
      EMBEDDINGS_API_KEY: 'sk-any',
      EMBEDDINGS_BASE_URL: url,
      EMBEDDINGS_MODEL: 'letters',
      EMBEDDINGS_DIMENSIONS: String(dimensions),
    };
  }

  /** Resolves once the first request is waiting. */
  get isAsked(): Promise<void> {
    return this.asked.promise;
  }

  release(): void {
    this.gate.resolve();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

function letterCounts(text: string): number[] {
  const counts = new Array<number>(dimensions).fill(0.01);
  for (const character of text.toLowerCase()) {
    const slot = (character.codePointAt(0) ?? 0) % dimensions;
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  return counts;
}
