import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type FileStore,
  type FileStoreCapabilities,
  keysPerPageMax,
  limitBytes,
  ProviderFailure,
  segmentsOfKey,
  type StoredFile,
} from '@parley/ports';
import { variableText, url } from '@parley/service-kit';
import { AwsClient } from 'aws4fetch';
import { defineConfigured } from '../vendor';

interface S3FilesOptions {
  /** `https://s3.eu-central-1.amazonaws.com`, or any other S3-compatible server, such as MinIO. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  timeoutMs?: number;
}

const answersThatMayChange = new Set([408, 429]);

/** Files in a bucket of any S3-compatible server. A file is in memory while it is sent, since its hash is part of the signature. */
export class S3Files implements FileStore {
  readonly capabilities: FileStoreCapabilities = { provider: 's3', bytesMax: 64 * 1024 * 1024 };
  private readonly client: AwsClient;
  private readonly base: string;
  private readonly timeoutMs: number;

  constructor({ endpoint, bucket, region, accessKeyId, secretAccessKey, timeoutMs = 30_000 }: S3FilesOptions) {
    // aws4fetch itself retries 5xx and 429, with increasing pauses.
    this.client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region, retries: 2, initRetryMs: 50 });
    this.base = `${endpoint.replace(/\/$/, '')}/${encodeURIComponent(bucket)}`;
    this.timeoutMs = timeoutMs;
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, { bytesMax }: { bytesMax: number }): Promise<StoredFile> {
    const url = this.urlOf(key);
    const content = Buffer.concat(
      await Readable.from(limitBytes(body, Math.min(bytesMax, this.capabilities.bytesMax))).toArray(),
    );
    const sha256 = createHash('sha256').update(content).digest('hex');
    await this.send(url, { method: 'PUT', body: content, headers: { 'x-amz-content-sha256': sha256 } });
    return { key, bytes: content.byteLength, sha256 };
  }

  async open(key: string): Promise<Readable | undefined> {
    const response = await this.send(this.urlOf(key), { method: 'GET' });
    if (response.status === 404) return undefined;
    return response.body ? Readable.fromWeb(response.body) : Readable.from([]);
  }

  async delete(key: string): Promise<void> {
    await this.send(this.urlOf(key), { method: 'DELETE' });
  }

  async *writtenBefore(folder: string, beforeMs: number): AsyncGenerator<readonly string[]> {
    const prefix = `${segmentsOfKey(folder).join('/')}/`;
    for (let after: string | undefined = ''; after !== undefined;) {
      const page = await this.listed(prefix, after);
      const old = page.objects.filter(({ key, writtenMs }) => writtenMs < beforeMs && isFileKey(key)).map(({ key }) => key);
      if (old.length > 0) yield old;
      after = page.isLast ? undefined : page.objects.at(-1)?.key;
    }
  }

  /** Nothing to do, since an object exists completely or not at all. */
  async forgetUnfinished(): Promise<number> {
    return 0;
  }

  private async listed(prefix: string, after: string): Promise<{ objects: ListedObject[]; isLast: boolean }> {
    const query = new URLSearchParams({ 'list-type': '2', 'max-keys': String(keysPerPageMax), prefix });
    if (after) query.set('start-after', after);
    const response = await this.send(`${this.base}?${query.toString()}`, { method: 'GET' });
    if (response.status === 404) throw new ProviderFailure('s3', 'no such bucket', { retryable: false });
    const listing = await response.text();
    return { objects: objectsIn(listing), isLast: !listing.includes('<IsTruncated>true</IsTruncated>') };
  }

  private urlOf(key: string): string {
    return `${this.base}/${segmentsOfKey(key).map(encodeURIComponent).join('/')}`;
  }

  private async send(url: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await this.client.fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(this.timeoutMs) });
    } catch (error) {
      throw new ProviderFailure('s3', 'no answer', { retryable: true, cause: error });
    }
    if (response.ok || (response.status === 404 && init.method !== 'PUT')) return response;
    await response.body?.cancel();
    const retryable = response.status >= 500 || answersThatMayChange.has(response.status);
    throw new ProviderFailure('s3', `status ${response.status}`, { retryable });
  }
}

interface ListedObject {
  readonly key: string;
  readonly writtenMs: number;
}

/** All objects of a listing, including foreign ones, since the next page begins after the last of them. */
function objectsIn(listing: string): ListedObject[] {
  return [...listing.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, fields = '']) => {
    const [, key] = /<Key>(.*?)<\/Key>/s.exec(fields) ?? [];
    const [, written = ''] = /<LastModified>(.*?)<\/LastModified>/.exec(fields) ?? [];
    const writtenMs = Date.parse(written);
    return key === undefined || Number.isNaN(writtenMs) ? [] : [{ key: unescaped(key), writtenMs }];
  });
}

const entities = new Map(Object.entries({ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'" }));
const unescaped = (text: string) => text.replace(/&(?:amp|lt|gt|quot|apos);/g, (entity) => entities.get(entity) ?? entity);

function isFileKey(key: string): boolean {
  try {
    return segmentsOfKey(key).length > 0;
  } catch {
    return false;
  }
}

/** The installation's bucket, if configured. */
export const s3Files = defineConfigured({
  variables: {
    S3_BUCKET: variableText().optional().meta({
      description: 'The bucket for uploads and recordings. Needed as soon as services run on several machines.',
      example: 'parley',
    }),
    S3_ENDPOINT: url('http', 'https')
      .default('https://s3.amazonaws.com')
      .meta({ description: 'A server that speaks S3.', example: 'http://minio:9000', needs: ['S3_BUCKET'] }),
    S3_REGION: variableText()
      .default('us-east-1')
      .meta({ description: 'The region of the bucket.', example: 'eu-central-1', needs: ['S3_BUCKET'] }),
    S3_ACCESS_KEY_ID: variableText()
      .default('')
      .meta({ description: 'The access key for the bucket.', example: 'AKIA…', needs: ['S3_BUCKET', 'S3_SECRET_ACCESS_KEY'] }),
    S3_SECRET_ACCESS_KEY: variableText()
      .default('')
      .meta({ description: 'The secret of the access key.', example: '…', secret: true, needs: ['S3_ACCESS_KEY_ID'] }),
  },
  open: (config) =>
    config.S3_BUCKET
      ? new S3Files({
          endpoint: config.S3_ENDPOINT,
          bucket: config.S3_BUCKET,
          region: config.S3_REGION,
          accessKeyId: config.S3_ACCESS_KEY_ID,
          secretAccessKey: config.S3_SECRET_ACCESS_KEY,
        })
      : undefined,
});
