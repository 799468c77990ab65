import { createRequire } from 'node:module';
import { loadConfiguration, openProcess, processEnvironment, ProcessVariables } from '../index';

/** Opens a process with its environment and prints which OpenTelemetry packages were loaded. */
async function printLoadedTelemetry(): Promise<void> {
  const parts = await openProcess('spec', loadConfiguration(ProcessVariables, processEnvironment()));
  const files = Object.keys(createRequire(__filename).cache);
  const packages = files.flatMap((file) => /node_modules\/(@opentelemetry\/[\w-]+)/.exec(file)?.slice(1) ?? []);
  process.stdout.write(JSON.stringify([...new Set(packages)]));
  await parts.close();
}

void printLoadedTelemetry();
