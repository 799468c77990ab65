import type { PublishOptions, Receive, Subscription, Transport } from '@parley/messaging';
import type { RunningService } from '@parley/service-kit';
import { FaultyLink } from '@parley/testing';
import type { Harness } from '../harness';

/** A gateway that others take for dead while it is cut off, and that can reconnect. */
export class CuttableGateway {
  private constructor(
    readonly url: string,
    private readonly service: RunningService,
    private readonly transport: CuttableTransport,
    private readonly link: FaultyLink,
  ) {}

  static async start(harness: Harness): Promise<CuttableGateway> {
    const link = await FaultyLink.to(harness.database.url);
    const transport = new CuttableTransport(await harness.connect());
    const { url, service } = await harness.startGateway({}, link.url, transport);
    return new CuttableGateway(url, service, transport, link);
  }

  /** Cuts it off from Postgres and from every service. */
  cutOff(): void {
    this.link.suffer('reset');
    this.transport.cut();
  }

  /** Reconnects, finishes its work, and stops. */
  async comeBackAndStop(): Promise<void> {
    this.link.heal();
    this.transport.join();
    await this.service.stop();
    await this.link.close();
  }
}

/** A transport that a test can disconnect from the broker, and reconnect. */
class CuttableTransport implements Transport {
  private readonly shared: Subscription[] = [];
  private isCut = false;

  constructor(private readonly transport: Transport) {}

  get events() {
    return this.transport.events;
  }

  get principals() {
    return this.transport.principals;
  }

  get inbox() {
    return this.transport.inbox;
  }

  /** From now on nothing arrives, requests to it find no listener, and its queued work goes to other replicas for good. */
  cut(): void {
    this.isCut = true;
    for (const subscription of this.shared.splice(0)) subscription.stop();
  }

  join(): void {
    this.isCut = false;
  }

  status() {
    return this.transport.status();
  }

  publish(subject: string, data: Parameters<Transport['publish']>[1], options?: PublishOptions): void {
    this.transport.publish(this.isCut ? `nowhere.${subject}` : subject, data, options);
  }

  subscribe(subject: string, receive: Receive, options: { queue?: string } = {}): Subscription {
    const whileJoined: Receive = (packet) => {
      if (!this.isCut || packet.nobodyListens) receive(packet);
    };
    const subscription = this.transport.subscribe(subject, whileJoined, options);
    if (options.queue !== undefined) this.shared.push(subscription);
    return subscription;
  }

  settled(): Promise<void> {
    return this.transport.settled();
  }

  onLost(listener: () => void): () => void {
    return this.transport.onLost(listener);
  }

  close(): Promise<void> {
    return this.transport.close();
  }
}
