import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Logger } from '@parley/service-kit';
import { z } from 'zod';
import { type Credential, OpenConnections } from '../keys/open-connections';
import { isEmbeddable } from '../widgets/widgets.service';

/** How often the credentials of open sockets are looked at. */
export abstract class CredentialWatchPace {
  abstract readonly checkMs: number;
}

const Rows = z.array(z.object({ keyId: z.string(), allowedOrigins: z.array(z.string()).nullable() }));

const stillGood = `
  SELECT key_id AS "keyId", NULL::text[] AS "allowedOrigins" FROM integration_keys
  WHERE key_id = ANY ($1::uuid[]) AND revoked_on IS NULL AND (expires_at IS NULL OR expires_at > now())
  UNION ALL
  SELECT key_id, allowed_origins FROM widgets WHERE key_id = ANY ($2::uuid[]) AND is_active`;

/**
 * Looks at the keys and widgets behind open sockets now and then, and closes the sockets of those that are good no more.
 * News closes the sockets of a revoked key at once; here goes what is no news (a key that expires, a widget that is
 * switched off) and what was not heard while the broker was away.
 */
@Injectable()
export class CredentialWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private isStopping = false;

  constructor(
    private readonly sockets: OpenConnections,
    private readonly tenants: TenantScope,
    private readonly pace: CredentialWatchPace,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.later();
  }

  beforeApplicationShutdown(): void {
    this.isStopping = true;
    clearTimeout(this.timer);
  }

  private later(): void {
    if (this.isStopping) return;
    this.timer = setTimeout(() => void this.check().finally(() => this.later()), this.pace.checkMs).unref();
  }

  private async check(): Promise<void> {
    try {
      await this.endOutdated(this.sockets.credentials);
    } catch (error) {
      this.log.warn('The credentials of open sockets could not be looked at', { err: error });
    }
  }

  /** Only what was asked for is judged: a socket may have come in since. */
  private async endOutdated(asked: readonly Credential[]): Promise<void> {
    const keyIds = new Set(asked.map(({ principal }) => principal.keyId).filter(isRowId));
    const widgetIds = new Set(asked.flatMap(({ widget }) => widget?.keyId ?? []));
    if (keyIds.size + widgetIds.size === 0) return;
    const rows = await this.tenants.acrossTenants('sockets of many organizations are open on one gateway', (manager) =>
      manager.query<unknown>(stillGood, [[...keyIds], [...widgetIds]]),
    );
    const good = new Map(Rows.parse(rows).map(({ keyId, allowedOrigins }) => [keyId, allowedOrigins ?? []]));
    this.sockets.end(({ principal }) => keyIds.has(principal.keyId) && !good.has(principal.keyId));
    const isShut = ({ keyId, origin }: Widget): boolean => widgetIds.has(keyId) && !isOpen(good.get(keyId), origin);
    this.sockets.end(({ widget }) => widget !== undefined && isShut(widget), 'the widget is closed');
  }
}

type Widget = NonNullable<Credential['widget']>;

/** A visitor who brings no key enters in the name of a widget, which has no row among the keys. */
function isRowId(keyId: string): boolean {
  return z.uuid().safeParse(keyId).success;
}

/** A token opens also from elsewhere: its page was not asked for an origin. */
function isOpen(allowedOrigins: readonly string[] | undefined, origin: string | undefined): boolean {
  return allowedOrigins !== undefined && (origin === undefined || isEmbeddable(allowedOrigins, origin));
}
