import { Controller, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Fault, handOnPort, notThere } from '@parley/contracts';
import { type AcceptedChannel, type Call as BusCall, type Channel, Handles } from '@parley/messaging';
import { type Carrier, type Listening, within } from '@parley/ports';
import { Lifetime, Logger, type RegularTask, RegularTasks } from '@parley/service-kit';
import type { z } from 'zod';
import { AccountPorts } from '../accounts/account-ports';
import { type OpenCarrier, OpenCarriers } from '../accounts/open-carriers';
import { CallSettings } from '../line/call-parts';
import { OneAtATime } from '../calls/call-records';
import { ArrivedCalls } from './arrived-calls';
import { PortHandover, PortHandovers } from './port-handovers';

const lookEveryMs = 2_000;
/** While no account has a port. The replica where an account gets one looks at once; the others only have to take over later. */
const idleLookEveryMs = 10_000;
/** How long calls may continue after their account was changed. */
const changedMs = 300_000;
/** Opening a listener is tried again after this time; if the first attempt still succeeds, it is closed. */
const openMs = 5_000;
/** How long callers wait while a stopping replica looks for another one to take its port, and how often it looks after that. */
const findMs = 3_000;
const findAgainMs = 2_000;

type HandOnPortOpening = z.output<typeof handOnPort.opening>;
type HandOnPortAccepted = z.input<typeof handOnPort.accepted>;
type HandOnPortSignal = z.output<typeof handOnPort.signal>;

interface AccountListener {
  readonly open: OpenCarrier;
  readonly carrier: Carrier;
  readonly accountId: number;
  /** 0: calls are only placed, not accepted. */
  readonly port: number;
  readonly listening: Listening;
  /** To the replica that still has the port, until its own calls are over. */
  handover?: PortHandover | undefined;
  /** Set when no more calls are accepted; resolves when the last one is over. */
  closed?: Promise<void>;
}

/**
 * Listens on the ports of accounts, and enables placing calls for accounts whose port is elsewhere or that have none. Accounts are
 * handled independently: one whose server or network hangs does not delay the others or the leases of their ports.
 */
