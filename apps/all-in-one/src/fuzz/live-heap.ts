import { once } from 'node:events';
import { z } from 'zod';

const Usage = z.object({ id: z.int(), result: z.object({ usedSize: z.number(), backingStorageSize: z.number().default(0) }) });
const Target = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);

/** What a process keeps in memory after its garbage was collected, read through its inspector. */
export class LiveHeap {
  private constructor(private readonly socket: WebSocket) {}

  static async of(inspectorPort: number): Promise<LiveHeap> {
    const [target] = Target.parse(await (await fetch(`http://127.0.0.1:${inspectorPort}/json/list`)).json());
    const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
    await once(socket, 'open');
    return new LiveHeap(socket);
  }

  async megabytes(): Promise<number> {
    const answered = Promise.withResolvers<number>();
    const hear = ({ data }: MessageEvent): void => {
      const { success, data: usage } = Usage.safeParse(JSON.parse(String(data)));
      if (success && usage.id === 2) answered.resolve((usage.result.usedSize + usage.result.backingStorageSize) / 2 ** 20);
    };
    this.socket.addEventListener('message', hear);
    this.socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
    this.socket.send(JSON.stringify({ id: 2, method: 'Runtime.getHeapUsage' }));
    const found = await answered.promise;
    this.socket.removeEventListener('message', hear);
    return found;
  }

  close(): void {
    this.socket.close();
  }
}
