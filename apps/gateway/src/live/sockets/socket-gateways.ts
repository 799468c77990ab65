import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  type DynamicModule,
  type ExceptionFilter,
  type ExecutionContext,
  Injectable,
  Module,
  type PipeTransform,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { ConnectedSocket, MessageBody, type OnGatewayConnection, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { ClientFrame, Fault } from '@parley/contracts';
import { AsyncApiController, SocketDocument } from '../../api/openapi/socket-document';
import { parseInput } from '../../endpoint/gateway-call';
import type { GatewayConfig } from '../../config';
import { faultOf } from '../../door/faults';
import { socketAddressOf } from '../../door/access/entry-tokens';
import { RateLimits, tooMany } from '../../door/limits/rate-limits';
import { socketPaths } from '../../endpoint/endpoint';
import { type ClientSide, type Relay, type SessionFrame, type SessionStart, socketLimits } from './relay';
import { OpenSockets, SessionEventsController, SessionHolders, SocketSettings } from './open-sockets';
import { SessionOpener } from './session-opener';
import { anyOther, type Connection } from './socket-adapter';
import { type Admitted, SocketAdmission } from './socket-admission';
import { WidgetRelay } from './widget-relay';

const noFrameSaid = 'A text frame must be a JSON object with a type, such as {"type":"ping"}.';
const noFrame = { message: noFrameSaid, details: [{ field: 'type', message: noFrameSaid }] };

/** Parses a text frame; throws a Fault if the protocol does not define it. */
class FramePipe implements PipeTransform<unknown, ClientFrame> {
  transform(frame: unknown): ClientFrame {
    if (frame === undefined) throw new Fault('MALFORMED_JSON', { message: 'A text frame must be JSON.' });
    if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) throw new Fault('VALIDATION_FAILED', noFrame);
    return parseInput(ClientFrame, frame);
  }
}

const minuteMs = 60_000;
/** Typed questions of a widget per minute, besides the limits of the organization's plan. */
const questionsPerMinute = { 'of this visitor': 20, 'from this address': 60, 'of this widget': 600 };

/** How often clients of sockets may ask questions. */
@Injectable()
export class QuestionLimits {
  constructor(private readonly limits: RateLimits) {}

  /**
   * Takes one question from every limit that applies; returns the Fault of the first that is exhausted. A visitor's own limits come
   * first: one who is refused there takes nothing from the plan, which is for all visitors.
   */
  take({ principal, counted, widget, address, requestId }: Admitted): Fault | undefined {
    const refused = widget && this.ofVisitor(widget.keyId, normalizeIp(address), requestId);
    if (refused) return refused;
    const ofKey = this.limits.take(widget ? principal : counted, 'chat');
    return ofKey.isGranted ? undefined : tooMany(ofKey);
  }

  private ofVisitor(widget: string, address: string, requestId: string): Fault | undefined {
    const limited = [
      { whose: 'of this visitor', name: `visitor ${requestId}` },
      { whose: 'from this address', name: `widget ${widget} address ${address}` },
      { whose: 'of this widget', name: `widget ${widget}` },
    ] as const;
    const taken = this.limits.quotas.take(
      limited.map(({ whose, name }) => {
        const limit = questionsPerMinute[whose];
        return { name: `questions of ${name}`, policy: { limit, intervalMs: minuteMs / limit } };
      }),
    );
    const refused = taken.findIndex(({ isGranted }) => !isGranted);
    const message = `Too many questions ${limited[refused]?.whose}.`;
    const retryAfterSeconds = Math.ceil((taken[refused]?.retryMs ?? 0) / 1_000);
    return refused < 0 ? undefined : new Fault('RATE_LIMITED', { message, retryAfterSeconds });
  }
}

/** Takes one typed question from the sender's limits. */
@Injectable()
class QuestionGuard implements CanActivate {
  constructor(private readonly questions: QuestionLimits) {}

