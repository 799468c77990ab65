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

type TypedMethodDecorator<Method> = <Given extends Method>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Given>,
) => void;

/** Marks the method of a controller that answers a contract. A method of another shape does not compile. */
export function Handles<Contract extends Answerable>(contract: Contract): TypedMethodDecorator<HandlerOf<Contract>> {
  return messageHandler(contract);
}

/** Marks the method of a controller that consumes an event: at least once each, one replica of the service each time. */
export function Consumes<Payload extends z.ZodType>(contract: EventContract<Payload>): TypedMethodDecorator<ConsumerOf<Payload>> {
  return messageHandler(contract);
}

/** The contract that a handler was marked with. */
export function contractOf(extras: { contract?: MessageContract } | undefined): MessageContract | undefined {
  return extras?.contract;
}

// Nest would turn what a handler throws into a text; here it stays what it is until the answer is written.
@Catch()
class KeepWhatWasThrown implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown);
  }
}

function messageHandler(contract: MessageContract): MethodDecorator {
  const nest = applyDecorators(MessagePattern(contract.subject, { contract }), UseFilters(new KeepWhatWasThrown()));
  return (target, key, descriptor) => {
    // No arguments of Nest's own: the handler is given everything that the server calls it with, past Nest's pipes.
    Reflect.defineMetadata(PARAM_ARGS_METADATA, {}, target.constructor, key);
    nest(target, key, descriptor);
  };
}
