import { Readable } from 'node:stream';
import { describeFileStore } from '@parley/ports/suites';
import { S3Files } from './index';
import { S3Server } from './s3-server.fake';

const account = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'right', region: 'eu-central-1' };
const server = new S3Server(account);
beforeAll(() => server.start());
afterAll(() => server.stop());

const files = (changes: Partial<typeof account> = {}) =>
  new S3Files({ endpoint: server.url, bucket: 'parley', ...account, ...changes });

describeFileStore('S3', () => files());

describe('the S3 file store', () => {
  it('is refused with a wrong secret', async () => {
    await expect(files({ secretAccessKey: 'wrong' }).open('1/a')).rejects.toMatchObject({
      name: 'ProviderFailure',
      retryable: false,
    });
  });

  it('signs the hash of the content, so that nobody can exchange it on the way', async () => {
    await files().put('1/signed', Readable.from([Buffer.from('content')]), { bytesMax: 10 });
    expect(server.objects.get('/parley/1/signed')?.toString()).toBe('content');
  });

  it('skips foreign objects whose names are not our keys', async () => {
    for (const name of ['a', 'b&c d', 'e&f', 'g'])
      server.objects.set(`/parley/mixed/${encodeURIComponent(name)}`, Buffer.from('x'));
    expect((await Readable.from(files().writtenBefore('mixed', Date.now())).toArray()).flat()).toEqual(['mixed/a', 'mixed/g']);
  });

  it('survives a server that is busy for a moment', async () => {
    server.failures.push(503, 500);
    await files().put('1/busy', Readable.from([Buffer.from('x')]), { bytesMax: 10 });
    expect(server.objects.has('/parley/1/busy')).toBe(true);
  });

  it('says that a broken server may be asked again', async () => {
    server.failures.push(503, 503, 503);
    await expect(files().open('1/a')).rejects.toMatchObject({ name: 'ProviderFailure', retryable: true });
    const absent = new S3Files({ endpoint: 'http://127.0.0.1:9', bucket: 'parley', ...account });
    await expect(absent.open('1/a')).rejects.toMatchObject({ name: 'ProviderFailure', retryable: true });
  });
});
