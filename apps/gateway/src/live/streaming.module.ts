import { PassThrough, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Controller, type DynamicModule, Module, Req, Res, type Type } from '@nestjs/common';
import { Fault, watchCalls, watchTodayCounts } from '@parley/contracts';
import { type Call, runInCall, ServiceBus } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import { openFileStore } from '@parley/providers/configured-files';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AcceptInviteController } from '../api/accept-invite.controller';
import { Answers } from '../api/hand-written';
import {
  ContactsExportController,
  FactsExportController,
  RecordingController,
  UsageExportController,
} from '../api/files/downloads.controller';
import { ContactsUploadController, DocumentUploadController, SpreadsheetsController, Uploads } from '../api/files/uploads';
import type { GatewayConfig } from '../config';
import { socketAddress, socketAddressOf } from '../door/access/entry-tokens';
import { bodyOf, gatewayCall } from '../endpoint/gateway-call';
import { ChatAnswers, ChatController, TextQuestionController } from './chat/chat-answers';
import { silence, withSilences } from './chat/chat-events';
import { VoiceOffers } from './chat/chat-request';
import { SynthesisController, TranscriptionController, VoicePreviewController } from './speech/speech.controller';

type WatchedItem = z.output<typeof watchCalls.item>;
type Today = z.output<typeof watchTodayCounts.item>;

/** What a dashboard knows already: the last change of a call, and the day's counts. */
interface SeenFigures {
  calls?: number;
  today?: string;
}

const keepAliveMs = 15_000;
const askAgainMs = 5_000;
/** The event id: the version of the calls, and of the day's counts once sent. */
const eventId = /^(?<calls>\d{1,15})?(?:~(?<today>[\w.-]{1,64}))?$/;

/**
 * Live calls and the day's counts as Server-Sent Events. A dashboard that reconnects with `Last-Event-ID`, to any replica, gets
 * the calls that it missed, and the counts unless it has them.
 */
@Controller()
class LiveCallsController {
  constructor(private readonly bus: ServiceBus) {}

  @Answers('watchCalls')
  async live(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const call = gatewayCall(request, reply, watchCalls.timeoutMs);
    const known = knownOf(request.headers['last-event-id']);
    const calls = runInCall(call, () => this.bus.stream(watchCalls, known.calls === undefined ? {} : { after: known.calls }));
    await reply
      .headers(streamHeaders)
      .send(bodyOf(events(joined<WatchedItem | Today>([calls, this.today(known.today, call)]), known)));
  }

  /** Without the dashboards service, live calls continue alone, and it is asked again. */
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
  for await (const item of withSilences(items, keepAliveMs)) yield item === silence ? ': keep-alive\n\n' : eventOf(item, known);
}

/** The id is what a client sends back as `Last-Event-ID`. */
function eventOf(item: WatchedItem | Today, known: SeenFigures): string {
  if ('type' in item) known.calls = item.change;
  else known.today = item.change;
  const id = `${known.calls ?? ''}${known.today === undefined ? '' : `~${known.today}`}`;
  const [name, data] = 'type' in item ? [item.type, item.type === 'counts' ? item.counts : item.call] : ['today', item];
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The items of some streams as they come, until all have ended. The first that fails ends it, and the others with it. */
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

/** Proxies would otherwise collect the events before they pass them on. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** The endpoints that are no question with one answer: files in, files out, streams. */
@Module({
  controllers: [
    AcceptInviteController,
    ChatController,
    ContactsExportController,
    ContactsUploadController,
    DocumentUploadController,
    SpreadsheetsController,
    LiveCallsController,
    RecordingController,
    SynthesisController,
    TextQuestionController,
    TranscriptionController,
    FactsExportController,
    UsageExportController,
    VoicePreviewController,
  ],
  providers: [Uploads],
})
export class StreamingModule {
  /** `doorkeepers` provide what every endpoint leans on: keys and tokens, the trail of actions, charging. */
  static with(config: GatewayConfig, doorkeepers: readonly (Type | DynamicModule)[]): DynamicModule {
    const files = { provide: FileStore, useFactory: () => openFileStore(config) };
    const address = { provide: socketAddress, useValue: socketAddressOf(config) };
    return { module: StreamingModule, imports: [...doorkeepers], providers: [ChatAnswers, VoiceOffers, files, address] };
  }
}
