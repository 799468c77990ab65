import {
  type ChannelContract,
  type EventContract,
  ownerOf,
  type RequestContract,
  type ServiceName,
  type StreamContract,
} from '@parley/contracts';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { eventSubject, heardSubject } from '../broadcasts';
import { Endpoint } from '../endpoint';
import { limits } from '../limits';
import { type MessageLog, nestMessageLog } from '../message-log';
import type { Consumption } from '../transport/event-log';
import type { Subscription, Transport } from '../transport/transport';
import { Desk, type RequestMeter, type Work } from './desk';
import type { Handler } from './handler';
import { markingOf } from './handles';
import { serveChannel } from './serve-channel';
import { serveEvent } from './serve-event';
import { serveHeard } from './serve-heard';
import { serveRequest } from './serve-request';
import { serveStream } from './serve-stream';

export interface BusServerOptions {
  readonly service: ServiceName;
  readonly log?: MessageLog;
  readonly meter?: RequestMeter;
  /** How long `close` waits for work under way. */
  readonly drainMs?: number;
}

/** Serves every `@Handles`, `@Consumes` and `@Hears` method of an application, as the strategy of `app.connectMicroservice`. */
export class BusServer extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol('parley');
  private readonly endpoint: Endpoint;
  private readonly desk: Desk;
  private readonly subscriptions: Subscription[] = [];
  private readonly consumptions: Consumption[] = [];
  private closing: Promise<void> | undefined;

  constructor(
    private readonly transport: Transport,
    private readonly options: BusServerOptions,
  ) {
    super();
    this.endpoint = new Endpoint(transport, options.log ?? nestMessageLog);
    this.desk = new Desk(this.endpoint, options.service, options.meter);
  }

  override addHandler(pattern: string, handler: MessageHandler, isEvent?: boolean, extras?: Record<string, unknown>): void {
    if (this.messageHandlers.has(pattern)) throw new TypeError(`two handlers for ${pattern} in ${this.options.service}`);
    super.addHandler(pattern, handler, isEvent, extras);
  }

  async listen(ready: (error?: unknown) => void): Promise<void> {
    try {
      for (const [pattern, handler] of this.messageHandlers) await this.bind(pattern, handler);
      // Before the broker knows, whoever asks is told that nobody is there.
      await this.transport.settled();
      ready();
    } catch (error) {
      ready(error);
    }
  }

  /** Takes no new work, lets what is under way finish within its limit, and aborts the rest. */
  close(): Promise<void> {
    this.closing ??= this.drain();
    return this.closing;
  }

  override on(): never {
    throw new TypeError('this server has no events of its own');
  }

  override unwrap<T>(): T {
    throw new TypeError('the transport belongs to whoever made it');
  }

  private async bind(pattern: string, handler: MessageHandler): Promise<void> {
    const { contract, isHeard } = markingOf(handler.extras);
    if (!contract) throw new TypeError(`${pattern} has a handler without a contract: use @Handles, @Consumes or @Hears`);
    if (contract.kind === 'event') return isHeard ? this.hear(contract, handler) : this.consume(contract, handler);
    const { service } = this.options;
    if (ownerOf(contract) !== service) throw new TypeError(`${service} cannot answer ${contract.subject}`);
    const work = workFor(this.desk, contract, handler);
    const receive = (packet: Parameters<Desk['take']>[0]) => this.desk.take(packet, work);
    this.subscriptions.push(this.transport.subscribe(contract.subject, receive, { queue: service }));
  }

  private async consume(contract: EventContract, handler: Handler): Promise<void> {
    const deliver = serveEvent(this.endpoint, contract, this.options.service, handler);
    const { subject } = contract;
    this.consumptions.push(await this.transport.events.consume({ subject, group: this.options.service }, deliver));
  }

  private hear(contract: EventContract, handler: Handler): void {
    const receive = serveHeard(this.endpoint, contract, handler);
    for (const subject of [eventSubject(contract.subject), heardSubject(contract.subject)])
      this.subscriptions.push(this.transport.subscribe(subject, (packet) => void receive(packet)));
  }

  private async drain(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.drain()));
    await Promise.all([this.desk.drain(this.options.drainMs ?? limits.drainMs), ...this.consumptions.map((each) => each.stop())]);
    this.endpoint.close();
  }
}

function workFor(desk: Desk, contract: RequestContract | StreamContract | ChannelContract, handler: Handler): Work {
  if (contract.kind === 'request') return serveRequest(desk, contract, handler);
  if (contract.kind === 'stream') return serveStream(desk, contract, handler);
  return serveChannel(desk, contract, handler);
}
