import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Fault } from '@parley/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Endpoint } from '../../endpoint/endpoint';
import { endpointOf } from '../../endpoint/gateway-call';

/** Far deeper than any contract; recursive code would overflow its stack at a few thousand levels. */
const depthMax = 200;
/** Far more than any contract needs: a megabyte of genuine rows has a tenth of this. */
const valuesMax = 200_000;
/**
 * Fields of one object. Rows of an import have about twenty; each unknown field is checked and reported, and tens of thousands
 * would block other requests.
 */
const namesMax = 1_000;
/** Items of one list, unless a list of the endpoint may be longer: every invalid item is checked and reported. */
const itemsMax = 1_000;
const longBodyLetters = 1_000_000;

const tooDeep = `The JSON is nested more than ${depthMax} levels deep.`;
const tooMany = `The JSON has more than ${valuesMax} values.`;
const tooManyNames = `An object of the JSON has more than ${namesMax} fields.`;
const tooLong = (most: number) => `A list of the JSON has more than ${most} items.`;

declare module 'fastify' {
  interface FastifyRequest {
    /** The hash of a JSON body too long to serialize again; only on requests with an Idempotency-Key. */
    longBodyHash: Buffer | undefined;
  }
}

type Parse = ReturnType<FastifyInstance['getDefaultJsonParser']>;

/**
 * Reads JSON bodies as they arrive. Size, depth, values, the fields of each object and the items of each list are counted in the
 * bytes, so that a refused body is never parsed. An empty body counts as `{}`, because several endpoints take no fields.
 * `__proto__` and `constructor.prototype` are refused: no genuine client sends them.
 */
export function readJsonBodies(app: NestFastifyApplication, fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  // Nest only supports parsers of the whole body. Registering this one keeps Nest from adding its own, and ours replaces it.
  app.useBodyParser('application/json', {}, (_request, _body, done) => done(null));
  fastify.decorateRequest('longBodyHash', undefined);
  fastify.removeContentTypeParser('application/json');
  fastify.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage) =>
    readJson(request, payload, parse),
  );
}

async function readJson(request: FastifyRequest, payload: IncomingMessage, parse: Parse): Promise<unknown> {
  requirePlainUtf8(request);
  const bytesMax = request.routeOptions.bodyLimit;
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw new Fault('PAYLOAD_TOO_LARGE');
  const hash = request.headers['idempotency-key'] === undefined ? undefined : createHash('sha256');
  if (hash) payload.on('data', (chunk: Buffer) => hash.update(chunk));
  const shape = new JsonShape(() => longestListOf(endpointOf(request)));
  const pieces = await countedBody(payload, shape, bytesMax);
  const body = pieces.join('');
  if (body.length === 0) return {};
  // A base64 recording takes long to join and long to parse; let other requests run in between.
  if (body.length > longBodyLetters) {
    request.longBodyHash = hash?.digest();
    await setImmediate();
  }
  return new Promise((resolve, reject) => {
    void parse(request, body, (error, parsed: unknown) => {
      if (error) reject(new Fault('MALFORMED_JSON', { cause: error, ...(isSound(body) && { message: forbiddenName }) }));
      else resolve(parsed);
    });
  });
}

const forbiddenName = 'A field may not be called __proto__, nor prototype within constructor.';

/** Whether refused JSON is valid: then it was refused for names that would reach the prototype. */
function isSound(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

/** JSON must be UTF-8 (RFC 8259). A body declared otherwise would be misread. */
function requirePlainUtf8({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (encoding.toLowerCase() !== 'identity')
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', { message: 'A JSON body must be sent without Content-Encoding.' });
  if (!/^(utf-?8|us-ascii)$/i.test(charset))
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', { message: 'A JSON body must be in UTF-8.' });
}

/** The text of a body, counted byte by byte. Stops reading at the first limit that is exceeded. */
function countedBody(payload: IncomingMessage, shape: JsonShape, bytesMax: number): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  const pieces: string[] = [];
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  const stop = (fault: Fault): void => {
    payload.off('data', take).pause();
    reject(fault);
  };
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > bytesMax) return stop(new Fault('PAYLOAD_TOO_LARGE'));
    const complaint = shape.take(chunk);
    if (complaint) return stop(new Fault('MALFORMED_JSON', { message: complaint }));
    read(chunk);
  };
  const read = (chunk?: Buffer): void => {
    try {
      pieces.push(decoder.decode(chunk, { stream: chunk !== undefined }));
    } catch {
      stop(new Fault('MALFORMED_JSON', { message: 'The body is not UTF-8.' }));
    }
  };
  payload.on('data', take);
  payload.once('end', () => {
    read();
    resolve(pieces);
  });
  // A body fails only with its connection, whose end Node calls an error.
  payload.once('error', (cause) => reject(new Fault('CANCELLED', { cause })));
  // Creating a fault captures a stack, which costs more than reading a short body, so it is created only if needed.
  payload.once('close', () => payload.readableEnded || reject(new Fault('CANCELLED')));
  return promise;
}

const byte = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  colon: 0x3a,
  openArray: 0x5b,
  closeArray: 0x5d,
  open: 0x7b,
  close: 0x7d,
};

