import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Fault, handOnPort } from '@parley/contracts';
import { isUniqueViolation, TenantScope } from '@parley/database';
import { type Channel, isPassing, ServiceBus } from '@parley/messaging';
import type { AddressRelay } from '@parley/ports';
import type { z } from 'zod';
import type { EntityManager } from 'typeorm';
import { type CallIdentity, inCallOf } from '../line/call-parts';
import type { CarrierAccount } from './entities';

const leaseMs = 6_000;
const leasedMax = 1_000;

/** The ports that accounts may ask for; none, where the operator opened none. */
export abstract class OpenPorts {
  abstract readonly host: string;
  abstract readonly from: number | undefined;
  abstract readonly to: number | undefined;
}

/** A port that this replica is to listen on. */
interface LeasedPort {
  readonly port: number;
  readonly accountKey: string;
}

/** Which account listens on which port, and which replica does it: one at a time, and another one soon after it died. */
@Injectable()
export class AccountPorts {
  /** This replica. */
  private readonly owner = randomUUID();

  constructor(
    private readonly tenants: TenantScope,
    private readonly open: OpenPorts,
  ) {}

  /** The address that ports are listened on. */
  get host(): string {
    return this.open.host;
  }

  /** Gives an account its port, or none. VALIDATION_FAILED where it is not open, CONFLICT where it is another account's. */
  async claim(manager: EntityManager, { id, orgId }: CarrierAccount, port: number | undefined): Promise<void> {
    await manager.query('DELETE FROM account_ports WHERE account_id = $1 AND port IS DISTINCT FROM $2', [id, port ?? null]);
    if (port === undefined) return;
    const { from, to } = this.open;
    if (from === undefined || to === undefined || port < from || port > to) {
      const message =
        from === undefined ? 'no port is open for SIP here: see SIP_PORTS' : `must be one of SIP_PORTS, ${from} to ${to}`;
      throw new Fault('VALIDATION_FAILED', { details: [{ field: 'credentials.port', message }] });
    }
    const text =
      'INSERT INTO account_ports (port, org_id, account_id) VALUES ($1, $2, $3) ON CONFLICT (account_id) DO UPDATE SET port = $1';
    await manager.query(text, [port, orgId, id]).catch((cause: unknown) => {
      if (!isUniqueViolation(cause, 'account_ports_pkey')) throw cause;
      throw new Fault('CONFLICT', { message: 'The port is another account’s.', cause });
    });
  }

  /** Leases a free port, and renews this replica's: the ports to listen on until the next poll. */
  async lease(): Promise<LeasedPort[]> {
    if (this.open.from === undefined) return [];
    return this.tenants.acrossTenants('a replica listens for accounts of many organizations', async (manager) => {
      const taken = [this.owner, leaseMs, leasedMax];
      await manager.query(
        `UPDATE account_ports SET owner = $1, expires_at = now() + $2 * interval '1 millisecond'
         WHERE port IN (SELECT port FROM account_ports WHERE owner = $1 OR expires_at <= now()
                        ORDER BY owner = $1 DESC NULLS LAST, port LIMIT $3 FOR UPDATE SKIP LOCKED)`,
        taken,
      );
      return manager.query(
        `SELECT p.port, a.key_id AS "accountKey" FROM account_ports p JOIN carrier_accounts a ON a.id = p.account_id
         WHERE p.owner = $1 AND p.expires_at > now() AND a.deleted_on IS NULL ORDER BY p.port`,
        [this.owner],
      );
    });
  }

  /** Another replica may listen at once. */
  async release(): Promise<void> {
    await this.tenants.acrossTenants('a replica listens for accounts of many organizations', (manager) =>
      manager.query(`UPDATE account_ports SET expires_at = '-infinity' WHERE owner = $1`, [this.owner]),
    );
  }
}

const tryMs = 2_000;
const pauseMs = 50;

type Line = Channel<z.output<typeof handOnPort.signal>>;

/** The line between a replica that stops and the one that takes new calls at its port. */
export class PortRelay implements AddressRelay {
  isClosed = false;
  readonly closed: Promise<void>;
  /** Resolves once the other one stops as well, or the line is closed. */
  readonly left: Promise<void>;
  private listener: (frame: Uint8Array) => void = () => undefined;

  constructor(private readonly line: Line) {
    this.closed = line.closed.then(() => void (this.isClosed = true));
    this.left = this.read();
  }

  send(frame: Uint8Array): void {
    this.line.send(frame);
  }

  hear(listener: (frame: Uint8Array) => void): void {
    this.listener = listener;
  }

  leave(): void {
    this.line.signal({ type: 'leaving' });
  }

  close(): void {
    this.line.close('the port is free');
  }

  private async read(): Promise<void> {
    const left = Promise.withResolvers<void>();
    const all = async (): Promise<void> => {
      for await (const item of this.line.incoming) {
        if ('frame' in item) this.listener(item.frame);
        else left.resolve();
      }
    };
    await Promise.race([left.promise, all()]);
  }
}

/** Finds the replica that takes the new calls at a port, while those of this one go on there. */
@Injectable()
export class PortRelays {
  constructor(private readonly bus: ServiceBus) {}

  /** Asks one replica after the other, once at least; undefined when the port is leased to none of them in time. */
  async find(
    port: number,
    { account, withinMs, gone }: { account: CallIdentity; withinMs: number; gone: AbortSignal },
  ): Promise<PortRelay | undefined> {
    for (const untilMs = Date.now() + withinMs; !gone.aborted;) {
      try {
        const { channel } = await inCallOf(account, () => this.bus.open(handOnPort, { port }, { timeoutMs: tryMs }), gone);
        return new PortRelay(channel);
      } catch (error) {
        if (!isPassing(error) || Date.now() > untilMs) return undefined;
      }
      await delay(pauseMs);
    }
    return undefined;
  }
}