@Injectable()
export class AccountListeners implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly listeners = new Map<string, AccountListener>();
  private readonly leaving = new Set<Promise<void>>();
  private readonly tasksByKey = new OneAtATime<string>();
  private readonly checking = new Set<string>();
  private readonly task: RegularTask;
  private isDrained = false;

  constructor(
    private readonly ports: AccountPorts,
    private readonly handovers: PortHandovers,
    private readonly carriers: OpenCarriers,
    private readonly arrived: ArrivedCalls,
    private readonly settings: CallSettings,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
    tasks: RegularTasks,
  ) {
    const trouble = 'The ports of accounts could not be looked at; it is tried again';
    this.task = tasks.of({ name: 'account ports', everyMs: lookEveryMs, run: () => this.refresh(), trouble });
    ports.onChange(() => this.task.wake());
  }

  async onApplicationBootstrap(): Promise<void> {
    this.lifetime.draining.addEventListener('abort', () => this.drain(), { once: true });
    await this.look();
  }

  async onModuleDestroy(): Promise<void> {
    this.drain();
    await this.task.stop();
    await this.tasksByKey.idle();
    await Promise.all(this.leaving);
  }

  /** Makes sure that calls can be placed for an account whose carrier needs a listener. */
  ensure(open: OpenCarrier): Promise<void> {
    const { account, carrier } = open;
    return this.tasksByKey.take(account.keyId, async () => {
      if (!carrier.listen || carrier.media || this.listeners.get(account.keyId)?.carrier === carrier) return;
      this.retire(account.keyId);
      await this.listen(open, 0);
    });
  }

  /** The accounts whose ports this replica listens on. */
  get listeningFor(): number[] {
    return [...this.listeners.values()].flatMap(({ accountId, port }) => (port === 0 ? [] : [accountId]));
  }

  private get openPorts(): number[] {
    return [...this.listeners.values()].flatMap(({ port }) => (port === 0 ? [] : [port]));
  }

  /** The account whose port is leased to this replica, even if another one still has it; undefined if it is not. */
  async awaits(port: number): Promise<string | undefined> {
    if (this.lifetime.draining.aborted) return undefined;
    const leased = await this.ports.lease(this.openPorts);
    return leased?.find((each) => each.port === port)?.accountKey;
  }

  /** Whether this replica itself listens on a port. */
  has(port: number): boolean {
    return [...this.listeners.values()].some((listener) => listener.port === port && !listener.handover);
  }

  /** Accepts new calls at a port through the replica that still has it; takes the port over when that one is done. */
  async takeThrough(key: string, port: number, handover: PortHandover): Promise<void> {
    const listener = await this.tasksByKey.take(key, async () => {
      const open = await this.carriers.byKey(key);
      const known = this.listeners.get(key);
      if (known?.port === port && known.handover) await this.reconnect(known, handover);
      else if (known) this.retire(key);
      if (open && !this.listeners.has(key) && !this.lifetime.draining.aborted) await this.listen(open, port, handover);
      return this.listeners.get(key);
    });
    if (!listener) return;
    await handover.closed;
    if (listener.handover !== handover) return;
    await this.tasksByKey.take(key, () => this.takeOver(listener));
    if (listener.closed) await this.handOn(listener, listener.closed);
  }

  /** Runs the regular work now: renews ports, and starts checking every account. */
  look(): Promise<void> {
    return this.task.now();
  }

  private async refresh(): Promise<number | void> {
    if (this.lifetime.draining.aborted) return;
    const leased = await this.ports.lease(this.openPorts);
    const wanted = new Map(leased?.map(({ accountKey, port }) => [accountKey, port]));
    for (const key of new Set([...wanted.keys(), ...this.listeners.keys()])) void this.check(key, wanted.get(key) ?? 0);
    if (!leased && this.listeners.size === 0) return idleLookEveryMs;
  }

  /** Checks an account, unless it is being checked already. */
  private async check(key: string, port: number): Promise<void> {
    if (this.checking.has(key)) return;
    this.checking.add(key);
    try {
      await this.tasksByKey.take(key, () => this.renew(key, port));
    } catch (error) {
      this.log.warn('The port of an account cannot be listened on; it is tried again', { accountKey: key, port, error });
    } finally {
      this.checking.delete(key);
    }
  }

  private async renew(key: string, port: number): Promise<void> {
    const open = await this.carriers.byKey(key);
    const listener = this.listeners.get(key);
    if (this.lifetime.draining.aborted) return;
    if (listener && listener.carrier === open?.carrier && listener.port === port) return this.takeOver(listener);
    if (listener) {
      this.retire(key);
      if (listener.port !== 0) await this.ports.mark(listener.port, false);
    }
    // The port is still in use while the calls of a changed account continue; this then fails and is tried again.
    if (open && port !== 0) await this.listen(open, port);
  }

  /** Takes over the port once the previous holder is gone. */
  private async takeOver(listener: AccountListener): Promise<void> {
    if (!listener.handover?.isClosed) return;
    await listener.listening.takeOver?.();
    listener.handover = undefined;
  }

  private async reconnect(listener: AccountListener, handover: PortHandover): Promise<void> {
    listener.handover = handover;
    await listener.listening.takeOver?.(handover);
  }

  private async listen(open: OpenCarrier, port: number, handover?: PortHandover): Promise<void> {
    const { carrier, account } = open;
    const { host } = this.ports;
    const opening = carrier.listen?.(
      { host, port, placesOnly: port === 0, ...(handover && { handover }) },
      {
        arrived: (call) => this.arrived.take(open, call),
        noticed: (notice) => this.arrived.noticed(open, notice),
        refused: (refusal) => this.arrived.refused(open, refusal),
        credentials: () => this.carriers.currentCredentialsOf(account),
      },
    );
    if (!opening) return;
    const listening = await inTime(opening, this.lifetime.draining);
    this.listeners.set(account.keyId, { open, accountId: account.id, carrier, port, listening, handover });
    if (this.lifetime.draining.aborted) this.retire(account.keyId, this.settings.drainMs);
    else if (port !== 0) await this.ports.mark(port, true);
  }

  /** Accepts no more calls; existing ones may continue for a while. */
  private retire(key: string, forMs = changedMs): AccountListener | undefined {
    const listener = this.listeners.get(key);
    if (!listener) return undefined;
    this.listeners.delete(key);
    listener.handover?.leave();
    listener.closed = listener.listening
      .close(new Date(Date.now() + (this.lifetime.draining.aborted ? this.settings.drainMs : forMs)))
      .catch((error: unknown) => this.log.warn('A port could not be closed', { port: listener.port, error }))
      .then(() => listener.handover?.close());
    this.awaitInTheEnd(listener.closed);
    return listener;
  }

  private drain(): void {
    if (this.isDrained) return;
    this.isDrained = true;
    // A check in progress would lease the ports again.
    const released = this.task
      .stop()
      .then(() => this.ports.release())
      .catch((error: unknown) => this.log.warn('The ports of accounts could not be released', { error }));
    this.awaitInTheEnd(released);
    for (const key of [...this.listeners.keys()]) {
      const listener = this.retire(key, this.settings.drainMs);
      if (listener?.closed && listener.port !== 0 && !listener.handover)
        this.awaitInTheEnd(this.handOn(listener, listener.closed, released));
    }
  }

  /** While our calls continue at a port, another replica accepts the new ones. One is looked for until found, and again when it stops. */
  private async handOn(
    { open, port, listening }: AccountListener,
    closed: Promise<void>,
    released?: Promise<void>,
  ): Promise<void> {
    const { account } = open;
    const gone = new AbortController();
    void closed.then(() => gone.abort());
    const handovers: PortHandover[] = [];
    const find = async (withinMs: number): Promise<PortHandover | undefined> => {
      await released;
      const handover = await this.handovers.find(port, { account, withinMs, gone: gone.signal });
      if (handover) handovers.push(handover);
      return handover;
    };
    for (let found = find(findMs); !gone.signal.aborted;) {
      listening.handOn?.(found);
      const handover = await found;
      await (handover ? Promise.race([handover.left, closed]) : within(findAgainMs, closed, () => undefined));
      found = find(handover ? findMs : 0);
    }
    for (const handover of handovers) handover.close();
  }

  private awaitInTheEnd(work: Promise<void>): void {
    this.leaving.add(work);
    void work.then(() => this.leaving.delete(work));
  }
}

