import { PassThrough, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Req, Res } from '@nestjs/common';
import { Fault, watchCalls, watchTodayCounts } from '@parley/contracts';
import { type Call, runInCall, ServiceBus } from '@parley/messaging';
import { within } from '@parley/ports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Answers } from '../api/hand-written';
import { bodyOf, gatewayCall } from '../endpoint/gateway-call';

/** `x-accel-buffering`: otherwise proxies collect the events before they pass them on. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** After this long without an event, a comment keeps the connection open. */
export const keepAliveMs = 15_000;

/** Stands for an item that did not arrive in time. */
export const silence = Symbol('silence');

/** A comment, which keeps the connection open. */
export const keepAlive = ': keep-alive\n\n';

/** One event. JSON has no line breaks, so one data line holds it. */
export function event(name: string, data: object): string {
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

type WatchedItem = z.output<typeof watchCalls.item>;
type Today = z.output<typeof watchTodayCounts.item>;

/** What a dashboard already has: the last change of a call, and the day's counts. */
interface SeenFigures {
  calls?: number;
  today?: string;
}

const askAgainMs = 5_000;
/** The event id: the version of the calls, and of the day's counts once sent. */
const eventId = /^(?<calls>\d{1,15})?(?:~(?<today>[\w.-]{1,64}))?$/;

/**
 * Live calls and the day's counts as server-sent events. A dashboard that reconnects with `Last-Event-ID`, to any replica, gets
 * the call changes it missed, and the counts unless it has them.
 */
@Controller()
export class LiveCallsController {
  constructor(private readonly bus: ServiceBus) {}

  @Answers('watchCalls')
  async live(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const call = gatewayCall(request, reply, watchCalls.timeoutMs);
    const known = knownOf(request.headers['last-event-id']);
    const calls = runInCall(call, () => this.bus.stream(watchCalls, known.calls === undefined ? {} : { after: known.calls }));
    const items = joined<WatchedItem | Today>([calls, this.today(known.today, call)]);
    await reply.headers(eventStreamHeaders).send(bodyOf(events(items, known), { reply, call }));
  }

  /** If the dashboards service is unavailable, live calls continue alone, and the service is asked again. */
  private async *today(after: string | undefined, call: Call): AsyncGenerator<Today> {
    for (let known = after; !call.signal.aborted;) {
      try {
        const items = runInCall(call, () => this.bus.stream(watchTodayCounts, known === undefined ? {} : { after: known }));
        for await (const item of items) {
          yield item;
          known = item.change;
        }
        return;
      } catch (error) {
        if (!(error instanceof Fault && error.code === 'SERVICE_UNAVAILABLE')) throw error;
        await delay(askAgainMs, undefined, { signal: call.signal }).catch(() => undefined);
      }
    }
  }
}

function knownOf(header: string | string[] | undefined): SeenFigures {
  const { calls, today } = (typeof header === 'string' ? eventId.exec(header)?.groups : undefined) ?? {};
  return { ...(calls !== undefined && { calls: Number(calls) }), ...(today !== undefined && { today }) };
}

async function* events(items: AsyncIterable<WatchedItem | Today>, known: SeenFigures): AsyncGenerator<string> {
  for await (const item of withSilences(items, keepAliveMs)) yield item === silence ? keepAlive : eventOf(item, known);
}

/** Formats an item; clients send its id back as `Last-Event-ID`. */
function eventOf(item: WatchedItem | Today, known: SeenFigures): string {
  if ('type' in item) known.calls = item.change;
  else known.today = item.change;
  const id = `${known.calls ?? ''}${known.today === undefined ? '' : `~${known.today}`}`;
  const [name, data] = 'type' in item ? [item.type, item.type === 'counts' ? item.counts : item.call] : ['today', item];
  return `id: ${id}\n${event(name, data)}`;
}

/** The items of several streams as they arrive, until all have ended. The first failure ends them all. */
async function* joined<Item>(streams: readonly AsyncIterable<Item>[]): AsyncGenerator<Item> {
  const all = new PassThrough({ objectMode: true, highWaterMark: 1 });
  const sources = streams.map((stream) => Readable.from(stream));
  const items: AsyncIterable<Item> = all;
  let open = sources.length;
  for (const source of sources) {
    source.on('error', (error) => all.destroy(error)).pipe(all, { end: false });
    source.on('end', () => --open === 0 && all.end());
  }
  try {
    yield* items;
  } finally {
    for (const source of sources) source.destroy();
  }
}
