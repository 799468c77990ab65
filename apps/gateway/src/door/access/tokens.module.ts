import { Controller, type DynamicModule, Inject, Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import {
  type BodyOf,
  createSessionToken,
  createWidgetToken,
  Fault,
  getHistory,
  notThere,
  type Principal,
  readAgentRuntime,
  widgetChanged,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles, Hears, ServiceBus } from '@parley/messaging';
import { Logger, RegularTasks } from '@parley/service-kit';
import { z } from 'zod';
import { type Credential, OpenConnections } from '../limits/open-connections';
import { callerOf } from '../../endpoint/gateway-call';
import { isEmbeddable, WidgetsController, WidgetsService } from './widgets.service';
import { EntryTokens, socketAddress, socketAddressOf } from './entry-tokens';
import { MemberRights } from './key-owners';

type TokenSettings = Parameters<typeof socketAddressOf>[0] & { readonly SOCKET_CREDENTIAL_CHECK: number };

/** How browsers are admitted: widgets, and tokens that open one socket. */
@Module({})
export class TokensModule {
  static with(config: TokenSettings, keys: DynamicModule): DynamicModule {
    return {
      module: TokensModule,
      imports: [keys],
      controllers: [TokensController, WidgetNewsController, WidgetsController],
      providers: [
        CredentialWatch,
        { provide: CredentialWatchPace, useValue: { checkMs: config.SOCKET_CREDENTIAL_CHECK } },
        EntryTokens,
        WidgetsService,
        { provide: socketAddress, useValue: socketAddressOf(config) },
      ],
      exports: [keys, EntryTokens, WidgetsService],
    };
  }
}

const pruneEveryMs = 600_000;

/** Issues socket tokens to holders of an agent key. */
@Controller()
class TokensController implements OnApplicationBootstrap {
  constructor(
    private readonly tokens: EntryTokens,
    private readonly widgets: WidgetsService,
    private readonly bus: ServiceBus,
    private readonly tasks: RegularTasks,
    @Inject(socketAddress) private readonly address: string,
  ) {}

  onApplicationBootstrap(): void {
    const pruning = { everyMs: pruneEveryMs, run: () => this.tokens.prune(), trouble: 'Old tokens were not removed' };
    this.tasks.of({ name: 'old tokens', ...pruning }).start(pruneEveryMs);
  }

  @Handles(createSessionToken)
  async session({ AgentKeyID, visitorIp, ...rest }: BodyOf<typeof createSessionToken>, call: Call) {
    const principal = callerOf(call);
    if (AgentKeyID) await this.requireOwnAgent(AgentKeyID, principal);
    // The socket would refuse an unknown conversation or another agent's, so the token request fails already.
    if (rest.sessionUUID) await this.bus.ask(getHistory, { sessionUUID: rest.sessionUUID });
    const bound = visitorIp === undefined ? rest : { ...rest, address: visitorIp };
    const issued = await this.tokens.issue({ kind: 'session', principal, ...bound });
    return { ...issued, wsUrls: { sts: `${this.address}/ws/sts`, transcribe: `${this.address}/ws/transcribe` } };
  }

  @Handles(createWidgetToken)
  async widget({ WidgetKeyID, variables, visitorIp }: BodyOf<typeof createWidgetToken>, call: Call) {
    const principal = callerOf(call);
    const widget = await this.widgets.get(WidgetKeyID, principal);
    // An agent key gives access only to its own agent.
    if (!widget.isActive || widget.agentId !== principal.agentId) throw notThere('widget');
    const issued = await this.tokens.issue({
      kind: 'widget',
      principal,
      widgetKeyId: widget.keyId,
      ...(variables && { variables }),
      ...(visitorIp !== undefined && { address: visitorIp }),
    });
    return { ...issued, wsUrl: `${this.address}/ws/widgetchat` };
  }

  /** A client that names another agent than its key's would not get what it expects. */
  private async requireOwnAgent(AgentKeyID: string, { agentId }: Principal): Promise<void> {
    const { AgentID } = await this.bus.ask(readAgentRuntime, { AgentKeyID });
    if (AgentID !== agentId) throw new Fault('NOT_FOUND', { message: 'This key acts for another agent.' });
  }
}

/** How often the credentials of open sockets are checked. */
abstract class CredentialWatchPace {
  abstract readonly checkMs: number;
}

const Rows = z.array(z.object({ keyId: z.string(), allowedOrigins: z.array(z.string()).nullable() }));

const stillValid = `
  SELECT key_id AS "keyId", NULL::text[] AS "allowedOrigins" FROM integration_keys
  WHERE key_id = ANY ($1::uuid[]) AND revoked_on IS NULL AND (expires_at IS NULL OR expires_at > now())
  UNION ALL
  SELECT key_id, allowed_origins FROM widgets WHERE key_id = ANY ($2::uuid[]) AND is_active`;

const unseen = 'The credentials of open sockets could not be looked at';

/**
 * Rechecks the keys, widgets and members' rights behind open sockets and streams regularly, and closes those that may no longer
 * be open. Events close them at once; this catches what has no event (a key that expires) and what was missed while the broker
 * was away.
 */
@Injectable()
class CredentialWatch implements OnApplicationBootstrap {
  constructor(
    private readonly sockets: OpenConnections,
    private readonly tenants: TenantScope,
    private readonly pace: CredentialWatchPace,
    private readonly log: Logger,
    private readonly tasks: RegularTasks,
    private readonly rights: MemberRights,
  ) {}

  onApplicationBootstrap(): void {
    const { checkMs: everyMs } = this.pace;
    const run = () => this.endOutdated(this.sockets.credentials);
    this.tasks.of({ name: 'credentials of sockets', everyMs, run, trouble: unseen }).start(everyMs);
    // A task of its own: rights are asked of another service, and its silence must not delay the check of keys.
    const rights = {
      run: () => this.rights.recheckAll(),
      trouble: 'The rights of members with open connections could not be read',
    };
    this.tasks.of({ name: 'rights of members', everyMs, ...rights }).start(everyMs);
  }

  /** Checks the matching sockets now. */
  async check(fits: (credential: Credential) => boolean): Promise<void> {
    try {
      await this.endOutdated(this.sockets.credentials.filter(fits));
    } catch (error) {
      this.log.warn(unseen, { error });
    }
  }

  /** Judges only the credentials that were queried: a socket may have opened since. */
  private async endOutdated(asked: readonly Credential[]): Promise<void> {
    const keyIds = new Set(asked.map(({ principal }) => principal.keyId).filter(isRowId));
    const widgetIds = new Set(asked.flatMap(({ widget }) => widget?.keyId ?? []));
    if (keyIds.size + widgetIds.size === 0) return;
    const rows = await this.tenants.acrossTenants('sockets of many organizations are open on one gateway', (manager) =>
      manager.query<unknown>(stillValid, [[...keyIds], [...widgetIds]]),
    );
    const good = new Map(Rows.parse(rows).map(({ keyId, allowedOrigins }) => [keyId, allowedOrigins ?? []]));
    this.sockets.end(({ principal }) => keyIds.has(principal.keyId) && !good.has(principal.keyId));
    const isClosed = ({ keyId, origin }: Widget): boolean => widgetIds.has(keyId) && !isOpen(good.get(keyId), origin);
    this.sockets.end(({ widget }) => widget !== undefined && isClosed(widget), 'the widget is closed');
  }
}

/** Handles widget changes made by this or another gateway. */
@Controller()
class WidgetNewsController {
  constructor(private readonly watch: CredentialWatch) {}

  @Hears(widgetChanged)
  hear({ WidgetKeyID }: { WidgetKeyID: string }): Promise<void> {
    return this.watch.check(({ widget }) => widget?.keyId === WidgetKeyID);
  }
}

type Widget = NonNullable<Credential['widget']>;

/** A visitor without a key enters by a widget, which has no row among the keys. */
function isRowId(keyId: string): boolean {
  return z.uuid().safeParse(keyId).success;
}

/** Whether a widget's socket may stay open. One opened by a token has no origin to check. */
function isOpen(allowedOrigins: readonly string[] | undefined, origin: string | undefined): boolean {
  return allowedOrigins !== undefined && (origin === undefined || isEmbeddable(allowedOrigins, origin));
}
