import type { ServerFrame } from '@parley/contracts';
import type { SpokenLanguage } from '@parley/ports';
import type { Mind } from '../call/surroundings';
import type { EndReason } from './state';

/** A stretch of the sound of one piece. */
export interface Slice {
  readonly piece: number;
  readonly from: number;
  readonly samples: number;
}

/** What a session wants done. Sound is named, not carried: whoever runs the session holds it. */
export type SessionAction =
  | { readonly kind: 'tell'; readonly frame: ServerFrame }
  /** Sound to be handed over now; `padding` samples of silence fill the last frame. */
  | { readonly kind: 'play'; readonly generation: number; readonly slices: readonly Slice[]; readonly padding: number }
  | { readonly kind: 'clear' }
  | { readonly kind: 'mark'; readonly name: string }
  | { readonly kind: 'speak'; readonly piece: number; readonly text: string; readonly language: SpokenLanguage }
  /** The sound of this piece is not needed any more, whether it was made or not. */
  | { readonly kind: 'forget'; readonly piece: number }
  | {
      readonly kind: 'answer';
      readonly answer: number;
      readonly question: string;
      readonly language: SpokenLanguage | undefined;
      readonly isSpeculative: boolean;
    }
  | { readonly kind: 'stop-answer'; readonly answer: number }
  | { readonly kind: 'discard'; readonly answer: number }
  | { readonly kind: 'keep-heard'; readonly heard: Parameters<Mind['keepHeard']>[0] }
  | { readonly kind: 'keep-latency'; readonly turn: Parameters<Mind['keepLatency']>[0] }
  | { readonly kind: 'finish-turn' }
  | { readonly kind: 'transfer'; readonly to: string }
  | { readonly kind: 'end'; readonly reason: EndReason };
