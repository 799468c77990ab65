import {
  diffAgentVersions,
  getAgent,
  getAgentVersion,
  getRuntimeConfig,
  readAgentRuntime,
  saveAgent,
  saveRuntimeConfig,
  withoutSecrets,
} from '@parley/contracts';
import { Installation, type Member, scratch } from '../installation.suite';

const tool = {
  name: 'order_status',
  description: 'Looks up an order.',
  url: 'https://shop.example/api',
  parameters: { type: 'object' },
};

describe('the addresses of a runtime configuration', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start();
  });
  afterAll(() => installation.stop());

  const agentOf = async ({ ask }: Member) => ask(saveAgent, scratch);

  it('show what addresses hold behind their origin to those alone who may change it, and keep it when its mask is sent back', async () => {
    const editor = installation.member({ roleTypeId: 3 });
    const viewer = installation.memberOf({ ...editor.principal, roleTypeId: 4 });
    const { AgentID, AgentKeyID } = await agentOf(editor);
    const url = 'https://shop.example/api/T000/xyzzy?token=xyzzy';
    const WebhookURL = 'https://hooks.example/T000/B000/xyzzy';
    const addresses = (config: { Tools: { url: string }[]; WebhookURL: string | null }) => [
      config.Tools[0]?.url,
      config.WebhookURL,
    ];
    const Tools = [{ ...tool, url }];
    expect(addresses(await editor.ask(saveRuntimeConfig, { AgentID, Tools, WebhookURL }))).toEqual([url, WebhookURL]);
    await editor.ask(saveRuntimeConfig, {
      AgentID,
      Tools: [{ ...tool, url: `${url}y` }],
      WebhookURL: `${WebhookURL}y`,
    });
    const readBy = async (member: Member) => [
      (await member.ask(getAgent, { AgentKeyID })).Tools,
      (await member.ask(getAgent, { AgentKeyID })).RuntimeConfiguration,
      await member.ask(getAgentVersion, { AgentKeyID, Version: 2 }),
      await member.ask(diffAgentVersions, { AgentKeyID, fromVersion: 2, toVersion: 3 }),
    ];
    expect(JSON.stringify(await readBy(viewer))).not.toContain('xyzzy');
    expect((await readBy(editor)).every((read) => JSON.stringify(read).includes('xyzzy'))).toBe(true);
    const masked = await viewer.ask(getRuntimeConfig, { AgentKeyID });
    expect(addresses(masked)).toEqual(['https://shop.example/...', 'https://hooks.example/...']);
    // RFC 3986 has ASCII only, and the documents call these fields URIs.
    expect(JSON.stringify(addresses(masked))).toMatch(/^[!-~]+$/);
    const sentBack = { AgentID, Tools: masked.Tools, WebhookURL: masked.WebhookURL };
    expect(addresses(await editor.ask(saveRuntimeConfig, sentBack))).toEqual([`${url}y`, `${WebhookURL}y`]);
    const { RuntimeConfiguration } = await editor.ask(readAgentRuntime, { AgentID });
    expect(addresses(RuntimeConfiguration)).toEqual([`${url}y`, `${WebhookURL}y`]);
  });

  it('keep the stored address for a mask of former releases', async () => {
    const { ask } = installation.member({ roleTypeId: 3 });
    const { AgentID } = await ask(saveAgent, scratch);
    const url = 'https://shop.example/api/xyzzy';
    await ask(saveRuntimeConfig, { AgentID, Tools: [{ ...tool, url }] });
    const kept = await ask(saveRuntimeConfig, { AgentID, Tools: [{ ...tool, url: 'https://shop.example/…' }] });
    expect(kept.Tools[0]?.url).toBe(url);
  });

  it('mask headers that carry credentials by their name, and give them to conversations', async () => {
    const { ask } = installation.member({ roleTypeId: 3 });
    const { AgentID, AgentKeyID } = await ask(saveAgent, scratch);
    const names = ['Authorization', 'cookie', 'X-API-Key', 'x-auth-token', 'Ocp-Apim-Subscription-Key'];
    const headers = names.map((name) => ({ name, value: 'xyzzy', isSecret: false }));
    const open = { name: 'accept-language', value: 'en' };
    await ask(saveRuntimeConfig, { AgentID, Tools: [{ ...tool, headers: [...headers, open] }] });
    const read = await ask(getRuntimeConfig, { AgentKeyID });
    expect(JSON.stringify(read)).not.toContain('xyzzy');
    expect(read.Tools[0]?.headers.at(-1)).toEqual({ ...open, isSecret: false });
    await ask(saveRuntimeConfig, { AgentID, Tools: read.Tools });
    const { RuntimeConfiguration } = await ask(readAgentRuntime, { AgentID });
    expect(RuntimeConfiguration.Tools[0]?.headers.map(({ value }) => value)).toEqual([...names.map(() => 'xyzzy'), 'en']);
    expect(JSON.stringify(withoutSecrets(saveRuntimeConfig.request, { AgentID, Tools: [{ ...tool, headers }] }))).not.toContain(
      'xyzzy',
    );
    const unsaid = names.map((name) => ({ name, value: 'xyzzy' }));
    expect(JSON.stringify(withoutSecrets(saveRuntimeConfig.request, { Tools: [{ headers: unsaid }] }))).not.toContain('xyzzy');
  });

  it.each([
    ['Tools.order_status.url', { Tools: [{ ...tool, url: 'https://thief.example/...' }] }],
    ['WebhookURL', { WebhookURL: 'https://thief.example/...' }],
  ])('refuse a masked address of another origin: %s', async (field, sent) => {
    const member = installation.member({ roleTypeId: 3 });
    const { AgentID } = await agentOf(member);
    const stored = { Tools: [tool], WebhookURL: 'https://shop.example/hook' };
    await member.ask(saveRuntimeConfig, { AgentID, ...stored });
    const refused = {
      code: 'VALIDATION_FAILED',
      details: [{ field, message: expect.stringContaining('is masked, but none is stored') }],
    };
    await expect(member.ask(saveRuntimeConfig, { AgentID, ...sent })).rejects.toMatchObject(refused);
  });
});
