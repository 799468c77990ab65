import { randomUUID } from 'node:crypto';
import { Controller, Inject, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  acceptInvite,
  AgentRuntime,
  bindImei,
  deviceHash,
  examplesOf,
  Fault,
  LatencyParts,
  openSession,
  type Principal,
  readAgentRuntime,
  readMemberPrincipal,
  type ServiceName,
  streamTurn,
  type TurnItem,
} from '@parley/contracts';
import { BusServer, type Call, Handles, MessagingModule, type Transport } from '@parley/messaging';
import type { z } from 'zod';
import { callerOf } from '../endpoint/gateway-call';

type Opening = z.output<typeof openSession.request>;
type Member = Omit<Principal, 'kind' | 'keyId'>;

/** The members and agents that the simulated services know. */
export class ScriptedServices {
  readonly members = new Map<string, Member>();
  readonly agents = new Map<string, { orgId: number; agentId: number }>();
  /** The member that each invitation token creates. */
  readonly invitations = new Map<string, { orgId: number; memberId: string }>();
  asked = 0;
  /** Whether members' rights can be read. */
  knowsMembers = true;
  /** Answers a question; resolves with the tokens it takes. */
  answer: (question: string) => Promise<number> = async () => 10;
}

@Controller()
class TeamSales {
  constructor(@Inject(ScriptedServices) private readonly scripted: ScriptedServices) {}

  @Handles(readMemberPrincipal)
  read({ orgId, memberId }: { orgId: number; memberId: string }): Member {
    this.scripted.asked += 1;
    if (!this.scripted.knowsMembers) throw new Fault('INTERNAL');
    const member = this.scripted.members.get(memberId);
    if (member?.orgId !== orgId) throw new Fault('NOT_FOUND');
    return member;
  }

  /** As in team-sales: the first device is kept, and no two members of an organization have the same device. */
  @Handles(bindImei)
  bind({ IMEI }: { IMEI: string }, call: Call): z.input<typeof bindImei.reply> {
    const { memberId = '', orgId } = callerOf(call);
    const { awaitsDevice: _unbound, ...member } = this.scripted.members.get(memberId) ?? { orgId, memberId };
    const device = deviceHash(IMEI);
    if (member.device !== undefined && member.device !== device) throw new Fault('DEVICE_LOCKED');
    for (const other of this.scripted.members.values())
      if (other.orgId === orgId && other.memberId !== memberId && other.device === device) throw new Fault('CONFLICT');
    this.scripted.members.set(memberId, { ...member, device });
    return { memberAdminID: memberId, userID: 1, IMEI, isBound: true, boundOn: new Date().toISOString() };
  }

  @Handles(acceptInvite)
  accept({ token = '' }: { token?: string | undefined }): z.input<typeof acceptInvite.reply> {
    const invited = this.scripted.invitations.get(token);
    if (!invited) throw new Fault('NOT_FOUND');
    this.scripted.invitations.delete(token);
    const ids = { TeamInviteKeyID: randomUUID(), TeamInviteID: 1, OrgKeyID: randomUUID(), userID: 1 };
    return { ...ids, memberAdminID: invited.memberId, OrgID: invited.orgId };
  }
}

@Controller()
class AgentConfig {
  constructor(@Inject(ScriptedServices) private readonly scripted: ScriptedServices) {}

  @Handles(readAgentRuntime)
  read(
    wanted: { AgentKeyID?: string | undefined; AgentID?: number | undefined },
    { principal }: Call,
  ): z.input<typeof AgentRuntime> {
    const found = [...this.scripted.agents].find(([key, { agentId }]) => key === wanted.AgentKeyID || agentId === wanted.AgentID);
    if (!found || found[1].orgId !== principal?.orgId) throw new Fault('NOT_FOUND');
    const [AgentKeyID, agent] = found;
    return { ...AgentRuntime.parse(examplesOf(AgentRuntime)[0]), AgentID: agent.agentId, AgentKeyID };
  }
}

@Controller()
class Conversation {
  constructor(@Inject(ScriptedServices) private readonly scripted: ScriptedServices) {}

  @Handles(streamTurn)
  async *stream({ question = '' }: { question?: string | undefined }): AsyncGenerator<TurnItem> {
    const ids = { sessionUUID: randomUUID(), turnUUID: randomUUID() };
    yield { type: 'session', ...ids };
    const totalTokens = await this.scripted.answer(question);
    const tokenUsage = { promptTokens: 0, completionTokens: totalTokens, totalTokens };
    const known = { answer: 'Yes.', detectedLanguage: 'english', isFromFaq: false, wantsToEnd: false, audioSeconds: 0 };
    yield { type: 'done', ...ids, ...known, tokenUsage, latency: LatencyParts.parse(examplesOf(LatencyParts)[0]) };
  }

  @Handles(openSession)
  open({ AgentKeyID, sessionUUID }: Opening, { principal }: Call): z.input<typeof openSession.reply> {
    const agents = [...this.scripted.agents].filter(([, { orgId }]) => orgId === principal?.orgId);
    const [agent] = agents.filter(([keyId, { agentId }]) => keyId === AgentKeyID || agentId === principal?.agentId);
    if (!agent) throw new Fault('NOT_FOUND');
    return { sessionUUID: sessionUUID ?? randomUUID(), AgentID: agent[1].agentId, AgentKeyID: agent[0], isNew: !sessionUUID };
  }
}

/**
 * Starts the services that the gateway asks about members and agents, except those that a test simulates; returns a function that
 * stops them.
 */
export async function startScriptedServices(
  scripted: ScriptedServices,
  connect: () => Promise<Transport>,
  absent: readonly ServiceName[] = [],
): Promise<() => Promise<void>> {
  const all = [
    ['team-sales', TeamSales],
    ['agent-config', AgentConfig],
    ['conversation', Conversation],
  ] as const;
  const played = all.filter(([service]) => !absent.includes(service));
  const stops = await Promise.all(
    played.map(async ([service, controller]) => startOne(service, controller, scripted, await connect())),
  );
  return async () => {
    for (const stop of stops) await stop();
  };
}

async function startOne(
  service: ServiceName,
  controller: Type,
  scripted: ScriptedServices,
  transport: Transport,
): Promise<() => Promise<void>> {
  @Module({
    imports: [MessagingModule.forTransport(transport, { service })],
    controllers: [controller],
    providers: [{ provide: ScriptedServices, useValue: scripted }],
  })
  class Neighbour {}
  const app = await NestFactory.createMicroservice(Neighbour, { strategy: new BusServer(transport, { service }), logger: false });
  await app.listen();
  return async () => {
    await app.close();
    await transport.close();
  };
}
