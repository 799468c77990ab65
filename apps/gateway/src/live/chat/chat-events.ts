import type { TurnItem } from '@parley/contracts';
import { within } from '@parley/ports';
import { chatReply, type ChatTurn } from './chat-turn';

/** A marker for when no item came for a while. */
export const silence = Symbol('silence');

interface Narration {
  readonly keepAliveMs: number;
  /** The turn failed after the first event was out: answers the last one. */
  onFailure(error: unknown): Promise<object>;
  /** The turn is over for this client, one way or another. */
  onEnd(): Promise<void>;
}

/** A turn as Server-Sent Events. A client that stops reading ends the turn. */
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
      await turn.stop();
      yield event('error', await onFailure(error));
    }
  } finally {
    if (!isOver) await turn.stop();
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

/** The items of a source, with `silence` whenever the next one takes longer than the interval. */
export async function* withSilences<Item>(
  source: AsyncIterable<Item>,
  intervalMs: number,
): AsyncGenerator<Item | typeof silence> {
  const items = source[Symbol.asyncIterator]();
  let next = items.next();
  try {
    for (;;) {
      const winner = await within<Awaited<typeof next> | typeof silence>(intervalMs, next, () => silence);
      if (winner === silence) yield silence;
      else if (winner.done) return;
      else {
        yield winner.value;
        next = items.next();
      }
    }
  } finally {
    // A pending item is abandoned; its failure must not become an unhandled rejection.
    next.catch(() => undefined);
    await items.return?.();
  }
}
