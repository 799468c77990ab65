import type { RequestContract, StreamContract } from '@parley/contracts';
import type { z } from 'zod';

/** What a handler of the contract is given. */
export type BodyOf<Contract extends RequestContract | StreamContract> = z.output<Contract['request']>;

/** What a handler of the contract answers. */
export type ReplyOf<Contract extends RequestContract> = z.input<Contract['reply']>;
