import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  limitBytes,
  ProviderFailure,
  segmentsOfKey,
  type FileStore,
  type FileStoreCapabilities,
  type StoredFile,
} from '@parley/ports';
import { AwsClient } from 'aws4fetch';

interface S3FilesOptions {
  /** `https://s3.eu-central-1.amazonaws.com`, a MinIO or any other server that speaks S3. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  timeoutMs?: number;
}

const answersThatMayChange = new Set([408, 429]);

/** Files in a bucket of any server that speaks S3. A file is held in memory while it is sent: its hash is part of the signature. */
export class S3Files implements FileStore {
  readonly capabilities: FileStoreCapabilities = { provider: 's3', bytesMax: 64 * 1024 * 1024 };
  private readonly client: AwsClient;
  private readonly base: string;
  private readonly timeoutMs: number;

  constructor({ endpoint, bucket, region, accessKeyId, secretAccessKey, timeoutMs = 30_000 }: S3FilesOptions) {
    // aws4fetch repeats 5xx and 429 by itself, with a growing pause.
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
