import { type BeforeApplicationShutdown, Controller, Inject, type OnApplicationBootstrap } from '@nestjs/common';
import { createSessionToken, createWidgetToken, Fault } from '@parley/contracts';
import { type Call, Handles, type HandlerOf } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import { callerOf } from '../keys/principals';
import { WidgetsService } from '../widgets/widgets.service';
import { EntryTokens, socketAddress } from './entry-tokens';

const pruneEveryMs = 600_000;

/** Gives out tokens for sockets on behalf of a holder of an agent key. */
@Controller()
export class TokensController implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly tokens: EntryTokens,
    private readonly widgets: WidgetsService,
    private readonly log: Logger,
    @Inject(socketAddress) private readonly address: string,
  ) {}

  onApplicationBootstrap(): void {
    const prune = () =>
      this.tokens.prune().catch((error: unknown) => this.log.warn('Old tokens were not removed', { err: error }));
    this.timer = setInterval(() => void prune(), pruneEveryMs);
    this.timer.unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  @Handles(createSessionToken)
  async session({ visitorIp, ...rest }: Parameters<HandlerOf<typeof createSessionToken>>[0], call: Call) {
    const bound = visitorIp === undefined ? rest : { ...rest, address: visitorIp };
    const issued = await this.tokens.issue({ kind: 'session', principal: callerOf(call), ...bound });
    return { ...issued, wsUrls: { sts: `${this.address}/ws/sts`, transcribe: `${this.address}/ws/transcribe` } };
  }

  @Handles(createWidgetToken)
  async widget({ WidgetKeyID, variables, visitorIp }: Parameters<HandlerOf<typeof createWidgetToken>>[0], call: Call) {
    const principal = callerOf(call);
    const widget = await this.widgets.get(WidgetKeyID, principal);
    // An agent key knows of its own agent only.
    if (!widget.isActive || widget.agentId !== principal.agentId) throw new Fault('NOT_FOUND');
    const issued = await this.tokens.issue({
      kind: 'widget',
      principal,
      widgetKeyId: widget.keyId,
      ...(variables && { variables }),
      ...(visitorIp !== undefined && { address: visitorIp }),
    });
    return { ...issued, wsUrl: `${this.address}/ws/widgetchat` };
  }
}
