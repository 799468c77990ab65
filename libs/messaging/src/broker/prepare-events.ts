import { connect } from '@nats-io/transport-node';
import { type Credentials, identityOptions } from '../access/nats-identity';
import { JetStreamStructure } from '../transport/jetstream-structure';
import { inboxRoot } from '../transport/transport';
import type { MessageUses } from '../uses/event-consumers';
import { messageUses } from '../uses/message-uses';
import { eventStructure } from './message-rights';

interface Preparation {
  readonly servers: string | string[];
  readonly credentials?: Credentials;
  readonly eventReplicas?: number;
  readonly uses?: MessageUses;
}

/** Makes every stream and consumer of the platform, or brings them up to date: what a migration is to a database. */
export async function prepareEvents({ servers, credentials, uses = messageUses, ...options }: Preparation): Promise<void> {
  const connection = await connect({
    ...(await identityOptions(servers, credentials)),
    name: 'setup',
    inboxPrefix: `${inboxRoot}.setup`,
    waitOnFirstConnect: true,
  });
  try {
    const { streams, consumers } = eventStructure(uses);
    const structure = new JetStreamStructure(connection, options);
    for (const stream of streams) await structure.ensureStream(stream);
    for (const { subject, group } of consumers) await structure.ensureConsumer(subject, group);
  } finally {
    await connection.close();
  }
}
