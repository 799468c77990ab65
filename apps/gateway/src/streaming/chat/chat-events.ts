import type { TurnItem } from '@parley/contracts';
import { chatReply } from './chat-reply';
import type { ChatTurn } from './chat-turn';
import { silence, withSilences } from './keep-alive';

interface Narration {
  readonly keepAliveMs: number;
  /** The turn failed after the first event was out: answers the last one. */
  onFailure(error: unknown): Promise<object>;
  /** The turn is over for this client, one way or another. */
  onEnd(): Promise<void>;
}

/** A turn as Server-Sent Events. Whoever stops reading ends the turn. */
export async function* chatEvents(turn: ChatTurn, { keepAliveMs, onFailure, onEnd }: Narration): AsyncGenerator<string> {
  let isOver = false;
  try {
    yield event('session', { sessionUUID: turn.sessionUUID });
    for await (const item of withSilences(turn.rest(), keepAliveMs)) {
      isOver ||= item !== silence && item.type === 'done';
      yield item === silence ? ': keep-alive\n\n' : eventOf(item);
    }
  } catch (error) {
    if (!turn.isLeft) {
      isOver = true;
      yield event('error', await onFailure(error));
    }
  } finally {
    if (!isOver) await turn.left();
    await onEnd();
  }
}

function eventOf(item: TurnItem): string {
  switch (item.type) {
    case 'session':
      return event('session', { sessionUUID: item.sessionUUID });
    case 'transcription':
    case 'delta':
      return event(item.type, { text: item.text });
    case 'done':
      return event('done', chatReply(item));
  }
}

/** JSON has no line breaks, so one data line holds it. */
function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
