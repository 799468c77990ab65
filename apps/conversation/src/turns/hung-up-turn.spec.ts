/** @quiet Judged by CPU time. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type BodyOf, settleCharge, streamTurn } from '@parley/contracts';
import { BusServer, Handles } from '@parley/messaging';
import { ScriptedLanguageModel } from '@parley/ports';
import { eventually, loopBudgetMs, warmTurnMs, wordsOf } from '@parley/testing';
import { Installation } from '../installation.suite';

const settlements: BodyOf<typeof settleCharge>[] = [];

@Controller()
class Gateway {
  @Handles(settleCharge)
  async settle(body: BodyOf<typeof settleCharge>) {
    settlements.push(body);
    return { chargeId: body.chargeId };
  }
}

describe('a turn whose caller hangs up', () => {
  let installation: Installation;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    installation = await Installation.start();
    const module = { module: class Application {}, controllers: [Gateway] };
    const strategy = new BusServer(installation.broker.connect(), { service: 'gateway' });
    const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
    await app.listen();
    stop = () => app.close();
  });
  afterAll(async () => {
    await stop();
    await installation.stop();
  });

  // The model was stopped before it reported its usage, so we count the prompt ourselves; 583 kB of it once took 1.4 seconds.
  it('has its prompt of 200,000 Hindi letters counted without blocking the event loop', async () => {
    installation.model = new ScriptedLanguageModel(async function* (_request, signal) {
      // The guard of the answer holds the last words back.
      for (let n = 0; n < 20; n += 1) yield { type: 'text' as const, text: 'We deliver within three days. ' };
      if (!signal.aborted) await once(signal, 'abort');
      signal.throwIfAborted();
    });
    const bodies = [1, 2, 3].map((seed) => {
      const letters = wordsOf(200_000, { alphabet: 'कखगघचजटडतदनपबमयरलवसहािीुेो', seed });
      return Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`v${n}`, letters.slice(n * 2_000, (n + 1) * 2_000)]));
    });
    expect(Buffer.byteLength(JSON.stringify(bodies[0]))).toBeGreaterThan(500_000);
    const shop = installation.shop();
    const hangUp = async (): Promise<void> => {
      const [before, chargeId] = [settlements.length, randomUUID()];
      const payment = { chargeId, tokens: 1_000_000, isSettledByTurn: true };
      const asked = { question: 'When?', variables: bodies.pop() ?? {}, payment };
      for await (const { type } of installation.bus.stream(streamTurn, asked, { principal: shop.caller }))
        if (type === 'delta') break;
      await eventually('it is charged', () => settlements.length > before);
    };
    expect(await warmTurnMs(hangUp)).toBeLessThan(loopBudgetMs);
    // All of the prompt was counted.
    for (const { usage } of settlements.slice(-3)) expect(usage[0]?.units).toBeGreaterThan(20_000);
  });
});
