import { randomUUID } from 'node:crypto';
import { Controller, Inject } from '@nestjs/common';
import { endSession, Fault, getHistory, openSession, readTurn, streamTurn, type TurnItem } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { z } from 'zod';
import { latency, usage } from './scripted-speech';
import { ScriptedServices } from './scripted-services';

type Opening = z.output<typeof openSession.request>;
type Asked = z.output<typeof streamTurn.request>;

/** The scripted behaviour of the conversation service. */
export class ConversationScript {
  readonly sessions = new Map<string, { orgId: number; agentId: number; channel: Opening['channel'] }>();
  readonly asked: (Asked & { keyId: string | undefined })[] = [];
  readonly ended: string[] = [];
  answer: (asked: Asked, call: Call) => AsyncGenerator<string> = async function* ({ question }) {
    yield `You asked `;
    yield String(question);
  };
}

/** Sessions and turns without a model. */
@Controller()
export class ScriptedConversation {
  constructor(
    @Inject(ConversationScript) private readonly script: ConversationScript,
    @Inject(ScriptedServices) private readonly scripted: ScriptedServices,
  ) {}

  @Handles(openSession)
  open({ sessionUUID, AgentKeyID, channel, ofChannel }: Opening, { principal }: Call): z.input<typeof openSession.reply> {
    const orgId = principal?.orgId ?? 0;
    const found = [...this.scripted.agents].find(
      ([key, agent]) => agent.orgId === orgId && (principal?.agentId ? agent.agentId === principal.agentId : key === AgentKeyID),
    );
    if (!found) throw new Fault('NOT_FOUND');
    const [agentKeyId, { agentId }] = found;
    const known = sessionUUID && this.script.sessions.get(sessionUUID);
    if (sessionUUID && (!known || known.agentId !== agentId || (ofChannel && known.channel !== ofChannel)))
      throw new Fault('NOT_FOUND');
    const id = sessionUUID ?? randomUUID();
    this.script.sessions.set(id, { orgId, agentId, channel: known ? known.channel : channel });
    return { sessionUUID: id, AgentID: agentId, AgentKeyID: agentKeyId, isNew: !known };
  }

  @Handles(getHistory)
  history({ sessionUUID }: z.output<typeof getHistory.request>, { principal }: Call): z.input<typeof getHistory.reply> {
    const known = this.script.sessions.get(sessionUUID);
    if (!known || known.agentId !== principal?.agentId) throw new Fault('NOT_FOUND');
    return { sessionUUID, AgentID: known.agentId, createdAt: new Date().toISOString(), chatHistory: [] };
  }

  @Handles(streamTurn)
  async *stream(asked: Asked, call: Call): AsyncGenerator<TurnItem> {
    this.script.asked.push({ ...asked, keyId: call.principal?.keyId });
    const ids = { sessionUUID: asked.sessionUUID ?? randomUUID(), turnUUID: randomUUID() };
    yield { type: 'session', ...ids };
    let answer = '';
    for await (const text of this.script.answer(asked, call)) {
      answer += text;
      yield { type: 'delta', text };
    }
    const about = { detectedLanguage: 'english', isFromFaq: false, wantsToEnd: false, audioSeconds: 0 } as const;
    yield { type: 'done', ...ids, ...about, answer, tokenUsage: usage, latency };
  }

  @Handles(readTurn)
  read({ turnUUID }: { turnUUID: string }): z.input<typeof readTurn.reply> {
    const tokenUsage = { promptTokens: 8, completionTokens: 1, totalTokens: 9 };
    return { turnUUID, status: 'INTERRUPTED', answer: 'You ', tokenUsage, audioSeconds: 0 };
  }

  @Handles(endSession)
  end({ sessionUUID }: { sessionUUID: string }): z.input<typeof endSession.reply> {
    this.script.ended.push(sessionUUID);
    return { sessionUUID };
  }
}
