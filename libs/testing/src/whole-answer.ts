import { type Principal, streamTurn, type TurnItem } from '@parley/contracts';
import type { ServiceBus } from '@parley/messaging';
import type { z } from 'zod';

type Answer = Extract<TurnItem, { type: 'done' }>;

/** Asks an agent, and waits for the whole answer. */
export async function wholeAnswer(
  bus: ServiceBus,
  question: z.input<typeof streamTurn.request>,
  from: { readonly principal: Principal },
): Promise<Answer> {
  for await (const item of bus.stream(streamTurn, { ...question, isWhole: true }, from)) if (item.type === 'done') return item;
  throw new Error('the turn ended without its last item');
}
