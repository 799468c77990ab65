import { once } from 'node:events';
import { Controller, Inject } from '@nestjs/common';
import { defineChannel, defineEvent, defineRequest, defineStream, Fault, Principal } from '@parley/contracts';
import { ProviderFailure } from '@parley/ports';
import { z } from 'zod';
import {
  type AcceptedChannel,
  type Call,
  type Channel,
  Consumes,
  currentCall,
  type EventMeta,
  Handles,
  Hears,
  ServiceBus,
} from '../index';

export const greet = defineRequest({
  subject: 'agent-config.test.greet',
  request: z.object({ name: z.string().min(1) }),
  reply: z.object({ text: z.string(), by: z.string() }),
});

export const misbehave = defineRequest({
  subject: 'agent-config.test.misbehave',
  request: z.object({ how: z.enum(['fault', 'away', 'throw', 'break-contract', 'oversize']) }),
  reply: z.object({ ok: z.literal(true), padding: z.string().optional() }),
});

/** Works until aborted. */
export const busyWork = defineRequest({
  subject: 'agent-config.test.busy',
  request: z.object({}),
  reply: z.object({}),
  timeoutMs: 20_000,
});

/** Only reads. The replica named in the request never answers. */
export const look = defineRequest({
  subject: 'agent-config.test.read',
  request: z.object({ deaf: z.string() }),
  reply: z.object({ by: z.string(), isHeldToReading: z.boolean() }),
});

/** Asks another service: returns what that one sees of the first caller. */
export const relay = defineRequest({ subject: 'agent-config.test.relay', request: z.object({}), reply: z.unknown() });

const whoAsks = defineRequest({
  subject: 'speech.test.who-asks',
  request: z.object({}),
  reply: z.object({
    principal: Principal.optional(),
    requestId: z.string(),
    leftMs: z.number(),
    traceparent: z.string().optional(),
  }),
});

export const unanswered = defineRequest({ subject: 'dashboards.test.nobody', request: z.object({}), reply: z.object({}) });

export const count = defineStream({
  subject: 'agent-config.test.count',
  request: z.object({ upTo: z.number(), padding: z.number().default(0), failAt: z.number().optional() }),
  item: z.object({ n: z.number(), padding: z.string() }),
});

/** Announces each step before it is done. */
export const climb = defineStream({
  subject: 'agent-config.test.climb',
  request: z.object({ steps: z.number() }),
  item: z.object({ type: z.enum(['next', 'done']), step: z.number() }),
  pausesAfter: 'next',
});

/** Yields once, and then nothing until it is cancelled. */
export const hang = defineStream({ subject: 'agent-config.test.hang', request: z.object({}), item: z.object({ n: z.number() }) });

export const talk = defineChannel({
  subject: 'agent-config.test.talk',
  opening: z.object({ room: z.string() }),
  accepted: z.object({ welcome: z.string() }),
  signal: z.object({ say: z.string() }),
});

export const agentSaved = defineEvent({ subject: 'agent-config.agent-saved', payload: z.object({ agentId: z.int() }) });

export const owner: Principal = { kind: 'wsk', keyId: 'key-1', orgId: 42, permissions: { agents: ['CanView'] } };

/** What the suite's services did, for the tests to check. */
export class WorkLog {
  readonly seen: string[] = [];
  readonly events: { agentId: number; id: string; attempt: number }[] = [];
  failures = 0;
  produced = 0;
  readonly channels: Channel<{ say: string }>[] = [];
  private readonly waiting = new Set<() => void>();

  write(word: string): void {
    this.seen.push(word);
    for (const check of [...this.waiting]) check();
  }

  /** Resolves once the log contains the word this many times. */
  async has(word: string, times = 1): Promise<void> {
    const isThere = () => this.seen.filter((each) => each === word).length >= times;
    if (isThere()) return;
    await new Promise<void>((resolve) => {
      const check = () => {
        if (!isThere()) return;
        this.waiting.delete(check);
        resolve();
      };
      this.waiting.add(check);
    });
  }
}

@Controller()
export class AgentConfigOfTheSuite {
  constructor(
    @Inject(ServiceBus) private readonly bus: ServiceBus,
    @Inject(WorkLog) private readonly workLog: WorkLog,
    @Inject('NAME') private readonly name: string,
  ) {}

  @Handles(greet)
  greet({ name }: { name: string }) {
    this.workLog.write(`greet by ${this.name}`);
    return { text: `Hello ${name}`, by: this.name };
  }

