import { randomInt } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { SipRequest } from '../message/sip-message';
import { type G711, payloadTypeOf } from '../rtp/rtp-packet';
import type { SoundSession } from '../rtp/sound-session';
import { sessionExpiresIn, sessionSeconds } from './dialog';

const ownDigits = 101;

/** The offers and answers of a call, and their effect on its sound. */
export class Negotiation {
  private readonly session = { id: randomInt(2 ** 47), version: 1 };
  private theirs: SoundDescription | undefined;
  private wanted: Direction = 'sendrecv';
  private lastSaid = '';

  constructor(
    private readonly sound: SoundSession,
    private readonly options: { readonly address: string; readonly codecs: readonly G711[] },
  ) {}

  /** Whether the peer has put us on hold. */
  get isHeld(): boolean {
    return this.theirs !== undefined && !mayReceive(this.theirs.direction);
  }

  /** Sets our direction, which takes effect with the next offer. */
  want(direction: Direction): void {
    this.wanted = direction;
  }

  /** Our offer: the first one, or one that repeats the current state. */
  offer(): Buffer {
    const { theirs } = this;
    const current = this.sound.wireCodec;
    const codecs = theirs && current ? [current] : this.options.codecs;
    return this.say({ codecs, digits: theirs ? theirs.digits : ownDigits, direction: this.wanted }, theirs);
  }

  /** Applies an offer and returns our answer; undefined, and without effect, if there is no common codec. */
  answer(body: Buffer): Buffer | undefined {
    const offered = parseSdp(body);
    const codec = offered && this.codecFor(offered);
    if (!offered || !codec) return undefined;
    const direction = answering(offered.direction, this.wanted);
    this.take(offered, codec, direction);
    return this.say({ codecs: [codec], digits: offered.digits, direction }, offered);
  }

  /** Applies the peer's answer to our offer; false if it is unusable. */
  answered(body: Buffer): boolean {
    const answer = parseSdp(body);
    const codec = answer && this.codecFor(answer);
    if (!answer || !codec) return false;
    this.take(answer, codec, answering(answer.direction, this.wanted));
    return true;
  }

  /** Keeps the chosen codec while it is offered, since a change requires transcoding. */
  private codecFor(theirs: SoundDescription): G711 | undefined {
    const current = this.sound.wireCodec;
    if (current && theirs.codecs.includes(current)) return current;
    return sharedCodec(theirs, this.options.codecs);
  }

  private take(theirs: SoundDescription, codec: G711, direction: Direction): void {
    this.theirs = theirs;
    const { address, port, reportsPort, digits } = theirs;
    this.sound.agree({
      address,
      port,
      codec,
      ...(reportsPort !== undefined && { reportsPort }),
      ...(digits !== undefined && { digits }),
      sends: maySend(direction) && address !== '0.0.0.0',
      receives: mayReceive(direction),
    });
  }

  private say(
    said: { codecs: readonly G711[]; digits: number | undefined; direction: Direction },
    offer?: SoundDescription,
  ): Buffer {
    const { digits, ...rest } = said;
    const { address } = this.options;
    const make = (): Buffer =>
      formatSdp(
        { ...rest, ...(digits !== undefined && { digits }), address, port: this.sound.port, session: { ...this.session } },
        offer,
      );
    // The version increases only if something changed; a refresh repeats it.
    if (this.lastSaid !== '' && make().toString() !== this.lastSaid) this.session.version += 1;
    const text = make();
    this.lastSaid = text.toString();
    return text;
  }
}

type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

/** The part of a session description that we use: one audio stream. */
interface SoundDescription {
  readonly address: string;
  readonly port: number;
  /** The port for reports, if not the next one. */
  readonly reportsPort?: number;
  /** In order of preference. */
  readonly codecs: readonly G711[];
  /** The payload type of RFC 4733 digits, if supported. */
  readonly digits?: number;
  readonly direction: Direction;
  readonly packetMs?: number;
  /** All `m=` lines in order; all but the audio stream's are answered with port 0. */
  readonly lines: readonly {
    readonly media: string;
    readonly protocol: string;
    readonly formats: string;
    readonly isSound: boolean;
  }[];
}

