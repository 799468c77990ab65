import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type BodyOf, extendCharge, Fault, settleCharge, streamTurn } from '@parley/contracts';
import { BusServer, Handles } from '@parley/messaging';
import { ProviderFailure, ScriptedLanguageModel, spoken } from '@parley/ports';
import { Installation, type Shop } from '../installation.suite';

type Extension = BodyOf<typeof extendCharge>;
type Settlement = BodyOf<typeof settleCharge>;

/** The service with a model and a gateway that do what a test says, and a charged question to it. */
export class ChargedTurns {
  readonly extensions: Extension[] = [];
  readonly settlements: Settlement[] = [];
  readonly model = new ScriptedLanguageModel(() => []);
  balance = 0;
  shortage: 'CREDITS_EXHAUSTED' | 'RATE_LIMITED' = 'CREDITS_EXHAUSTED';
  chargeId = '';
  installation: Installation;
  shop: Shop;
  private readonly stops: (() => Promise<unknown>)[] = [];

  async start(): Promise<void> {
    this.installation = await Installation.start();
    this.installation.model = this.model;
    class Application {}
    const strategy = new BusServer(this.installation.broker.connect(), { service: 'gateway' });
    const module = { module: Application, controllers: [Gateway], providers: [{ provide: ChargedTurns, useValue: this }] };
    const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
    await app.listen();
    this.stops.push(() => app.close());
  }

  /** Before each test. */
  begin(): void {
    this.chargeId = randomUUID();
    for (const kept of [this.model.requests, this.extensions, this.settlements]) kept.length = 0;
    [this.balance, this.shortage] = [1_000_000, 'CREDITS_EXHAUSTED'];
    this.model.script = () => spoken('We deliver within three working days.');
    this.shop = this.installation.shop();
  }

  async stop(): Promise<void> {
    for (const stop of this.stops) await stop();
    await this.installation.stop();
  }

  ask(tokens: number, more: object = {}) {
    const payment = { chargeId: this.chargeId, tokens, isSettledByTurn: true };
    return this.installation.bus.stream(streamTurn, { question: 'When?', payment, ...more }, { principal: this.shop.caller });
  }
}

@Controller()
class Gateway {
  constructor(private readonly turns: ChargedTurns) {}

  @Handles(extendCharge)
  async extend(body: Extension) {
    const { balance, shortage, extensions } = this.turns;
    const wanted = body.usage[0]?.units ?? 0;
    if (Math.min(wanted, body.tokensMin ?? wanted) > balance) throw new Fault(shortage);
    extensions.push(body);
    return { chargeId: body.chargeId, tokens: Math.min(wanted, balance) };
  }

  @Handles(settleCharge)
  async settle(body: Settlement) {
    this.turns.settlements.push(body);
    return { chargeId: body.chargeId };
  }
}

/** The kinds of item in the order in which they came. */
export async function read(items: AsyncIterable<{ type: string }>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of items) types.push(type);
  return types;
}

/** A model that breaks. */
export const breaking = (after: 'nothing' | 'words') =>
  async function* () {
    if (after === 'words') yield { type: 'text' as const, text: 'We deliver ' };
    throw new ProviderFailure('spec', 'it broke', { retryable: false });
  };
