// What customers do while Postgres fails over: charged questions at a steady rate, some of them streamed, some with an Idempotency-Key that
// is repeated until it is answered, changes that the audit log has, and a line of live voice.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

const question = 'When are you open?';
const givesUpMs = 30_000;
/** Who repeats a request waits as long as the answer says, and otherwise so long. */
const againMs = 1_000;

export class FailoverLoad {
  /** Questions that were answered, with the conversation that has each; `key` is that of a repeated one. */
  answered = [];
  /** Stored answers that were acknowledged as saved, with their ids. */
  saved = [];
  /** Everything that was not answered as asked: when, and how. */
  failures = [];
  lineEvents = [];
  underWay = new Set();
  isOver = false;
  overMs = 0;
  count = 0;

  constructor({ url, agentKey, workspaceKey, KBID, rate }) {
    Object.assign(this, { url, agentKey, workspaceKey, KBID, rate });
  }

  begin() {
    this.startedAt = performance.now();
    this.clock = setInterval(() => this.tick(), 1_000 / this.rate);
    void this.line();
  }

  /** Ends what is begun; requests under way are awaited, and those with a key repeated for so long. */
  async end(patienceMs = 0) {
    this.isOver = true;
    this.overMs = this.nowMs() + patienceMs;
    clearInterval(this.clock);
    await Promise.all(this.underWay);
    this.socket?.close();
  }

  tick() {
    this.count += 1;
    const kind = this.count % 10;
    const work = kind < 6 ? this.plain() : kind < 8 ? this.keyed() : kind === 8 ? this.streamed() : this.change();
    const done = work.finally(() => this.underWay.delete(done));
    this.underWay.add(done);
  }

  async plain() {
    const seen = await this.ask('/api/v1/ttt', { question });
    if (seen.status === 200) this.answered.push({ session: seen.body.sessionUUID, atMs: this.nowMs() });
    else this.fail('question', seen);
  }

  /** Asked until it is answered, as a client with a key of idempotency may. */
  async keyed() {
    const key = randomUUID();
    for (;;) {
      const seen = await this.ask('/api/v1/ttt', { question }, { 'idempotency-key': key });
      if (seen.status === 200) return void this.answered.push({ session: seen.body.sessionUUID, key, atMs: this.nowMs() });
      this.fail('question with a key', seen);
      if (this.isOver && this.nowMs() > this.overMs) return;
      await delay(seen.retryAfterMs ?? againMs);
    }
  }

  /** Each key once more; resolves with those whose answer is another one now. */
  async repeatKeyed() {
    const changed = [];
    for (const { key, session } of this.answered.filter((each) => each.key)) {
      const seen = await this.ask('/api/v1/ttt', { question }, { 'idempotency-key': key });
      if (seen.status !== 200 || seen.body.sessionUUID !== session) changed.push({ key, session, seen });
    }
    return changed;
  }

  async streamed() {
    const seen = await this.ask('/api/v1/external/chat', { question, connectionType: 'ttt' });
    const session = /"sessionUUID":"([\da-f-]+)"/.exec(seen.text ?? '')?.[1];
    const failure = /event: error\ndata: (.*)/.exec(seen.text ?? '')?.[1];
    if (seen.status === 200 && session && !failure) this.answered.push({ session, atMs: this.nowMs() });
    else this.fail('stream', failure ? { ...seen, status: `200, then ${/"code":"(\w+)"/.exec(failure)?.[1]}` } : seen);
  }

  async change() {
    const title = `How many (${this.count})?`;
    const faqs = [{ KBFAQID: 0, Question: title, Answer: `So many: ${this.count}.` }];
    const headers = { 'x-api-key': this.workspaceKey };
    const seen = await this.ask('/api/v1/external/kb-faq/add-update-faq', { KBID: this.KBID, faqs }, headers);
    if (seen.status < 300) this.saved.push({ title, id: seen.body.data.faqs[0].KBFAQID });
    else this.fail('change', seen);
  }

  async ask(place, body, headers = {}) {
    const askedAt = performance.now();
    try {
      const answer = await fetch(this.url + place, {
        method: 'POST',
        headers: { 'x-api-key': this.agentKey, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(givesUpMs),
      });
      const text = await answer.text();
      const retryAfter = answer.headers.get('retry-after');
      return {
        status: answer.status,
        text,
        body: text.startsWith('{') ? JSON.parse(text) : {},
        ...(retryAfter && { retryAfterMs: Number(retryAfter) * 1_000 }),
        tookMs: performance.now() - askedAt,
      };
    } catch (error) {
      return { status: error.cause?.code ?? error.name, body: {}, tookMs: performance.now() - askedAt };
    }
  }

  /** A silent line: everything is heard, nobody speaks. It comes back when it is closed. */
  async line(session) {
    const socket = new WebSocket(`${this.url.replace('http', 'ws')}/ws/sts`, { headers: { 'x-api-key': this.agentKey } });
    this.socket = socket;
    const sound = setInterval(() => socket.readyState === WebSocket.OPEN && socket.send(Buffer.alloc(640)), 20);
    const note = (what) => this.lineEvents.push({ atMs: this.nowMs(), what });
    let known = session;
    socket.on('open', () => socket.send(JSON.stringify({ type: 'session.start', ...(known && { sessionUUID: known }) })));
    socket.on('error', (error) => note(`error ${error.message}`));
    socket.on('message', (data, isBinary) => {
      if (isBinary) return;
      const frame = JSON.parse(String(data));
      if (frame.type === 'session.ready') known = frame.sessionUUID;
      if (frame.type === 'session.ready' || frame.type === 'error') note(`${frame.type} ${frame.code ?? ''}`.trim());
    });
    await new Promise((resolve) => socket.once('close', (code) => resolve(note(`closed ${code}`))));
    clearInterval(sound);
    await delay(againMs);
    if (!this.isOver) void this.line(known);
  }

  nowMs() {
    return Math.round(performance.now() - this.startedAt);
  }

  fail(what, { status, body, tookMs }) {
    this.failures.push({ what, status, code: body.code ?? body.error?.code, atMs: this.nowMs(), tookMs: Math.round(tookMs) });
  }

  /** How often each kind of request failed in which way, and for how long. */
  failuresByKind() {
    const counts = Map.groupBy(this.failures, ({ what, status, code }) => `${what} ${status} ${code ?? ''}`.trim());
    return [...counts].map(([what, each]) => `${each.length} × ${what}`).join('; ') || 'none failed';
  }
}
