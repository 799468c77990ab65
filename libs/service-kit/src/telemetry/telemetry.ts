export interface TelemetryOptions {
  /** The service, or the host when several services share a process. */
  readonly name: string;
  /** An OTLP/HTTP collector. Absent: nothing is recorded and no telemetry code is loaded. */
  readonly endpoint: string | undefined;
  readonly sampledShare: number;
}

export interface Telemetry {
  readonly isOn: boolean;
  /** Sends what is still held, within seconds, and forgets it when the collector does not take it. */
  stop(): Promise<void>;
}

const off: Telemetry = { isOn: false, stop: () => Promise.resolve() };
let current = off;

/** Registers OpenTelemetry for this process if there is a collector to send to. */
export async function startTelemetry({ endpoint, ...options }: TelemetryOptions): Promise<Telemetry> {
  if (endpoint === undefined) return off;
  const { registerOpenTelemetry } = await import('./open-telemetry');
  current = registerOpenTelemetry({ endpoint, ...options });
  return current;
}

/** Whether spans go anywhere; hooks that only make spans are left out when they do not. */
export function isTracing(): boolean {
  return current.isOn;
}
