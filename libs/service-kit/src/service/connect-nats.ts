import { NatsTransport, type Transport } from '@parley/messaging';
import type { z } from 'zod';
import type { ConnectionVariables } from '../configuration/platform-variables';
import type { Logger } from '../logging/logger';
import { messageLogOf } from './messaging';

const patienceMs = 3_000;

/** Waits for NATS as long as it takes, since services and broker may start in any order, and says so when it takes long. */
export async function connectNats(
  name: string,
  variables: z.output<typeof ConnectionVariables>,
  log: Logger,
): Promise<Transport> {
  const timer = setInterval(() => log.warn('Waiting for NATS', { natsUrl: variables.NATS_URL }), patienceMs);
  try {
    return await NatsTransport.connect({
      servers: variables.NATS_URL,
      name,
      eventReplicas: variables.EVENT_REPLICAS,
      log: messageLogOf(log),
    });
  } finally {
    clearInterval(timer);
  }
}
