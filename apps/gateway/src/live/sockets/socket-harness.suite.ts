import type { Provider } from '@nestjs/common';
import {
  createSessionToken,
  createWidgetToken,
  creditKinds,
  type CreditKind,
  getCreditBalance,
  listCreditUsage,
  saveWidget,
} from '@parley/contracts';
import { NatsTransport } from '@parley/messaging';
import { TestNats } from '@parley/testing';
import { Harness, oneProcess, type TestOrganization } from '../../testing/harness';
import { ScriptedServices } from '../../testing/scripted-services';
import { ConversationScript, ScriptedConversation } from '../../testing/scripted-conversation';
import { ScriptedSpeech, SpeechScript } from '../../testing/scripted-speech';
import { SocketClient } from '../../testing/socket-client';

export const shop = 'https://shop.example';

/** A gateway in front of simulated versions of the services that sockets need. */
export class SocketHarness {
  readonly speech = new SpeechScript();
  readonly conversation = new ConversationScript();
  url = '';

  private constructor(readonly harness: Harness) {}

  static async open(environment: Record<string, string> = {}, nats?: TestNats): Promise<SocketHarness> {
    const connect = () => NatsTransport.connect({ servers: nats?.url ?? '', name: 'spec' });
    const place = nats ? { connect, stop: () => nats.stop() } : oneProcess();
    const harness = await Harness.open(place, ['conversation']);
    const made = new SocketHarness(harness);
    await made.startSpeech('one');
    const script = { provide: ConversationScript, useValue: made.conversation };
    await harness.play('conversation', ScriptedConversation, [script, { provide: ScriptedServices, useValue: harness.scripted }]);
    ({ url: made.url } = await harness.startGateway(environment));
    return made;
  }

  /** Starts another replica of the speech service. */
  startSpeech(replica: string) {
    const providers: Provider[] = [
      { provide: SpeechScript, useValue: this.speech },
      { provide: 'REPLICA', useValue: replica },
    ];
    return this.harness.play('speech', ScriptedSpeech, providers);
  }

  /** A client with a new agent key of the organization. */
  async caller(mine: TestOrganization, path = '/ws/sts'): Promise<SocketClient> {
    if (path === '/ws/transcribe') return SocketClient.open(`${this.url}${path}?token=${await this.sessionToken(mine)}`);
    const { key } = await this.harness.key(mine, 'agt');
    return SocketClient.open(this.url + path, { headers: { 'x-api-key': key } });
  }

  async sessionToken(mine: TestOrganization, body: object = {}): Promise<string> {
    const { IntegrationKeyID } = await this.harness.key(mine, 'agt');
    const principal = { kind: 'agt', keyId: IntegrationKeyID, orgId: mine.orgId, agentId: mine.agent.AgentID } as const;
    return (await this.harness.bus.ask(createSessionToken, body, { principal })).token;
  }

  widget({ owner, agent }: TestOrganization, rules: { variables?: string[]; dailyCredits?: number } = {}) {
    const widget = { name: 'Shop front', AgentKeyID: agent.AgentKeyID, allowedOrigins: [shop], ...rules };
    return this.harness.bus.ask(saveWidget, widget, { principal: owner });
  }

  async widgetToken(mine: TestOrganization, WidgetKeyID: string, variables?: Record<string, unknown>): Promise<string> {
    const principal = { kind: 'agt', keyId: 'spec', orgId: mine.orgId, agentId: mine.agent.AgentID } as const;
    return (await this.harness.bus.ask(createWidgetToken, { WidgetKeyID, ...(variables && { variables }) }, { principal })).token;
  }

  /** What the organization was charged according to the ledger, by kind. */
  async charged({ owner }: TestOrganization): Promise<Partial<Record<CreditKind, number>>> {
    const { rows } = await this.harness.bus.ask(listCreditUsage, { pageSize: 200 }, { principal: owner });
    const sums: Partial<Record<CreditKind, number>> = {};
    for (const { entry, kind, units } of rows) if (entry === 'CHARGE') sums[kind] = (sums[kind] ?? 0) - units;
    return sums;
  }

  async account({ owner }: TestOrganization, kind: CreditKind) {
    const { balances } = await this.harness.bus.ask(getCreditBalance, {}, { principal: owner });
    const account = balances.find((each) => each.kind === kind);
    if (!account) throw new Error(`no account of ${kind}`);
    return account;
  }

  /** How many of the organization's credits are held, over all kinds. */
  async held(mine: TestOrganization): Promise<number> {
    const accounts = await Promise.all(creditKinds.map((kind) => this.account(mine, kind)));
    return accounts.reduce((sum, { held }) => sum + held, 0);
  }

  /** A visitor of a page that embeds a widget of the organization. */
  async visitor(mine: TestOrganization, rules: Parameters<SocketHarness['widget']>[1] = {}): Promise<SocketClient> {
    const { publicId } = await this.widget(mine, rules);
    return this.visitorOf(publicId);
  }

  /** Another address reaches a gateway that trusts this machine as a proxy. */
  visitorOf(publicId: string, address?: string): Promise<SocketClient> {
    const headers: Record<string, string> = address === undefined ? {} : { 'x-forwarded-for': address };
    return SocketClient.open(`${this.url}/ws/widgetchat?widget=${publicId}`, { origin: shop, headers });
  }
}
