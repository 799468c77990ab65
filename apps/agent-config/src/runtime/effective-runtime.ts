import { defaultRuntimeSettings, RuntimeSettings } from '@parley/contracts';
import type { Agent } from '../agents/agent.entity';

/** The speech recognizer that needs no key; the provider catalogue gives it these ids. */
const localRecognizer = { TranscribeID: 1, TranscribeProviderID: 1 };

/** How an agent hears, thinks and speaks: as saved, or by defaults. Settings that came with a later release get theirs. */
export function effectiveRuntime({ id, runtime }: Pick<Agent, 'id' | 'runtime'>): RuntimeSettings {
  return runtime
    ? RuntimeSettings.parse({ ...runtime, AgentID: id })
    : defaultRuntimeSettings({ AgentID: id, ...localRecognizer });
}
