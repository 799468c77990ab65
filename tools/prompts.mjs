// Unpacks Debian's recordings of people who speak for telephone exchanges, in five languages, into .cache/prompts without root.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { unpackPackages } from './debian-packages.mjs';

const folder = path.resolve(import.meta.dirname, '../.cache/prompts');
const packages = ['en', 'es', 'fr', 'it', 'ru'].map((language) => `asterisk-core-sounds-${language}-wav`);

if (!existsSync(folder)) {
  const isThere = () => existsSync(folder);
  const reason = await unpackPackages({ folder, choose: async () => packages, isThere, patienceMs: 180_000 });
  process.stderr.write(`parley: ${reason ? `there are no human recordings: ${reason}` : 'human recordings are ready'}\n`);
}
