import { createHash, randomBytes } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

const realm = 'trunk.example';
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** A trunk that authenticates us: a registrar over UDP, with digests computed independently. It keeps one contact per name. */
export class Registrar {
  /** The registrations received, with their expiry in seconds; 0 removes a contact. */
  readonly registered: { readonly contact: string; readonly seconds: number }[] = [];
  /** Where calls would go now. */
  contact: string | undefined;
  /** A shorter expiry is refused with 423, and so is none at all. */
  secondsMin = 0;
  /** Receives requests without answering. */
  isSilent = false;
  /** How many requests lacked valid credentials. */
  unproven = 0;
  private readonly nonces = new Set<string>();

  private constructor(
    private readonly socket: Socket,
    private readonly known: { readonly username: string; readonly password: string },
  ) {
    socket.on('message', (bytes, from) => this.take(bytes.toString('utf8'), from));
  }

  static async start(known: { readonly username: string; readonly password: string }): Promise<Registrar> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new Registrar(socket, known);
  }

  get port(): number {
    return this.socket.address().port;
  }

  stop(): void {
    this.socket.close();
  }

  private take(text: string, from: RemoteInfo): void {
    if (!text.startsWith('REGISTER ') || this.isSilent) return;
    const header = (name: string): string => new RegExp(`^${name}:\\s*(.+)$`, 'im').exec(text)?.[1]?.trim() ?? '';
    const answer = (status: string, more: readonly string[]): void => {
      const kept = ['Via', 'From', 'Call-ID', 'CSeq'].map((name) => `${name}: ${header(name)}`);
      const lines = [`SIP/2.0 ${status}`, ...kept, `To: ${header('To')};tag=trunk`, ...more, 'Content-Length: 0', '', ''];
      this.socket.send(lines.join('\r\n'), from.port, from.address);
    };
    const contact = header('Contact');
    const seconds = Number(header('Expires') || (/expires=(\d+)/.exec(contact)?.[1] ?? 0));
    const takesBack = contact !== '' && seconds === 0;
    if (seconds < this.secondsMin && !takesBack) return answer('423 Interval Too Brief', [`Min-Expires: ${this.secondsMin}`]);
    if (!this.isProven(header('Authorization'))) {
      this.unproven += 1;
      const nonce = randomBytes(8).toString('hex');
      this.nonces.add(nonce);
      const challenge = `Digest realm="${realm}", nonce="${nonce}", algorithm=MD5, qop="auth"`;
      return answer('401 Unauthorized', [`WWW-Authenticate: ${challenge}`]);
    }
    if (contact !== '') this.registered.push({ contact, seconds });
    if (seconds > 0 && contact !== '') this.contact = contact;
    else if (contact === this.contact) this.contact = undefined;
    answer('200 OK', this.contact === undefined ? [] : [`Contact: ${this.contact};expires=${seconds}`]);
  }

  private isProven(authorization: string): boolean {
    const part = (name: string): string => new RegExp(`\\b${name}="?([^",]+)"?`).exec(authorization)?.[1] ?? '';
    const { username, password } = this.known;
    if (part('username') !== username || !this.nonces.has(part('nonce'))) return false;
    const [ours, theirs] = [md5(`${username}:${realm}:${password}`), md5(`REGISTER:${part('uri')}`)];
    return part('response') === md5([ours, part('nonce'), part('nc'), part('cnonce'), 'auth', theirs].join(':'));
  }
}
