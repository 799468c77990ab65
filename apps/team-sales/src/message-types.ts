import type { EventContract, RequestContract, StreamContract } from '@parley/contracts';
import type { z } from 'zod';

/** What the handler of a message is given. */
export type BodyOf<Contract extends RequestContract | StreamContract> = z.output<Contract['request']>;

/** What the handler of a request answers. */
export type ReplyOf<Contract extends RequestContract> = z.input<Contract['reply']>;

/** What an event says. */
export type PayloadOf<Contract extends EventContract> = z.input<Contract['payload']>;
