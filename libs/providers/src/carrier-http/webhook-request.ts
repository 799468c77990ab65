import { timingSafeEqual } from 'node:crypto';
import type { CarrierRequest, Verdict, WebhookReply } from '@parley/ports';

const bodyBytesMax = 256 * 1024;
const fieldsMax = 200;

/** One header, the first where it came twice. */
export function headerOf({ headers }: CarrierRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** The body of a request as text; empty when it is larger than any webhook. */
export function bodyOf({ body }: CarrierRequest): string {
  return body.length > bodyBytesMax ? '' : Buffer.from(body).toString('utf8');
}

/** The fields of a form body and of the query; those of the body come first. */
export function fieldsOf(request: CarrierRequest): URLSearchParams {
  const fields = formOf(request);
  for (const [name, value] of queryOf(request)) fields.append(name, value);
  return fields;
}

/** The fields of a form body alone. */
export function formOf(request: CarrierRequest): URLSearchParams {
  const isForm = headerOf(request, 'content-type')?.startsWith('application/x-www-form-urlencoded') ?? false;
  const all = new URLSearchParams(isForm ? bodyOf(request) : '');
  return new URLSearchParams([...all].slice(0, fieldsMax));
}

export function queryOf({ path }: CarrierRequest): URLSearchParams {
  const at = path.indexOf('?');
  return new URLSearchParams([...new URLSearchParams(at < 0 ? '' : path.slice(at + 1))].slice(0, fieldsMax));
}

/** A JSON body; undefined where it is none. */
export function jsonBodyOf(request: CarrierRequest): unknown {
  try {
    const json: unknown = JSON.parse(bodyOf(request));
    return json;
  } catch {
    return undefined;
  }
}

/** Compares secrets without telling by time where they differ. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export function refused(reason: string): Verdict {
  return { isGenuine: false, reason };
}

export function genuine(onceKey?: string): Verdict {
  return { isGenuine: true, ...(onceKey !== undefined && { onceKey }) };
}

/** The public address of a request, by configuration and not by its Host header. */
export function publicUrlOf(publicUrl: string, { path }: CarrierRequest): string {
  return `${publicUrl.replace(/\/+$/, '')}${path}`;
}

/** The same address as a WebSocket's. */
export function asWebSocket(url: string): string {
  return url.replace(/^http/, 'ws');
}

/** The password of basic authentication, or a bearer token: whichever the carrier was set to send. */
export function presentedSecret(request: CarrierRequest): string | undefined {
  const header = headerOf(request, 'authorization') ?? '';
  const bearer = /^Bearer\s+(.+)$/i.exec(header)?.[1];
  if (bearer !== undefined) return bearer;
  const basic = /^Basic\s+([A-Za-z0-9+/=]+)$/i.exec(header)?.[1];
  if (basic === undefined) return undefined;
  const text = Buffer.from(basic, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}

/** For carriers that sign nothing: a secret that was agreed upon, in the Authorization header or as the field `key`. */
export function bySecret(request: CarrierRequest, secret: string): Verdict {
  const presented = presentedSecret(request) ?? fieldsOf(request).get('key') ?? undefined;
  if (presented === undefined) return refused('the request bears no secret');
  return isSame(presented, secret) ? genuine() : refused('the secret is another');
}

export function xmlReply(body: string): WebhookReply {
  return { status: 200, contentType: 'application/xml', body: `<?xml version="1.0" encoding="UTF-8"?>${body}` };
}

export function jsonReply(body: unknown): WebhookReply {
  return { status: 200, contentType: 'application/json', body: JSON.stringify(body) };
}

/** An address with one more field in its query: a secret for carriers that sign nothing, say. */
export function withQuery(url: string, name: string, value: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
}

export const emptyReply: WebhookReply = { status: 204, contentType: 'text/plain', body: '' };

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

function escaped(text: string): string {
  // Characters that XML knows no way to write are left out.
  return text
    .replace(/[&<>"']/g, (character) => escapes[character] ?? '')
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
}

/** An element with attributes; a text child is escaped, elements are not. Undefined attributes are left out. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>> = {},
  content: { readonly text: string } | readonly string[] = [],
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([attribute, value]) => ` ${attribute}="${escaped(String(value))}"`);
  const inner = 'text' in content ? escaped(content.text) : content.join('');
  return `<${name}${written.join('')}${inner === '' ? '/>' : `>${inner}</${name}>`}`;
}
