import { once } from 'node:events';
import { createServer } from 'node:http';
import { aModelRequest } from '@parley/ports';
import { type fetchPublicServer, fetchThrough, loadConfiguration } from '@parley/service-kit';
import { ConversationVariables } from '../config';
import { anAgent } from '../surroundings.suite';
import { ConfiguredModels, type ProviderSecret } from './configured-models';

describe('the models of an agent', () => {
  const asked: number[] = [];
  const models = (
    environment: Record<string, string>,
    secrets: Record<number, ProviderSecret> = {},
    fetch?: typeof fetchPublicServer,
  ) => {
    asked.length = 0;
    const secretOf = async ({ id }: { id: number }): Promise<ProviderSecret | undefined> => {
      asked.push(id);
      return secrets[id];
    };
    const options = { firstEventMs: 8000, ...(fetch && { fetch }) };
    return new ConfiguredModels(loadConfiguration(ConversationVariables, environment), { secretOf }, options);
  };
  const agent = (LLMModelID: number | null, LLMFallbackModelIDs: number[] = []) => {
    const usual = anAgent();
    return { ...usual, RuntimeConfiguration: { ...usual.RuntimeConfiguration, LLMModelID, LLMFallbackModelIDs } };
  };

  it('are the installation’s own if the agent names none, and need no organization’s key', async () => {
    await expect(models({}).of(agent(null), 1)).resolves.toMatchObject({ name: 'builtin/extractive' });
    await expect(models({ OPENAI_API_KEY: 'k' }).of(agent(null), 1)).resolves.toMatchObject({ name: 'openai/gpt-4.1-mini' });
    expect(asked).toEqual([]);
  });

  it('follow the agent’s order, without those that have no key', async () => {
    const { name } = await models({ GOOGLE_API_KEY: 'k' }, { 3: { key: 'own key', baseURL: null, model: null } }).of(
      agent(22, [31, 41]),
      1,
    );
    expect(name).toBe('anthropic/claude-haiku-4-5, google/gemini-2.5-flash');
  });

  it('report what is missing if none can work, and which model is unknown', async () => {
    await expect(models({}).of(agent(22), 1)).rejects.toMatchObject({
      code: 'PROVIDER_NOT_CONFIGURED',
      message: expect.stringContaining('OPENAI_API_KEY'),
    });
    await expect(models({}).of(agent(4711), 1)).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
  });

  it('are called at the organization’s own address through the guarded client', async () => {
    const seen: string[] = [];
    const server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      seen.push(`${request.headers.authorization} ${request.url} ${JSON.parse(body).model}`);
      const piece = {
        choices: [{ index: 0, delta: { content: 'From our own rack.' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      };
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(piece)}\n\ndata: [DONE]\n\n`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const baseURL = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/v1`;
    const secrets = { 5: { key: 'own', baseURL, model: 'our-own-model' } };
    const answerOf = async (chosen: ConfiguredModels) => {
      let text = '';
      for await (const event of (await chosen.of(agent(51), 1)).stream(aModelRequest(), new AbortController().signal))
        if (event.type === 'text') text += event.text;
        // What it says of tokens would be what its owner owes.
        else if (event.type === 'finish') expect(event.usage).toBeNull();
      return text;
    };
    const anywhere = fetchThrough({ isAllowed: () => true, protocols: ['http:'] });
    await expect(answerOf(models({}, secrets, anywhere))).resolves.toBe('From our own rack.');
    await expect(answerOf(models({}, secrets))).rejects.toMatchObject({ name: 'ProviderFailure' });
    expect(seen).toEqual(['Bearer own /v1/chat/completions our-own-model']);
    server.closeAllConnections();
    server.close();
  });

  it('stay the same chain for the same organization, so that failures are remembered', async () => {
    const chosen = models({ OPENAI_API_KEY: 'k' });
    expect(await chosen.of(agent(null), 1)).toBe(await chosen.of(agent(null), 1));
  });

  it('of the installation are kept from the organization whose questions they fail, and from no other', async () => {
    const asked: string[] = [];
    const server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      asked.push(body);
      response.writeHead(body.includes('too much') ? 500 : 200, { 'content-type': 'text/event-stream' });
      response.end('data: {"choices":[{"delta":{"content":"Yes."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const base = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/v1`;
    const chosen = models({ LLM_BASE_URL: base, LLM_MODEL: 'small', LLM_API_KEY: 'k' });
    const ask = async (orgId: number, text: string): Promise<string> => {
      const request = aModelRequest({ messages: [{ role: 'user', text }] });
      try {
        for await (const event of (await chosen.of(agent(null), orgId)).stream(request, new AbortController().signal))
          if (event.type === 'text') return event.text;
        return '';
      } catch (failure) {
        return failure instanceof Error ? failure.message : '';
      }
    };
    for (let question = 0; question < 3; question++) expect(await ask(7, 'too much')).toContain('no engine answered');
    expect(await ask(7, 'Do you deliver?')).toContain('is not asked for some seconds');
    expect(asked).toHaveLength(3);
    expect(await ask(8, 'Do you deliver?')).toBe('Yes.');
    server.closeAllConnections();
    server.close();
  });
});
