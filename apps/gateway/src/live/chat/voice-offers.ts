import { Inject, Injectable } from '@nestjs/common';
import { Fault, openSession, type VoiceSessionOffer } from '@parley/contracts';
import { type Call, runInCall, ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import { EntryTokens } from '../../door/tokens/entry-tokens';
import { socketAddress } from '../../door/tokens/socket-address';
import type { ChatRequest } from './chat-request';

/** Answers the `sts` mode: a session, and the one way into it. Nothing is charged before somebody speaks there. */
@Injectable()
export class VoiceOffers {
  constructor(
    private readonly bus: ServiceBus,
    @Inject(EntryTokens) private readonly tokens: EntryTokens,
    @Inject(socketAddress) private readonly address: string,
  ) {}

  async offer(chat: ChatRequest, call: Call): Promise<z.input<typeof VoiceSessionOffer>> {
    const { principal } = call;
    if (!principal) throw new Fault('API_KEY_MISSING');
    const { AgentKeyID, sessionUUID: known, language, variables } = chat;
    const asked = { AgentKeyID, sessionUUID: known, language, variables, channel: 'VOICE' as const };
    const { sessionUUID, AgentKeyID: agent } = await runInCall(call, () => this.bus.ask(openSession, asked));
    const bound = { sessionUUID, AgentKeyID: agent, ...(variables && { variables }) };
    const { token, expiresAt } = await this.tokens.issue({ kind: 'session', principal, ...bound });
    return { sessionUUID, wsUrl: `${this.address}/ws/sts?token=${token}`, token, expiresAt };
  }
}
