import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type BodyOf,
  extendCharge,
  Fault,
  getConversationLog,
  listConversationLogs,
  settleCharge,
  streamTurn,
  transcribeRecording,
} from '@parley/contracts';
import { BusServer, Handles } from '@parley/messaging';
import { ProviderFailure, ScriptedLanguageModel, spoken } from '@parley/ports';
import { eventually } from '@parley/testing';
import { Installation, type Shop } from '../installation.suite';

const settlements: BodyOf<typeof settleCharge>[] = [];
let balance = 0;
let transcriptions = 0;
let heard = '';

@Controller()
class Gateway {
  @Handles(extendCharge)
  async extend({ chargeId, usage }: BodyOf<typeof extendCharge>) {
    if ((usage[0]?.units ?? 0) > balance) throw new Fault('CREDITS_EXHAUSTED');
    return { chargeId };
  }

  @Handles(settleCharge)
  async settle(body: BodyOf<typeof settleCharge>) {
    settlements.push(body);
    return { chargeId: body.chargeId };
  }
}

@Controller()
class Speech {
  @Handles(transcribeRecording)
  async transcribe() {
    transcriptions += 1;
    return { transcription: heard, audioSeconds: 2.3 };
  }
}

describe('a question that is a recording', () => {
  let installation: Installation;
  let shop: Shop;
  const stops: (() => Promise<unknown>)[] = [];
  const model = new ScriptedLanguageModel(() => []);

  beforeAll(async () => {
    installation = await Installation.start();
    installation.model = model;
    for (const [service, controller] of [['gateway', Gateway] as const, ['speech', Speech] as const]) {
      class Application {}
      const strategy = new BusServer(installation.broker.connect(), { service });
      const module = { module: Application, controllers: [controller] };
      const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
      await app.listen();
      stops.push(() => app.close());
    }
  });
  beforeEach(() => {
    model.requests.length = 0;
    settlements.length = 0;
    [balance, transcriptions, heard] = [1_000_000, 0, 'when do you deliver'];
    model.script = () => spoken('We deliver within three working days.');
    shop = installation.shop();
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
    await installation.stop();
  });

  const audio = { fileKey: 'uploads/1/x', fileName: 'x', size: 4, contentType: 'audio/wav' };
  const ask = (tokens: number, more: object = {}) => {
    const payment = { chargeId: randomUUID(), tokens, isSettledByTurn: true };
    return installation.bus.stream(streamTurn, { audio, payment, ...more }, { principal: shop.caller });
  };
  const read = async (items: AsyncIterable<{ type: string }>) => {
    const types: string[] = [];
    for await (const { type } of items) types.push(type);
    return types;
  };

  it('is not transcribed for a session that does not exist', async () => {
    await expect(read(ask(100_000, { sessionUUID: randomUUID() }))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(transcriptions).toBe(0);
    expect((await read(ask(100_000))).slice(0, 3)).toEqual(['session', 'transcription', 'delta']);
  });

  it('is not transcribed if the answer could not be paid', async () => {
    balance = 500;
    await expect(read(ask(10))).rejects.toMatchObject({ code: 'CREDITS_EXHAUSTED' });
    expect([transcriptions, model.requests, settlements]).toEqual([0, [], []]);
    balance = 1_000_000;
    expect(await read(ask(10))).toContain('done');
    expect(transcriptions).toBe(1);
  });

  it('counts as no turn of the agent if it holds no speech', async () => {
    heard = '';
    await expect(read(ask(100_000))).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    const { rows } = await installation.bus.ask(listConversationLogs, {}, { principal: shop.owner });
    const logged = await Promise.all(rows.map((row) => installation.bus.ask(getConversationLog, row, { principal: shop.owner })));
    expect(logged.flatMap(({ turns }) => turns)).toEqual([]);
  });

  it('is charged once transcribed, even if no answer followed', async () => {
    model.script = async function* () {
      throw new ProviderFailure('spec', 'it broke', { retryable: false });
    };
    await expect(read(ask(100_000))).rejects.toMatchObject({ code: 'MODEL_PROVIDER_UNAVAILABLE' });
    await eventually('it is charged', () => settlements.length > 0);
    expect(settlements).toMatchObject([{ usage: [{ kind: 'STT_API', units: 3 }] }]);
  });
});
