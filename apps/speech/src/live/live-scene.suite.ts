import { randomUUID } from 'node:crypto';
import { Controller, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  AgentRuntime,
  discardTurn,
  endSession,
  examplesOf,
  Fault,
  type LineHandover,
  type LineProgress,
  openSession,
  openVoiceSession,
  type Principal,
  readAgentRuntime,
  readTurn,
  recordHeardText,
  recordLatency,
  recordSound,
  recordUnanswered,
  ServerFrame,
  type ServiceName,
  streamTurn,
  type TurnItem,
} from '@parley/contracts';
import { BusServer, type Call, type Channel, Handles, InProcessBroker, type ServiceBus, TransportBus } from '@parley/messaging';
import { type ProviderFailure, ScriptedTextToSpeech } from '@parley/ports';
import { createLogger, defineService, Metrics, type RunningService, startService } from '@parley/service-kit';
import { eventually } from '@parley/testing';
import { ScriptedRecognition } from '@parley/voice-session/scripted';
import { z } from 'zod';
import { OrganizationEngines } from '../engines/organization-engines';
import { SpeechEngines } from '../engines/speech-engines';
import { LineHearing } from './line';
import { LiveMetrics } from '../metrics';
import { LiveController, LiveSessions } from './live-sessions';
import { LineLimit, SessionParts } from './session-parts';

const [example] = examplesOf(AgentRuntime);
const agent = AgentRuntime.parse({ ...AgentRuntime.parse(example), Greeting: 'Hi {{name|friend}}.' });
const caller = { principal: { kind: 'agt', keyId: 'spec', orgId: 1, agentId: agent.AgentID } } as const;
const usage = { promptTokens: 30, completionTokens: 6, totalTokens: 36 };
const latency = {
  endOfTurnMs: null,
  transcriptionMs: null,
  retrievalMs: 4,
  firstTokenMs: 20,
  firstAudioMs: null,
  pacingMs: null,
  totalMs: 24,
};

