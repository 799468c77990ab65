import { Module } from '@nestjs/common';
import { Outbox } from './outbox';
import { OutboxRelay } from './outbox-relay';

/** Gives a service its Outbox and drains it while the service runs. Needs a DataSource and a ServiceBus beside it. */
@Module({ providers: [Outbox, OutboxRelay], exports: [Outbox, OutboxRelay] })
export class OutboxModule {}
