import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { aModelRequest, type LanguageModel, type ModelEvent } from '@parley/ports';
import { describeModelAdapter } from '../model-answer/model-adapter.suite';
import { openAiProtocol } from '../model-answer/openai-protocol.suite';
import { ChatCompletionsModel } from './index';

describeModelAdapter('the adapter of servers that speak chat completions', {
  open: (options) => new ChatCompletionsModel({ model: 'small', contextTokens: 8192, ...options }),
  protocol: openAiProtocol,
});

describe('the connections to a server that speaks chat completions', () => {
  let server: Server;
  let model: LanguageModel;
  let connections = 0;
  let answer: (response: ServerResponse) => void;
  const whole = openAiProtocol.answer.join('');
  const never = new AbortController().signal;

  beforeEach(async () => {
    connections = 0;
    answer = (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(whole);
    server = createServer((request, response) => void request.resume().on('end', () => answer(response)));
    server.on('connection', () => (connections += 1));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const baseUrl = `http://127.0.0.1:${port}/v1/`;
    model = new ChatCompletionsModel({ model: 'small', contextTokens: 8192, apiKey: 'k', baseUrl });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = async () => {
    const events: ModelEvent[] = [];
    for await (const event of model.stream(aModelRequest(), never)) events.push(event);
    return events;
  };
  const said = (events: ModelEvent[]) => events.map((event) => (event.type === 'text' ? event.text : '')).join('');

  it('serve one request after another', async () => {
    for (let time = 0; time < 5; time++) expect(said(await ask())).toBe('Within three working days.');
    expect(connections).toBe(1);
  });

  it('are reopened when the server has just closed an idle one', async () => {
    await ask();
    let asked = 0;
    answer = (response) => {
      asked += 1;
      // The second request arrives on the kept connection, which this server closes instead of answering.
      if (asked === 1) return void response.socket?.resetAndDestroy();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(whole);
    };
    expect(said(await ask())).toBe('Within three working days.');
    expect(connections).toBe(2);
  });

  it('may split a character and a line anywhere', async () => {
    const bytes = Buffer.from(whole.replace('three ', 'तीन ').replaceAll('\n', '\r\n'));
    answer = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let start = 0; start < bytes.length; start += 7) {
        await new Promise((resolve) => response.write(bytes.subarray(start, start + 7), resolve));
      }
      response.end();
    };
    expect(said(await ask())).toBe('Within तीन working days.');
  });

  it('are not reused if the server does not end its response', async () => {
    answer = (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(whole);
    expect((await ask()).at(-1)).toMatchObject({ type: 'finish' });
  });

  it('may deliver a failure as an event', async () => {
    const failure = 'data: {"error":{"message":"out of memory"}}\n\n';
    answer = (response) => void response.writeHead(200).end(`${openAiProtocol.answer.slice(0, 3).join('')}${failure}`);
    await expect(ask()).rejects.toMatchObject({ name: 'ProviderFailure', retryable: true });
  });
});
