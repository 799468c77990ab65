import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  AgentRuntime,
  type AudioItem,
  examplesOf,
  Fault,
  findRecording,
  measureRecording,
  readAgentRuntime,
  readTurn,
  streamTurn,
  synthesizeSpeech,
  type TurnItem,
} from '@parley/contracts';
import { BusServer, type Call, Handles, type InProcessBroker } from '@parley/messaging';
import type { z } from 'zod';

type Asked = z.output<typeof streamTurn.request>;
type Spoken = z.output<typeof synthesizeSpeech.request>;
type Choice = z.output<typeof readAgentRuntime.request>;

export const sessionUUID = randomUUID();
const turnUUID = randomUUID();
export const tokenUsage = { promptTokens: 20, completionTokens: 5, totalTokens: 25 };
const latency = {
  endOfTurnMs: null,
  transcriptionMs: null,
  retrievalMs: null,
  firstTokenMs: null,
  firstAudioMs: null,
  pacingMs: null,
  totalMs: 1,
};
export const session: TurnItem = { type: 'session', sessionUUID, turnUUID, AgentID: 12 };
export const done = (answer: string, more: object = {}): TurnItem => ({
  type: 'done',
  answer,
  sessionUUID,
  detectedLanguage: 'english',
  tokenUsage,
  turnUUID,
  isFromFaq: false,
  wantsToEnd: false,
  audioSeconds: 0,
  latency,
  ...more,
});

/** What the services behind the chat were asked, and what they answer. */
export const scene = {
  asked: [] as Asked[],
  spoken: [] as Spoken[],
  /** Until when each may be listened to. */
  listenedUntilMs: [] as number[],
  agents: [] as Choice[],
  recording: '',
  recordedSeconds: 1,
  folder: '',
  /** How many times the service is too busy to report on a turn. */
  busyReads: 0,
  isRecorded: true,
  recordingOf: (): z.input<typeof findRecording.reply> => ({ fileKey: 'none' }),
  async *turn(_asked: Asked, _call: Call): AsyncGenerator<TurnItem> {
    yield session;
    yield { type: 'delta', text: 'Within ' };
    yield { type: 'delta', text: 'three days.' };
    yield done('Within three days.');
  },
  async *speech(): AsyncGenerator<AudioItem> {
    yield { type: 'format', contentType: 'audio/wav', sampleRate: 16_000, characters: 18, totalBytes: null };
    yield { type: 'audio', base64: Buffer.from('RIFF-sound').toString('base64') };
  },
};
const usual = { turn: scene.turn, speech: scene.speech, recordingOf: scene.recordingOf };

/** Restores the initial state before each test. */
export function resetScene(): void {
  Object.assign(scene, usual, {
    asked: [],
    spoken: [],
    listenedUntilMs: [],
    agents: [],
    recording: '',
    recordedSeconds: 1,
    busyReads: 0,
    isRecorded: true,
  });
}

@Controller()
class Conversation {
  @Handles(streamTurn)
  async *stream(body: Asked, call: Call): AsyncGenerator<TurnItem> {
    scene.asked.push(body);
    if (body.audio) scene.recording = await readFile(path.join(scene.folder, body.audio.fileKey), 'utf8');
    yield* scene.turn(body, call);
  }

  @Handles(findRecording)
  recording(): z.input<typeof findRecording.reply> {
    return scene.recordingOf();
  }

  @Handles(readTurn)
  read(): z.input<typeof readTurn.reply> {
    if (scene.busyReads > 0) {
      scene.busyReads -= 1;
      throw new Fault('SERVICE_UNAVAILABLE');
    }
    if (!scene.isRecorded) throw new Fault('NOT_FOUND');
    return {
      turnUUID,
      status: 'INTERRUPTED',
      answer: 'Within ',
      tokenUsage: { promptTokens: 20, completionTokens: 1, totalTokens: 21 },
      audioSeconds: 0,
    };
  }
}

@Controller()
class Speech {
  @Handles(measureRecording)
  measure(): z.input<typeof measureRecording.reply> {
    return { audioSeconds: scene.recordedSeconds };
  }

  @Handles(synthesizeSpeech)
  speak(body: Spoken, { deadlineAtMs }: Call): AsyncGenerator<AudioItem> {
    scene.spoken.push(body);
    scene.listenedUntilMs.push(deadlineAtMs);
    return scene.speech();
  }
}

@Controller()
class Agents {
  @Handles(readAgentRuntime)
  read(choice: Choice): z.input<typeof AgentRuntime> {
    scene.agents.push(choice);
    const agent = AgentRuntime.parse(examplesOf(AgentRuntime)[0]);
    const chosen = { VoiceID: 41, FallbackVoiceIDs: [42], VoiceSpeed: 0.9 };
    return { ...agent, RuntimeConfiguration: { ...agent.RuntimeConfiguration, ...chosen } };
  }
}

/** Starts the simulated services; returns functions that stop them. */
export async function playScene(broker: InProcessBroker): Promise<(() => Promise<unknown>)[]> {
  const played = [
    ['conversation', Conversation],
    ['speech', Speech],
    ['agent-config', Agents],
  ] as const;
  return Promise.all(
    played.map(async ([service, controller]) => {
      class Application {}
      const strategy = new BusServer(broker.connect(), { service });
      const app = await NestFactory.createMicroservice(
        { module: Application, controllers: [controller] },
        { strategy, logger: false },
      );
      await app.listen();
      return () => app.close();
    }),
  );
}
