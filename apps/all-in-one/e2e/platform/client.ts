import { demo } from './platform';

/** The fields that journeys read. Their expectations check that they are there. */
interface Answer {
  readonly statusCode: number;
  readonly code: string;
  readonly requestId: string;
  readonly answer: string;
  readonly sessionUUID: string;
  readonly token: string;
  readonly tokenUsage: { readonly promptTokens: number; readonly completionTokens: number; readonly totalTokens: number };
  readonly chatHistory: readonly { readonly sender: string; readonly text: string }[];
  readonly audioSeconds: number;
  readonly data: {
    readonly KBID: number;
    readonly KBDocumentKeyID: string;
    readonly AgentKeyID: string;
    readonly status: string;
    readonly token: string;
  };
  readonly paths: Readonly<Record<string, object>>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Answer;
}

interface Sending {
  readonly method: string;
  readonly key?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly raw?: string;
  readonly contentType?: string;
  readonly baseUrl?: string;
}

/** One request to the running platform, as a client of the public API sends it. */
export async function request(path: string, { method, key, body, raw, contentType, baseUrl }: Sending): Promise<Reply> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const reply = await fetch(`${baseUrl ?? demo().baseUrl}${path}`, {
    method,
    headers: {
      ...(key && { 'x-api-key': key }),
      ...(content !== undefined && { 'content-type': contentType ?? 'application/json' }),
    },
    ...(content !== undefined && { body: content }),
  });
  const type = reply.headers.get('content-type') ?? '';
  const isEndless = method === 'GET' && type.includes('text/event-stream');
  if (isEndless) await reply.body?.cancel();
  const text = isEndless ? '' : await reply.text();
  const isJson = type.includes('json');
  return { status: reply.status, headers: reply.headers, body: isJson && text ? JSON.parse(text) : text };
}

export const post = (path: string, body: unknown, key?: string): Promise<Reply> =>
  request(path, { method: 'POST', body, ...(key && { key }) });

export const get = (path: string, key?: string): Promise<Reply> => request(path, { method: 'GET', ...(key && { key }) });

/** Sends a form: text fields, and files by their content. */
export async function sendForm(path: string, key: string, fields: Record<string, string | File>): Promise<Reply> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const reply = await fetch(`${demo().baseUrl}${path}`, { method: 'POST', headers: { 'x-api-key': key }, body: form });
  return { status: reply.status, headers: reply.headers, body: JSON.parse(await reply.text()) };
}
