import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Lifetime, Logger, RegularLook } from '@parley/service-kit';
import { Slots } from '../live/slots';
import { CampaignTelephone } from './campaign-telephone';
import { claimOf } from './claim-queries';
import { CampaignEngine } from './plan/engine';
import type { CallNews } from './plan/ports';
import { lastWordsMs } from './after-attempt';
import { PostgresCampaignStore } from './postgres-campaign-store';

const lookEveryMs = 500;
const minuteMs = 60_000;
/** While no campaign runs, two small questions so often; whoever starts one is heard at once. */
const idleLookEveryMs = 5_000;

/** Has the engine of campaigns look round in this replica, as in every other. */
@Injectable()
export class CampaignLoop implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly engine: CampaignEngine;
  private readonly looks: RegularLook;

  constructor(
    private readonly store: PostgresCampaignStore,
    private readonly tenants: TenantScope,
    telephone: CampaignTelephone,
    slots: Slots,
    lifetime: Lifetime,
    private readonly log: Logger,
  ) {
    const onTrouble = (doing: string, error: unknown): void => {
      this.log.warn('A campaign could not go on; it is tried again', { doing, error });
    };
    this.engine = new CampaignEngine({ store, telephone, owner: slots.owner, onTrouble });
    this.looks = new RegularLook(lifetime, {
      everyMs: lookEveryMs,
      look: () => this.look(),
      onTrouble: (error) => this.log.warn('Campaigns could not be looked at; it is tried again', { error }),
    });
  }

  onApplicationBootstrap(): void {
    this.looks.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.looks.stop();
    await this.engine.placed();
  }

  /** Takes in what became of a call. */
  hear(news: CallNews): Promise<boolean> {
    return this.engine.hear(news);
  }

  /** Has the contact of an open attempt called again in so many minutes; false where the attempt is over. */
  async book(reference: string, minutes: number): Promise<boolean> {
    return this.store.book(reference, (await this.store.now()) + minutes * minuteMs);
  }

  /** The carrier rang nobody, since it does not let us call from that number: the same attempt goes on from another one. */
  async callerRefused(reference: string, from: string): Promise<void> {
    const claim = await this.tenants.acrossTenants('a call of any organization’s campaign was refused', (manager) =>
      claimOf(manager, reference),
    );
    if (!claim) return;
    await this.store.refuseCaller(claim.campaignId, from);
    await this.store.release(claim, await this.store.now());
  }

  /** The call is over, and whoever held it may still say what it cost. */
  async expectLastWords(reference: string): Promise<void> {
    await this.store.askSoon(reference, (await this.store.now()) + lastWordsMs);
  }

  /** Looks soon, because something was started, or came free. */
  wake(): void {
    this.looks.wake();
  }

  private async look(): Promise<number> {
    const isIdle = (await this.engine.step()) === 0 && (await this.store.isIdle());
    return isIdle ? idleLookEveryMs : lookEveryMs;
  }
}
