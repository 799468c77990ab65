import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type BodyOf,
  extendCharge,
  Fault,
  followTranscription,
  getConversationLog,
  listConversationLogs,
  readTurn,
  settleCharge,
  streamTurn,
} from '@parley/contracts';
import { BusServer, type Call, Handles } from '@parley/messaging';
import { ProviderFailure, ScriptedLanguageModel, spoken } from '@parley/ports';
import { eventually } from '@parley/testing';
import type { z } from 'zod';
import { Installation, type Shop } from '../installation.suite';

const settlements: BodyOf<typeof settleCharge>[] = [];
let balance = 0;
let transcriptions = 0;
let heard = '';
/** How far each piece before the result reaches. */
let heardBefore: (signal: AbortSignal) => AsyncIterable<number>;

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
  @Handles(followTranscription)
  async *follow(_wish: object, { signal }: Call): AsyncGenerator<z.input<typeof followTranscription.item>> {
    transcriptions += 1;
    for await (const audioSeconds of heardBefore(signal)) yield { type: 'heard', audioSeconds };
    yield { type: 'done', transcription: heard, audioSeconds: 2.3 };
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
    heardBefore = async function* () {};
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

  it('is no conversation if it holds no speech, and no turn of one that goes on', async () => {
    const logged = async () => {
      const { rows } = await installation.bus.ask(listConversationLogs, {}, { principal: shop.owner });
      return Promise.all(rows.map((row) => installation.bus.ask(getConversationLog, row, { principal: shop.owner })));
    };
    heard = '';
    await expect(read(ask(100_000))).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await logged()).toEqual([]);
    heard = 'when do you open';
    await read(ask(100_000));
    const [{ sessionUUID } = { sessionUUID: '' }] = await logged();
    heard = '';
    await expect(read(ask(100_000, { sessionUUID }))).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await logged()).toMatchObject([
      { turnCount: 1, turns: [{ sender: 'user', text: 'when do you open' }, { sender: 'assistant' }] },
    ]);
  });

  it('leaves no conversation if it is refused before anything was produced', async () => {
    const logged = async () => (await installation.bus.ask(listConversationLogs, {}, { principal: shop.owner })).totalCount;
    heardBefore = async function* () {
      throw new Fault('PROVIDER_NOT_CONFIGURED');
    };
    await expect(read(ask(100_000))).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
    expect(await logged()).toBe(0);
    heardBefore = async function* () {};
    expect(await read(ask(100_000))).toContain('done');
    expect(await logged()).toBe(1);
    // One that was there before stays.
    const [{ sessionUUID } = { sessionUUID: '' }] = (
      await installation.bus.ask(listConversationLogs, {}, { principal: shop.owner })
    ).rows;
    heardBefore = async function* () {
      throw new Fault('PROVIDER_NOT_CONFIGURED');
    };
    await expect(read(ask(100_000, { sessionUUID }))).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
    expect(await logged()).toBe(1);
  });

  it('leaves none if no engine transcribed it either, however often it is asked again', async () => {
    heardBefore = async function* () {
      throw new Fault('SPEECH_PROVIDER_UNAVAILABLE');
    };
    for (const _retry of [1, 2]) await expect(read(ask(100_000))).rejects.toMatchObject({ code: 'SPEECH_PROVIDER_UNAVAILABLE' });
    const { totalCount } = await installation.bus.ask(listConversationLogs, {}, { principal: shop.owner });
    expect(totalCount).toBe(0);
  });

  it('is charged once transcribed, even if no answer followed', async () => {
    model.script = async function* () {
      throw new ProviderFailure('spec', 'it broke', { retryable: false });
    };
    await expect(read(ask(100_000))).rejects.toMatchObject({ code: 'MODEL_PROVIDER_UNAVAILABLE' });
    await eventually('it is charged', () => settlements.length > 0);
    expect(settlements).toMatchObject([{ usage: [{ kind: 'STT_API', units: 3 }] }]);
  });

  it('is transcribed no further once its sender has left, who is charged for the pieces that are done', async () => {
    const begun = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    let isStopped = false;
    heardBefore = async function* (signal) {
      begun.resolve();
      await left.promise;
      // The piece that was begun is transcribed to its end. The next one waits until it is asked for, and never is.
      try {
        for (; !signal.aborted; await new Promise(setImmediate)) yield 41.5;
        signal.throwIfAborted();
      } finally {
        isStopped = true;
      }
    };
    const leaving = new AbortController();
    const payment = { chargeId: randomUUID(), tokens: 100_000, isSettledByTurn: true };
    const items = installation.bus.stream(streamTurn, { audio, payment }, { principal: shop.caller, signal: leaving.signal });
    const reading = items[Symbol.asyncIterator]();
    const first = await reading.next();
    const sessionUUID = !first.done && first.value.type === 'session' ? first.value.sessionUUID : '';
    const rest = reading.next().catch(() => undefined);
    await begun.promise;
    leaving.abort();
    await rest;
    left.resolve();
    await eventually('it is charged', () => settlements.length > 0);
    expect(settlements).toMatchObject([{ chargeId: payment.chargeId, usage: [{ kind: 'STT_API', units: 42 }] }]);
    await eventually('the service has stopped', () => isStopped);
    expect([transcriptions, model.requests]).toEqual([1, []]);
    const read = await installation.bus.ask(readTurn, { sessionUUID, turnUUID: payment.chargeId }, { principal: shop.caller });
    expect(read).toMatchObject({ status: 'DISCARDED', audioSeconds: 42, tokenUsage: { totalTokens: 0 } });
  });

  it('costs nothing if its engine fails after some of it was transcribed', async () => {
    heardBefore = async function* () {
      yield 20.2;
      throw new Fault('SPEECH_PROVIDER_UNAVAILABLE');
    };
    await expect(read(ask(100_000))).rejects.toMatchObject({ code: 'SPEECH_PROVIDER_UNAVAILABLE' });
    heardBefore = async function* () {};
    expect(await read(ask(100_000))).toContain('done');
    expect(settlements).toEqual([]);
  });
});
