import { randomInt, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { newAgent } from '../demo/demo-file';
import type { Credential } from './drawn-request';

const Key = z.object({ data: z.object({ key: z.string(), IntegrationKeyID: z.string() }) });
const Base = z.object({ data: z.object({ KBID: z.int(), KBKeyID: z.string() }) });
const Keys = z.object({ data: z.array(z.object({ IntegrationKeyID: z.string() })) });
const Agent = z.object({ data: z.object({ AgentKeyID: z.string() }) });
const Members = z.object({ data: z.array(z.object({ email: z.string(), memberAdminID: z.string().nullable() })) });
const Mails = z.object({ data: z.array(z.object({ text: z.string() })) });
const Campaigns = z.object({ data: z.array(z.object({ CampaignKeyID: z.string() })) });
const Account = z.object({ data: z.object({ CarrierAccountKeyID: z.string() }) });
const AgentNumber = z.object({ data: z.object({ AgentID: z.int() }) });
const Access = z.object({ data: z.object({ memberAdminID: z.string() }) });
const Representatives = z.object({ data: z.array(z.object({ SalesUserKeyID: z.string(), SalesUserID: z.int() })) });
const Widget = z.object({ data: z.object({ WidgetKeyID: z.string() }) });
/** An invitation stays for this many batches, so that some request gets to use its token. */
const invitationEvery = 10;
const external = '/api/v1/external';

/** Where the requests go, and an Owner's key with which their surroundings are made. */
export interface FuzzTarget {
  readonly baseUrl: string;
  readonly workspaceKey: string;
}

/** Keys of every kind. Generated requests may revoke them, remove their member or delete their agent; then they are replaced. */
export class FuzzKeys {
  private readonly keys = new Map<Credential, string>();
  private readonly props: Record<string, unknown> = {};
  private batches = 0;

  private constructor(
    private readonly target: FuzzTarget,
    private readonly KBID: number,
    /** The ids of what must remain: the member, the knowledge of new agents, and the keys that no generated request uses. */
    readonly anchors: readonly unknown[],
  ) {}

  static async gather(target: FuzzTarget): Promise<FuzzKeys> {
    const { data } = Access.parse(await ask(target, 'GET', '/team-management/my-access'));
    const keys = Keys.parse(await ask(target, 'GET', '/integrations/keys'));
    const base = { KBKeyID: null, KnowledgeBaseName: 'Fuzzed', IndustryID: 1, AgentTypeID: 1, ConversationalModeIDs: '1,2' };
    const { KBID, KBKeyID } = Base.parse(await ask(target, 'POST', '/kb/add-update-kb', base)).data;
    const ids = keys.data.map(({ IntegrationKeyID }) => IntegrationKeyID);
    return new FuzzKeys(target, KBID, [data.memberAdminID, KBID, KBKeyID, ...ids]);
  }

  keyOf(credential: Credential): string | undefined {
    return this.keys.get(credential);
  }

  /** Replaces keys that are no longer accepted. Returns the ids of the current ones. */
  async refill(): Promise<Readonly<Record<string, unknown>>> {
    if (!(await this.opens('owner', 'GET', '/team-management/my-access'))) await this.createKey('owner', { kind: 'wsk' });
    await this.refillMember('viewer', { roleTypeID: 4, userType: 'Web' });
    await this.refillMember('mobile', {
      roleTypeID: 3,
      userType: 'Mobile App',
      permissions: { mobileSales: ['CanView', 'CanAdd', 'CanUpdate'] },
    });
    if (!(await this.opens('agent', 'POST', '/session-token'))) await this.refillAgent();
    await this.refillCampaign();
    await this.refillInvitation();
    if (!this.keys.has('revoked')) await this.createOtherKeys();
    return this.props;
  }

  private async createOtherKeys(): Promise<void> {
    const { IntegrationKeyID } = await this.createKey('revoked', { kind: 'wsk' });
    await this.ask('DELETE', `/integrations/keys/${IntegrationKeyID}`);
    await this.createKey('speech', { kind: 'ext' });
    this.keys.set('mistyped', `${this.target.workspaceKey.slice(0, -1)}${this.target.workspaceKey.endsWith('a') ? 'b' : 'a'}`);
    this.keys.set('garbage', "' OR 1=1 --\xff");
  }

  /** Creates an agent with two versions and a widget. */
  private async refillAgent(): Promise<void> {
    const AgentKeyID = await this.newAgent();
    await this.createKey('agent', { kind: 'agt', AgentKeyID });
    await this.ask('POST', '/agent/add-update-agent', { AgentKeyID, AgentName: 'Fuzzed again' });
    const widget = { name: 'Fuzzed', AgentKeyID, allowedOrigins: ['https://fuzz.example'] };
    const { WidgetKeyID } = Widget.parse(await this.ask('POST', '/integrations/widgets', widget)).data;
    Object.assign(this.props, { AgentKeyID, WidgetKeyID });
  }

  /** Creates an open invitation. */
  private async refillInvitation(): Promise<void> {
    if ((this.batches += 1) % invitationEvery !== 1) return;
    this.props.token = await this.invited(`guest-${randomUUID()}@fuzz.example`, { roleTypeID: 4, userType: 'Web' });
  }

  private async opens(credential: Credential, method: string, place: string): Promise<boolean> {
    const key = this.keys.get(credential);
    if (key === undefined) return false;
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const reply = await fetch(`${this.target.baseUrl}${external}${place}`, {
      method,
      headers,
      ...(method === 'POST' && { body: '{}' }),
    });
    await reply.text();
    return reply.status < 400;
  }

  private async createKey(credential: Credential, wish: object): Promise<{ IntegrationKeyID: string }> {
    const { data } = Key.parse(await this.ask('POST', '/integrations/keys', { name: credential, ...wish }));
    this.keys.set(credential, data.key);
    return data;
  }

  private async refillMember(credential: Credential, rights: object): Promise<void> {
    if (await this.opens(credential, 'GET', '/team-management/my-access')) return;
    const member = await this.newMember(rights);
    await this.createKey(credential, { kind: 'wsk', memberAdminID: member.memberAdminID });
    if (credential !== 'mobile') return;
    const found = Representatives.parse(await this.ask('POST', '/SalesTeam/get-teamList', { searchName: member.email }));
    Object.assign(this.props, { ...member, ...found.data[0] });
  }

  private async newMember(rights: object): Promise<{ readonly memberAdminID: string; readonly email: string }> {
    const email = `member-${randomUUID()}@fuzz.example`;
    const token = await this.invited(email, rights);
    await this.ask('POST', '/team-management/invite/accept', { token });
    const { data } = Members.parse(await this.ask('POST', '/team-management/get-InvitedTeamList', { searchName: email }));
    return { memberAdminID: z.string().parse(data[0]?.memberAdminID), email };
  }

  /** Invites an address, and returns the token from the e-mail. */
  private async invited(email: string, rights: object): Promise<string> {
    const invite = { action: 'ADD', emails: [email], agentAccessScope: 'ALL', ...rights };
    await this.ask('POST', '/team-management/add-update-Invitation', invite);
    const mails = Mails.parse(await this.ask('POST', '/team-management/mail-outbox-list', { searchName: email }));
    return z.string().parse(/inv_[\w-]+/.exec(mails.data[0]?.text ?? '')?.[0]);
  }

  /** Keeps a campaign that can still be changed, with a number to call from, as campaign requests need one. */
  private async refillCampaign(): Promise<void> {
    const drafts = Campaigns.parse(await this.ask('POST', '/campaign/campaign-list', { status: 'DRAFT' }));
    if (drafts.data.length > 0) return;
    const account = {
      CarrierAccountKeyID: null,
      carrier: 'loopback',
      AccountName: 'Fuzzed',
      credentials: { secret: randomUUID() },
    };
    const { CarrierAccountKeyID } = Account.parse(await this.ask('POST', '/number/add-update-carrier-account', account)).data;
    const query = `AgentKeyID=${await this.newAgent()}`;
    const { AgentID } = AgentNumber.parse(await this.ask('GET', `/agent/get-agent?${query}`)).data;
    const number = `+9120${String(randomInt(10_000_000, 99_999_999))}`;
    await this.ask('POST', '/number/add-update-number', { NumberKeyID: null, CarrierAccountKeyID, number, AgentID });
    await this.ask('POST', '/campaign/add-update-campaign', { CampaignName: 'Fuzzed', AgentID, CallerNumber: number });
  }

  private async newAgent(): Promise<string> {
    const agent = { AgentKeyID: null, ...newAgent, TemplateID: 2, AgentName: 'Fuzzed', KBID: this.KBID };
    return Agent.parse(await this.ask('POST', '/agent/add-update-agent', agent)).data.AgentKeyID;
  }

  private ask(method: string, place: string, body?: object): Promise<unknown> {
    return ask(this.target, method, place, body);
  }
}

/** Sends a fixed request that must succeed whatever was generated. */
async function ask({ baseUrl, workspaceKey }: FuzzTarget, method: string, place: string, body?: object): Promise<unknown> {
  const headers = { 'x-api-key': workspaceKey, ...(body && { 'content-type': 'application/json' }) };
  const reply = await fetch(`${baseUrl}${external}${place}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${method} ${place}: ${reply.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}
