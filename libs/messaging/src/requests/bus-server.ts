import { applyDecorators, Catch, type ExceptionFilter, UseFilters } from '@nestjs/common';
import { type CustomTransportStrategy, type MessageHandler, MessagePattern, Server } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants.js';
import {
  canHoldSecret,
  type ChannelContract,
  type EventContract,
  hiddenSecret,
  type MessageContract,
  ownerOf,
  type RequestContract,
  secretsOf,
  type ServiceName,
  type StreamContract,
} from '@parley/contracts';
import { type Observable, throwError } from 'rxjs';
import type { z } from 'zod';
import type { Call } from '../call';
import { TransportEndpoint } from '../endpoint';
import {
  type Backlog,
  type Consumption,
  EventEnvelopeSchema,
  type EventMeta,
  eventSubject,
  heardSubject,
} from '../event-envelope';
import { limits } from '../limits';
import { type MessageLog, nestMessageLog, type Packet, type Subscription, type Transport } from '../transport/transport';
import { asAnswerFault, decodeBody, encodeBody, parse } from '../wire/body';
import { encodeFrame } from '../wire/frame';
import { AcceptedRequests, type Handler, invoke, type RequestCounter, type Work } from './accepted-requests';
import { type AcceptedChannel, serveChannel, serveEvent, serveStream } from './serving';

type Answerable = RequestContract | StreamContract | ChannelContract;

/** The method that answers a contract: it receives the body and the call, and returns what the contract promises. */
export type HandlerOf<Contract extends Answerable> =
  Contract extends RequestContract<infer Body, infer Reply>
    ? (body: z.output<Body>, call: Call) => Promise<z.input<Reply>> | z.input<Reply>
    : Contract extends StreamContract<infer Body, infer Item>
      ? (body: z.output<Body>, call: Call) => AsyncIterable<z.input<Item>>
      : Contract extends ChannelContract<infer Opening, infer Accepted, infer Signal>
        ? (opening: z.output<Opening>, call: Call) => Promise<AcceptedChannel<z.input<Accepted>, z.output<Signal>>>
        : never;

/** The method that consumes an event. It may be called again for the same id. */
export type ConsumerOf<Payload extends z.ZodType> = (
  payload: z.output<Payload>,
  event: EventMeta,
  call: Call,
) => Promise<void> | void;

/** A method that hears an event. It must return immediately; its work is not awaited. */
export type HearerOf<Payload extends z.ZodType> = (payload: z.output<Payload>, event: Omit<EventMeta, 'attempt'>) => void;

type TypedMethodDecorator<Method> = <Given extends Method>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Given>,
) => void;

interface Marking {
  readonly contract: MessageContract;
  readonly isHeard?: boolean;
  /** How many events a consumer processes at a time, if many in one commit cost little more than one. */
  readonly concurrency?: number;
}

interface BusServerOptions {
  readonly service: ServiceName;
  readonly log?: MessageLog;
  readonly meter?: RequestCounter;
  /** How long `close` waits for work in progress. */
  readonly drainMs?: number;
}