/** Counts levels, values, fields and items of a JSON text piece by piece, without building anything. */
export class JsonShape {
  private depth = 0;
  private values = 0;
  /** The number of fields so far in the object at each level, and of commas in the object or list. */
  private readonly names: number[] = [];
  private readonly commas: number[] = [];
  private readonly isList: boolean[] = [];
  private isInString = false;
  private isEscaped = false;

  /** `longestList` is called only for a body with a long list. */
  constructor(private readonly longestList: () => number = () => itemsMax) {}

  /** Scans the next piece; returns what is wrong with the text so far, or undefined. */
  take(piece: Uint8Array): string | undefined {
    for (let at = this.isInString ? this.afterString(piece, 0) : 0; at < piece.length; at += 1) {
      switch (piece[at]) {
        case byte.quote:
          this.isInString = true;
          at = this.afterString(piece, at + 1) - 1;
          break;
        case byte.openArray:
        case byte.open:
          this.values += 1;
          this.depth += 1;
          if (this.depth > depthMax) return tooDeep;
          this.names[this.depth] = 0;
          this.commas[this.depth] = 0;
          this.isList[this.depth] = piece[at] === byte.openArray;
          break;
        case byte.closeArray:
        case byte.close:
          this.depth -= 1;
          break;
        case byte.comma:
          this.values += 1;
          if (this.values > valuesMax) return tooMany;
          if (this.isList[this.depth] && this.another(this.commas) >= itemsMax && this.isTooLong())
            return tooLong(this.longestList());
          break;
        case byte.colon:
          this.values += 1;
          if (this.values > valuesMax) return tooMany;
          if (this.another(this.names) > namesMax) return tooManyNames;
          break;
        default:
      }
    }
    return undefined;
  }

  private another(counts: number[]): number {
    return (counts[this.depth] = (counts[this.depth] ?? 0) + 1);
  }

  private isTooLong(): boolean {
    return (this.commas[this.depth] ?? 0) >= this.longestList();
  }

  /** The position after the current string; the end of the piece if it is unterminated. */
  private afterString(piece: Uint8Array, from: number): number {
    for (let at = from; at < piece.length; at += 1) {
      if (this.isEscaped) this.isEscaped = false;
      else if (piece[at] === byte.backslash) this.isEscaped = true;
      else if (piece[at] === byte.quote) {
        this.isInString = false;
        return at + 1;
      }
    }
    return piece.length;
  }
}

const longestLists = new WeakMap<Endpoint, number>();

/** The longest list that an endpoint's input may contain. */
function longestListOf(endpoint: Endpoint | undefined): number {
  if (!endpoint) return itemsMax;
  const known = longestLists.get(endpoint);
  if (known !== undefined) return known;
  const { contract } = endpoint;
  const input = 'body' in endpoint && endpoint.body ? endpoint.body : 'request' in contract ? contract.request : undefined;
  const longest = input ? longestListIn(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })) : 0;
  longestLists.set(endpoint, Math.max(itemsMax, longest));
  return Math.max(itemsMax, longest);
}

function longestListIn(schema: object): number {
  const lengths = Object.entries(schema).map(([name, part]: [string, unknown]) => {
    if (name === 'maxItems') return Number(part);
    return typeof part === 'object' && part !== null ? longestListIn(part) : 0;
  });
  return Math.max(0, ...lengths);
}

/** How much is still read from a refused client, so that a genuine one receives the error. */
const restBytesMax = 65_536;
/** For how long. */
export const restMsMax = 1_000;

/**
 * Stops reading a refused request's body, which Node would otherwise read to the end to keep the connection. A little is read and
 * dropped; a client that goes on sending is cut off, and told beforehand that the connection will close.
 */
export function leaveUnreadBodies(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isStranger = request.principal === undefined;
    if (!isStranger || request.raw.complete || reply.statusCode < 400 || !isUnread(request.raw)) return done();
    const left = leave(request.raw);
    const declared = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (declared <= restBytesMax) return done();
    void reply.header('connection', 'close');
    if (typeof payload !== 'string') return done();
    void reply.header('content-length', Buffer.byteLength(payload));
    done(null, Readable.from(heldOpen(payload, left)));
  });
}

/**
 * Delays the end of the answer: Node would close the connection after it, and unread data would reset the connection before the
 * answer arrives.
 */
async function* heldOpen(payload: string, left: Promise<void>): AsyncGenerator<Buffer> {
  yield Buffer.from(payload);
  await left;
}

/** Whether the body is unread: never started, or abandoned by its reader. */
function isUnread(body: IncomingMessage): boolean {
  return !body.destroyed && body.listenerCount('data') === 0 && body.listenerCount('readable') === 0;
}

/** Resolves when the client has sent everything or disconnected, or else when the time is up. */
function leave(body: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  const cut = setTimeout(() => body.socket.destroy(), restMsMax).unref();
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    // No longer read: what the client still sends waits in the network until the time is up.
    if (bytes > restBytesMax) body.pause();
  });
  for (const event of ['close', 'end'])
    body.once(event, () => {
      clearTimeout(cut);
      resolve();
    });
  body.resume();
  return promise;
}
