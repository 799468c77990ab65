import { EventEmitter, once } from 'node:events';
import { Controller, Inject } from '@nestjs/common';
import { examplesOf, watchCalls, watchTodayCounts } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { z } from 'zod';
import { Harness, type TestOrganization } from '../testing/harness';

type LiveItem = z.output<typeof watchCalls.item>;
type Today = z.output<typeof watchTodayCounts.item>;

const [aCall] = watchCalls.item.options[1].shape.call.array().parse(examplesOf(watchCalls.item.options[1].shape.call));
const [today] = watchTodayCounts.item.array().parse(examplesOf(watchTodayCounts.item));

/** The state of the services behind the gateway, the same for every replica. */
class Board extends EventEmitter {
  change = 411;
  readonly moved: LiveItem[] = [];
  today: Today | undefined = today;

  move(state: 'RINGING' | 'IN_PROGRESS' | 'COMPLETED'): void {
    if (!aCall) throw new Error('no example');
    this.moved.push({ type: 'call', change: ++this.change, call: { ...aCall, state } });
    this.emit('news');
  }

  count(totalCalls: number): void {
    if (today) this.today = { ...today, totalCalls, change: `2026-03-02_${totalCalls}` };
    this.emit('news');
  }
}

@Controller()
class Bridge {
  constructor(@Inject(Board) private readonly board: Board) {}

  @Handles(watchCalls)
  async *watch({ after }: { after?: number | undefined }, { signal }: Call): AsyncGenerator<LiveItem> {
    let known = after ?? this.board.change;
    yield { type: 'counts', change: known, counts: { activeCalls: 0, limit: 10, byAgent: [] } };
    for (;;) {
      const item = this.board.moved.find(({ change }) => change > known);
      if (item) yield item;
      else await once(this.board, 'news', { signal });
      known = item?.change ?? known;
    }
  }
}

@Controller()
class Dashboards {
  constructor(@Inject(Board) private readonly board: Board) {}

  @Handles(watchTodayCounts)
  async *watch({ after }: { after?: string | undefined }, { signal }: Call): AsyncGenerator<Today> {
    for (let known = after; ;) {
      const { today } = this.board;
      if (today && today.change !== known) yield today;
      else await once(this.board, 'news', { signal });
      known = today?.change;
    }
  }
}

interface Told {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly state?: string; readonly totalCalls?: number };
}

/** A viewer of the stream: what it received, and until when it reads. */
class Wallboard {
  private readonly leaving = new AbortController();
  private readonly reader: ReadableStreamDefaultReader<string>;
  private text = '';

  private constructor({ body }: Response, leaving: AbortController) {
    this.leaving = leaving;
    if (!body) throw new Error('no stream');
    this.reader = body.pipeThrough(new TextDecoderStream()).getReader();
  }

  static async look(url: string, key: string, lastEventId?: string): Promise<Wallboard> {
    const leaving = new AbortController();
    const headers = { 'x-api-key': key, ...(lastEventId && { 'last-event-id': lastEventId }) };
    const response = await fetch(`${url}/api/v1/external/dashboard-count/live`, { headers, signal: leaving.signal });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    return new Wallboard(response, leaving);
  }

  /** The next events, this many. */
  async next(count: number): Promise<Told[]> {
    while (this.text.split('\n\n').length <= count) {
      const { value, done } = await this.reader.read();
      if (done) throw new Error(`the stream ended after ${this.text}`);
      this.text += value;
    }
    const parts = this.text.split('\n\n');
    this.text = parts.slice(count).join('\n\n');
    return parts.slice(0, count).map((part) => {
      const [id = '', event = '', data = ''] = part.split('\n').map((line) => line.slice(line.indexOf(': ') + 2));
      return { id, event, data: JSON.parse(data) };
    });
  }

  leave(): void {
    this.leaving.abort();
  }
}

describe('the stream of live calls', () => {
  let harness: Harness;
  let mine: TestOrganization;
  let key: string;
  const board = new Board();
  const urls: string[] = [];

  beforeAll(async () => {
    harness = await Harness.open();
    const known = [{ provide: Board, useValue: board }];
    await harness.play('telephony-bridge', Bridge, known);
    for (let gateway = 0; gateway < 2; gateway += 1) urls.push((await harness.startGateway()).url);
    mine = harness.organization();
    ({ key } = await harness.key(mine, 'wsk'));
  });
  afterAll(() => harness.close());

  const open: Wallboard[] = [];
  const look = async (replica: number, lastEventId?: string) => {
    const wallboard = await Wallboard.look(urls[replica] ?? '', key, lastEventId);
    open.push(wallboard);
    return wallboard;
  };
  afterEach(() => open.splice(0).forEach((wallboard) => wallboard.leave()));
  const brief = (told: readonly Told[]) =>
    told.map(({ event, data }) => `${event} ${data.state ?? data.totalCalls ?? ''}`.trim());

  it('sends calls even if nobody counts the day', async () => {
    const wallboard = await look(0);
    expect(brief(await wallboard.next(1))).toEqual(['counts']);
    board.move('RINGING');
    expect(brief(await wallboard.next(1))).toEqual(['call RINGING']);
  });

  it('sends calls and the day’s counts, and after a reconnect to another replica what was missed, once', async () => {
    await harness.play('dashboards', Dashboards, [{ provide: Board, useValue: board }]);
    const first = await look(0);
    expect(brief(await first.next(2)).toSorted()).toEqual(['counts', 'today 50']);
    board.move('IN_PROGRESS');
    const [last] = await first.next(1);
    expect(last).toMatchObject({ id: `${board.change}~${today?.change}`, event: 'call' });
    first.leave();
    board.move('COMPLETED');
    board.count(51);
    const second = await look(1, last?.id);
    expect(brief(await second.next(3)).toSorted()).toEqual(['call COMPLETED', 'counts', 'today 51']);
    board.count(52);
    const [news] = await second.next(1);
    expect(brief(news ? [news] : [])).toEqual(['today 52']);
    const third = await look(0, news?.id);
    expect(brief(await third.next(1))).toEqual(['counts']);
    board.count(53);
    expect(brief(await third.next(1))).toEqual(['today 53']);
  });

  it.each(['412', 'nonsense', '~', `412~${'x'.repeat(65)}`])('accepts any Last-Event-ID (%s)', async (lastEventId) => {
    const wallboard = await look(0, lastEventId);
    expect(brief(await wallboard.next(2)).join(' ')).toContain('counts');
  });

  it('needs the permission to see dashboards', async () => {
    const { key: agentKey } = await harness.key(mine, 'agt');
    const path = `${urls[0]}/api/v1/external/dashboard-count/live`;
    expect((await fetch(path, { headers: { 'x-api-key': agentKey } })).status).toBe(403);
    expect((await fetch(path)).status).toBe(401);
  });
});
