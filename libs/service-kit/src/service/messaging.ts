import type { DynamicModule } from '@nestjs/common';
import type { CustomStrategy } from '@nestjs/microservices';
import type { ServiceName } from '@parley/contracts';
import { BusServer, type MessageLog, MessagingModule, type Transport } from '@parley/messaging';
import type { Logger } from '../logging/logger';
import type { RequestMeter } from '../metrics/metrics';

interface Messaging {
  /** Asks. */
  readonly module: DynamicModule;
  /** Answers. */
  readonly messages: CustomStrategy;
}

/** Both directions of a service's messages over one transport. */
export function messagingFor(
  service: ServiceName,
  transport: Transport,
  surroundings: { log: Logger; meter: RequestMeter; drainMs: number },
): Messaging {
  const { log, meter, drainMs } = surroundings;
  const messageLog = messageLogOf(log);
  return {
    module: MessagingModule.forTransport(transport, { service, log: messageLog }),
    messages: { strategy: new BusServer(transport, { service, log: messageLog, meter, drainMs }) },
  };
}

/** Our log in the way in which messaging speaks. */
export function messageLogOf(log: Logger): MessageLog {
  return {
    error: (fields, message) => log.error(message, fields),
    warn: (fields, message) => log.warn(message, fields),
  };
}
