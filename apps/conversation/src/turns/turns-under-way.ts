import { Injectable } from '@nestjs/common';

interface UnderWay {
  readonly turnUuid: string;
  readonly over: PromiseWithResolvers<void>;
}

/** The turns that this process answers just now, one in a session. Whoever waits for the end of one here need not look for it. */
@Injectable()
export class TurnsUnderWay {
  private readonly bySession = new Map<string, UnderWay>();

  begin({ sessionUuid, turnUuid }: { readonly sessionUuid: string; readonly turnUuid: string }): void {
    this.bySession.set(sessionUuid, { turnUuid, over: Promise.withResolvers() });
  }

  /** The turn is in the record, or never will be. */
  end({ sessionUuid, turnUuid }: { readonly sessionUuid: string; readonly turnUuid: string }): void {
    const found = this.bySession.get(sessionUuid);
    if (found?.turnUuid !== turnUuid) return;
    this.bySession.delete(sessionUuid);
    found.over.resolve();
  }

  /** Settles when the session's turn has ended here, whichever it is; undefined where this process answers none in it. */
  freed(sessionUuid: string): Promise<void> | undefined {
    return this.bySession.get(sessionUuid)?.over.promise;
  }

  /** The same for one turn. */
  ended(sessionUuid: string, turnUuid: string): Promise<void> | undefined {
    return this.bySession.get(sessionUuid)?.turnUuid === turnUuid ? this.freed(sessionUuid) : undefined;
  }
}
