import {
  createKey, createOrganization, listAgents, listBusinessProfiles, listKnowledgeBases, saveAgent, saveBusinessProfile, saveFaqs,
  saveKnowledgeBase, type KeyKind, type Principal,
} from '@parley/contracts';
import type { ServiceBus } from '@parley/messaging';
import type { Home } from '../home';
import type { Platform } from '../platform';
import { demoAgent, demoFaqs, demoKnowledgeBase, demoOrganization, demoProfile } from './demo-bazaar';
import { readSeeded, writeDemo, type Demo, type Seeded } from './demo-file';
import { openDemoWidget } from './demo-widget';

/**
 * The demo organization of this home: what the last start left, or made anew through the same messages that clients cause.
 * A start that was killed half way leaves no demo.json, and the next one takes up what is there.
 */
export async function demoOf(platform: Platform, home: Home, publicUrl?: string): Promise<Demo> {
  const seeded = readSeeded(home) ?? (await seed(platform.bus));
  const widget = await openDemoWidget(platform.bus, seeded, [...platform.baseUrls, ...(publicUrl ? [publicUrl] : [])]);
  const demo = { ...seeded, widget, baseUrl: platform.baseUrls[0] };
  writeDemo(home, demo);
  return demo;
}

async function seed(bus: ServiceBus): Promise<Seeded> {
  const organization = await bus.ask(createOrganization, demoOrganization);
  const principal: Principal = {
    kind: 'wsk',
    keyId: 'start',
    orgId: organization.OrgID,
    memberId: organization.memberAdminID,
    userId: organization.userID,
    roleTypeId: 1,
  };
  const knowledgeBase = await seedKnowledgeBase(bus, principal);
  const agent = await seedAgent(bus, principal, knowledgeBase.KBID);
  const newKey = async (kind: KeyKind, name: string): Promise<string> => {
    const AgentKeyID = kind === 'agt' ? agent.AgentKeyID : null;
    return (await bus.ask(createKey, { name, kind, AgentKeyID }, { principal })).key;
  };
  return {
    workspaceKey: await newKey('wsk', 'Demo workspace'),
    agentKey: await newKey('agt', 'Demo agent'),
    speechKey: await newKey('ext', 'Demo speech'),
    OrgID: organization.OrgID,
    AgentID: agent.AgentID,
    AgentKeyID: agent.AgentKeyID,
    KBID: knowledgeBase.KBID,
    KBKeyID: knowledgeBase.KBKeyID,
  };
}

async function seedKnowledgeBase(bus: ServiceBus, principal: Principal): Promise<{ KBID: number; KBKeyID: string }> {
  const { rows } = await bus.ask(listKnowledgeBases, { searchName: demoKnowledgeBase.KnowledgeBaseName }, { principal });
  const knowledgeBase = rows[0] ?? (await bus.ask(saveKnowledgeBase, demoKnowledgeBase, { principal }));
  if (!rows[0]?.faqCount) {
    const faqs = demoFaqs.map((faq) => ({ KBFAQID: 0, ...faq }));
    await bus.ask(saveFaqs, { KBID: knowledgeBase.KBID, faqs }, { principal });
  }
  await seedProfile(bus, principal, knowledgeBase.KBID);
  return knowledgeBase;
}

/** Its hours, so that "are you open now?" is answered by the clock and not by what sounds alike. */
async function seedProfile(bus: ServiceBus, principal: Principal, KBID: number): Promise<void> {
  const { rows } = await bus.ask(listBusinessProfiles, { KBID }, { principal });
  if (rows.length === 0) await bus.ask(saveBusinessProfile, { KBID, businessInfo: demoProfile }, { principal });
}

async function seedAgent(bus: ServiceBus, principal: Principal, KBID: number): Promise<{ AgentID: number; AgentKeyID: string }> {
  const { rows } = await bus.ask(listAgents, { searchName: demoAgent.AgentName }, { principal });
  return rows[0] ?? (await bus.ask(saveAgent, { ...demoAgent, KBID }, { principal }));
}
