import { retrieveKnowledge } from '@parley/contracts';
import type { ServiceBus } from '@parley/messaging';
import { z } from 'zod';
import type { TurnTool } from './tool';

const Name = z.string().trim().min(1).max(200);

/** Questions to the tables of one knowledge base. Which one is decided here and not by the model. */
export function knowledgeTools(bus: ServiceBus, KBID: number): TurnTool[] {
  const ask = async (query: string): Promise<string> => {
    const { fact, passages } = await bus.ask(retrieveKnowledge, { KBID, query, topK: 3 });
    return fact ?? (passages.map(({ text }) => text).join('\n') || 'Nothing is known about that.');
  };
  return [
    {
      specification: {
        name: 'business_hours',
        description: 'When the business is open, on a day or in general.',
        parameters: {
          type: 'object',
          properties: { day: { type: 'string', description: 'A weekday in English, "today" or "tomorrow".' } },
        },
      },
      run: async (given) => {
        const { data } = z.object({ day: Name.optional() }).safeParse(given ?? {});
        if (!data) return 'Wrong arguments: day must be a short text.';
        return ask(data.day ? `Are you open ${data.day}?` : 'When are you open?');
      },
    },
    {
      specification: {
        name: 'price_and_availability',
        description: 'What a product or a service costs and whether it is available.',
        parameters: {
          type: 'object',
          properties: { name: { type: 'string', description: 'The product or service.' } },
          required: ['name'],
        },
      },
      run: async (given) => {
        const { data } = z.object({ name: Name }).safeParse(given);
        return data
          ? ask(`How much does ${data.name} cost, and is it available?`)
          : 'Wrong arguments: name must be a short text.';
      },
    },
  ];
}
