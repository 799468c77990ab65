import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { ServiceName } from '@parley/contracts';
import { Broadcasts } from './broadcasts';
import type { MessageLog } from './message-log';
import { ServiceBus } from './service-bus';
import { TransportBus } from './transport-bus';
import type { Transport } from './transport/transport';

class ClosingBus extends TransportBus implements OnApplicationShutdown {
  onApplicationShutdown(): void {
    this.close();
  }
}

/** Gives every module of an application the ServiceBus, and Broadcasts over it. Serving is the part of `BusServer`. */
@Module({})
export class MessagingModule {
  static forTransport(transport: Transport, { log }: { service: ServiceName; log?: MessageLog }): DynamicModule {
    const bus = { provide: ServiceBus, useFactory: () => new ClosingBus(transport, log) };
    const broadcasts = { provide: Broadcasts, useExisting: ServiceBus };
    return { module: MessagingModule, global: true, providers: [bus, broadcasts], exports: [ServiceBus, Broadcasts] };
  }
}