/** Serves every `@Handles`, `@Consumes` and `@Hears` method of an application, as the strategy of `app.connectMicroservice`. */
export class BusServer extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol('parley');
  private readonly endpoint: TransportEndpoint;
  private readonly requests: AcceptedRequests;
  private readonly subscriptions: Subscription[] = [];
  private readonly consumptions: Consumption[] = [];
  private closing: Promise<void> | undefined;

  constructor(
    private readonly transport: Transport,
    private readonly options: BusServerOptions,
  ) {
    super();
    this.endpoint = new TransportEndpoint(transport, options.log ?? nestMessageLog);
    this.requests = new AcceptedRequests(this.endpoint, options.service, options.meter);
  }

  override addHandler(pattern: string, handler: MessageHandler, isEvent?: boolean, extras?: Record<string, unknown>): void {
    if (this.messageHandlers.has(pattern)) throw new TypeError(`two handlers for ${pattern} in ${this.options.service}`);
    super.addHandler(pattern, handler, isEvent, extras);
  }

  async listen(ready: (error?: unknown) => void): Promise<void> {
    try {
      for (const [pattern, handler] of this.messageHandlers) await this.bind(pattern, handler);
      // Until the broker knows the subscriptions, callers are told that nobody answers.
      await this.transport.settled();
      ready();
    } catch (error) {
      ready(error);
    }
  }

  /** Accepts no new work, lets work in progress finish within its limit, and aborts the rest. */
  close(): Promise<void> {
    this.closing ??= this.drain();
    return this.closing;
  }

  /**
   * What its consumers still have to process: the total number of events, and the longest time that one of them has been stuck.
   */
  async backlog(): Promise<Backlog> {
    const all = await Promise.all(this.consumptions.map((each) => each.backlog()));
    return {
      events: all.reduce((sum, { events }) => sum + events, 0),
      stuckMs: all.reduce((longest, { stuckMs }) => Math.max(longest, stuckMs), 0),
    };
  }

  override on(): never {
    throw new TypeError('this server has no events of its own');
  }

  override unwrap<T>(): T {
    throw new TypeError('the transport belongs to whoever made it');
  }

  private async bind(pattern: string, handler: MessageHandler): Promise<void> {
    const { contract, isHeard, concurrency } = markingOf(handler.extras);
    if (!contract) throw new TypeError(`${pattern} has a handler without a contract: use @Handles, @Consumes or @Hears`);
    if (contract.kind === 'event') return isHeard ? this.hear(contract, handler) : this.consume(contract, handler, concurrency);
    const { service } = this.options;
    if (ownerOf(contract) !== service) throw new TypeError(`${service} cannot answer ${contract.subject}`);
    const work = workFor(this.requests, contract, handler);
    const receive = (packet: Parameters<AcceptedRequests['take']>[0]) => this.requests.take(packet, work);
    this.subscriptions.push(this.transport.subscribe(contract.subject, receive, { queue: service }));
  }

  private async consume(contract: EventContract, handler: Handler, concurrency?: number): Promise<void> {
    const deliver = serveEvent(this.endpoint, contract, this.options.service, handler);
    const { subject } = contract;
    const options = { subject, group: this.options.service, concurrency };
    this.consumptions.push(await this.transport.events.consume(options, deliver));
  }

  private hear(contract: EventContract, handler: Handler): void {
    const receive = serveHeard(this.endpoint, contract, handler);
    for (const subject of [eventSubject(contract.subject), heardSubject(contract.subject)])
      this.subscriptions.push(this.transport.subscribe(subject, (packet) => void receive(packet)));
  }

  private async drain(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.drain()));
    await Promise.all([
      this.requests.drain(this.options.drainMs ?? limits.drainMs),
      ...this.consumptions.map((each) => each.stop()),
    ]);
    this.endpoint.close();
  }
}

function workFor(
  requests: AcceptedRequests,
  contract: RequestContract | StreamContract | ChannelContract,
  handler: Handler,
): Work {
  if (contract.kind === 'request') return serveRequest(requests, contract, handler);
  if (contract.kind === 'stream') return serveStream(requests, contract, handler);
  return serveChannel(requests, contract, handler);
}

/** Delivers an unstored event. If that fails it is logged and the event is lost, which the sender accepted. */
function serveHeard(endpoint: TransportEndpoint, contract: EventContract, handler: Handler) {
  return async ({ data }: Packet): Promise<void> => {
    try {
      const { payload, ...envelope } = decodeBody(EventEnvelopeSchema, data);
      await invoke(handler, parse(contract.payload, payload), envelope);
    } catch (error) {
      endpoint.log.warn({ err: error, subject: contract.subject }, 'An event was heard and could not be handled');
    }
  };
}

