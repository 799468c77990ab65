import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Home } from './home';

/** The key under which secrets at rest are encrypted: made at the first start, kept beside the data that it opens. */
export function secretKeyOf(home: Home): string {
  const file = home.path('secret.key');
  if (!existsSync(file)) {
    // Written whole or not at all: half a key would lock away everything encrypted with it.
    writeFileSync(`${file}.new`, randomBytes(32).toString('base64'), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, 'utf8').trim();
}