  @Handles(misbehave)
  async misbehave({ how }: { how: string }): Promise<{ ok: true; padding?: string }> {
    const details = [{ field: 'name', message: 'in use' }];
    if (how === 'fault') throw new Fault('CONFLICT', { message: 'taken', details, retryAfterSeconds: 7, dependency: 'postgres' });
    if (how === 'away') throw new ProviderFailure('qdrant', 'no answer', { retryable: true, retryAfterMs: 2_500 });
    if (how === 'throw') throw new Error('the password is hunter2');
    if (how === 'oversize') return { ok: true, padding: 'x'.repeat(1024 * 1024) };
    return JSON.parse('{"ok":false}');
  }

  @Handles(busyWork)
  async busyWork(_body: object, call: Call): Promise<never> {
    this.workLog.write(`is busy at ${this.name}`);
    this.workLog.write('is busy');
    if (!call.signal.aborted) await once(call.signal, 'abort');
    this.workLog.write(`stopped: ${call.signal.reason.code}`);
    // Whichever side times out first, an answer after the deadline does not count.
    throw call.signal.reason;
  }

  @Handles(look)
  async look({ deaf }: { deaf: string }, call: Call) {
    this.workLog.write(`looks at ${this.name}`);
    if (deaf === this.name) await once(call.signal, 'abort');
    return { by: this.name, isHeldToReading: currentCall()?.onlyReads === true };
  }

  @Handles(relay)
  relay(): Promise<unknown> {
    return this.bus.ask(whoAsks, {});
  }

  @Handles(count)
  async *count({ upTo, padding, failAt }: { upTo: number; padding: number; failAt?: number | undefined }) {
    try {
      for (let n = 1; n <= upTo; n += 1) {
        if (n === failAt) throw new Fault('CONFLICT');
        this.workLog.produced = n;
        yield { n, padding: 'x'.repeat(padding) };
      }
    } finally {
      this.workLog.write('count ended');
    }
  }

  @Handles(climb)
  async *climb({ steps }: { steps: number }) {
    for (let step = 1; step <= steps; step += 1) {
      yield { type: 'next' as const, step };
      this.workLog.produced = step;
      yield { type: 'done' as const, step };
    }
  }

  @Handles(hang)
  async *hang(_body: object, call: Call) {
    this.workLog.write('hangs');
    yield { n: 1 };
    await once(call.signal, 'abort');
    this.workLog.write('hang stopped');
  }

  @Handles(talk)
  async talk({ room }: { room: string }): Promise<AcceptedChannel<{ welcome: string }, { say: string }>> {
    if (room === 'locked') throw new Fault('SCOPE_MISSING');
    return { accepted: { welcome: room }, serve: (channel) => this.echo(channel, room) };
  }

  private async echo(channel: Channel<{ say: string }>, room: string): Promise<void> {
    this.workLog.channels.push(channel);
    if (room === 'deaf') return this.waitFor(channel);
    for await (const item of channel.incoming) {
      if ('frame' in item) channel.send(item.frame);
      else if (item.signal.say === 'bye') return channel.close('said bye');
      else channel.signal({ say: `${item.signal.say}!` });
    }
    this.workLog.write(`channel closed: ${(await channel.closed).reason}`);
  }

  private async waitFor(channel: Channel<{ say: string }>): Promise<void> {
    this.workLog.write('deaf');
    this.workLog.write(`channel closed: ${(await channel.closed).reason}`);
  }
}

@Controller()
export class SpeechOfTheSuite {
  @Handles(whoAsks)
  whoAsks(_body: object, call: Call) {
    const { principal, requestId, traceparent } = call;
    return { principal, requestId, traceparent, leftMs: call.deadlineAtMs - Date.now() };
  }
}

@Controller()
export class DashboardsOfTheSuite {
  constructor(@Inject(WorkLog) private readonly workLog: WorkLog) {}

  @Consumes(agentSaved)
  agentSaved({ agentId }: { agentId: number }, { id, attempt }: EventMeta): void {
    if (this.workLog.failures > 0) {
      this.workLog.failures -= 1;
      this.workLog.write('failed');
      throw new Error('not today');
    }
    this.workLog.events.push({ agentId, id, attempt });
    this.workLog.write(`event ${id}`);
  }
  @Hears(agentSaved)
  heardOf({ agentId }: { agentId: number }): void {
    this.workLog.write(`heard of ${agentId}`);
  }
}
