import type { RequestContract } from '@parley/contracts';
import { type AskOptions, type Call, currentCall, ServiceBus } from '@parley/messaging';
import { z } from 'zod';

/** One request received by the bus, with the call that it was made in. */
export interface Asked {
  readonly subject: string;
  readonly body: unknown;
  readonly call: Call;
  readonly options: AskOptions | undefined;
}

type Reply = (asked: Asked) => unknown;

/** A bus with scripted answers that records its requests. */
export class ScriptedBus extends ServiceBus {
  readonly asked: Asked[] = [];

  constructor(private readonly reply: Reply) {
    super();
  }

  override async ask<Body extends z.ZodType, Answer extends z.ZodType>(
    contract: RequestContract<Body, Answer>,
    body: z.input<Body>,
    options?: AskOptions,
  ): Promise<z.output<Answer>> {
    const call = currentCall();
    if (!call) throw new Error('asked outside of a call');
    const asked = { subject: contract.subject, body, call, options };
    this.asked.push(asked);
    return contract.reply.parse(await this.reply(asked));
  }

  override stream(): never {
    throw new Error('no streams in this test');
  }

  override open(): never {
    throw new Error('no channels in this test');
  }

  override emit(): never {
    throw new Error('no events in this test');
  }

  override publish(): never {
    throw new Error('no events in this test');
  }
}
