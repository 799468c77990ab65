import { demo } from './platform';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // What a client sees is what a journey judges: untyped, as it came over the wire.
  readonly body: any;
}

/** One request to the running platform, as a client of the public API sends it. */
export async function post(path: string, body?: unknown, key?: string, method = 'POST'): Promise<Reply> {
  const reply = await fetch(`${demo().baseUrl}${path}`, {
    method,
    headers: { ...(key && { 'x-api-key': key }), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, body: reply.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text };
}
