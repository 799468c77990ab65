import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Carrier, Listening } from '@parley/ports';
import { Lifetime, Logger } from '@parley/service-kit';
import { AccountPorts, OpenPorts } from '../accounts/account-ports';
import { type OpenCarrier, OpenCarriers } from '../accounts/open-carriers';
import { CallSettings } from '../line/call-parts';
import { ArrivedCalls } from './arrived-calls';

const lookEveryMs = 2_000;
/** Calls go on when their account is changed, but not for ever. */
const changedMs = 300_000;

interface Line {
  readonly carrier: Carrier;
  /** 0: calls are only placed from here. */
  readonly port: number;
  readonly listening: Listening;
}

/** Listens where accounts want their calls to arrive, and lets calls be placed on those that listen elsewhere or not at all. */
@Injectable()
export class AccountLines implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly lines = new Map<string, Line>();
  private readonly leaving = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly ports: AccountPorts,
    private readonly open: OpenPorts,
    private readonly carriers: OpenCarriers,
    private readonly arrived: ArrivedCalls,
    private readonly settings: CallSettings,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.lifetime.draining.addEventListener('abort', () => this.drain(), { once: true });
    this.timer = setInterval(() => void this.look(), lookEveryMs).unref();
    await this.look();
  }

  async onModuleDestroy(): Promise<void> {
    this.drain();
    await this.turn;
    await Promise.all(this.leaving);
  }

  /** Makes sure that calls can be placed on an account that brings its own media. */
  ensure(open: OpenCarrier): Promise<void> {
    return this.inTurn(async () => {
      const { account, carrier } = open;
      if (!carrier.listen || carrier.media || this.lines.get(account.keyId)?.carrier === carrier) return;
      this.retire(account.keyId);
      await this.listen(open, 0);
    });
  }

  /** Does now what is done every other second. */
  look(): Promise<void> {
    return this.inTurn(() => this.refresh()).catch((error: unknown) => {
      this.log.warn('The ports of accounts could not be looked at; it is tried again', { error });
    });
  }

  private async refresh(): Promise<void> {
    if (this.lifetime.draining.aborted) return;
    const wanted = new Map((await this.ports.lease()).map(({ accountKey, port }) => [accountKey, port]));
    for (const key of new Set([...wanted.keys(), ...this.lines.keys()])) await this.renew(key, wanted.get(key) ?? 0);
  }

  private async renew(key: string, port: number): Promise<void> {
    const open = await this.carriers.byKey(key);
    const line = this.lines.get(key);
    if (line && line.carrier === open?.carrier && line.port === port) return;
    if (line) this.retire(key);
    if (!open || port === 0) return;
    // While the calls of a changed account go on, its port is taken.
    await this.listen(open, port).catch((error: unknown) => {
      this.log.warn('The port of an account cannot be listened on; it is tried again', { accountKey: key, port, error });
    });
  }

  private async listen(open: OpenCarrier, port: number): Promise<void> {
    const { carrier, account } = open;
    const { host } = this.open;
    const listening = await carrier.listen?.(
      { host, port, placesOnly: port === 0 },
      {
        arrived: (call) => this.arrived.take(open, call),
        noticed: (notice) => this.arrived.noticed(open, notice),
      },
    );
    if (listening) this.lines.set(account.keyId, { carrier, port, listening });
  }

  /** Takes no more calls there; those that are held go on for a while. */
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
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    this.timer = undefined;
    void this.inTurn(async () => {
      for (const key of [...this.lines.keys()]) this.retire(key, this.settings.drainMs);
      await this.ports.release();
    }).catch((error: unknown) => this.log.warn('The ports of accounts could not be given back', { error }));
  }

  /** One change at a time. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    const next = this.turn.then(work);
    this.turn = next.catch(() => undefined);
    return next;
  }
}
