import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

const callTimeoutMs = 30_000;
const giveUpMs = 90_000;
const pauseMs = 150;

interface Door {
  readonly baseUrls: readonly string[];
  readonly agentKey: string;
}

/** Clients that do as clients are told: every call has an Idempotency-Key and is sent again until it is answered. */
export class Callers {
  /** The keys of the calls that were answered with 200. */
  readonly acknowledged: string[] = [];
  readonly givenUp: string[] = [];
  attempts = 0;
  private isStopping = false;
  private readonly running: Promise<void>[];

  constructor(
    private readonly door: Door,
    count: number,
  ) {
    this.running = Array.from({ length: count }, () => this.callOnAndOn());
  }

  /** Every caller finishes the call at hand, whatever it takes. */
  async finish(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.running);
  }

  private async callOnAndOn(): Promise<void> {
    while (!this.isStopping) {
      const key = randomUUID();
      const isAnswered = await this.callUntilAnswered(key);
      (isAnswered ? this.acknowledged : this.givenUp).push(key);
    }
  }

  private async callUntilAnswered(key: string): Promise<boolean> {
    for (const giveUpAtMs = Date.now() + giveUpMs; Date.now() < giveUpAtMs; await delay(pauseMs)) {
      this.attempts += 1;
      const status = await this.call(key).catch(() => undefined);
      if (status === 200) return true;
      // What no repetition mends is a defect, and the end of this key.
      if (status !== undefined && status < 500 && status !== 409 && status !== 429) return false;
    }
    return false;
  }

  private async call(key: string): Promise<number> {
    const { baseUrls, agentKey } = this.door;
    const reply = await fetch(`${baseUrls[randomInt(baseUrls.length)]}/api/v1/ttt`, {
      method: 'POST',
      headers: { 'x-api-key': agentKey, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ question: 'When are you open?' }),
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    await reply.text();
    return reply.status;
  }
}
