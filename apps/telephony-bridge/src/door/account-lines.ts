import { Controller, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Fault, handOnPort } from '@parley/contracts';
import { type AcceptedChannel, type Call as BusCall, type Channel, Handles } from '@parley/messaging';
import { type Carrier, type Listening, within } from '@parley/ports';
import { Lifetime, Logger, type RegularTask, RegularTasks } from '@parley/service-kit';
import type { z } from 'zod';
import { AccountPorts } from '../accounts/account-ports';
import { type OpenCarrier, OpenCarriers } from '../accounts/open-carriers';
import { CallSettings } from '../line/call-parts';
import { OneAtATime } from '../calls/call-records';
import { ArrivedCalls } from './arrived-calls';
import { PortRelay, PortRelays } from './port-relays';

const lookEveryMs = 2_000;
/** While no account has a port. The replica where one gets it looks at once, and the others have only to take over later. */
const idleLookEveryMs = 10_000;
/** Calls continue when their account is changed, but not for ever. */
const changedMs = 300_000;
/** An opening that takes longer is tried again; its late result is closed. */
const openMs = 5_000;
/** How long a stopping replica lets callers wait for another one to take its port, and how often it asks again after that. */
const findMs = 3_000;
const findAgainMs = 2_000;

type HandOnPortOpening = z.output<typeof handOnPort.opening>;
type HandOnPortAccepted = z.input<typeof handOnPort.accepted>;
type HandOnPortSignal = z.output<typeof handOnPort.signal>;

interface AccountLine {
  readonly open: OpenCarrier;
  readonly carrier: Carrier;
  readonly accountId: number;
  /** 0: calls are only placed from here. */
  readonly port: number;
  readonly listening: Listening;
  /** To the replica that still has the port, for calls of its own. */
  relay?: PortRelay | undefined;
  /** Once it takes no more calls: resolves when the last one is over. */
  closed?: Promise<void>;
}

/**
 * Listens where accounts want their calls, and enables placing calls on those that listen elsewhere or not at all. Accounts are
 * handled independently: one whose server or network hangs delays no other line, nor the leases of their ports.
 */
