import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { DrawnRequest, TextDefect } from './drawn-request';
import type { KnownIds } from './schema-values';

/** A request as it is sent. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** The answer. */
export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The connection was closed just as it was reused, and the request was sent again, as clients do. */
  readonly isAskedAgain?: boolean;
}

const boundary = 'fuzzfuzzfuzz';
const answerTimeoutMs = 60_000;
/**
 * A reused connection that the server had closed fails at once. A later failure hit a request in progress, and is the server's
 * fault.
 */
const closedMsMax = 200;
/**
 * The server cuts off a client that goes on sending after a refusal and does not read the answer within a second. If this machine
 * was too busy to read it, the request is tried again.
 */
const readOfRefusedBytes = 65_536;
const triesMax = 3;
const headTargetMax = 4_000;
const tooLargeBytes = 2_000_000;
const agent = new Agent({ keepAlive: true });

/** A generated request in bytes, with placeholders replaced by the ids known so far. */
export function rendered(drawn: DrawnRequest, ids: KnownIds, key: string | undefined): SentRequest {
  const parameters = fieldsOf(ids.resolve(drawn.parameters));
  const inPath = new Set(drawn.operation.parameters.flatMap((each) => (each.in === 'path' ? [each.name] : [])));
  const path = drawn.operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(textOf(parameters[name] ?? '')));
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    inPath.has(name) ? [] : [`${encoded(name)}=${encoded(textOf(value))}`],
  );
  const all = [...query, drawn.extraQuery].filter(Boolean).join('&');
  // Node sends the body of these without its length, so that it would be taken for another request.
  const isBodied = drawn.body !== undefined && !['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(drawn.method);
  const body = isBodied && drawn.body ? bodyOf(drawn.body.type, ids.resolve(drawn.body.value), drawn.textDefect) : undefined;
  const contentType =
    drawn.contentType ??
    (drawn.body?.type === 'multipart/form-data' ? `multipart/form-data; boundary=${boundary}` : drawn.body?.type);
  const target = all === '' ? path : `${path}?${all}`;
  return {
    // A server that refuses oversized headers has not read the method, and answers even a HEAD with a body.
    method: drawn.method === 'HEAD' && target.length > headTargetMax ? 'GET' : drawn.method,
    path: target,
    headers: {
      ...drawn.headers,
      ...(key !== undefined && { 'x-api-key': key }),
      ...(body && contentType && { 'content-type': contentType }),
    },
    ...(body && { body }),
  };
}

function bodyOf(type: string, value: unknown, defect: TextDefect): Buffer {
  const text = type === 'multipart/form-data' ? formOf(fieldsOf(value)) : JSON.stringify(value);
  return damagedText(text ?? '', defect);
}

function damagedText(text: string, defect: TextDefect): Buffer {
  switch (defect) {
    case 'none':
      return Buffer.from(text);
    case 'cut':
      return Buffer.from(text.slice(0, text.length / 2));
    case 'deep':
      return Buffer.from(`${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`);
    case 'huge number':
      return Buffer.from(text.replace(/:(\d+|"[^"]*")/, ':1e400'));
    case 'poisoned':
      return Buffer.from(text.replace('{', '{"__proto__":{"isAdmin":true},'));
    case 'twice':
      return Buffer.from(text.replace(/\{("[^"]+"):/, '{$1:[],$1:'));
    case 'bytes':
      return Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from(text.slice(-1))]);
    case 'empty':
      return Buffer.alloc(0);
    case 'null':
      return Buffer.from('null');
    case 'list':
      return Buffer.from(`[${text}]`);
    case 'too large':
      return Buffer.from(text.replace('{', `{"filler":"${'f'.repeat(tooLargeBytes)}",`));
  }
}

function formOf(fields: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(fields).map(([name, value]) => {
    const file = /file|document/i.test(name) ? `; filename="${name}.csv"\r\nContent-Type: text/csv` : '';
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name.replaceAll(/["\r\n]/g, '_')}"${file}\r\n\r\n${textOf(value)}\r\n`;
  });
  return `${parts.join('')}--${boundary}--\r\n`;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

// A lone surrogate cannot be encoded in UTF-8, so it is sent as a careless client would encode it.
function encoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

/** Sends one request; rejects if the connection breaks or no answer arrives. */
export function send(baseUrl: string, sent: SentRequest, tries = 1): Promise<Received> {
  const { method, path, headers, body } = sent;
  return new Promise((resolve, reject) => {
    const sentAtMs = performance.now();
    const sending = request(baseUrl, { method, path, headers, agent, timeout: answerTimeoutMs }, async (response) => {
      const isEndless = method === 'GET' && response.headers['content-type']?.includes('text/event-stream');
      const body = isEndless ? response.take(1) : response;
      const chunks: Buffer[] = (await body.toArray().catch(reject)) ?? [];
      if (isEndless) sending.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
    });
    sending.on('timeout', () => sending.destroy(new Error(`no answer within ${answerTimeoutMs} ms`)));
    sending.on('error', (error: NodeJS.ErrnoException) => {
      const wasClosed = sending.reusedSocket && error.code === 'ECONNRESET' && performance.now() - sentAtMs < closedMsMax;
      const wasCutOff = (error.code === 'EPIPE' || error.code === 'ECONNRESET') && (body?.length ?? 0) > readOfRefusedBytes;
      if (!(wasClosed || wasCutOff) || tries === triesMax) return reject(error);
      send(baseUrl, sent, tries + 1).then((received) => resolve({ ...received, isAskedAgain: true }), reject);
    });
    sending.end(body);
  });
}
