import 'reflect-metadata';
import { NatsTransport } from '../index';
import { Harness } from './harness';

/**
 * Runs one replica of the suite's agent-config in a process of its own, for tests that kill it. Its output shows its progress.
 */
export async function replica(url: string): Promise<void> {
  const harness = new Harness({
    connect: () => NatsTransport.connect({ servers: url, name: 'replica' }),
    stop: async () => undefined,
  });
  await harness.start('agent-config', 'killed');
  process.stdout.write('ready\n');
  await Promise.race(['is busy', 'looks at killed'].map((work) => harness.workLog.has(work)));
  process.stdout.write('works\n');
}
