import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface Account {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

/** A test S3 server with one bucket in memory, which requires a valid Signature Version 4. */
export class S3Server {
  readonly objects = new Map<string, Buffer>();
  private readonly writtenMs = new Map<string, number>();
  /** Statuses to return, in order, before handling requests. */
  readonly failures: number[] = [];
  /** Small, so that a listing has several pages. */
  private readonly keysPerPage = 2;
  url = '';
  private readonly server = createServer((request, response) => void this.answer(request, response));

  constructor(private readonly account: Account) {}

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const address = this.server.address();
    this.url = address !== null && typeof address === 'object' ? `http://127.0.0.1:${address.port}` : '';
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const failure = this.failures.shift() ?? (this.isSigned(request, body) ? undefined : 403);
    if (failure) return void response.writeHead(failure).end('<Error/>');
    const path = request.url ?? '';
    const { pathname, searchParams } = new URL(path, this.url);
    if (searchParams.get('list-type') === '2') return void response.writeHead(200).end(this.listing(pathname, searchParams));
    const object = this.objects.get(path);
    if (request.method === 'PUT') return void (this.keep(path, body), response.writeHead(200).end());
    if (request.method === 'DELETE') return void (this.objects.delete(path), response.writeHead(204).end());
    return void response.writeHead(object ? 200 : 404).end(object);
  }

  private keep(path: string, body: Buffer): void {
    this.objects.set(path, body);
    this.writtenMs.set(path, Date.now());
  }

  private listing(bucket: string, asked: URLSearchParams): string {
    const keyOf = (path: string) => decodeURIComponent(path.slice(bucket.length + 1));
    const after = asked.get('start-after') ?? '';
    const fitting = [...this.objects.keys()]
      .filter((path) => keyOf(path).startsWith(asked.get('prefix') ?? '') && keyOf(path) > after)
      .sort();
    const page = fitting.slice(0, Math.min(this.keysPerPage, Number(asked.get('max-keys'))));
    const contents = page.map((path) => {
      const written = new Date(this.writtenMs.get(path) ?? 0).toISOString();
      return `<Contents><Key>${keyOf(path).replaceAll('&', '&amp;')}</Key><LastModified>${written}</LastModified></Contents>`;
    });
    return `<ListBucketResult><IsTruncated>${page.length < fitting.length}</IsTruncated>${contents.join('')}</ListBucketResult>`;
  }

  private isSigned(request: IncomingMessage, body: Buffer): boolean {
    const { accessKeyId, secretAccessKey, region } = this.account;
    const form =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
    const [, id, day = '', zone, names = '', signature = ''] = form.exec(request.headers.authorization ?? '') ?? [];
    if (id !== accessKeyId || zone !== region || !names.split(';').includes('host')) return false;
    const claimed = String(request.headers['x-amz-content-sha256'] ?? '');
    if (claimed !== 'UNSIGNED-PAYLOAD' && claimed !== sha256(body)) return false;
    const headers = names.split(';').map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`);
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    const query = [...searchParams].map((pair) => pair.map(encodeURIComponent).join('=')).sort();
    const canonical = [request.method, pathname, query.join('&'), headers.join(''), names, claimed].join('\n');
    const scope = `${day}/${region}/s3/aws4_request`;
    const toSign = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n');
    const key = hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), region), 's3'), 'aws4_request');
    return timingSafeEqual(hmac(key, toSign), Buffer.from(signature, 'hex'));
  }
}