/** Our side of an offer or answer. */
interface OwnSound {
  readonly address: string;
  readonly port: number;
  readonly codecs: readonly G711[];
  readonly digits?: number;
  readonly direction: Direction;
  /** The id is constant for a call; the version increases with each change. */
  readonly session: { readonly id: number; readonly version: number };
}

const bytesMax = 8192;
const linesMax = 256;
const mediaMax = 8;
const formatsMax = 64;
const fixed: Readonly<Record<number, G711>> = { 0: 'PCMU', 8: 'PCMA' };
const mediaLine = /^(audio|video|text|application|message|image) (\d{1,5})(?:\/\d+)? ([A-Za-z0-9/]{1,32}) ([\x21-\x7e ]{1,512})$/;
const directions = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const;

/** Parses a description; undefined if it has no G.711 over plain RTP. Never throws. */
export function parseSdp(body: Buffer): SoundDescription | undefined {
  const lines = body.length > bytesMax ? [] : body.toString('utf8').split(/\r\n|\n/);
  if (lines.length > linesMax || lines[0] !== 'v=0') return undefined;
  const sections = sectionsOf(lines);
  const [session = [], ...media] = sections;
  const headings = media.map(([first = '']) => mediaLine.exec(first.slice(2)));
  if (media.length === 0 || media.length > mediaMax || headings.some((heading) => !heading)) return undefined;
  const at = headings.findIndex((heading) => heading?.[1] === 'audio' && heading[2] !== '0' && isPlain(heading[3]));
  const section = media[at];
  const heading = headings[at];
  if (!section || !heading) return undefined;
  const described = describe(section, session, heading);
  return described && { ...described, lines: headings.map((one, i) => lineOf(one, i === at)) };
}

/** Formats an offer, or an answer to `offer`. */
function formatSdp(own: OwnSound, offer?: SoundDescription): Buffer {
  const { address, port, codecs, digits, direction, session } = own;
  const types = [...codecs.map(payloadTypeOf), ...(digits === undefined ? [] : [digits])];
  const sound = [
    `m=audio ${port} RTP/AVP ${types.join(' ')}`,
    ...codecs.map((codec) => `a=rtpmap:${payloadTypeOf(codec)} ${codec}/8000`),
    ...(digits === undefined ? [] : [`a=rtpmap:${digits} telephone-event/8000`, `a=fmtp:${digits} 0-15`]),
    'a=ptime:20',
    'a=maxptime:40',
    `a=${direction}`,
  ];
  const others = (line: SoundDescription['lines'][number]): string[] =>
    line.isSound ? sound : [`m=${line.media} 0 ${line.protocol} ${line.formats}`];
  const media = offer ? offer.lines.flatMap(others) : sound;
  const head = ['v=0', `o=parley ${session.id} ${session.version} IN IP4 ${address}`, 's=call', `c=IN IP4 ${address}`, 't=0 0'];
  return Buffer.from(`${[...head, ...media].join('\r\n')}\r\n`);
}

/** Why a request is refused before it becomes a call, and the response. */
export interface Refusal {
  readonly status: number;
  readonly headers: [string, string][];
  readonly why: string;
}

/** Why an INVITE has to be refused, regardless of its sender. */
export function refusalOf(request: SipRequest, ours: readonly G711[]): Refusal | undefined {
  const { headers, body } = request;
  const unknown = unknownExtensions(request);
  if (unknown) return unknown;
  const expires = sessionExpiresIn(headers);
  if (expires && expires.seconds < sessionSeconds.min)
    return { status: 422, headers: [['Min-SE', `${sessionSeconds.min}`]], why: 'its session timer is too short' };
  if (body.length === 0) return undefined;
  const type = headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/sdp')
    return { status: 415, headers: [['Accept', 'application/sdp']], why: 'it describes its sound in another way than SDP' };
  const offer = parseSdp(body);
  const shared = offer && sharedCodec(offer, ours);
  return shared ? undefined : { status: 488, headers: [], why: 'it offers no sound that we share' };
}

/** Refuses a request that requires unsupported extensions. */
export function unknownExtensions({ headers }: SipRequest): Refusal | undefined {
  const unknown = headers.list('Require').filter((extension) => extension.toLowerCase() !== 'timer');
  if (unknown.length === 0) return undefined;
  const names = unknown.slice(0, 8).join(', ');
  return { status: 420, headers: [['Unsupported', names]], why: `it requires ${names}` };
}

