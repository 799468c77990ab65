import { once } from 'node:events';
import { createServer } from 'node:http';
import { z } from 'zod';

const Content = z.union([z.string(), z.array(z.object({ text: z.string() }))]).nullish();
const Sent = z.object({
  stream: z.boolean().optional(),
  messages: z.array(z.object({ role: z.string(), content: Content })),
  tools: z.array(z.object({ function: z.object({ name: z.string(), description: z.string().optional() }) })).optional(),
});

/** A request as it was sent to a model. */
export interface SentPrompt {
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly tools: readonly string[];
}

const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const common = { id: 'c', created: 1, model: 'recording' };

/** A model with OpenAI's protocol and a constant answer that records its input. */
export class RecordingModel {
  readonly prompts: SentPrompt[] = [];
  private readonly server = createServer(async (request, response) => {
    const sent = Sent.parse(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    this.prompts.push(promptOf(sent));
    response.writeHead(200, { 'content-type': sent.stream ? 'text/event-stream' : 'application/json' });
    response.end(sent.stream ? streamed('Noted.') : whole('Noted.'));
  });

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    if (!address || typeof address === 'string') throw new Error('the system gave no port');
    return address.port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

function promptOf({ messages, tools = [] }: z.output<typeof Sent>): SentPrompt {
  const texts = messages.map(({ role, content }) => ({
    role,
    text: typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n'),
  }));
  return {
    system: texts.flatMap(({ role, text }) => (role === 'system' ? [text] : [])).join('\n'),
    messages: texts.filter(({ role }) => role !== 'system'),
    tools: tools.map(({ function: { name } }) => name),
  };
}

function whole(content: string): string {
  const message = { role: 'assistant', content };
  return JSON.stringify({
    ...common,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage,
  });
}

function streamed(content: string): string {
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const last = `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices: [], usage })}\n\n`;
  return [chunk({ role: 'assistant', content }, null), chunk({}, 'stop'), last, 'data: [DONE]\n\n'].join('');
}
