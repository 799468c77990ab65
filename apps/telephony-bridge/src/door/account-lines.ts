import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Carrier, Listening } from '@parley/ports';
import { Lifetime, Logger, type RegularLook, RegularLooks } from '@parley/service-kit';
import { AccountPorts, OpenPorts } from '../accounts/account-ports';
import { type OpenCarrier, OpenCarriers } from '../accounts/open-carriers';
import { CallSettings } from '../line/call-parts';
import { OneAtATime } from '../calls/call-book';
import { ArrivedCalls } from './arrived-calls';

const lookEveryMs = 2_000;
/** Calls continue when their account is changed, but not for ever. */
const changedMs = 300_000;
/** An opening that takes longer is tried again; its late result is closed. */
const openMs = 5_000;

interface Line {
  readonly carrier: Carrier;
  readonly accountId: number;
  /** 0: calls are only placed from here. */
  readonly port: number;
  readonly listening: Listening;
}

/**
 * Listens where accounts want their calls, and enables placing calls on those that listen elsewhere or not at all. Accounts are
 * handled independently: one whose server or network hangs delays no other line, nor the leases of their ports.
 */
@Injectable()
export class AccountLines implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly lines = new Map<string, Line>();
  private readonly leaving = new Set<Promise<void>>();
  private readonly seeing = new OneAtATime<string>();
  private readonly seenTo = new Set<string>();
  private readonly looks: RegularLook;
  private isDrained = false;

  constructor(
    private readonly ports: AccountPorts,
    private readonly open: OpenPorts,
    private readonly carriers: OpenCarriers,
    private readonly arrived: ArrivedCalls,
    private readonly settings: CallSettings,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
    looks: RegularLooks,
  ) {
    const trouble = 'The ports of accounts could not be looked at; it is tried again';
    this.looks = looks.of({ name: 'account ports', everyMs: lookEveryMs, look: () => this.refresh(), trouble });
  }

  async onApplicationBootstrap(): Promise<void> {
    this.lifetime.draining.addEventListener('abort', () => this.drain(), { once: true });
    await this.look();
  }

  async onModuleDestroy(): Promise<void> {
    this.drain();
    await this.looks.stop();
    await this.seeing.idle();
    await Promise.all(this.leaving);
  }

  /** Makes sure that calls can be placed on an account that brings its own media. */
  ensure(open: OpenCarrier): Promise<void> {
    const { account, carrier } = open;
    return this.seeing.take(account.keyId, async () => {
      if (!carrier.listen || carrier.media || this.lines.get(account.keyId)?.carrier === carrier) return;
      this.retire(account.keyId);
      await this.listen(open, 0);
    });
  }

  /** The accounts whose ports this replica listens on. */
  get listeningFor(): number[] {
    return [...this.lines.values()].flatMap(({ accountId, port }) => (port === 0 ? [] : [accountId]));
  }

  /** Runs the regular work now: renews ports, and starts checking every account. */
  look(): Promise<void> {
    return this.looks.now();
  }

  private async refresh(): Promise<void> {
    if (this.lifetime.draining.aborted) return;
    const leased = this.open.from === undefined ? [] : await this.ports.lease();
    const wanted = new Map(leased.map(({ accountKey, port }) => [accountKey, port]));
    for (const key of new Set([...wanted.keys(), ...this.lines.keys()])) void this.seeTo(key, wanted.get(key) ?? 0);
  }

  /** A check still in progress is not started again. */
  private async seeTo(key: string, port: number): Promise<void> {
    if (this.seenTo.has(key)) return;
    this.seenTo.add(key);
    try {
      await this.seeing.take(key, () => this.renew(key, port));
    } catch (error) {
      this.log.warn('The port of an account cannot be listened on; it is tried again', { accountKey: key, port, error });
    } finally {
      this.seenTo.delete(key);
    }
  }

  private async renew(key: string, port: number): Promise<void> {
    const open = await this.carriers.byKey(key);
    const line = this.lines.get(key);
    if (this.lifetime.draining.aborted || (line && line.carrier === open?.carrier && line.port === port)) return;
    if (line) this.retire(key);
    // While the calls of a changed account continue, its port is taken.
    if (open && port !== 0) await this.listen(open, port);
  }

  private async listen(open: OpenCarrier, port: number): Promise<void> {
    const { carrier, account } = open;
    const { host } = this.open;
    const opening = carrier.listen?.(
      { host, port, placesOnly: port === 0 },
      {
        arrived: (call) => this.arrived.take(open, call),
        noticed: (notice) => this.arrived.noticed(open, notice),
      },
    );
    if (!opening) return;
    const listening = await inTime(opening, this.lifetime.draining);
    this.lines.set(account.keyId, { accountId: account.id, carrier, port, listening });
    if (this.lifetime.draining.aborted) this.retire(account.keyId, this.settings.drainMs);
  }

  /** Takes no more calls there; existing ones continue for a while. */
  private retire(key: string, forMs = changedMs): void {
    const line = this.lines.get(key);
    if (!line) return;
    this.lines.delete(key);
    const closed = line.listening
      .close(new Date(Date.now() + (this.lifetime.draining.aborted ? this.settings.drainMs : forMs)))
      .catch((error: unknown) => this.log.warn('A port could not be closed', { port: line.port, error }));
    this.leaving.add(closed);
    void closed.then(() => this.leaving.delete(closed));
  }

  private drain(): void {
    if (this.isDrained) return;
    this.isDrained = true;
    for (const key of [...this.lines.keys()]) this.retire(key, this.settings.drainMs);
    // A poll in progress would take the ports again.
    const released = this.looks
      .stop()
      .then(() => this.ports.release())
      .catch((error: unknown) => this.log.warn('The ports of accounts could not be released', { error }));
    this.leaving.add(released);
  }
}

/** The opened listener, unless it takes too long or the process stops first. One opened later is closed again. */
async function inTime(opening: Promise<Listening>, draining: AbortSignal): Promise<Listening> {
  let isLate = false;
  void opening.then((listening) => (isLate ? listening.close() : undefined)).catch(() => undefined);
  const patience = AbortSignal.any([AbortSignal.timeout(openMs), draining]);
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => {
      isLate = true;
      reject(new Error('the line did not open in time'));
    };
    if (patience.aborted) giveUp();
    else patience.addEventListener('abort', giveUp, { once: true });
  });
  return Promise.race([opening, late]);
}
