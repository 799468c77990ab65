import type { Reception } from './reception';
import { formatReport, middleOf, ntpOf, parseReports } from './reports';

const everyMs = 5000;

/** Our side of RTCP: what we sent, what the peer says of it, and how long a round trip takes. */
export class ReportExchange {
  packets = 0;
  /** Share of our packets that the peer lost between its last two reports. */
  remoteLoss: number | undefined;
  roundTripMs: number | undefined;
  private bytes = 0;
  private dueMs: number;
  private readonly name: string;

  constructor(
    private readonly source: number,
    nowMs: number,
  ) {
    this.dueMs = nowMs + spread();
    this.name = `${source.toString(16)}@parley`;
  }

  sent(bytes: number): void {
    this.packets += 1;
    this.bytes += bytes;
  }

  isDue(nowMs: number): boolean {
    if (nowMs < this.dueMs) return false;
    this.dueMs = nowMs + spread();
    return true;
  }

  make(reception: Reception, { nowMs, timestamp, isGoodbye }: { nowMs: number; timestamp: number; isGoodbye: boolean }): Buffer {
    const ntp = ntpOf(Date.now());
    const block = reception.block(nowMs);
    const sender = { ntpSeconds: ntp.seconds, ntpFraction: ntp.fraction, timestamp, packets: this.packets, bytes: this.bytes };
    const report = { source: this.source, ...(this.packets > 0 && { sender }), blocks: block ? [block] : [], isGoodbye };
    return formatReport(report, this.name);
  }

  receive(bytes: Buffer, reception: Reception, nowMs: number): void {
    const report = parseReports(bytes);
    if (!report) return;
    if (report.sender) {
      const { ntpSeconds, ntpFraction } = report.sender;
      reception.senderReport(middleOf({ seconds: ntpSeconds, fraction: ntpFraction }), nowMs);
    }
    const block = report.blocks.find(({ source }) => source === this.source);
    if (!block) return;
    this.remoteLoss = block.fractionLost / 256;
    if (block.lastSenderReport === 0) return;
    const away = (middleOf(ntpOf(Date.now())) - block.lastSenderReport - block.delaySinceLast) | 0;
    this.roundTripMs = Math.max(0, (away * 1000) / 65_536);
  }
}

/** Reports of many calls must not fall on one moment. */
function spread(): number {
  return everyMs * (0.5 + Math.random());
}
