import path from 'node:path';
import { type HearingRequest, ProviderFailure } from '@parley/ports';
import { childProcess, type EngineLine } from '../engine-pool';
import { enginePath } from './installed-model';
import { provider, Told, ZipformerLine } from './zipformer-line';

const linesMax = 16;
/** A process that owes something and is silent for so long hangs. Loading the largest model takes a few seconds. */
const silenceMs = 60_000;

/**
 * A process that has loaded one model and hears some lines at once. It starts with the first of them, and anew after a
 * crash, which ends the lines that it had.
 */
export class ZipformerProcess {
  private engine: EngineLine | undefined;
  private readonly lines = new Map<number, ZipformerLine>();
  private opened = 0;
  private watch: NodeJS.Timeout | undefined;

  constructor(private readonly configuration: object) {}

  /** A line that is heard from now on. */
  open(request: HearingRequest): ZipformerLine {
    if (this.lines.size >= linesMax) {
      throw new ProviderFailure(provider, `hears ${linesMax} lines already`, {
        retryable: true,
        retryAfterMs: 1000,
        isBusy: true,
      });
    }
    const engine = (this.engine ??= this.start());
    const id = ++this.opened;
    engine.setBusy(true);
    const line = new ZipformerLine(request, {
      order: (order) => {
        if (this.engine !== engine) return;
        engine.send({ line: id, ...order });
        this.watch ??= this.watchFor(engine);
      },
      onEnd: () => {
        this.lines.delete(id);
        if (this.lines.size === 0) engine.setBusy(false);
      },
    });
    this.lines.set(id, line);
    return line;
  }

  close(): void {
    const { engine } = this;
    this.lost('is closed', engine);
    engine?.kill();
  }

  private start(): EngineLine {
    const file = path.join(__dirname, `zipformer.child${path.extname(__filename)}`);
    const engine = childProcess(file, [enginePath() ?? '', JSON.stringify(this.configuration)]);
    engine.onMessage((message) => {
      const told = Told.safeParse(message);
      if (!told.success) return engine.kill();
      this.lines.get(told.data.line)?.hear(told.data);
      this.unwatch();
      if ([...this.lines.values()].some(({ isOwed }) => isOwed)) this.watch = this.watchFor(engine);
    });
    engine.onEnd((reason) => this.lost(reason, engine));
    return engine;
  }

  private watchFor(engine: EngineLine): NodeJS.Timeout {
    return setTimeout(() => engine.kill(), silenceMs);
  }

  private unwatch(): void {
    clearTimeout(this.watch);
    this.watch = undefined;
  }

  private lost(reason: string, engine: EngineLine | undefined): void {
    if (this.engine !== engine) return;
    this.engine = undefined;
    this.unwatch();
    for (const line of [...this.lines.values()]) line.end(new ProviderFailure(provider, reason, { retryable: true }));
  }
}
