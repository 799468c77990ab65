// One end of many lines: `lines.js gateway|speech URL HALF LINES BLOCK-MS`. Sends what its end of a live call would send, and
// records the age of what it receives. Both ends are on one machine, so they share a clock.
import { connect, type NatsConnection } from '@nats-io/transport-node';

const [, , role = '', url = '', half = '', count = '0', block = '20'] = process.argv;
const lines = Number(count);
const blockMs = Number(block);
/** 50 messages of sound a second in one direction, and 24 in the other: 74 in total, and 51 kB. */
const messagesPerSecond = role === 'gateway' ? 50 : 24;
const bytesPerMessage = 51_000 / 74;
const periodMs = (1_000 / messagesPerSecond) * (blockMs / 20);
const size = Math.round(bytesPerMessage * (blockMs / 20));
const agesKept = 200_000;
const lateMs = 20;
const veryLateMs = 60;

const now = (): number => performance.timeOrigin + performance.now();

class Line {
  private readonly payload = Buffer.alloc(size);
  private dueAt: number;

  constructor(
    private readonly subject: string,
    at: number,
  ) {
    // Lines begin at different times, not all at once.
    this.dueAt = now() + (at / lines) * periodMs;
  }

  sendDue(connection: NatsConnection): void {
    for (const at = now(); this.dueAt <= at; this.dueAt += periodMs) {
      // The time when it was due: a late sender makes its message late.
      this.payload.writeDoubleLE(this.dueAt);
      connection.publish(this.subject, this.payload);
    }
  }
}

class Heard {
  private messages = 0;
  private bytes = 0;
  private late = 0;
  private veryLate = 0;
  private ages: number[] = [];

  note(data: Uint8Array): void {
    const age = now() - Buffer.from(data.buffer, data.byteOffset, 8).readDoubleLE();
    this.messages += 1;
    this.bytes += data.byteLength;
    if (age > lateMs) this.late += 1;
    if (age > veryLateMs) this.veryLate += 1;
    if (this.ages.length < agesKept) this.ages.push(age);
  }

  tell(): object {
    const ages = this.ages.toSorted((a, b) => a - b);
    const at = (share: number): number => ages[Math.floor(ages.length * share)] ?? 0;
    const { messages, bytes, late, veryLate } = this;
    return { messages, bytes, late, veryLate, p50Ms: at(0.5), p99Ms: at(0.99) };
  }
}

async function main(): Promise<void> {
  const connection = await connect({ servers: url, name: `bench-${role}-${half}` });
  const other = role === 'gateway' ? 'speech' : 'gateway';
  let heard = new Heard();
  const sending = Array.from({ length: lines }, (_, at) => new Line(`${other}.${half}.${at}`, at));
  for (let at = 0; at < lines; at += 1)
    connection.subscribe(`${role}.${half}.${at}`, { callback: (_error, message) => heard.note(message.data) });
  await connection.flush();
  process.on('message', (asked) => {
    if (asked === 'begin') setInterval(() => sending.forEach((line) => line.sendDue(connection)), 1);
    if (asked === 'count') heard = new Heard();
    if (asked === 'tell') process.send?.(heard.tell());
  });
  process.send?.('ready');
}

void main();
