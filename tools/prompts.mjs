// Unpacks Debian's recorded prompts for telephone exchanges, in five languages, and its hold music into .cache/prompts without
// root.
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { unpackPackages } from './debian-packages.mjs';

const folder = path.resolve(import.meta.dirname, '../.cache/prompts');
const spoken = ['en', 'es', 'fr', 'it', 'ru'].map((language) => `asterisk-core-sounds-${language}-wav`);
/** The package with the words of the English ones. */
const words = 'asterisk-core-sounds-en';
const music = 'asterisk-moh-opsound-wav';
const transcript = path.join(folder, 'usr/share/doc', words, 'core-sounds-en.txt.gz');

const isThere = () => existsSync(transcript) && existsSync(path.join(folder, 'usr/share/asterisk/moh'));
if (!isThere()) {
  rmSync(folder, { recursive: true, force: true });
  const reason = await unpackPackages({ folder, choose: async () => [...spoken, words, music], isThere, patienceMs: 180_000 });
  process.stderr.write(`parley: ${reason ? `there are no human recordings: ${reason}` : 'human recordings are ready'}\n`);
}
