import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import { type Door, publicDoor, wayThrough } from './public-address';

interface PublicRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** What is read of the answer; the rest is left. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
}

interface PublicAnswer {
  readonly status: number;
  readonly body: string;
}

/** A way to ask a server whose address a customer gave. Tests put their own in its place. */
export type AskPublicServer = (request: PublicRequest) => Promise<PublicAnswer>;

/** Asks servers of the open Internet alone. Redirects are answers like any other and never followed. */
export const askPublicServer: AskPublicServer = askThrough(publicDoor);

/** The same with other rules about who may be reached. */
export function askThrough(door: Door): AskPublicServer {
  return async ({ url: address, method = 'GET', headers, body, timeoutMs, bytesMax, signal }) => {
    const url = new URL(address);
    const { start, lookup } = wayThrough(door, url);
    const { promise, resolve: answer, reject } = Promise.withResolvers<PublicAnswer>();
    const until = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
    const outgoing = start(url, { method, headers, lookup, agent: false, signal: until }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const finish = () =>
        answer({ status: response.statusCode ?? 0, body: Buffer.concat(parts).subarray(0, bytesMax).toString('utf8') });
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes < bytesMax) return;
        finish();
        response.destroy();
      });
      response.on('end', finish).on('error', reject);
    });
    outgoing.on('error', reject).end(body);
    return promise;
  };
}

/** A `fetch` for clients that are given the address of a server by a customer. */
export type FetchPublicServer = typeof fetch;

/** Between two pieces of an answer; whoever calls bounds the whole. */
const silenceMsMax = 60_000;
/** A connection was checked when it was made and leads nowhere else later, so it may serve the next request too. */
const kept = { keepAlive: true, maxFreeSockets: 64, timeout: silenceMsMax };
const withoutBody = new Set([204, 205, 304]);

/** Fetches from the open Internet alone, streams included. Redirects are answers like any other and never followed. */
export const fetchPublicServer: FetchPublicServer = fetchThrough(publicDoor);

/** The same with other rules about who may be reached. */
export function fetchThrough(door: Door): FetchPublicServer {
  const agents: Readonly<Record<string, HttpAgent>> = { 'http:': new HttpAgent(kept), 'https:': new HttpsAgent(kept) };
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const { start, lookup } = wayThrough(door, url);
    const body = Buffer.from(await request.arrayBuffer());
    const { promise, resolve: answer, reject } = Promise.withResolvers<Response>();
    const { method, signal } = request;
    const headers = { ...Object.fromEntries(request.headers), 'content-length': String(body.length) };
    const sending = { method, headers, lookup, signal, agent: agents[url.protocol], timeout: silenceMsMax };
    const outgoing = start(url, sending, (response) => answer(responseOf(response)));
    outgoing.on('timeout', () => outgoing.destroy(new Error('the server has fallen silent')));
    outgoing.on('error', reject).end(body);
    return promise;
  };
}

function responseOf(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 502;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  if (!withoutBody.has(status)) return new Response(Readable.toWeb(incoming), { status, headers });
  incoming.resume();
  return new Response(null, { status, headers });
}
