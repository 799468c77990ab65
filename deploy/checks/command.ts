import type { ServiceName } from '@parley/contracts';

const carriesSound: ReadonlySet<string> = new Set<ServiceName>(['gateway', 'speech', 'telephony-bridge']);

/** How a service is started in a container. Where sound passes, Node does not pause to give memory back. */
export function commandOf(service: string): string[] {
  const flags = carriesSound.has(service) ? ['--no-memory-reducer'] : [];
  return ['node', ...flags, `dist/apps/${service}/src/main.js`];
}
