import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { setTimeout as pause } from 'node:timers/promises';
import type { MessageLog } from '../message-log';
import type { Consumption, Delivery, Verdict } from './event-log';
import type { Transport } from './transport';

interface Source {
  /** Finds the durable consumer, or makes it. */
  readonly open: () => Promise<Consumer>;
  readonly deliver: (delivery: Delivery) => Promise<Verdict>;
  readonly concurrency: number;
  readonly transport: Transport;
  readonly log: MessageLog;
}

const fetchMs = 10_000;
const retryMs = 500;

/**
 * Works on the events of one durable consumer, so many at a time. It fetches no more than it has hands for: what lies in
 * a buffer here would be delivered to another replica when its time is up.
 */
export class JetStreamConsumption implements Consumption {
  private readonly working = new Set<Promise<void>>();
  private readonly stopLost: () => void;
  private consumer: Consumer | undefined;
  private batch: ConsumerMessages | undefined;
  private stopped = false;
  private loop: Promise<void> = Promise.resolve();

  constructor(private readonly source: Source) {
    // A batch that was asked for before the connection broke will not come any more.
    this.stopLost = source.transport.onLost(() => void this.batch?.close());
  }

  async start(): Promise<void> {
    this.consumer = await this.source.open();
    this.loop = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.stopLost();
    await this.batch?.close();
    await this.loop;
    await Promise.all(this.working);
  }

  private async run(): Promise<void> {
    while (!this.stopped && this.source.transport.status() !== 'closed') {
      try {
        await this.fetch();
      } catch (error) {
        this.consumer = undefined;
        const { transport, log } = this.source;
        if (transport.status() === 'connected') log.warn({ err: error }, 'Events could not be fetched; trying again');
        await pause(retryMs, undefined, { ref: false });
      }
    }
  }

  private async fetch(): Promise<void> {
    if (this.source.transport.status() !== 'connected') throw new Error('not connected');
    this.consumer ??= await this.source.open();
    const { concurrency } = this.source;
    if (this.working.size >= concurrency) await Promise.race(this.working);
    if (this.stopped) return;
    const batch = await this.consumer.fetch({ max_messages: concurrency - this.working.size, expires: fetchMs });
    this.batch = batch;
    if (this.stopped) await batch.close();
    for await (const message of batch) {
      if (this.stopped) message.nak();
      else this.work(message);
    }
  }

  private work(message: JsMsg): void {
    const work: Promise<void> = this.deliver(message)
      .catch((error: unknown) => this.source.log.error({ err: error }, 'An event got no verdict; it will come again'))
      .finally(() => this.working.delete(work));
    this.working.add(work);
  }

  private async deliver(message: JsMsg): Promise<void> {
    const verdict = await this.source.deliver({ data: message.data, attempt: message.info.deliveryCount });
    if (verdict === 'done') message.ack();
    else message.nak(verdict.againInMs);
  }
}
