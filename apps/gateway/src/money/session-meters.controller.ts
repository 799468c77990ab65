import { Controller } from '@nestjs/common';
import { Fault, openSessionMeter } from '@parley/contracts';
import { type AcceptedLine, type Call, type Channel, Handles } from '@parley/messaging';
import { Lifetime, Logger } from '@parley/service-kit';
import type { z } from 'zod';
import { Charging } from './charging';
import { SessionMeter } from './session-meter';

type Opening = z.output<typeof openSessionMeter.opening>;
type Accepted = z.output<typeof openSessionMeter.accepted>;
type Signal = z.output<typeof openSessionMeter.signal>;

/** Meters of sessions that other services hold: telephone calls, whose sound does not come by here. */
@Controller()
export class SessionMetersController {
  constructor(
    private readonly charging: Charging,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
  ) {}

  /** Takes the line once the first slice is held. */
  @Handles(openSessionMeter)
  async open({ AgentID, AgentKeyID }: Opening, call: Call): Promise<AcceptedLine<Accepted, Signal>> {
    const { principal, requestId } = call;
    // Whoever may open a meter says what an organization used: a service in its own name, never a client's call passed on.
    if (principal?.kind !== 'system')
      throw new Fault('SCOPE_MISSING', { message: 'Only a service of the platform opens meters.' });
    if (this.lifetime.draining.aborted) throw new Fault('SERVICE_UNAVAILABLE');
    let tellExhausted = (): void => undefined;
    let isExhausted = false;
    const onExhausted = (): void => {
      isExhausted = true;
      tellExhausted();
    };
    const payer = { principal, requestId, agentId: AgentID, agentKeyId: AgentKeyID };
    const meter = new SessionMeter(this.charging, payer, {
      kinds: ['TTT_API', 'TTS_API', 'STT_API'],
      log: this.log,
      onExhausted,
    });
    await meter.begin();
    // Whoever gave up waiting will never be served; what was held goes back.
    const leave = (): void => void meter.end();
    call.signal.addEventListener('abort', leave, { once: true });
    if (call.signal.aborted) leave();
    const serve = async (line: Channel<Signal>): Promise<void> => {
      call.signal.removeEventListener('abort', leave);
      tellExhausted = () => line.signal({ type: 'exhausted' });
      if (isExhausted) tellExhausted();
      await this.run(meter, line);
    };
    return { accepted: { isHeld: true }, serve };
  }

  /** However the line ends, what was used until then is charged. A gateway that stops settles, and another takes the session on. */
  private async run(meter: SessionMeter, line: Channel<Signal>): Promise<void> {
    const stop = async (): Promise<void> => {
      await meter.end();
      line.signal({ type: 'settled' });
      line.close('moved');
    };
    const { draining } = this.lifetime;
    const stopped = (): void => void stop();
    draining.addEventListener('abort', stopped, { once: true });
    try {
      for await (const item of line.incoming) {
        if ('frame' in item) continue;
        if (item.signal.type === 'usage') meter.use(item.signal.usage);
        if (item.signal.type === 'end') break;
      }
    } finally {
      draining.removeEventListener('abort', stopped);
      await meter.end();
    }
    line.signal({ type: 'settled' });
  }
}
