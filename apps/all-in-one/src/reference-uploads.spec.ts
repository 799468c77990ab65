import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { handWritten } from '@parley/apps/gateway';
import { joinSamples, resample, wavFile } from '@parley/audio';
import {
  acceptInvite,
  createKey,
  examplesOf,
  listMailOutbox,
  listRepresentatives,
  saveAgent,
  saveCampaign,
  saveCarrierAccount,
  saveInvite,
  saveKnowledgeBase,
  saveNumber,
} from '@parley/contracts';
import { Flite } from '@parley/providers/flite';
import { hasBrowser, openBrowser } from '@parley/testing';
import type { Browser, Page } from 'playwright-core';
import { createTenant, keyOf, kindFor, type Tenant } from './testing/tenants';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

// Without an optional program the test is skipped, and its title names what is missing.
const withChromium = hasBrowser() ? describe : describe.skip;

/** Every endpoint that takes a file. */
const uploads = handWritten.filter(({ accepts }) => accepts.includes('multipart/form-data'));

/** A machine without a recognizer says so once it has read the recording. */
const spokenAnswer = /^200 |^409 [^]*PROVIDER_NOT_CONFIGURED/;

const prices = 'Product,Price\nSteel kettle,1499\nTawa,799\n';
const contacts = 'CustomerName,ContactNumber\nAsha,+919820098200\nRavi,+919820098201\n';

withChromium('the reference page, in Chromium', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-uploads-'));
  const files = { prices: 'prices.csv', contacts: 'contacts.csv', question: 'question.wav' };
  let platform: WholePlatform;
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  let agentKey: string;
  /** What a person enters for each endpoint, and the file. */
  let entered: Record<string, { readonly fields: Record<string, string | number>; readonly file: string }>;

  beforeAll(async () => {
    platform = await startWholePlatform();
    tenant = await createTenant(platform, 'Quokka Traders');
    const { bus } = platform;
    const by = { principal: tenant.owner };
    const { KBID } = await bus.ask(
      saveKnowledgeBase,
      saveKnowledgeBase.request.parse(examplesOf(saveKnowledgeBase.request)[0]),
      by,
    );
    const agent = saveAgent.request.parse(examplesOf(saveAgent.request)[0]);
    const { AgentID, AgentKeyID } = await bus.ask(saveAgent, { ...agent, KBID }, by);
    ({ key: agentKey } = await bus.ask(createKey, { name: 'page', kind: 'agt', AgentKeyID }, by));
    const account = { carrier: 'loopback', AccountName: 'Main', credentials: {} } as const;
    const { CarrierAccountKeyID } = await bus.ask(saveCarrierAccount, account, by);
    const number = '+912025550100';
    await bus.ask(saveNumber, { CarrierAccountKeyID, number, AgentID }, by);
    const campaign = { CampaignName: 'Due amounts', AgentID, CallerNumber: number };
    const { CampaignKeyID } = await bus.ask(saveCampaign, campaign, by);
    entered = {
      uploadContacts: { fields: { SalesUserID: await representative() }, file: files.contacts },
      uploadCampaignContacts: { fields: { CampaignKeyID }, file: files.contacts },
      saveDocument: { fields: { KBID }, file: files.prices },
      importSpreadsheet: { fields: { KBID }, file: files.prices },
      transcribeRecording: { fields: { language: 'english' }, file: files.question },
      chat: { fields: { connectionType: 'stt' }, file: files.question },
    };
    writeFileSync(path.join(folder, files.prices), prices);
    writeFileSync(path.join(folder, files.contacts), contacts);
    writeFileSync(path.join(folder, files.question), wavFile(await spoken('When are you open?'), 16_000));
    browser = await openBrowser({ microphone: path.join(folder, files.question) });
    page = await browser.newPage();
    page.setDefaultTimeout(10_000);
  });
  afterAll(async () => {
    await browser.close();
    await platform.stop();
    rmSync(folder, { recursive: true });
  });

  const representative = async (): Promise<string> => {
    const by = { principal: tenant.owner };
    const email = `${randomUUID()}@tenant.example`;
    const rights = { roleTypeID: 3, userType: 'Mobile App', agentAccessScope: 'ALL' } as const;
    await platform.bus.ask(saveInvite, { action: 'ADD', emails: [email], ...rights }, by);
    const { rows: mails } = await platform.bus.ask(listMailOutbox, { searchName: email }, by);
    await platform.bus.ask(acceptInvite, { token: /inv_[\w-]+/.exec(mails[0]?.text ?? '')?.[0] ?? '' });
    const { rows } = await platform.bus.ask(listRepresentatives, {}, by);
    return String(rows[0]?.SalesUserID);
  };

  const spoken = async (text: string): Promise<Int16Array> => {
    const flite = new Flite();
    const blocks: Int16Array[] = [];
    for await (const { samples, sampleRate } of flite.speak({ text, language: 'english' }))
      blocks.push(await resample(samples, sampleRate, 16_000));
    await flite.close();
    return joinSamples(blocks);
  };

  it('knows every endpoint that takes a file', () => {
    expect(uploads.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(entered).toSorted());
  });

  it.each(uploads.map((endpoint) => [endpoint.operationId, endpoint] as const))('sends a file: %s', async (name, endpoint) => {
    const kind = kindFor(endpoint);
    const { fields = {}, file = '' } = entered[name] ?? {};
    await page.goto(`${platform.url}/docs#${name}`);
    await page.reload();
    await page.locator('#key').fill(kind === 'agt' ? agentKey : keyOf(tenant, kind));
    const form = page.locator('form.try');
    await form.locator('.send').waitFor();
    const types = form.locator('select');
    if ((await types.count()) > 0) await types.selectOption('multipart/form-data');
    for (const [label, value] of Object.entries(fields))
      await form
        .locator('label', { hasText: new RegExp(`^${label}\\*?$`) })
        .locator('input')
        .fill(String(value));
    await form.locator('input[type=file]').setInputFiles(path.join(folder, file));
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await form.locator('.send').click();
    expect((await sent).headers()['content-type']).toContain('multipart/form-data');
    const answer = page.locator('.answer');
    await answer.locator('.status').waitFor();
    const heard = file === files.question ? spokenAnswer : /^200 /;
    expect(await answer.innerText()).toMatch(heard);
  });
});
