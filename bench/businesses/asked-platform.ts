import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { agentWithoutKnowledge, writtenAgent } from '../measure/model-agent';
import { cpuMicrosecondsOf, familyOf } from '../measure/process-cpu';
import { benchHome, type RunningPlatform, startPlatform } from '../measure/running-platform';
import type { Asked, Business } from './business';

const Saved = z.object({ data: z.object({ KBID: z.int(), KBKeyID: z.string() }) });
const SavedAgent = z.object({ data: z.object({ AgentKeyID: z.string() }) });
const Status = z.object({ data: z.object({ status: z.string(), reason: z.string().nullish() }) });
const Answer = z.object({ answer: z.string(), sessionUUID: z.string(), detectedLanguage: z.string() });

const lookAgainMs = 50;
const unlimited = { limit: 10_000_000, windowSeconds: 60 };

/** A platform as started by `npm start`, filled and queried only over its public API. */
export class AskedPlatform {
  private constructor(
    private readonly platform: RunningPlatform,
    private readonly home: ReturnType<typeof benchHome>,
  ) {}

  static async start(environment: NodeJS.ProcessEnv, form: 'start' | 'cluster' = 'start'): Promise<AskedPlatform> {
    const home = benchHome();
    const areas = { chat: unlimited };
    const plans = {
      RATE_LIMIT_PLANS: JSON.stringify({ bench: { key: areas, organization: areas } }),
      ORGANIZATION_PLANS: '1=bench',
    };
    return new AskedPlatform(await startPlatform(form, home.directory, [], { ...plans, ...environment }), home);
  }

  /** CPU time of all its processes so far, including Postgres. */
  cpuMs(): number {
    return cpuMsOf(this.platform.pid);
  }

  /** The same by process, if it runs as a cluster. */
  cpuMsByProcess(): ReadonlyMap<string, number> {
    return new Map([...this.platform.members].map(([name, pid]) => [name, cpuMsOf(pid)]));
  }

  /** The key of an agent without a knowledge base. */
  agentWithoutKnowledge(): Promise<string> {
    return agentWithoutKnowledge(this.platform);
  }

  async stop(): Promise<void> {
    await this.platform.stop();
    this.home.remove();
  }

  /** Saves a business like its builder would, waits until it is indexed, and returns the key of an agent for it. */
  async open({ name, profile, products, services, faqs, documents }: Omit<Business, 'asked'>): Promise<string> {
    const base = { KBKeyID: null, KnowledgeBaseName: name, IndustryID: 1, AgentTypeID: 1, ConversationalModeIDs: '1,2' };
    const { KBID, KBKeyID } = Saved.parse(await this.post('/kb/add-update-kb', base)).data;
    await this.post('/kb-business-info/add-update', { KBID, businessInfo: { ...profile, KBBusinessInfoID: 0 } });
    await this.post('/kb-catalog/add-update', { KBID, products, services });
    await this.post('/kb-faq/add-update-faq', { KBID, faqs: faqs.map((faq) => ({ KBFAQID: 0, ...faq })) });
    for (const { fileName, text } of documents) await this.upload(KBID, fileName, text);
    await this.settled(KBKeyID);
    const fields = { AgentName: 'Asha', AdminID: null, AgentKeyID: null, KBID };
    const agent = { ...writtenAgent(), ...fields, AgentDescription: `You answer for ${name}.` };
    return SavedAgent.parse(await this.post('/agent/add-update-agent', agent)).data.AgentKeyID;
  }

  /** The answer to the last question, in a conversation of its own. */
  async answer(
    AgentKeyID: string,
    { before = [], question }: Pick<Asked, 'before' | 'question'>,
  ): Promise<z.output<typeof Answer>> {
    let sessionUUID: string | undefined;
    for (const earlier of before) sessionUUID = (await this.ask({ AgentKeyID, question: earlier, sessionUUID })).sessionUUID;
    return this.ask({ AgentKeyID, question, sessionUUID });
  }

  /** The answers to questions asked one after another in one conversation. */
  async converse(AgentKeyID: string, questions: readonly string[]): Promise<string[]> {
    const said: z.output<typeof Answer>[] = [];
    for (const question of questions) said.push(await this.ask({ AgentKeyID, question, sessionUUID: said.at(-1)?.sessionUUID }));
    return said.map(({ answer }) => answer);
  }

  private async ask(body: object): Promise<z.output<typeof Answer>> {
    return Answer.parse(await this.send('/api/v1/external/chat', { connectionType: 'ttt', ...body }));
  }

  private post(path: string, body: object): Promise<unknown> {
    return this.send(`/api/v1/external${path}`, body);
  }

  private async send(path: string, body: object | FormData): Promise<unknown> {
    const { baseUrl, workspaceKey } = this.platform.demo;
    const isForm = body instanceof FormData;
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'x-api-key': workspaceKey, ...(!isForm && { 'content-type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  }

  private async upload(KBID: number, fileName: string, text: string): Promise<void> {
    const form = new FormData();
    form.set('KBID', String(KBID));
    form.set('KBDocumentKeyID', '');
    form.set('document', new File([text], fileName));
    await this.send('/api/v1/external/kb-doc/add-update', form);
  }

  private async settled(KBKeyID: string): Promise<void> {
    const { baseUrl, workspaceKey } = this.platform.demo;
    for (;;) {
      const response = await fetch(`${baseUrl}/api/v1/external/kb/get-kb?KBKeyID=${KBKeyID}`, {
        headers: { 'x-api-key': workspaceKey },
      });
      if (Status.parse(await response.json()).data.status === 'READY') return;
      await delay(lookAgainMs);
    }
  }
}

function cpuMsOf(pid: number): number {
  return familyOf(pid).reduce((sum, each) => sum + cpuMicrosecondsOf(each), 0) / 1000;
}
