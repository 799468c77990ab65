import type { DoneItem } from './chat-turn';

/** The sync reply, which is also the last event of a stream. */
export function chatReply({ transcription, answer, sessionUUID, detectedLanguage, tokenUsage, sources }: DoneItem): object {
  const heard = transcription === undefined ? {} : { transcription };
  const shown = sources === undefined ? {} : { sources };
  return { statusCode: 200, ...heard, answer, sessionUUID, detectedLanguage, tokenUsage, ...shown };
}
