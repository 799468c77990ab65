import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { bookCampaignCall, Fault, stopCampaignCalls } from '@parley/contracts';
import { BusServer, type Call, Handles, InProcessBroker, TransportBus } from '@parley/messaging';
import { aModelRequest, type ModelRequest } from '@parley/ports';
import { BuiltinModel } from '@parley/providers/builtin-model';
import { callTools } from './toolbox';

const sessionUUID = '0f0c8f3e-6d55-4a86-9f3c-1f8f6f0c2a11';
const asked: unknown[] = [];
let answer: () => { isDone: boolean };

@Controller()
class ScriptedBridge {
  @Handles(bookCampaignCall)
  book(body: unknown, _: Call): { isDone: boolean } {
    asked.push(body);
    return answer();
  }

  @Handles(stopCampaignCalls)
  stop(body: unknown, _: Call): { isDone: boolean } {
    asked.push(body);
    return answer();
  }
}

describe('an agent’s tools during a telephone call', () => {
  const broker = new InProcessBroker();
  const served = broker.connect();
  const bus = new TransportBus(broker.connect());
  let stop: () => Promise<unknown>;
  let tools: ReturnType<typeof callTools>;
  beforeAll(async () => {
    class Application {}
    const app = await NestFactory.createMicroservice(
      { module: Application, controllers: [ScriptedBridge] },
      { strategy: new BusServer(served, { service: 'telephony-bridge' }), logger: false },
    );
    await app.listen();
    stop = () => app.close();
    tools = callTools(bus, { sessionUUID, isOfCampaign: true });
  });
  beforeEach(() => {
    asked.splice(0);
    answer = () => ({ isDone: true });
  });
  afterAll(async () => {
    await stop();
    bus.close();
  });

  const run = (name: string, given: unknown = {}): Promise<string> => {
    const tool = tools.find(({ specification }) => specification.name === name);
    if (!tool) throw new Error(`there is no ${name}`);
    return tool.run(given);
  };

  it.each([[90], ['90']])('books a call back in %j minutes for the contact of this conversation', async (minutes) => {
    expect(await run('call_back', { minutes, sessionUUID: 'another' })).toBe('The call is booked.');
    expect(asked).toEqual([{ sessionUUID, minutes: 90 }]);
  });

  it.each([[undefined], ['soon'], [0], [43_201], [1.5]])(
    'rejects %j minutes with the reason, and books nothing',
    async (minutes) => {
      expect(await run('call_back', { minutes })).toContain('minutes must be a number');
      expect(asked).toEqual([]);
    },
  );

  it('books nothing outside a campaign, but still adds to the do-not-call list', () => {
    const offered = (isOfCampaign: boolean) =>
      callTools(bus, { sessionUUID, isOfCampaign }).map(({ specification }) => specification.name);
    expect(offered(false)).toEqual(['do_not_call_again']);
    expect(offered(true)).toEqual(['call_back', 'do_not_call_again']);
  });

  it('never claims to have done what was not done', async () => {
    answer = () => ({ isDone: false });
    expect(await run('call_back', { minutes: 5 })).toBe('No call could be booked.');
    expect(await run('do_not_call_again')).toBe('This could not be written down.');
    answer = () => {
      throw new Fault('SERVICE_UNAVAILABLE');
    };
    await expect(run('do_not_call_again')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('lets the built-in model confirm what its tool did, in the tool’s words', async () => {
    const request = (text: string): ModelRequest =>
      aModelRequest({
        messages: [
          { role: 'user', text: 'Never call me again.' },
          { role: 'tool', callId: 'c1', name: 'do_not_call_again', text },
        ],
        tools: tools.map(({ specification }) => specification),
      });
    const said = async (text: string): Promise<string> => {
      let words = '';
      for await (const event of new BuiltinModel().stream(request(text), new AbortController().signal))
        if (event.type === 'text') words += event.text;
      return words;
    };
    expect(await said(await run('do_not_call_again'))).toContain('will not be called again');
    answer = () => ({ isDone: false });
    expect(await said(await run('do_not_call_again'))).toContain('could not write');
  });
});
