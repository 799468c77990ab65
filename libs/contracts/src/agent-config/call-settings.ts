import { z } from 'zod';
import { Switch, text } from '../vocabulary';

const EndOfTurn = z.object({
  silenceMs: z.int().min(100).max(3000).default(600),
  dictationSilenceMs: z.int().min(300).max(5000).default(1500),
});

const Interruption = z.object({
  minSpeechMs: z.int().min(0).max(2000).default(300),
  minWords: z.int().min(0).max(10).default(1),
});

const IdlePrompts = z.object({
  afterMs: z.int().min(2000).max(60_000).default(8000),
  prompts: z.array(text(300)).max(5).default([]),
  goodbye: text(300).default(''),
});

/** What live calls need beyond the specification. Every default is one that suits an ordinary call. */
export const callSettings = {
  EndOfTurn: EndOfTurn.prefault({}),
  Interruption: Interruption.prefault({}),
  IdlePrompts: IdlePrompts.prefault({}),
  Fillers: z.array(text(100)).max(10).default([]),
  MaxCallSeconds: z.int().min(30).max(14_400).default(1800),
  IsRecording: Switch.default(0),
  RecordingConsentLine: text(500).default(''),
  RetentionDays: z.int().min(1).max(3650).default(365),
};
