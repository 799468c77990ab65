import { readFile } from 'node:fs/promises';
import { checkServerIdentity as checkName, type PeerCertificate } from 'node:tls';
import { connect, type ConnectionOptions, nkeyAuthenticator, nkeys } from '@nats-io/transport-node';
import { z } from 'zod';

/** How a process identifies itself to a NATS server, and how it verifies the server. */
export interface NatsCredentials {
  readonly user?: string;
  readonly password?: string;
  /** The seed of an nkey. The server knows only the public half. */
  readonly nkeySeed?: string;
  readonly nkeySeedFile?: string;
  /** PEM files: the authority's certificate, and this process's certificate and key. Any of them enables TLS. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

type IdentityOptions = Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'authenticator' | 'tls'>;

/**
 * Options for the client library. It ignores credentials in a URL and treats tls:// only as a preference, so both are handled
 * here.
 */
export async function identityOptions(servers: string | string[], credentials: NatsCredentials = {}): Promise<IdentityOptions> {
  const urls = [servers].flat().map((server) => new URL(server));
  const [first] = urls;
  const user = credentials.user ?? decodeURIComponent(first?.username ?? '');
  const pass = credentials.password ?? decodeURIComponent(first?.password ?? '');
  const seed = await seedOf(credentials);
  const { caFile, certFile, keyFile } = credentials;
  const files = { ...(caFile && { caFile }), ...(certFile && { certFile }), ...(keyFile && { keyFile }) };
  const isTls = Object.keys(files).length > 0 || urls.some(({ protocol }) => protocol === 'tls:');
  const tls = { ...files, checkServerIdentity };
  return {
    servers: urls.map(({ host }) => host),
    ...(user && { user, pass }),
    ...(seed && { authenticator: nkeyAuthenticator(Buffer.from(seed)) }),
    // With this, the client refuses a server without TLS before it sends anything.
    ...(isTls && { tls }),
  };
}

/** The TLS options of a connection, of which Node makes this check a method. */
const Connecting = z.object({ servername: z.string(), socket: z.object({ remoteAddress: z.string() }) });

/**
 * Checks the server's certificate. For a server given by its address the client library names no server, and Node would check for
 * `localhost` instead.
 */
function checkServerIdentity(this: unknown, name: string, certificate: PeerCertificate): Error | undefined {
  const { data: connecting, error } = Connecting.safeParse(this);
  if (error) return error;
  return checkName(connecting.servername === '' ? connecting.socket.remoteAddress : name, certificate);
}

const attemptMs = 2_000;

/** Why a connection fails, from one attempt: while the client library tries again and again, it does not say. */
export async function connectionTrouble(servers: string, credentials: NatsCredentials): Promise<string | undefined> {
  try {
    const options = await identityOptions(servers, credentials);
    const connection = await connect({ ...options, name: 'attempt', reconnect: false, timeout: attemptMs });
    await connection.close();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function seedOf({ nkeySeed, nkeySeedFile }: NatsCredentials): Promise<string | undefined> {
  if (nkeySeed !== undefined) return nkeySeed;
  if (nkeySeedFile === undefined) return undefined;
  const text = await readFile(nkeySeedFile, 'utf8');
  // Tools surround it with comments and dashes.
  const seed = /^SU[A-Z2-7]{56}$/m.exec(text)?.[0];
  if (!seed) throw new Error(`${nkeySeedFile} holds no seed of an nkey: expected a line of 58 letters that begins with SU`);
  return seed;
}

/** Whether a text is the seed of a user's nkey, with a valid checksum. */
export function isUserSeed(text: string): boolean {
  try {
    return nkeys.fromSeed(Buffer.from(text)).getPublicKey().startsWith('U');
  } catch {
    return false;
  }
}

/** Generates an nkey for a NATS user: the seed for its process, the public half for the server's configuration. */
export function newNkey(): { seed: string; publicKey: string } {
  const pair = nkeys.createUser();
  return { seed: Buffer.from(pair.getSeed()).toString(), publicKey: pair.getPublicKey() };
}