@Injectable()
export class AccountLines implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly lines = new Map<string, AccountLine>();
  private readonly leaving = new Set<Promise<void>>();
  private readonly seeing = new OneAtATime<string>();
  private readonly seenTo = new Set<string>();
  private readonly task: RegularTask;
  private isDrained = false;

  constructor(
    private readonly ports: AccountPorts,
    private readonly relays: PortRelays,
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

  /** The account whose port is this replica's to take, while another one may still have it; undefined where it is not. */
  async awaits(port: number): Promise<string | undefined> {
    if (this.lifetime.draining.aborted) return undefined;
    const leased = await this.ports.lease();
    return leased?.find((each) => each.port === port)?.accountKey;
  }

  /** Whether a port is listened on from here, without another replica. */
  has(port: number): boolean {
    return [...this.lines.values()].some((line) => line.port === port && !line.relay);
  }

  /** Takes new calls at a port through the replica that has it, until that one is done; then by itself. */
  async takeThrough(key: string, port: number, relay: PortRelay): Promise<void> {
    const line = await this.seeing.take(key, async () => {
      const open = await this.carriers.byKey(key);
      const known = this.lines.get(key);
      if (known?.port === port && known.relay) await this.reconnect(known, relay);
      else if (known) this.retire(key);
      if (open && !this.lines.has(key) && !this.lifetime.draining.aborted) await this.listen(open, port, relay);
      return this.lines.get(key);
    });
    if (!line) return;
    await relay.closed;
    if (line.relay !== relay) return;
    await this.seeing.take(key, () => this.settle(line));
    if (line.closed) await this.handOn(line, line.closed);
  }

  /** Runs the regular work now: renews ports, and starts checking every account. */
  look(): Promise<void> {
    return this.task.now();
  }

  private async refresh(): Promise<number | void> {
    if (this.lifetime.draining.aborted) return;
    const leased = await this.ports.lease();
    const wanted = new Map(leased?.map(({ accountKey, port }) => [accountKey, port]));
    for (const key of new Set([...wanted.keys(), ...this.lines.keys()])) void this.seeTo(key, wanted.get(key) ?? 0);
    if (!leased && this.lines.size === 0) return idleLookEveryMs;
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
    if (this.lifetime.draining.aborted) return;
    if (line && line.carrier === open?.carrier && line.port === port) return this.settle(line);
    if (line) this.retire(key);
    // While the calls of a changed account continue, its port is taken.
    if (open && port !== 0) await this.listen(open, port);
  }

  /** Listens on the port itself once the previous holder is gone. */
  private async settle(line: AccountLine): Promise<void> {
    if (!line.relay?.isClosed) return;
    await line.listening.takeOver?.();
    line.relay = undefined;
  }

  private async reconnect(line: AccountLine, relay: PortRelay): Promise<void> {
    line.relay = relay;
    await line.listening.takeOver?.(relay);
  }

  private async listen(open: OpenCarrier, port: number, relay?: PortRelay): Promise<void> {
    const { carrier, account } = open;
    const { host } = this.ports;
    const opening = carrier.listen?.(
      { host, port, placesOnly: port === 0, ...(relay && { relay }) },
      {
        arrived: (call) => this.arrived.take(open, call),
        noticed: (notice) => this.arrived.noticed(open, notice),
        refused: (refusal) => this.arrived.refused(open, refusal),
        credentials: () => this.carriers.currentCredentialsOf(account),
      },
    );
    if (!opening) return;
    const listening = await inTime(opening, this.lifetime.draining);
    this.lines.set(account.keyId, { open, accountId: account.id, carrier, port, listening, relay });
    if (this.lifetime.draining.aborted) this.retire(account.keyId, this.settings.drainMs);
  }

  /** Takes no more calls there; existing ones continue for a while. */
  private retire(key: string, forMs = changedMs): AccountLine | undefined {
    const line = this.lines.get(key);
    if (!line) return undefined;
    this.lines.delete(key);
    line.relay?.leave();
    line.closed = line.listening
      .close(new Date(Date.now() + (this.lifetime.draining.aborted ? this.settings.drainMs : forMs)))
      .catch((error: unknown) => this.log.warn('A port could not be closed', { port: line.port, error }))
      .then(() => line.relay?.close());
    this.awaitInTheEnd(line.closed);
    return line;
  }

  private drain(): void {
    if (this.isDrained) return;
    this.isDrained = true;
    // A poll in progress would take the ports again.
    const released = this.task
      .stop()
      .then(() => this.ports.release())
      .catch((error: unknown) => this.log.warn('The ports of accounts could not be released', { error }));
    this.awaitInTheEnd(released);
    for (const key of [...this.lines.keys()]) {
      const line = this.retire(key, this.settings.drainMs);
      if (line?.closed && line.port !== 0 && !line.relay) this.awaitInTheEnd(this.handOn(line, line.closed, released));
    }
  }

  /** While calls of ours go on at a port, another replica takes the new ones: it is sought until there is one, and again when it stops. */
  private async handOn({ open, port, listening }: AccountLine, closed: Promise<void>, released?: Promise<void>): Promise<void> {
    const { account } = open;
    const gone = new AbortController();
    void closed.then(() => gone.abort());
    const relays: PortRelay[] = [];
    const find = async (withinMs: number): Promise<PortRelay | undefined> => {
      await released;
      const relay = await this.relays.find(port, { account, withinMs, gone: gone.signal });
      if (relay) relays.push(relay);
      return relay;
    };
    for (let found = find(findMs); !gone.signal.aborted;) {
      listening.handOn?.(found);
      const relay = await found;
      await (relay ? Promise.race([relay.left, closed]) : within(findAgainMs, closed, () => undefined));
      found = find(relay ? findMs : 0);
    }
    for (const relay of relays) relay.close();
  }

  private awaitInTheEnd(work: Promise<void>): void {
    this.leaving.add(work);
    void work.then(() => this.leaving.delete(work));
  }
}

/** Takes the new calls at a port from a replica that stops, where the port is leased to this one. */
@Controller()
export class HandedOnPorts {
  constructor(private readonly lines: AccountLines) {}

  @Handles(handOnPort)
  async open(
    { port }: HandOnPortOpening,
    { principal }: BusCall,
  ): Promise<AcceptedChannel<HandOnPortAccepted, HandOnPortSignal>> {
    if (principal?.kind !== 'system') throw new Fault('NOT_FOUND');
    if (this.lines.has(port)) throw new Fault('CONFLICT', { message: 'This replica has the port already.' });
    const key = await this.lines.awaits(port);
    if (key === undefined) throw new Fault('SERVICE_UNAVAILABLE');
    const serve = (channel: Channel<HandOnPortSignal>): Promise<void> =>
      this.lines.takeThrough(key, port, new PortRelay(channel));
    return { accepted: { isTaken: true }, serve };
  }
}

/** The opened listener. It fails also when the process stops; a listener that opens later is closed again. */
function inTime(opening: Promise<Listening>, draining: AbortSignal): Promise<Listening> {
  let isLate = false;
  void opening.then((listening) => (isLate ? listening.close() : undefined)).catch(() => undefined);
  const giveUp = (): never => {
    isLate = true;
    throw new Error('the line did not open in time');
  };
  return within(openMs, opening, giveUp, draining);
}
