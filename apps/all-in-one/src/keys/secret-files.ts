import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeConfiguration, type ServiceDefinition } from '@parley/service-kit';
import type { InstallationKeys } from './installation-keys';

/** The folder keeps others of this machine out; in a container, where a process of another user reads them, there is only its own part. */
const modes = { folder: 0o700, process: 0o755, file: 0o444 };

/** Writes what each process reads into a folder of its own, a file for each variable. Never over keys that are in use. */
export function writeSecrets(folder: string, { publicKeys, secrets }: InstallationKeys): void {
  if (existsSync(folder))
    throw new Error(`${folder} is there already, and keys in use are not overwritten: name another by --folder`);
  makeFolder(folder, modes.folder);
  for (const [process, variables] of Object.entries(secrets))
    for (const [name, value] of Object.entries(variables)) if (!(name in publicKeys)) write(folder, { process, name, value });
}

/** Keeps a secret for each service that reads it; answers which these are. */
export function keepSecret(
  folder: string,
  { name, value }: { readonly name: string; readonly value: string },
  services: readonly Pick<ServiceDefinition, 'name' | 'config'>[],
): string[] {
  if (!existsSync(folder)) throw new Error(`there is no ${folder}: make it by npm run keys`);
  const known = describeConfiguration(services).filter(({ isSecret }) => isSecret);
  const readers = known.flatMap(({ variable, service }) => (variable === name ? [service] : []));
  if (readers.includes('every service'))
    throw new Error(`each process has a ${name} of its own: write it into the folder of that process`);
  if (readers.length === 0) throw new Error(`no service reads a secret ${name}: docs/configuration.md lists them`);
  if (value === '') throw new Error('the secret is read from standard input, which is empty');
  for (const process of readers) write(folder, { process, name, value });
  return readers;
}

function write(folder: string, { process, name, value }: { process: string; name: string; value: string }): void {
  const file = path.join(folder, process, name);
  makeFolder(path.dirname(file), modes.process);
  // Anew, so that a file that nobody may write to is replaced.
  rmSync(file, { force: true });
  writeFileSync(file, `${value}\n`);
  chmodSync(file, modes.file);
}

/** Said by chmod, since a umask takes from what mkdir is told. */
function makeFolder(folder: string, mode: number): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, mode);
}
