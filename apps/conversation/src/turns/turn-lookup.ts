import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Fault, type readTurn } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { visibleSession } from '../sessions/session-lookup';
import { Turn } from './turn.entity';
import { TurnsUnderWay } from './turns-under-way';

const patienceMs = 10_000;
const pauseMsFirst = 25;
/** When a thousand clients leave at once, their turns must not be kept from ending by who asks another replica whether they have. */
const pauseMsMax = 1000;

/** Turns that were already asked: how they ended, and what of them was heard. */
@Injectable()
export class TurnLookup {
  constructor(
    private readonly tenants: TenantScope,
    private readonly underWay: TurnsUnderWay,
  ) {}

  async read(choice: BodyOf<typeof readTurn>, call: Call): Promise<ReplyOf<typeof readTurn>> {
    const { turnUuid, status, answer, promptTokens, completionTokens, audioSeconds } = await this.settled(choice, call);
    const tokenUsage = { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
    return { turnUUID: turnUuid, status, answer, tokenUsage, audioSeconds };
  }

  /** The turn once it has ended: it may still be on its way into the record when somebody asks for it. */
  async settled({ sessionUUID, turnUUID }: { sessionUUID: string; turnUUID: string }, call: Call): Promise<Turn> {
    const giveUpAtMs = Date.now() + patienceMs;
    const ended = this.underWay.ended(sessionUUID, turnUUID);
    if (ended) await inPatience(ended);
    for (let pauseMs = pauseMsFirst; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
      const turn = await this.tenants.read(organizationOf(call), async (manager) => {
        const { id: sessionId } = await visibleSession(manager, sessionUUID, call);
        return manager.findOneBy(Turn, { sessionId, turnUuid: turnUUID });
      });
      if (!turn) throw new Fault('NOT_FOUND', { message: 'There is no such turn.' });
      if (turn.status !== 'RUNNING' || Date.now() > giveUpAtMs) return turn;
      // Who leaves meanwhile ends the wait by the reason of the call: that is no failure of this service.
      await delay(pauseMs, undefined, { signal: call.signal }).catch(() => call.signal.throwIfAborted());
    }
  }
}

/** Waits for a turn of this process, which tells when it has ended: it is not looked for meanwhile. */
async function inPatience(ended: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => late.resolve(), patienceMs);
  await Promise.race([ended, late.promise]).finally(() => clearTimeout(timer));
}
