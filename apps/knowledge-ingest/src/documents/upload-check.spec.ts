import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ScriptedFileStore } from '@parley/ports';
import { Engines } from '../engines';
import { UploadCheck } from './documents.service';

const part = Buffer.alloc(64 * 1024, 'Shops open at nine. ');
const parts = 100;
const sha256 = createHash('sha256')
  .update(Buffer.concat(Array.from({ length: parts }, () => part)))
  .digest('hex');

/** A store whose one file counts the parts that are read of it. */
class CountingStore extends ScriptedFileStore {
  read = 0;

  override async open(): Promise<Readable> {
    return Readable.from(this.content(), { highWaterMark: 1 });
  }

  private *content(): Generator<Buffer> {
    while (this.read < parts) {
      this.read += 1;
      yield part;
    }
  }
}

class OnlyFiles extends Engines {
  readonly files = new CountingStore();
  readonly reranker = undefined;
  readonly rerankMsMax = 0;

  get embeddings(): never {
    throw new Error('nothing is embedded');
  }

  get vectors(): never {
    throw new Error('nothing is indexed');
  }

  embeddingsFor(): undefined {
    return undefined;
  }
}

describe('an uploaded file', () => {
  const engines = new OnlyFiles();
  const check = new UploadCheck(engines);
  const reference = { fileKey: 'uploads/7/a', fileName: 'a.txt', size: parts * part.length, contentType: 'text/plain' };
  beforeEach(() => (engines.files.read = 0));

  it('is looked at by its beginning only if it was hashed while it was stored', async () => {
    expect(await check.check(7, { ...reference, sha256 })).toEqual({ ...reference, sha256 });
    expect(engines.files.read).toBeLessThan(5);
  });

  it('is counted and hashed if whoever stored it did not', async () => {
    expect(await check.check(7, { ...reference, size: 1 })).toEqual({ ...reference, sha256 });
    expect(engines.files.read).toBe(parts);
  });

  it('is refused by its beginning in either case', async () => {
    for (const known of [{ sha256 }, {}])
      await expect(check.check(7, { ...reference, ...known, fileName: 'a.pdf' })).rejects.toMatchObject({
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
  });
});
