import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import { bytesFromSamples, openAudio } from '@parley/audio';
import { z } from 'zod';

export interface StubRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array | object;
}

/** An error response of a provider whose documentation was not followed. */
class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Starts a local stub of a provider, which responds as documented and refuses what is forbidden. */
export async function startStub(answer: (request: StubRequest) => Promise<StubAnswer> | StubAnswer) {
  const requests: StubRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = Buffer.concat(await incoming.toArray());
      const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://stub');
      const request = { path: pathname, query: searchParams, headers: incoming.headers, body };
      requests.push(request);
      const { status = 200, headers = {}, body: content = '' } = await answered(answer, request);
      const isPlain = typeof content === 'string' || content instanceof Uint8Array;
      outgoing.writeHead(status, isPlain ? headers : { 'content-type': 'application/json', ...headers });
      // In portions of odd size, so that samples are split between them.
      const bytes = Buffer.from(isPlain ? content : JSON.stringify(content));
      for (let at = 0; at < bytes.length; at += 4097) outgoing.write(bytes.subarray(at, at + 4097));
      outgoing.end();
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url, requests, close, server };
}

async function answered(
  answer: (request: StubRequest) => Promise<StubAnswer> | StubAnswer,
  request: StubRequest,
): Promise<StubAnswer> {
  try {
    return await answer(request);
  } catch (refusal) {
    if (!(refusal instanceof Refused)) return { status: 500, body: String(refusal) };
    return { status: refusal.status, body: { error: refusal.message } };
  }
}

/** Refuses like the provider unless the condition holds. */
export function demand(condition: unknown, message: string, status = 400): asserts condition {
  if (!condition) throw new Refused(status, message);
}

/** A provider's speech: a tone, a twentieth of a second per character. */
export function spokenBytes(text: string, sampleRate: number, pace = 1): Uint8Array {
  const length = Math.round((text.length * sampleRate) / 20 / pace);
  return bytesFromSamples(Int16Array.from({ length }, (_, i) => 8000 * Math.sin(i / 4)));
}

/**
 * A provider's transcript of a WAV file: `hello` if it is loud, empty if it is silent. Refuses anything but mono WAV at 16 kHz.
 */
export async function heardIn(wav: Uint8Array): Promise<string> {
  const bytes = Buffer.from(wav);
  demand(bytes.toString('latin1', 0, 4) === 'RIFF', 'not a WAV file');
  demand(bytes.readUInt32LE(24) === 16_000 && bytes.readUInt16LE(22) === 1, 'not 16 kHz mono');
  async function* source(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  const { blocks } = await openAudio(source(), { toRate: 16_000 });
  let isLoud = false;
  for await (const block of blocks) isLoud ||= block.some((sample) => Math.abs(sample) > 500);
  return isLoud ? 'hello' : '';
}

/** Parses a multipart form like the provider's server. */
export async function formOf({ headers, body }: StubRequest): Promise<FormData> {
  demand(headers['content-type']?.startsWith('multipart/form-data'), 'not a form', 415);
  return new Response(Uint8Array.from(body), { headers: { 'content-type': headers['content-type'] } }).formData();
}

/** The file of a form. */
export async function fileIn(form: FormData): Promise<Uint8Array> {
  const file = form.get('file');
  demand(file instanceof Blob, 'file is required');
  return new Uint8Array(await file.arrayBuffer());
}

/** Parses a JSON body. */
export function jsonOf({ headers, body }: StubRequest): Record<string, unknown> {
  demand(headers['content-type'] === 'application/json', 'content-type must be application/json', 415);
  return z.record(z.string(), z.unknown()).parse(JSON.parse(body.toString('utf8')));
}