/** Accepts the new calls at a port from a replica that is stopping, if the port is leased to this one. */
@Controller()
export class HandedOnPorts {
  constructor(private readonly listeners: AccountListeners) {}

  @Handles(handOnPort)
  async open(
    { port }: HandOnPortOpening,
    { principal }: BusCall,
  ): Promise<AcceptedChannel<HandOnPortAccepted, HandOnPortSignal>> {
    if (principal?.kind !== 'system') throw notThere('port');
    if (this.listeners.has(port)) throw new Fault('CONFLICT', { message: 'This replica has the port already.' });
    const key = await this.listeners.awaits(port);
    if (key === undefined) throw new Fault('SERVICE_UNAVAILABLE');
    const serve = (channel: Channel<HandOnPortSignal>): Promise<void> =>
      this.listeners.takeThrough(key, port, new PortHandover(channel));
    return { accepted: { isTaken: true }, serve };
  }
}

/** Waits for a listener to open, but not for too long and not while stopping; one that opens later is closed. */
function inTime(opening: Promise<Listening>, draining: AbortSignal): Promise<Listening> {
  let isLate = false;
  void opening.then((listening) => (isLate ? listening.close() : undefined)).catch(() => undefined);
  const giveUp = (): never => {
    isLate = true;
    throw new Error('the listener did not open in time');
  };
  return within(openMs, opening, giveUp, draining);
}
