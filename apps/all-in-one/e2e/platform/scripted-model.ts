import type { ServerResponse } from 'node:http';
import { completionEvent, ModelServer } from '../../src/testing/model-server';
import { complaintsOf, type PostedPrompt } from './prompt-checks';

/** How the model answers one request, given the response and the request's content. */
export type Script = (response: ServerResponse, asked: { readonly system: string; readonly question: string }) => void;

const usage = { prompt_tokens: 200, completion_tokens: 6, total_tokens: 206 };

/** One event of a streamed answer. */
export function word(content: string): string {
  return completionEvent({ delta: { content }, finish_reason: null });
}

/** A complete and valid answer. */
export function says(answer: string): Script {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${word(answer)}${completionEvent({ delta: {}, finish_reason: 'stop' }, { usage })}data: [DONE]\n\n`);
  };
}

/** A language model with scripted answers. */
export class ScriptedModel extends ModelServer {
  script: Script = says('We are glad to help.');
  /** The problems found in the prompts received. */
  readonly complaints: string[] = [];
  promptsSeen = 0;

  protected answer(body: unknown, response: ServerResponse): void {
    const posted = body as PostedPrompt;
    const { messages } = posted;
    this.promptsSeen += 1;
    this.complaints.push(...complaintsOf(posted));
    this.script(response, { system: messages[0]?.content ?? '', question: messages.at(-1)?.content ?? '' });
  }
}
