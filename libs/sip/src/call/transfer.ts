import type { SipRequest, SipResponse } from '../message/sip-message';
import { Timers } from '../transaction/timers';
import type { TransferOutcome } from './call-core';

type TransferRequest = (asked: {
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly answered: (response: SipResponse) => void;
  readonly lost: () => void;
}) => void;

/** Blind transfers by REFER, one at a time, with the NOTIFYs about their progress. */
export class Transfer {
  private readonly timers = new Timers();
  /** Whether the outcome is not known yet. */
  isPending = false;

  constructor(
    private readonly ask: TransferRequest,
    private readonly told: (outcome: TransferOutcome) => void,
  ) {}

  /** Starts a transfer. False if one is in progress. */
  begin(target: string, patienceMs: number): boolean {
    if (this.isPending) return false;
    this.isPending = true;
    this.timers.after(patienceMs, () => this.finish({ kind: 'failed', status: 408 }));
    this.ask({
      method: 'REFER',
      headers: [['Refer-To', `<${target}>`]],
      answered: ({ status }) => {
        if (status >= 300) this.finish({ kind: 'failed', status });
      },
      lost: () => this.finish({ kind: 'failed', status: 408 }),
    });
    return true;
  }

  /** Handles a NOTIFY; false if it is not about our transfer. It may arrive before the response to REFER, or after the end. */
  notified(request: SipRequest): boolean {
    if (request.headers.get('Event')?.split(';')[0]?.trim().toLowerCase() !== 'refer') return false;
    const status = Number(/^SIP\/2\.0 ([1-6]\d\d)/.exec(request.body.toString('latin1', 0, 128))?.[1] ?? 0);
    if (status >= 200) this.finish(status < 300 ? { kind: 'answered' } : { kind: 'failed', status });
    return true;
  }

  stop(): void {
    this.isPending = false;
    this.timers.clear();
  }

  private finish(outcome: TransferOutcome): void {
    if (!this.isPending) return;
    this.stop();
    this.told(outcome);
  }
}
