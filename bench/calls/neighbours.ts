// The services around the bridge, which answer instantly: the live engine with instant recognition, answers and speech; a gateway
// that only counts; one agent. `node neighbours.js <nats>` prints `ready`, then for each line of input how late its event loop
// was.
import { Controller, Module } from '@nestjs/common';
import { encodeSamples, FrameCutter, frameSamplesOf, muLaw, samplesFromBytes } from '@parley/audio';
import { examplesOf, openSessionMeter, openVoiceSession, readAgentRuntime } from '@parley/contracts';
import { type AcceptedChannel, type Channel, Handles, NatsTransport } from '@parley/messaging';
import { createLogger, defineService, Metrics, startService } from '@parley/service-kit';
import {
  type AnswerEvent,
  type AudioRecognition,
  type HeardEvent,
  isBackchannel,
  type AnswerGenerator,
  type Synthesizer,
  realClock,
  VoiceCall,
} from '@parley/voice-session';
import { plainSettings } from '@parley/voice-session/scripted';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { watchLoop } from '../measure/loop-watch';
import { answerMs, samples } from './talk';

type Signal = z.output<(typeof openVoiceSession)['signal']>;
type MeterSignal = z.output<(typeof openSessionMeter)['signal']>;

const voiceFrames = 3;
const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
const latency = {
  endOfTurnMs: null,
  transcriptionMs: null,
  retrievalMs: null,
  firstTokenMs: null,
  firstAudioMs: null,
  pacingMs: null,
  totalMs: 0,
};

/** Detects a voice after three loud frames, and the end of a question by its last frame. */
function recognitionFor(sampleRate: number, tell: (event: HeardEvent) => void): AudioRecognition {
  const cutter = new FrameCutter(frameSamplesOf(sampleRate));
  let frames = 0;
  let loud = 0;
  const hearFrame = (frame: Int16Array): void => {
    frames++;
    const loudness = Math.abs(frame[0] ?? 0);
    loud = loudness > samples.asking / 2 ? loud + 1 : 0;
    if (loud === voiceFrames) tell({ kind: 'speech-started', atMs: (frames - voiceFrames) * 20 });
    if (loudness < (samples.asking + samples.last) / 2) return;
    tell({ kind: 'final', text: 'when do you deliver' });
    tell({ kind: 'speech-stopped', atMs: frames * 20 });
  };
  return {
    hear: (samples) => cutter.push(samples).forEach(hearFrame),
    noticeOwnVoice: () => undefined,
    finishTurn: () => undefined,
    guessNow: () => undefined,
    judgeEnd: () => undefined,
    finish: async () => undefined,
    close: () => undefined,
  };
}

const generator: AnswerGenerator = {
  async *answer(): AsyncGenerator<AnswerEvent> {
    yield { kind: 'begun', turnUUID: randomUUID() };
    yield { kind: 'delta', text: 'We deliver within three working days.' };
    yield { kind: 'done', usage, latency, language: undefined, wantsToEnd: false };
  },
  keepHeard: async () => undefined,
  keepHeardSoFar: async () => undefined,
  keepUnanswered: async () => undefined,
  keepLatency: async () => undefined,
  discard: async () => undefined,
};

const synthesizerAt = (sampleRate: number): Synthesizer => ({
  async *speak() {
    const sound = new Int16Array(sampleRate / 10).fill(5000);
    for (let ms = 0; ms < answerMs; ms += 100) yield { samples: sound, sampleRate };
  },
});

@Controller()
class Speech {
  @Handles(openVoiceSession)
  async open(
    opening: z.output<(typeof openVoiceSession)['opening']>,
  ): Promise<AcceptedChannel<z.input<(typeof openVoiceSession)['accepted']>, Signal>> {
    const { sampleRate, encoding, sessionUUID = randomUUID() } = opening;
    const serve = (channel: Channel<Signal>): Promise<void> => hold(channel, opening);
    return { accepted: { sessionUUID, sampleRate, encoding }, serve };
  }
}

async function hold(
  channel: Channel<Signal>,
  { sampleRate, encoding }: z.output<(typeof openVoiceSession)['opening']>,
): Promise<void> {
  const call = VoiceCall.open(
    { ...plainSettings, sampleRate, idle: { ...plainSettings.idle, afterMs: 3_600_000 } },
    {
      clock: realClock,
      openRecognition: async (tell) => recognitionFor(sampleRate, tell),
      generator,
      synthesizer: synthesizerAt(sampleRate),
      rules: { judge: { judge: () => ({ waitMs: 0, suspectMs: 0 }) }, isBackchannel },
      line: {
        hasMarks: false,
        play: (samples) => channel.send(encodeSamples(samples, encoding)),
        clear: () => undefined,
        mark: () => undefined,
        tell: (frame) => frame.type !== 'session.ended' && channel.signal(frame),
        transfer: () => undefined,
        end: () => undefined,
      },
    },
  );
  for await (const item of channel.incoming) {
    if ('frame' in item) call.hear(encoding === 'mulaw' ? muLaw.decode(item.frame) : samplesFromBytes(item.frame));
    else if (item.signal.type === 'playback') call.signal(item.signal);
    else if (item.signal.type === 'session.end') break;
  }
  call.end('CALL_ENDED');
  channel.signal({ type: 'session.ended', reason: 'ENDED_BY_USER' });
  channel.close('the call is over');
}

@Controller()
class Gateway {
  @Handles(openSessionMeter)
  async open(): Promise<AcceptedChannel<{ isHeld: true }, MeterSignal>> {
    const serve = async (channel: Channel<MeterSignal>): Promise<void> => {
      for await (const item of channel.incoming) if ('signal' in item && item.signal.type === 'end') break;
      channel.signal({ type: 'settled' });
    };
    return { accepted: { isHeld: true }, serve };
  }
}

@Controller()
class Agents {
  @Handles(readAgentRuntime)
  read(): z.output<typeof readAgentRuntime.reply> {
    return readAgentRuntime.reply.parse(examplesOf(readAgentRuntime.reply)[0]);
  }
}

@Module({ controllers: [Speech] })
class SpeechModule {}

@Module({ controllers: [Gateway] })
class GatewayModule {}

@Module({ controllers: [Agents] })
class AgentsModule {}

const config = z.object({});
const services = [
  defineService({ name: 'speech', config, module: () => SpeechModule }),
  defineService({ name: 'gateway', config, module: () => GatewayModule }),
  defineService({ name: 'agent-config', config, module: () => AgentsModule }),
];

async function main(): Promise<void> {
  const [servers = ''] = process.argv.slice(2);
  const logger = createLogger({ level: 'error', isReadable: false, writesPii: false });
  for (const service of services) {
    const transport = await NatsTransport.connect({ servers, name: service.name });
    await startService(service, { environment: {}, transport, logger, metrics: new Metrics() });
  }
  const look = watchLoop();
  process.stdout.write('ready\n');
  process.stdin.on('data', () => process.stdout.write(`${JSON.stringify(look())}\n`));
}

void main();