/** The services around live sessions: what they received, and their answers. */
export class Scene {
  readonly told: { readonly subject: string; readonly body: Record<string, unknown> }[] = [];
  readonly recognition: ScriptedRecognition[] = [];
  private readonly failures: ((failure: ProviderFailure) => void)[] = [];
  voice = new ScriptedTextToSpeech();
  /** Engines behind that voice. */
  readonly otherVoices: ScriptedTextToSpeech[] = [];
  readonly metrics = new Metrics();
  /** Languages without a recognizer. */
  readonly refused = new Set<string>();
  /** Whether the conversation service fails to end sessions. */
  isForgetful = false;
  /** Whether turns end without a record of their usage. */
  hasLostTurns = false;
  isAgentDeleted = false;
  /** Whether the conversation service is one of an earlier build. */
  isConversationEarlier = false;
  /** What is known of earlier lines of a session. */
  progress: LineProgress | undefined;
  /** Whether turns are refused for lack of credits. */
  isOutOfCredits = false;
  /** The transcripts of callers' speech, line by line. */
  understood: string[] = [];
  answer: (question: string, signal: AbortSignal) => AsyncIterable<string> = async function* () {
    yield 'We open at nine.';
  };
  /** What is waited for before a turn is known to have begun. */
  beginning: (signal: AbortSignal) => Promise<void> = async () => undefined;
  private readonly stops: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly bus: ServiceBus,
    private readonly broker: InProcessBroker,
  ) {}

  static async begin(): Promise<Scene> {
    const broker = new InProcessBroker();
    const callers = broker.connect();
    const bus = new TransportBus(callers);
    const scene = new Scene(bus, broker);
    await scene.play('conversation', scriptedConversation(scene));
    await scene.play('agent-config', scriptedAgents(scene));
    scene.stops.push(
      async () => bus.close(),
      () => callers.close(),
    );
    return scene;
  }

  /** A replica of the speech service, with live sessions alone. */
  async speech({ linesMax = 200 } = {}): Promise<RunningService> {
    const recognition = this.recognition;
    const { understood } = this;
    const engines = new SpeechEngines([this.voice, ...this.otherVoices], []);
    const { refused } = this;
    const hearing: LineHearing = {
      check: ({ language }) => {
        if (refused.has(language)) throw new Fault('SPEECH_PROVIDER_UNAVAILABLE');
      },
      recognitionFor:
        ({ about, onFailure }) =>
        async (listener) => {
          this.failures.push((failure) => onFailure?.(failure));
          const opened = new ScriptedRecognition(listener, { sampleRate: about.opening.sampleRate });
          opened.script.push(...understood);
          opened.introduce();
          recognition.push(opened);
          return opened;
        },
    };
    class SpeechOfTheScene {}
    const providers = [
      LiveSessions,
      SessionParts,
      LiveMetrics,
      { provide: LineHearing, useValue: hearing },
      { provide: LineLimit, useValue: new LineLimit(linesMax) },
      { provide: OrganizationEngines, useValue: { of: async () => engines } },
    ];
    const module = () => ({ module: SpeechOfTheScene, controllers: [LiveController], providers });
    const definition = defineService({ name: 'speech', config: z.object({}), module });
    const transport = this.broker.connect();
    const logger = createLogger({ level: 'error', isReadable: false, writesPii: false });
    const service = await startService(definition, { environment: {}, transport, logger, metrics: this.metrics });
    this.stops.unshift(
      () => service.stop(),
      () => transport.close(),
    );
    return service;
  }

  async dial(
    opening: Partial<z.input<typeof openVoiceSession.opening>> = {},
    asker: { readonly principal: Principal } = caller,
  ): Promise<Dialled> {
    const opened = await this.bus.open(openVoiceSession, { AgentKeyID: agent.AgentKeyID, ...opening }, asker);
    return new Dialled(opened.accepted.sessionUUID, opened.channel);
  }

  /** Recognition of every line fails, because of this failure or for lack of an engine. */
  deafen(failure?: ProviderFailure): void {
    if (failure) for (const fail of this.failures) fail(failure);
    for (const recognition of this.recognition)
      recognition.tell({ kind: 'recognition-failed', code: 'SPEECH_PROVIDER_UNAVAILABLE' });
  }

  bodiesOf(contract: { readonly subject: string }): Record<string, unknown>[] {
    return this.told.filter(({ subject }) => subject === contract.subject).map(({ body }) => body);
  }

  /** What was measured of turns, as it was told with what was heard of them. */
  get measured() {
    return this.bodiesOf(recordHeardText).flatMap((body) => recordHeardText.request.parse(body).measured ?? []);
  }

  async end(): Promise<void> {
    for (const stop of this.stops) await stop();
  }

  private async play(service: ServiceName, controller: Type): Promise<void> {
    class Application {}
    const transport = this.broker.connect();
    const strategy = new BusServer(transport, { service });
    const app = await NestFactory.createMicroservice(
      { module: Application, controllers: [controller] },
      { strategy, logger: false },
    );
    await app.listen();
    this.stops.push(
      () => app.close(),
      () => transport.close(),
    );
  }
}

type Said = ServerFrame | { readonly type: 'sound'; readonly bytes: Uint8Array };

/** The caller's end of a line, which records everything it receives. */
export class Dialled {
  readonly said: Said[] = [];
  /** The numbers to which the caller was transferred. */
  readonly transfers: string[] = [];
  /** The progress reported for another replica. */
  readonly progress: LineHandover[] = [];
  /** What the opener of the line was told to charge for turns. */
  readonly turns: { readonly chargeId: string; readonly tokens: number }[] = [];
  /** The reason why the line was closed, once everything on it was received. */
  readonly over: Promise<string>;

  constructor(
    readonly sessionUUID: string,
    readonly channel: Channel<z.output<typeof openVoiceSession.signal>>,
  ) {
    this.over = this.listen();
  }

  first<Type extends Said['type']>(type: Type): Extract<Said, { type: Type }> | undefined {
    return this.all(type)[0];
  }

  all<Type extends Said['type']>(type: Type): Extract<Said, { type: Type }>[] {
    return this.said.filter((each): each is Extract<Said, { type: Type }> => each.type === type);
  }

  /** How much of this kind the client was told to have used. */
  spent(kind: string): number {
    const used = this.all('usage').flatMap(({ usage }) => usage.filter((each) => each.kind === kind));
    return used.reduce((sum, { units }) => sum + units, 0);
  }

  /** Resolves once the agent has said its greeting. */
  greeted(): Promise<void> {
    return eventually('the agent is done', () => this.all('agent.done').length === 1);
  }