/** The common codec that the offerer prefers. */
function sharedCodec(theirs: SoundDescription, ours: readonly G711[]): G711 | undefined {
  return theirs.codecs.find((codec) => ours.includes(codec));
}

/** Our direction in answer to the peer's: for instance `recvonly` to `sendonly`. */
function answering(theirs: Direction, wanted: Direction = 'sendrecv'): Direction {
  const sends = maySend(wanted) && mayReceive(theirs);
  const receives = mayReceive(wanted) && maySend(theirs);
  if (sends) return receives ? 'sendrecv' : 'sendonly';
  return receives ? 'recvonly' : 'inactive';
}

function maySend(direction: Direction): boolean {
  return direction === 'sendrecv' || direction === 'sendonly';
}

function mayReceive(direction: Direction): boolean {
  return direction === 'sendrecv' || direction === 'recvonly';
}

function sectionsOf(lines: readonly string[]): string[][] {
  const sections: string[][] = [[]];
  for (const line of lines) {
    if (line.startsWith('m=')) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections;
}

function isPlain(protocol: string | undefined): boolean {
  return protocol === 'RTP/AVP' || protocol === 'RTP/AVPF';
}

function lineOf(heading: RegExpExecArray | null, isSound: boolean): SoundDescription['lines'][number] {
  return { media: heading?.[1] ?? 'audio', protocol: heading?.[3] ?? 'RTP/AVP', formats: heading?.[4] ?? '0', isSound };
}

function describe(section: string[], session: string[], heading: RegExpExecArray): Omit<SoundDescription, 'lines'> | undefined {
  const address = valueOf(section, 'c=IN IP4 ') ?? valueOf(session, 'c=IN IP4 ');
  const host = address?.split('/')[0] ?? '';
  const types = (heading[4] ?? '')
    .split(' ')
    .filter((type) => /^\d{1,3}$/.test(type))
    .slice(0, formatsMax)
    .map(Number);
  const names = namesOf(section);
  const codecs = types.flatMap((type) => codecOf(names.get(type), type));
  const digits = types.find((type) => type >= 96 && type <= 127 && names.get(type) === 'telephone-event/8000');
  const port = Number(heading[2]);
  if (!isIPv4(host) || codecs.length === 0 || port > 65_535) return undefined;
  const reportsPort = Number(/^\d{1,5}/.exec(valueOf(section, 'a=rtcp:') ?? '')?.[0] ?? 0);
  const packetMs = Number(valueOf(section, 'a=ptime:') ?? 0);
  return {
    address: host,
    port,
    ...(reportsPort > 0 && reportsPort <= 65_535 && { reportsPort }),
    codecs: [...new Set(codecs)],
    ...(digits !== undefined && { digits }),
    // Before RFC 3264, the address 0.0.0.0 put a call on hold.
    direction: host === '0.0.0.0' ? 'inactive' : (directionIn(section) ?? directionIn(session) ?? 'sendrecv'),
    ...(packetMs >= 10 && packetMs <= 200 && { packetMs }),
  };
}

function valueOf(lines: readonly string[], start: string): string | undefined {
  return lines
    .find((line) => line.startsWith(start))
    ?.slice(start.length)
    .trim();
}

function namesOf(section: readonly string[]): Map<number, string> {
  return new Map(
    section.flatMap((line): [number, string][] => {
      const [, type, name] = /^a=rtpmap:(\d{1,3}) ([A-Za-z0-9-]{1,32}\/\d{1,6})(\/1)?\s*$/.exec(line) ?? [];
      return type === undefined || name === undefined ? [] : [[Number(type), name.toLowerCase()]];
    }),
  );
}

/** Only the static payload types of G.711 (RFC 1890) are supported; peers that remap them are not. */
function codecOf(name: string | undefined, type: number): G711[] {
  const codec = fixed[type];
  return codec && (name === undefined || name === `${codec.toLowerCase()}/8000`) ? [codec] : [];
}

function directionIn(lines: readonly string[]): Direction | undefined {
  return directions.find((direction) => lines.some((line) => line.trim() === `a=${direction}`));
}
