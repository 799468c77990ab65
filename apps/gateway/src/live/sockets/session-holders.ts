import { randomUUID } from 'node:crypto';
import { Controller, Injectable } from '@nestjs/common';
import { sessionTaken, socketCloseCodes } from '@parley/contracts';
import { Broadcasts, Hears } from '@parley/messaging';
import type { ClientSide } from './exchange';

interface Holder {
  readonly connection: string;
  readonly client: Pick<ClientSide, 'tell' | 'close'>;
}

/** Which connection of this gateway holds which session. The newest wins, over all gateways; an older one is told and closed. */
@Injectable()
export class SessionHolders {
  private readonly holders = new Map<string, Holder>();

  constructor(private readonly broadcasts: Broadcasts) {}

  /** Takes a session for a connection; the answered function gives it back when the connection is gone. */
  take(orgId: number, sessionUUID: string, client: Holder['client']): () => void {
    const name = `${orgId} ${sessionUUID}`;
    const holder = { connection: randomUUID(), client };
    this.replace(name, holder.connection);
    this.holders.set(name, holder);
    this.broadcasts.announce(sessionTaken, { orgId, payload: { sessionUUID, connection: holder.connection } });
    return () => {
      if (this.holders.get(name) === holder) this.holders.delete(name);
    };
  }

  /** Closes the connection that holds a session, unless it is the one that has it now. */
  replace(name: string, connection: string): void {
    const older = this.holders.get(name);
    if (!older || older.connection === connection) return;
    this.holders.delete(name);
    older.client.tell({ type: 'session.ended', reason: 'REPLACED' });
    older.client.close({ code: socketCloseCodes.replaced, reason: 'another connection has taken over this session' });
  }
}

/** Hears which sessions other gateways' connections have begun. */
@Controller()
export class SessionNewsController {
  constructor(private readonly holders: SessionHolders) {}

  @Hears(sessionTaken)
  hear({ sessionUUID, connection }: { sessionUUID: string; connection: string }, { orgId }: { orgId: number | null }): void {
    this.holders.replace(`${orgId} ${sessionUUID}`, connection);
  }
}
