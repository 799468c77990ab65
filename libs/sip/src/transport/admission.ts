import { BlockList, isIP } from 'node:net';
import { LRUCache } from 'lru-cache';

export interface AdmissionOptions {
  /** Addresses and ranges (`10.0.0.0/8`) of our own PBX and trunks, which have a higher rate limit and need no password. */
  readonly trusted?: readonly string[];
  readonly messagesPerSecond?: number;
  readonly trustedMessagesPerSecond?: number;
}

const sourcesMax = 10_000;
const connectionsMax = 512;
const connectionsPerSource = 16;
/** Connections for strangers, so that some are always left for our own PBX. */
const strangersMax = connectionsMax / 2;
const scanners = /friendly-?scanner|sipvicious|sundayddr|sip-?scan|sipcli|pplsip|vaxsip|iwar|smap|sipsak|eyebeam release 3\.0/i;

/**
 * Decides whose messages are read. Scanners and senders over the rate limit get no response, which would reveal our existence.
 */
export class SipAdmission {
  private readonly trusted = new BlockList();
  private readonly known = new LRUCache<string, boolean>({ max: sourcesMax });
  private readonly buckets = new LRUCache<string, { tokens: number; atMs: number }>({ max: sourcesMax });
  private readonly answering = new LRUCache<string, true>({ max: sourcesMax });
  private readonly perSecond: number;
  private readonly trustedPerSecond: number;

  constructor(options: AdmissionOptions = {}) {
    for (const source of options.trusted ?? []) trust(this.trusted, source);
    this.perSecond = options.messagesPerSecond ?? 20;
    this.trustedPerSecond = options.trustedMessagesPerSecond ?? 2000;
  }

  isTrusted(address: string): boolean {
    let isTrusted = this.known.get(address);
    if (isTrusted === undefined) {
      const family = isIP(address);
      isTrusted = family !== 0 && this.trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
      this.known.set(address, isTrusted);
    }
    return isTrusted;
  }

  /** Whether one more connection from this source is accepted, given those that are open. */
  connects(address: string, open: readonly string[]): boolean {
    if (open.length >= connectionsMax) return false;
    if (this.isTrusted(address)) return true;
    const strangers = open.filter((source) => !this.isTrusted(source));
    return strangers.length < strangersMax && strangers.filter((source) => source === address).length < connectionsPerSource;
  }

  /** Grants the higher rate to an address to which we send. Its calls still need a password. */
  contacted(address: string): void {
    this.answering.set(address, true);
  }

  /** Whether a message of this source is within the rate limit; bursts of two seconds' worth are allowed. */
  takes(address: string, nowMs = performance.now()): boolean {
    const rate = this.isTrusted(address) || this.answering.has(address) ? this.trustedPerSecond : this.perSecond;
    const bucket = this.buckets.get(address) ?? { tokens: rate * 2, atMs: nowMs };
    this.buckets.set(address, bucket);
    bucket.tokens = Math.min(rate * 2, bucket.tokens + ((nowMs - bucket.atMs) * rate) / 1000);
    bucket.atMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}

/** Whether a User-Agent is that of a program that searches for PBXs to defraud. */
export function isScanner(userAgent: string | undefined): boolean {
  return userAgent !== undefined && scanners.test(userAgent);
}

function trust(list: BlockList, source: string): void {
  const [address = '', prefix] = source.split('/');
  const family = isIP(address);
  const bits = prefix === undefined ? (family === 6 ? 128 : 32) : Number(prefix);
  if (family === 0 || !Number.isInteger(bits) || bits < 0 || bits > (family === 6 ? 128 : 32)) {
    throw new RangeError(`${source} is neither an address nor a range such as 10.0.0.0/8`);
  }
  list.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
}
