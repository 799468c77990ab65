import type { Amounts } from '../../credits/operation';
import type { ChatRequest } from './chat-request';

const bytesPerSecond = 32_000;
const likelyCharacters = 600;

/** The most that a turn is likely to use: a recording counts as if it were 16-bit audio at 16 kHz. */
export function estimateOf({ connectionType, audioFile }: ChatRequest, tokens: number): Amounts {
  if (connectionType === 'stt')
    return { TTT_API: tokens, STT_API: Math.max(1, Math.ceil((audioFile?.size ?? 0) / bytesPerSecond)) };
  return connectionType === 'tts' ? { TTT_API: tokens, TTS_API: likelyCharacters } : { TTT_API: tokens };
}
