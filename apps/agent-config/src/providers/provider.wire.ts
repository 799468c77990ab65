import { stableKey } from '@parley/providers/speech-catalogue';
import type { Provider, ProviderKind } from './provider';

/** The public id of a provider, the same on every installation. */
export function keyOf(kind: ProviderKind, id: number): string {
  return stableKey(`provider/${kind}/${id}`);
}

/** The public id of a model or voice, the same on every installation. */
export function modelKeyOf(kind: ProviderKind, id: number): string {
  return stableKey(`model/${kind}/${id}`);
}

/** A provider as clients read it. */
export function publicProvider(
  { id, name, isLocal, languages, latency, quality, isStreaming }: Provider,
  missingSettings: string[],
) {
  return {
    id,
    name,
    isConfigured: missingSettings.length === 0,
    missingSettings,
    isLocal,
    languages: [...languages],
    latency,
    quality,
    isStreaming,
  };
}
