/** The kinds of provider, as the API names them. */
export const providerKinds = ['LLM', 'VOICE', 'TRANSCRIBE'] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** A provider of any kind, as the catalogues of this build list it. */
export interface Provider {
  readonly kind: ProviderKind;
  readonly id: number;
  readonly name: string;
  readonly isLocal: boolean;
  readonly settings: readonly string[];
  readonly languages: readonly string[];
  readonly latency: 'INSTANT' | 'FAST' | 'SLOW';
  readonly quality: 'PRODUCTION' | 'DEMO';
  readonly isStreaming: boolean;
  readonly models: readonly Model[];
}

/** A model or a voice. Its id is unique within its kind. */
export interface Model {
  readonly id: number;
  readonly name: string;
  readonly languages: readonly string[];
}
