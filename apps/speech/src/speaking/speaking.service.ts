import { Injectable } from '@nestjs/common';
import { sentencesOf } from '@parley/audio';
import { type AudioItem, charactersOf, Fault, type previewVoice, type synthesizeSpeech } from '@parley/contracts';
import { begin, type SpeechBlock, type SpeechRequest, type SpokenLanguage } from '@parley/ports';
import { voiceOf } from '@parley/providers/speech-catalogue';
import type { z } from 'zod';
import { OrganizationEngines } from '../engines/organization-engines';
import type { Speaker } from '../engines/speech-engines';
import { asSpeechFault } from '../engines/speech-fault';
import { atRate } from './at-rate';
import { audioItems } from './audio-items';
import { writerOf } from './audio-writer';

const previews: Record<SpokenLanguage, string> = {
  english: 'Hello, this is how I sound. How can I help you today?',
  hindi: 'नमस्ते, मेरी आवाज़ ऐसी है। मैं आपकी क्या मदद कर सकती हूँ?',
  marathi: 'नमस्कार, माझा आवाज असा आहे. मी तुम्हाला कशी मदत करू?',
};

type SpeechWish = z.output<typeof synthesizeSpeech.request>;
type PreviewChoice = z.output<typeof previewVoice.request>;

/** Turns text into streams of audio. */
@Injectable()
export class Speaking {
  constructor(private readonly engines: OrganizationEngines) {}

  async *synthesize(orgId: number, wish: SpeechWish, signal: AbortSignal): AsyncGenerator<AudioItem> {
    const engines = await this.engines.of(orgId);
    yield* speech(wish, engines.speakerOf(wish.language, wish.voiceID, wish.preferredVoiceIDs), signal);
  }

  async *preview(orgId: number, choice: PreviewChoice, signal: AbortSignal): AsyncGenerator<AudioItem> {
    const voice = voiceOf(choice.voiceID);
    if (voice?.providerId !== choice.voiceProviderID) throw new Fault('NOT_FOUND', { message: 'There is no such voice.' });
    const [language = 'english'] = voice.languages;
    const wish = { text: previews[language], language, pace: choice.speed, format: 'wav' } as const;
    yield* speech(wish, (await this.engines.of(orgId)).previewerOf(voice), signal);
  }
}

async function* speech(wish: SpeechWish, { engine, voice }: Speaker, signal: AbortSignal): AsyncGenerator<AudioItem> {
  const { text, language, pace, format } = wish;
  const sampleRate = wish.sampleRate ?? (format === 'mulaw' ? 8000 : (engine.capabilities.sampleRates[0] ?? 16_000));
  const request: SpeechRequest = { text, language, voice, pace, sampleRate, signal };
  const writer = await writerOf(format, sampleRate);
  try {
    // A failure before the first sound is answered with its own status, since nothing has left yet.
    const blocks = await begin(engine.speak(request));
    const isShort = sentencesOf(text).length <= 1;
    yield* audioItems(samplesOf(atRate(blocks, sampleRate)), { writer, characters: charactersOf(text), isShort });
  } catch (failure) {
    throw asSpeechFault(failure);
  }
}

async function* samplesOf(blocks: AsyncIterable<SpeechBlock>): AsyncGenerator<Int16Array> {
  for await (const { samples } of blocks) yield samples;
}
