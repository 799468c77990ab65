import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { complaintsOf, type PostedPrompt } from './prompt-checks';

/** How the model answers one request, given the response and the request's content. */
export type Script = (response: ServerResponse, asked: { readonly system: string; readonly question: string }) => void;

const usage = { prompt_tokens: 200, completion_tokens: 6, total_tokens: 206 };
const common = { id: 'c', created: 1, model: 'scripted', object: 'chat.completion.chunk' };

/** One event of a streamed answer. */
export function word(content: string): string {
  return `data: ${JSON.stringify({ ...common, choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
}

/** A complete and valid answer. */
export function says(answer: string): Script {
  return (response) => {
    const end = { ...common, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${word(answer)}data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
  };
}

/** A server that speaks OpenAI's protocol, with scripted answers. */
export class ScriptedModel {
  script: Script = says('We are glad to help.');
  /** The problems found in the prompts received. */
  readonly complaints: string[] = [];
  promptsSeen = 0;
  private readonly server: Server;

  private constructor() {
    this.server = createServer(async (request, response) => {
      const posted = JSON.parse(Buffer.concat(await request.toArray()).toString()) as PostedPrompt;
      const { messages } = posted;
      this.promptsSeen += 1;
      this.complaints.push(...complaintsOf(posted));
      this.script(response, { system: messages[0]?.content ?? '', question: messages.at(-1)?.content ?? '' });
    });
  }

  static async start(): Promise<ScriptedModel> {
    const model = new ScriptedModel();
    await once(model.server.listen(0, '127.0.0.1'), 'listening');
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
