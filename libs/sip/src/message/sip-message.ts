export interface SipRequest {
  readonly kind: 'request';
  readonly method: string;
  readonly uri: string;
  readonly headers: SipHeaders;
  readonly body: Buffer;
}

export interface SipResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly reason: string;
  readonly headers: SipHeaders;
  readonly body: Buffer;
}

export type SipMessage = SipRequest | SipResponse;

/** The limits of a message; larger ones are not parsed. */
export const messageLimits = { headBytes: 16_384, bodyBytes: 32_768, lines: 128, lineBytes: 4096 } as const;

/** `why` is one of a fixed set of our own reasons, since it is logged and must not contain a sender's text. */
export type Malformed = { readonly kind: 'malformed'; readonly why: string };

const requestLine = /^([A-Za-z0-9.!%*_+`'~-]{1,32}) ([^ ]{1,1024}) SIP\/2\.0$/;
const statusLine = /^SIP\/2\.0 ([1-6]\d\d)(?: ([^\r\n]{0,256}))?$/;
const headerLine = /^([A-Za-z0-9.!%*_+`'~-]{1,64})[ \t]*:[ \t]*(.*?)[ \t]*$/;
const sequence = /^(\d{1,10})[ \t]+([A-Za-z0-9.!%*_+`'~-]{1,32})$/;
const noBody = Buffer.alloc(0);

/** Parses a complete message, from a datagram or cut from a connection. Never throws. */
export function parseMessage(bytes: Buffer): SipMessage | Malformed {
  const head = headOf(bytes);
  if (!head) return malformed('no end of the head within its limit');
  const [first = '', ...lines] = unfolded(head.text);
  const headers = headersOf(lines);
  if (!headers) return malformed('a header line');
  const fault = faultOf(headers);
  if (fault) return malformed(fault);
  const body = bodyOf(bytes.subarray(head.bytes), headers);
  if (!body) return malformed('the length of the body');
  const [, method, uri] = requestLine.exec(first) ?? [];
  if (method !== undefined && uri !== undefined) {
    if (cseqOf(headers)?.method !== method) return malformed('a sequence of another method');
    return { kind: 'request', method, uri, headers, body };
  }
  const [, status, reason = ''] = statusLine.exec(first) ?? [];
  return status === undefined ? malformed('the first line') : { kind: 'response', status: Number(status), reason, headers, body };
}

/** The bytes of a message, with the correct Content-Length. */
export function formatMessage(message: SipMessage): Buffer {
  const first =
    message.kind === 'request' ? `${message.method} ${message.uri} SIP/2.0` : `SIP/2.0 ${message.status} ${message.reason}`;
  const headers = message.headers.clone().set('Content-Length', String(message.body.length));
  return Buffer.concat([Buffer.from(`${first}\r\n${headers.toString()}\r\n`), message.body]);
}

/** The number and method in the CSeq header. */
export function cseqOf(headers: SipHeaders): { readonly number: number; readonly method: string } | undefined {
  const [, number, method] = sequence.exec(headers.get('CSeq') ?? '') ?? [];
  if (number === undefined || method === undefined || Number(number) > 0xffff_ffff) return undefined;
  return { number: Number(number), method };
}

/** The tag of a From or To header; undefined if it is not a token. */
export function tagOf(value: string | undefined): string | undefined {
  return /^[^;]*(?:<[^>]*>)?[^>]*;[ \t]*tag[ \t]*=[ \t]*([A-Za-z0-9.!%*_+`'~-]{1,128})/i.exec(afterAddress(value ?? ''))?.[1];
}

/** Creates a request; Via and Content-Length are added on sending. */
export function request(method: string, uri: string, headers: SipHeaders, body: Buffer = noBody): SipRequest {
  return { kind: 'request', method, uri, headers, body };
}

/** Creates the response to a request, copying Via, From, To, Call-ID and CSeq (RFC 3261 8.2.6). */
export function responseTo(asked: SipRequest, status: number, options: ResponseOptions = {}): SipResponse {
  const headers = SipHeaders.of();
  for (const via of asked.headers.list('Via')) headers.add('Via', via);
  for (const name of ['From', 'To', 'Call-ID', 'CSeq']) headers.add(name, asked.headers.get(name) ?? '');
  const to = asked.headers.get('To') ?? '';
  if (options.toTag && status > 100 && tagOf(to) === undefined) headers.set('To', `${to};tag=${options.toTag}`);
  if (status > 100 && status < 300) for (const route of asked.headers.list('Record-Route')) headers.add('Record-Route', route);
  for (const [name, value] of options.headers ?? []) headers.add(name, value);
  return { kind: 'response', status, reason: options.reason ?? reasons[status] ?? '', headers, body: options.body ?? noBody };
}

export interface ResponseOptions {
  readonly toTag?: string;
  readonly reason?: string;
  readonly headers?: Iterable<readonly [string, string]>;
  readonly body?: Buffer;
}

const reasons: Readonly<Record<number, string>> = {
  100: 'Trying',
  180: 'Ringing',
  183: 'Session Progress',
  200: 'OK',
  202: 'Accepted',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  415: 'Unsupported Media Type',
  420: 'Bad Extension',
  422: 'Session Interval Too Small',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  482: 'Loop Detected',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  489: 'Bad Event',
  491: 'Request Pending',
  500: 'Server Internal Error',
  503: 'Service Unavailable',
  603: 'Decline',
};

function malformed(why: string): Malformed {
  return { kind: 'malformed', why };
}

function headOf(bytes: Buffer): { text: string; bytes: number } | undefined {
  const end = bytes.subarray(0, messageLimits.headBytes).indexOf('\r\n\r\n');
  return end < 0 ? undefined : { text: bytes.toString('utf8', 0, end), bytes: end + 4 };
}

/** Splits a head into lines, joining those that begin with a blank to the previous one. */
function unfolded(head: string): string[] {
  return head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
}

function headersOf(lines: readonly string[]): SipHeaders | undefined {
  if (lines.length > messageLimits.lines) return undefined;
  const headers = SipHeaders.of();
  for (const line of lines) {
    const [, name, value] = (line.length <= messageLimits.lineBytes && headerLine.exec(line)) || [];
    // A bare carriage return or a zero byte within a value could smuggle one message into another.
    if (name === undefined || value === undefined || /[\r\n\0]/.test(value)) return undefined;
    headers.add(name, value);
  }
  return headers;
}

function faultOf(headers: SipHeaders): string | undefined {
  if (headers.list('Via').length === 0) return 'no Via';
  for (const name of ['From', 'To', 'Call-ID']) if (!headers.get(name)) return `no ${name}`;
  return cseqOf(headers) ? undefined : 'the sequence number';
}

function bodyOf(rest: Buffer, headers: SipHeaders): Buffer | undefined {
  const declared = headers.get('Content-Length');
  const length = declared === undefined ? rest.length : /^\d{1,6}$/.test(declared) ? Number(declared) : -1;
  return length < 0 || length > rest.length || length > messageLimits.bodyBytes
    ? undefined
    : Buffer.from(rest.subarray(0, length));
}

function afterAddress(value: string): string {
  const close = value.lastIndexOf('>');
  return close < 0 ? value : value.slice(close + 1);
}

const compactNames: Readonly<Record<string, string>> = {
  a: 'accept-contact',
  b: 'referred-by',
  c: 'content-type',
  d: 'request-disposition',
  e: 'content-encoding',
  f: 'from',
  i: 'call-id',
  j: 'reject-contact',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  n: 'identity-info',
  o: 'event',
  r: 'refer-to',
  s: 'subject',
  t: 'to',
  u: 'allow-events',
  v: 'via',
  x: 'session-expires',
  y: 'identity',
};

const spelledOtherwise: Readonly<Record<string, string>> = {
  'call-id': 'Call-ID',
  cseq: 'CSeq',
  'min-se': 'Min-SE',
  'www-authenticate': 'WWW-Authenticate',
};

/** The headers of a message in their order. Names are case-insensitive and may be in compact form. */
export class SipHeaders {
  private constructor(private readonly all: { name: string; value: string }[]) {}

  static of(lines: Iterable<readonly [name: string, value: string]> = []): SipHeaders {
    const headers = new SipHeaders([]);
    for (const [name, value] of lines) headers.add(name, value);
    return headers;
  }

  get size(): number {
    return this.all.length;
  }

  /** The first value, unparsed. */
  get(name: string): string | undefined {
    const wanted = canonical(name);
    return this.all.find((line) => line.name === wanted)?.value;
  }

  /** All lines with this name, unparsed, for headers whose values contain commas. */
  lines(name: string): string[] {
    const wanted = canonical(name);
    return this.all.filter((line) => line.name === wanted).map((line) => line.value);
  }

  /** All values of a list header, in order, from separate lines or separated by commas. */
  list(name: string): string[] {
    const wanted = canonical(name);
    return this.all.filter((line) => line.name === wanted).flatMap((line) => splitList(line.value));
  }

  /** Whether a list of tokens, such as Supported or Require, contains this one. */
  lists(name: string, token: string): boolean {
    return this.list(name).some((value) => value.toLowerCase() === token.toLowerCase());
  }

  add(name: string, value: string): this {
    this.all.push({ name: canonical(name), value: value.replace(/[\r\n]+/g, ' ') });
    return this;
  }

  /** Replaces all lines with this name. */
  set(name: string, value: string): this {
    this.delete(name);
    return this.add(name, value);
  }

  delete(name: string): this {
    const unwanted = canonical(name);
    for (let i = this.all.length - 1; i >= 0; i--) if (this.all[i]?.name === unwanted) this.all.splice(i, 1);
    return this;
  }

  /** Replaces the first value of a list, for instance to add `received` to a Via. */
  replaceFirst(name: string, value: string): this {
    const wanted = canonical(name);
    const line = this.all.find((candidate) => candidate.name === wanted);
    if (line) line.value = [value, ...splitList(line.value).slice(1)].join(', ');
    return this;
  }

  /** Adds a header before all others, as is needed for Via. */
  prepend(name: string, value: string): this {
    this.all.unshift({ name: canonical(name), value });
    return this;
  }

  clone(): SipHeaders {
    return new SipHeaders(this.all.map((line) => ({ ...line })));
  }

  toString(): string {
    return this.all.map(({ name, value }) => `${spelled(name)}: ${value}\r\n`).join('');
  }
}

/** Splits at commas outside quotes and angle brackets. */
export function splitList(value: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  let isBracketed = false;
  for (let i = 0; i < value.length; i++) {
    const character = value[i];
    if (isQuoted && character === '\\') i++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '<' || character === '>')) isBracketed = character === '<';
    else if (character === ',' && !isQuoted && !isBracketed) {
      parts.push(value.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(value.slice(from));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function canonical(name: string): string {
  const lower = name.toLowerCase();
  return compactNames[lower] ?? lower;
}

function spelled(name: string): string {
  return (
    spelledOtherwise[name] ?? name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
  );
}
