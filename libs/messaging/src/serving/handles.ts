import { applyDecorators, Catch, type ExceptionFilter, UseFilters } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants.js';
import type { ChannelContract, EventContract, MessageContract, RequestContract, StreamContract } from '@parley/contracts';
import { type Observable, throwError } from 'rxjs';
import type { z } from 'zod';
import type { Call } from '../call';
import type { EventMeta } from '../event-envelope';
import type { AcceptedLine } from './serve-channel';

type Answerable = RequestContract | StreamContract | ChannelContract;

/** The method that answers a contract: its body and the call come in, what the contract promises goes out. */
export type HandlerOf<Contract extends Answerable> =
  Contract extends RequestContract<infer Body, infer Reply>
    ? (body: z.output<Body>, call: Call) => Promise<z.input<Reply>> | z.input<Reply>
    : Contract extends StreamContract<infer Body, infer Item>
      ? (body: z.output<Body>, call: Call) => AsyncIterable<z.input<Item>>
      : Contract extends ChannelContract<infer Opening, infer Accepted, infer Signal>
        ? (opening: z.output<Opening>, call: Call) => Promise<AcceptedLine<z.input<Accepted>, z.output<Signal>>>
        : never;

/** The method that consumes an event. It may be called again for the same id. */
export type ConsumerOf<Payload extends z.ZodType> = (
  payload: z.output<Payload>,
  event: EventMeta,
  call: Call,
) => Promise<void> | void;

/** The method that hears an event. It returns before it is called again; nothing waits for it. */
export type HearerOf<Payload extends z.ZodType> = (payload: z.output<Payload>, event: Omit<EventMeta, 'attempt'>) => void;

type TypedMethodDecorator<Method> = <Given extends Method>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Given>,
) => void;

/** Marks the method of a controller that answers a contract. A method of another shape does not compile. */
export function Handles<Contract extends Answerable>(contract: Contract): TypedMethodDecorator<HandlerOf<Contract>> {
  return messageHandler({ contract });
}

/** Marks the method of a controller that consumes an event: at least once each, one replica of the service each time. */
export function Consumes<Payload extends z.ZodType>(contract: EventContract<Payload>): TypedMethodDecorator<ConsumerOf<Payload>> {
  return messageHandler({ contract });
}

/**
 * Marks the method of a controller that hears an event: every replica of the service, those that are there at that moment,
 * perhaps twice. For what a replica keeps in memory; what must not be missed is consumed.
 */
export function Hears<Payload extends z.ZodType>(contract: EventContract<Payload>): TypedMethodDecorator<HearerOf<Payload>> {
  return messageHandler({ contract, isHeard: true }, `heard ${contract.subject}`);
}

interface Marking {
  readonly contract: MessageContract;
  readonly isHeard?: boolean;
}

/** The contract that a handler was marked with, and whether it only hears. */
export function markingOf(extras: Partial<Marking> | undefined): Partial<Marking> {
  return extras ?? {};
}

// Nest would turn what a handler throws into a text; here it stays what it is until the answer is written.
@Catch()
class KeepWhatWasThrown implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown);
  }
}

function messageHandler(marking: Marking, pattern: string = marking.contract.subject): MethodDecorator {
  const nest = applyDecorators(MessagePattern(pattern, { ...marking }), UseFilters(new KeepWhatWasThrown()));
  return (target, key, descriptor) => {
    // No arguments of Nest's own: the handler is given everything that the server calls it with, past Nest's pipes.
    Reflect.defineMetadata(PARAM_ARGS_METADATA, {}, target.constructor, key);
    nest(target, key, descriptor);
  };
}
