import { open } from 'node:fs/promises';
import type { GatewayConfig } from '../../config';

const publicIdLengthMax = 100;

/** The widget through which visitors of the demo page talk, as the operator or the host of this machine named it. */
export class DemoWidget {
  constructor(private readonly config: Pick<GatewayConfig, 'DEMO_WIDGET' | 'DEMO_WIDGET_FILE' | 'DEMO_PHONE_URL'>) {}

  /** Whether there is a demo page at all. */
  get isWished(): boolean {
    return Boolean(this.config.DEMO_WIDGET ?? this.config.DEMO_WIDGET_FILE);
  }

  /** Where the telephone of the page is, by which the agent is called. */
  get phoneUrl(): string | undefined {
    return this.config.DEMO_PHONE_URL;
  }

  /** Its public id; undefined while the file has not been written, which happens after the first start's door is open. */
  async publicId(): Promise<string | undefined> {
    const { DEMO_WIDGET, DEMO_WIDGET_FILE } = this.config;
    const text = DEMO_WIDGET ?? (DEMO_WIDGET_FILE ? await beginningOf(DEMO_WIDGET_FILE) : '');
    return /^wdg_[\w-]+$/.exec(text.trim())?.[0];
  }
}

async function beginningOf(file: string): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return '';
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(publicIdLengthMax) });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
