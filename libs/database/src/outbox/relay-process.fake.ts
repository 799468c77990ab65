import { writeSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { agentsSchema } from '../agents.example';
import { connectionOptions } from '../connection-options';
import { Outbox } from './outbox';
import { OutboxRelay } from './outbox-relay';
import { RecordingBus } from './recording-bus.fake';

/** A relay in a process of its own, to be killed: says each event that its broker took. */
export async function relayUntilKilled(url: string): Promise<void> {
  const dataSource = await new DataSource(connectionOptions(agentsSchema, { url })).initialize();
  const bus = new RecordingBus();
  bus.refuses = ({ orgId, n }) => {
    writeSync(1, `${orgId} ${n}\n`);
    return false;
  };
  new OutboxRelay(dataSource, bus, new Outbox(dataSource)).onApplicationBootstrap();
}
