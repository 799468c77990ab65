import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';

/** A parsed `sip:` address. */
export interface SipUri {
  readonly user?: string;
  readonly host: string;
  readonly port?: number;
  /** Names in lower case; a parameter without a value is the empty string. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** An address in From, To, Contact, Route or Refer-To, with the header's parameters. */
interface NameAddress {
  readonly displayName?: string;
  readonly uri: SipUri;
  readonly parameters: ReadonlyMap<string, string>;
}

const uriLengthMax = 1024;
const parametersMax = 32;
const hostName = /^[a-z0-9]([a-z0-9._-]{0,252}[a-z0-9])?$/i;
const portAfterHost = /^(.*?)(?::(\d{1,5}))?$/;

/** Parses `sip:user@host:port;name=value`; undefined for any other scheme or a malformed one. Headers after `?` are dropped. */
export function parseUri(text: string): SipUri | undefined {
  if (text.length > uriLengthMax || !/^sip:/i.test(text) || hasControls(text)) return undefined;
  const [bare = ''] = text.slice(4).split('?');
  const at = bare.lastIndexOf('@');
  const [hostAndPort = '', ...rest] = bare.slice(at + 1).split(';');
  const [, hostText = '', portText] = portAfterHost.exec(hostAndPort) ?? [];
  const host = hostOf(hostText);
  const parameters = parseParameters(rest);
  const port = portText === undefined ? undefined : Number(portText);
  if (!host || !parameters || (port !== undefined && (port < 1 || port > 65_535))) return undefined;
  const user = at < 0 ? undefined : unescapeUser(bare.slice(0, at).split(/[:;]/)[0] ?? '');
  if (user === '') return undefined;
  return { ...(user !== undefined && { user }), host, ...(port !== undefined && { port }), parameters };
}

/** Parses `"Name" <sip:…>;tag=…` or `sip:…;tag=…`; in the second form, parameters belong to the header. */
export function parseNameAddress(text: string): NameAddress | undefined {
  const open = text.indexOf('<', quotedEnd(text));
  if (open < 0) {
    const [bare = '', ...rest] = text.split(';');
    const uri = parseUri(bare.trim());
    const parameters = parseParameters(rest);
    return uri && parameters && { uri, parameters };
  }
  const close = text.indexOf('>', open);
  if (close < 0) return undefined;
  const uri = parseUri(text.slice(open + 1, close).trim());
  const [, ...rest] = text.slice(close + 1).split(';');
  const parameters = parseParameters(rest);
  if (!uri || !parameters) return undefined;
  const displayName = unquoted(text.slice(0, open).trim());
  return { ...(displayName && { displayName }), uri, parameters };
}

/** Formats an address for a request line or a header. */
export function formatUri({ user, host, port, parameters }: SipUri): string {
  const userPart = user === undefined ? '' : `${escapeUser(user)}@`;
  return `sip:${userPart}${hostInUri(host)}${port === undefined ? '' : `:${port}`}${formatParameters(parameters)}`;
}

/** Formats an address as a header's value, quoting the display name. */
export function formatNameAddress({ displayName, uri, parameters }: NameAddress): string {
  const name = displayName ? `"${displayName.replace(/[\p{Cc}]/gu, '').replace(/["\\]/g, '\\$&')}" ` : '';
  return `${name}<${formatUri(uri)}>${formatParameters(parameters)}`;
}

/** Parses `;a=1;b`; undefined if there are unreasonably many. */
export function parseParameters(parts: readonly string[]): ReadonlyMap<string, string> | undefined {
  if (parts.length > parametersMax) return undefined;
  const parameters = new Map<string, string>();
  for (const part of parts) {
    const [name = '', ...value] = part.split('=');
    const key = name.trim().toLowerCase();
    if (key !== '') parameters.set(key, unquoted(value.join('=').trim()));
  }
  return parameters;
}

function formatParameters(parameters: ReadonlyMap<string, string>): string {
  return [...parameters].map(([name, value]) => (value === '' ? `;${name}` : `;${name}=${value}`)).join('');
}

/** Puts an IPv6 address in brackets, as is needed if a port may follow. */
export function hostInUri(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

export function unquoted(text: string): string {
  return text.startsWith('"') && text.endsWith('"') && text.length > 1 ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}

function hostOf(text: string): string | undefined {
  const bracketed = /^\[([0-9a-f:.]+)\]$/i.exec(text)?.[1];
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? bracketed : undefined;
  return hostName.test(text) ? text.toLowerCase() : undefined;
}

function quotedEnd(text: string): number {
  if (!text.startsWith('"')) return 0;
  for (let i = 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

function unescapeUser(user: string): string | undefined {
  try {
    const plain = decodeURIComponent(user);
    return hasControls(plain) ? '' : plain;
  } catch {
    return '';
  }
}

function escapeUser(user: string): string {
  return encodeURIComponent(user).replace(/%(2B|26|24|2F)/g, (code) => decodeURIComponent(code));
}

function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** An unguessable tag, Call-ID or branch. */
export function newToken(): string {
  return randomBytes(9).toString('hex');
}