/** Answers one request at a time with what the handler returns. */
function serveRequest(requests: AcceptedRequests, contract: RequestContract, handler: Handler): Work {
  return async (request, call) => {
    call.onlyReads = contract.onlyReads;
    const body = decodeBody(contract.request, request.body);
    const answer = await invoke(handler, body, call).catch((error: unknown) => {
      hideSecretsIn(error, contract.request, body);
      throw error;
    });
    requests.endpoint.transport.publish(request.reply, encodeFrame('reply', 0, textOfAnswer(contract, answer)));
  };
}

function textOfAnswer(contract: RequestContract, answer: unknown): string {
  try {
    return encodeBody(contract.reply, answer);
  } catch (error) {
    throw asAnswerFault(error);
  }
}

/** Marks the controller method that answers a contract. A method of another type does not compile. */
export function Handles<Contract extends Answerable>(contract: Contract): TypedMethodDecorator<HandlerOf<Contract>> {
  return messageHandler({ contract });
}

/** Marks the controller method that consumes an event: at least once, by one replica of the service. */
export function Consumes<Payload extends z.ZodType>(
  contract: EventContract<Payload>,
  options: Pick<Marking, 'concurrency'> = {},
): TypedMethodDecorator<ConsumerOf<Payload>> {
  return messageHandler({ contract, ...options });
}

/**
 * Marks a controller method that hears an event: every running replica receives it, possibly twice. Use it for in-memory state;
 * consume events that must not be missed.
 */
export function Hears<Payload extends z.ZodType>(contract: EventContract<Payload>): TypedMethodDecorator<HearerOf<Payload>> {
  return messageHandler({ contract, isHeard: true }, `heard ${contract.subject}`);
}

/** The contract that a handler is marked with, and whether it only hears. */
function markingOf(extras: Partial<Marking> | undefined): Partial<Marking> {
  return extras ?? {};
}

// Nest would turn a thrown error into text; this keeps it until the answer is written.
@Catch()
class KeepThrownError implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown);
  }
}

function messageHandler(marking: Marking, pattern: string = marking.contract.subject): MethodDecorator {
  const nest = applyDecorators(MessagePattern(pattern, { ...marking }), UseFilters(new KeepThrownError()));
  return (target, key, descriptor) => {
    // Keeps Nest's parameter pipes out: the handler gets exactly the arguments that the server passes.
    Reflect.defineMetadata(PARAM_ARGS_METADATA, {}, target.constructor, key);
    nest(target, key, descriptor);
  };
}

/** Shorter values occur in any text, and removing them would reveal more. */
const lettersMin = 4;
/** A shorter value is hidden only as a whole word: the port 5060 is not part of 15060. */
const lettersAnywhere = 8;
const causesMax = 5;

/**
 * Removes the request's secrets from an error, because a library or Postgres may have quoted them. The error itself is changed,
 * so that no wrapper can log them.
 */
function hideSecretsIn(error: unknown, schema: z.ZodType, request: unknown): void {
  if (!canHoldSecret(schema)) return;
  const secrets = secretsOf(schema, request).filter((text) => text.length >= lettersMin);
  let each = error;
  for (let depth = 0; depth < causesMax && each instanceof Error && secrets.length > 0; depth += 1) {
    hideIn(each, secrets);
    each = each.cause;
  }
}

function hideIn(error: Error, secrets: readonly string[]): void {
  for (const name of new Set(['message', 'stack', ...Object.keys(error)])) {
    const text: unknown = Reflect.get(error, name);
    if (typeof text !== 'string') continue;
    const hidden = secrets.reduce((rest, secret) => rest.replaceAll(placesOf(secret), hiddenSecret), text);
    if (hidden !== text) Reflect.set(error, name, hidden);
  }
}

function placesOf(secret: string): string | RegExp {
  if (secret.length >= lettersAnywhere) return secret;
  const escaped = secret.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\d])${escaped}(?![\\p{L}\\d])`, 'gu');
}
