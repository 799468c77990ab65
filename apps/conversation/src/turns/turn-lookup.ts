import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Fault, type readTurn } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { visibleSession } from '../sessions/session-lookup';
import { Turn } from './turn.entity';

const patienceMs = 10_000;
const pauseMsFirst = 25;
/** When a thousand clients leave at once, their turns must not be kept from ending by who asks whether they have ended. */
const pauseMsMax = 1000;

/** Turns that were already asked: how they ended, and what of them was heard. */
@Injectable()
export class TurnLookup {
  constructor(private readonly tenants: TenantScope) {}

  async read(choice: BodyOf<typeof readTurn>, call: Call): Promise<ReplyOf<typeof readTurn>> {
    const { turnUuid, status, answer, promptTokens, completionTokens, audioSeconds } = await this.settled(choice, call);
    const tokenUsage = { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
    return { turnUUID: turnUuid, status, answer, tokenUsage, audioSeconds };
  }

  /** The turn once it has ended: it may still be on its way into the record when somebody asks for it. */
  async settled({ sessionUUID, turnUUID }: { sessionUUID: string; turnUUID: string }, call: Call): Promise<Turn> {
    const giveUpAtMs = Date.now() + patienceMs;
    for (let pauseMs = pauseMsFirst; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
      const turn = await this.tenants.read(organizationOf(call), async (manager) => {
        const { id: sessionId } = await visibleSession(manager, sessionUUID, call);
        return manager.findOneBy(Turn, { sessionId, turnUuid: turnUUID });
      });
      if (!turn) throw new Fault('NOT_FOUND', { message: 'There is no such turn.' });
      if (turn.status !== 'RUNNING' || Date.now() > giveUpAtMs) return turn;
      await delay(pauseMs, undefined, { signal: call.signal });
    }
  }
}
