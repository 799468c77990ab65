import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import { type Door, publicDoor, wayThrough } from './public-door';

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