  canActivate(context: ExecutionContext): boolean {
    const { session } = context.switchToWs().getClient<Connection>();
    const refused = session?.hasStarted && this.questions.take(session.admitted);
    if (refused) throw refused;
    return true;
  }
}

/** Reports a frame's error to the client. Too many protocol errors end the session; too many questions do not. */
@Catch()
class FrameFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const { session } = host.switchToWs().getClient<Connection>();
    const fault = faultOf(error);
    if (fault.code === 'RATE_LIMITED') session?.complain(fault);
    else session?.reportViolation(fault);
  }
}

/** The protocol shared by all sockets: what a client may send, by type of frame. */
@UseFilters(FrameFilter)
abstract class SocketGateway implements OnGatewayConnection<Connection> {
  constructor(
    private readonly sockets: OpenSockets,
    protected readonly opener: SessionOpener,
  ) {}

  /** What happens between this client and an agent, or a transcriber. */
  protected abstract relayFor(admitted: Admitted, client: ClientSide): Relay;

  handleConnection(connection: Connection): void {
    this.sockets.receive(connection, (admitted, client) => this.relayFor(admitted, client));
  }

  @SubscribeMessage('session.start')
  start(@ConnectedSocket() { session }: Connection, @MessageBody(FramePipe) start: SessionStart): void {
    session?.begin(start);
  }

  @SubscribeMessage('text')
  @UseGuards(QuestionGuard)
  ask(@ConnectedSocket() { session }: Connection, @MessageBody(FramePipe) question: SessionFrame): void {
    session?.frame(question);
  }

  @SubscribeMessage('session.end')
  end(@ConnectedSocket() { session }: Connection): void {
    session?.end();
  }

  /** A ping keeps the connection open, but an idle session still times out. */
  @SubscribeMessage('ping')
  answerPing(@ConnectedSocket() { client }: Connection): void {
    client.tell({ type: 'pong' });
  }

  @SubscribeMessage(anyOther)
  frame(@ConnectedSocket() { session }: Connection, @MessageBody(FramePipe) frame: SessionFrame): void {
    session?.frame(frame);
  }
}

/** A live voice conversation. */
@WebSocketGateway({ path: socketPaths.voice })
class VoiceGateway extends SocketGateway {
  protected relayFor(admitted: Admitted, client: ClientSide): Relay {
    return this.opener.spoken(admitted, client, 'VOICE', (start) => this.opener.session(admitted, start, 'VOICE'));
  }
}

/** Chat and voice of an embedded widget. */
@WebSocketGateway({ path: socketPaths.widget })
class WidgetGateway extends SocketGateway {
  protected relayFor(admitted: Admitted, client: ClientSide): Relay {
    return new WidgetRelay(this.opener, admitted, client);
  }
}

/** Live transcription. */
@WebSocketGateway({ path: socketPaths.transcription })
class TranscriptionGateway extends SocketGateway {
  protected relayFor(admitted: Admitted, client: ClientSide): Relay {
    return this.opener.transcription(admitted, client);
  }
}

const gateways = [VoiceGateway, WidgetGateway, TranscriptionGateway];

/** Live voice and chat over WebSockets, and the document that describes them. */
@Module({})
export class SocketsModule {
  /** `needed` provides what sockets inject: keys, tokens and charging. */
  static with(config: GatewayConfig, needed: NonNullable<DynamicModule['imports']>): DynamicModule {
    const settings = { provide: SocketSettings, useValue: new SocketSettings(config) };
    const document = { provide: SocketDocument, useValue: new SocketDocument(socketAddressOf(config), socketLimits) };
    const services = [OpenSockets, SessionHolders, QuestionLimits, SocketAdmission, SessionOpener];
    const providers = [...gateways, ...services, settings, document];
    return { module: SocketsModule, imports: needed, controllers: [AsyncApiController, SessionEventsController], providers };
  }
}