  private async listen(): Promise<string> {
    for await (const item of this.channel.incoming) {
      if ('frame' in item) this.said.push({ type: 'sound', bytes: item.frame });
      else if (item.signal.type === 'line.progress') this.progress.push(item.signal);
      else if (item.signal.type === 'turn.used') this.turns.push(item.signal);
      else if (item.signal.type === 'line.transfer') this.transfers.push(item.signal.to);
      else if (isServerFrame(item.signal)) this.said.push(item.signal);
    }
    return (await this.channel.closed).reason;
  }
}

const serverFrames: ReadonlySet<string> = new Set(ServerFrame.options.map(({ shape }) => shape.type.value));

function isServerFrame(signal: z.output<typeof openVoiceSession.signal>): signal is ServerFrame {
  return serverFrames.has(signal.type);
}

function scriptedConversation(scene: Scene): Type {
  const tell = (contract: { readonly subject: string }, body: Record<string, unknown>) => {
    scene.told.push({ subject: contract.subject, body });
    return { sessionUUID: String(body.sessionUUID) };
  };

  const recorded = () => (scene.hasLostTurns ? { promptTokens: 0, completionTokens: 0, totalTokens: 0 } : usage);

  @Controller()
  class ScriptedConversation {
    @Handles(openSession)
    open(body: z.output<typeof openSession.request>): z.output<typeof openSession.reply> {
      const { sessionUUID = randomUUID(), AgentKeyID = agent.AgentKeyID } = body;
      tell(openSession, { ...body, sessionUUID });
      const { progress } = scene;
      return { sessionUUID, AgentID: agent.AgentID, AgentKeyID, isNew: body.sessionUUID === undefined, progress };
    }

    @Handles(streamTurn)
    async *turn(body: z.output<typeof streamTurn.request>, call: Call): AsyncGenerator<TurnItem> {
      const { sessionUUID = '', question = '' } = body;
      tell(streamTurn, body);
      const turnUUID = body.payment?.chargeId ?? randomUUID();
      if (scene.isOutOfCredits) throw new Fault('CREDITS_EXHAUSTED');
      await scene.beginning(call.signal);
      yield { type: 'session', sessionUUID, turnUUID };
      let answer = '';
      for await (const text of scene.answer(question, call.signal)) {
        answer += text;
        yield { type: 'delta', text, promptTokens: usage.promptTokens };
      }
      const known = { isFromFaq: false, wantsToEnd: answer.includes('Goodbye'), audioSeconds: 0, latency };
      yield { type: 'done', answer, sessionUUID, turnUUID, detectedLanguage: 'english', tokenUsage: usage, ...known };
    }

    @Handles(readTurn)
    read({ sessionUUID, turnUUID }: z.output<typeof readTurn.request>): z.output<typeof readTurn.reply> {
      tell(readTurn, { sessionUUID, turnUUID });
      return { turnUUID, status: 'INTERRUPTED', answer: '', tokenUsage: recorded(), audioSeconds: 0 };
    }

    @Handles(recordHeardText)
    heard(body: z.output<typeof recordHeardText.request>) {
      return tell(recordHeardText, body);
    }

    @Handles(recordUnanswered)
    unanswered(body: z.output<typeof recordUnanswered.request>) {
      return tell(recordUnanswered, body);
    }

    @Handles(discardTurn)
    discard(body: z.output<typeof discardTurn.request>) {
      return { ...tell(discardTurn, body), ...(!scene.isConversationEarlier && { tokenUsage: recorded() }) };
    }

    @Handles(recordLatency)
    latency(body: z.output<typeof recordLatency.request>) {
      return tell(recordLatency, body);
    }

    @Handles(recordSound)
    sound(body: z.output<typeof recordSound.request>) {
      return tell(recordSound, body);
    }

    @Handles(endSession)
    end(body: z.output<typeof endSession.request>) {
      if (scene.isForgetful) throw new Fault('SERVICE_UNAVAILABLE');
      return tell(endSession, body);
    }
  }
  return ScriptedConversation;
}

function scriptedAgents(scene: Scene): Type {
  @Controller()
  class ScriptedAgents {
    @Handles(readAgentRuntime)
    read({ AgentKeyID, mayBeDeleted }: z.output<typeof readAgentRuntime.request>): AgentRuntime {
      if (AgentKeyID !== agent.AgentKeyID || (scene.isAgentDeleted && !mayBeDeleted)) throw new Fault('NOT_FOUND');
      return agent;
    }
  }
  return ScriptedAgents;
}
