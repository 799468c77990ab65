import { once } from 'node:events';
import { Controller, Inject } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import { type AcceptedLine, type Call, type Channel, Consumes, type EventMeta, Handles, Hears, ServiceBus } from '../index';
import { agentSaved, count, greet, hang, misbehave, relay, talk, toil, whoAsks } from './contracts';

/** What the services of the suite did, for the tests to see. */
export class Diary {
  readonly seen: string[] = [];
  readonly events: { agentId: number; id: string; attempt: number }[] = [];
  failures = 0;
  produced = 0;
  readonly lines: Channel<{ say: string }>[] = [];
  private readonly waiting = new Set<() => void>();

  write(word: string): void {
    this.seen.push(word);
    for (const check of [...this.waiting]) check();
  }

  /** Resolves as soon as the words are in the diary so often. */
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
    @Inject(Diary) private readonly diary: Diary,
    @Inject('NAME') private readonly name: string,
  ) {}

  @Handles(greet)
  greet({ name }: { name: string }) {
    this.diary.write(`greet by ${this.name}`);
    return { text: `Hello ${name}`, by: this.name };
  }

  @Handles(misbehave)
  async misbehave({ how }: { how: string }): Promise<{ ok: true; padding?: string }> {
    const details = [{ field: 'name', message: 'in use' }];
    if (how === 'fault') throw new Fault('CONFLICT', { message: 'taken', details, retryAfterSeconds: 7 });
    if (how === 'throw') throw new Error('the password is hunter2');
    if (how === 'oversize') return { ok: true, padding: 'x'.repeat(1024 * 1024) };
    return JSON.parse('{"ok":false}');
  }

  @Handles(toil)
  async toil(_body: object, call: Call): Promise<never> {
    this.diary.write(`toils at ${this.name}`);
    this.diary.write('toils');
    if (!call.signal.aborted) await once(call.signal, 'abort');
    this.diary.write(`stopped: ${call.signal.reason.code}`);
    // Whichever side's clock is first, an answer after the deadline is none.
    throw call.signal.reason;
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
        this.diary.produced = n;
        yield { n, padding: 'x'.repeat(padding) };
      }
    } finally {
      this.diary.write('count ended');
    }
  }

  @Handles(hang)
  async *hang(_body: object, call: Call) {
    this.diary.write('hangs');
    yield { n: 1 };
    await once(call.signal, 'abort');
    this.diary.write('hang stopped');
  }

  @Handles(talk)
  async talk({ room }: { room: string }): Promise<AcceptedLine<{ welcome: string }, { say: string }>> {
    if (room === 'locked') throw new Fault('SCOPE_MISSING');
    return { accepted: { welcome: room }, serve: (line) => this.echo(line, room) };
  }

  private async echo(line: Channel<{ say: string }>, room: string): Promise<void> {
    this.diary.lines.push(line);
    if (room === 'deaf') return this.waitFor(line);
    for await (const item of line.incoming) {
      if ('frame' in item) line.send(item.frame);
      else if (item.signal.say === 'bye') return line.close('said bye');
      else line.signal({ say: `${item.signal.say}!` });
    }
    this.diary.write(`line closed: ${(await line.closed).reason}`);
  }

  private async waitFor(line: Channel<{ say: string }>): Promise<void> {
    this.diary.write('deaf');
    this.diary.write(`line closed: ${(await line.closed).reason}`);
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
  constructor(@Inject(Diary) private readonly diary: Diary) {}

  @Consumes(agentSaved)
  agentSaved({ agentId }: { agentId: number }, { id, attempt }: EventMeta): void {
    if (this.diary.failures > 0) {
      this.diary.failures -= 1;
      this.diary.write('failed');
      throw new Error('not today');
    }
    this.diary.events.push({ agentId, id, attempt });
    this.diary.write(`event ${id}`);
  }
  @Hears(agentSaved)
  heardOf({ agentId }: { agentId: number }): void {
    this.diary.write(`heard of ${agentId}`);
  }
}
