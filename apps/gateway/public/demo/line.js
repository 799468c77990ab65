const final = new Set([1000, 1008, 1009, 4401, 4403, 4408, 4409, 4410, 4429]);
const [retriesMax, retryMs, retryMsMax] = [6, 400, 8000];
const [pingMs, queuedMax, unsentBytesMax] = [15_000, 8, 64_000];

/**
 * The socket to the agent. When it is lost or the server restarts, it reconnects to the same conversation a few times, with
 * growing pauses. Sound that could not be sent meanwhile is dropped; typed words wait.
 */
export class Line {
  constructor({ url, opening, hear, Socket = WebSocket, timers = globalThis }) {
    Object.assign(this, { url, opening, hear, Socket, timers });
    this.retries = 0;
    this.waiting = [];
    this.isWanted = false;
    this.isReady = false;
  }

  open() {
    this.isWanted = true;
    const socket = new this.Socket(this.url);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => this.write({ type: 'session.start', ...this.opening });
    socket.onmessage = ({ data }) => socket === this.socket && this.take(data);
    socket.onclose = ({ code }) => socket === this.socket && this.lose(code);
  }

  /** Sends a frame as soon as the conversation is open. */
  say(frame) {
    if (this.isReady) this.write(frame);
    else if (this.waiting.length < queuedMax) this.waiting.push(frame);
    else return false;
    return true;
  }

  /** Sends a frame only if the conversation is open; later it would be stale. */
  tell(frame) {
    if (this.isReady) this.write(frame);
  }

  /** Sends a frame of sound; returns whether it was sent. */
  speak(frame) {
    if (!this.isReady || this.socket.bufferedAmount > unsentBytesMax) return false;
    this.socket.send(frame.buffer);
    return true;
  }

  /** Ends the conversation. */
  end() {
    this.tell({ type: 'session.end' });
    this.rest();
    this.socket?.close(1000);
    this.socket = undefined;
  }

  write(frame) {
    this.socket.send(JSON.stringify(frame));
  }

  take(data) {
    this.isAlive = true;
    if (typeof data !== 'string') return this.hear.onSound(data);
    const frame = JSON.parse(data);
    if (frame.type === 'session.ready') this.begin(frame);
    if (frame.type === 'session.ended') this.isWanted = false;
    if (frame.type !== 'pong') this.hear.onFrame(frame);
  }

  begin({ sessionUUID }) {
    this.opening = { ...this.opening, sessionUUID };
    this.retries = 0;
    this.isReady = true;
    this.isAlive = true;
    for (const frame of this.waiting.splice(0)) this.write(frame);
    this.pinging = this.timers.setInterval(() => this.ping(), pingMs);
  }

  /** A network that fails silently is noticed when a ping stays unanswered. */
  ping() {
    if (!this.isAlive) {
      const dead = this.socket;
      this.lose(1006);
      return dead.close();
    }
    this.isAlive = false;
    return this.write({ type: 'ping' });
  }

  lose(code) {
    const { isWanted } = this;
    this.rest();
    this.socket = undefined;
    if (!isWanted || final.has(code) || this.retries >= retriesMax) return this.hear.onClosed(isWanted ? code : 1000);
    this.isWanted = true;
    const waitMs = Math.min(retryMsMax, retryMs * 2 ** this.retries);
    this.retries += 1;
    this.hear.onRetrying();
    this.retrying = this.timers.setTimeout(() => this.open(), waitMs);
  }

  rest() {
    this.isWanted = false;
    this.isReady = false;
    this.timers.clearInterval(this.pinging);
    this.timers.clearTimeout(this.retrying);
  }
}
