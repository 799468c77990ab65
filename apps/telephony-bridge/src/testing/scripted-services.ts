import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import {
  AgentRuntime,
  callStateChanged,
  campaignStatusChanged,
  chargeOnce,
  type CreditKind,
  endSession,
  examplesOf,
  extractCallResult,
  Fault,
  listMyOrganizations,
  openSessionMeter,
  openVoiceSession,
  readAgentRuntime,
  readContactFile,
  readContacts,
  readRetention,
  type ServiceName,
  type sessionMeterLost,
  synthesizeSpeech,
} from '@parley/contracts';
import { type AcceptedChannel, type Call, type Channel, Consumes, Handles } from '@parley/messaging';
import type { z } from 'zod';

type Signal = z.output<(typeof openVoiceSession)['signal']>;
type Opening = z.output<(typeof openVoiceSession)['opening']>;
type MeterSignal = z.output<(typeof openSessionMeter)['signal']>;

type Extraction = z.output<typeof extractCallResult.request>;
type Extracted = z.input<typeof extractCallResult.reply>;

type FileRows = z.input<typeof readContactFile.item>;
type KnownContact = z.output<typeof readContacts.item>['contacts'][number];

/** A line at the scripted speech service. */
export interface ScriptedLine {
  readonly opening: Opening;
  readonly call: Call;
  readonly channel: Channel<Signal>;
  readonly heard: Signal[];
  readonly sounds: Uint8Array[];
  readonly sessionUUID: string;
}

/** The services around the bridge in a test: their answers, and what they received. */
export class ScriptedServices {
  lines: ScriptedLine[] = [];
  /** Those of whoever asks. */
  organizations: z.input<typeof listMyOrganizations.reply> = [];
  /** Charges, by organization. */
  readonly charged = new Map<number, Record<string, number>>();
  /** Charges with an id, and hooks before and after each is written. */
  readonly chargedOnce = new Set<string>();
  beforeCharge: () => void = () => undefined;
  afterCharge: () => void = () => undefined;
  readonly meters = new Set<Channel<MeterSignal>>();
  /** Called when the holder of a meter is lost. */
  meterLost: (orgId: number, lost: z.input<typeof sessionMeterLost.payload>) => void = () => undefined;
  readonly spoken: string[] = [];
  /** Events of calls, in order. */
  readonly changes: z.output<typeof callStateChanged.payload>[] = [];
  readonly campaignChanges: z.output<typeof campaignStatusChanged.payload>[] = [];
  isOutOfCredits = false;
  /** How many times the next calls find all credits set aside by others. */
  setAsideFor = 0;
  isSpeechAway = false;
  deletedAgents = new Set<number>();
  /** Contacts of every organization; missing fields are derived from the id. */
  contacts: ({ ContactID: number } & Partial<KnownContact>)[] = [];
  /** The rows of any contact file. */
  contactFile: FileRows[] = [];
  /** How many days agents keep data of a call. */
  retention: z.input<typeof readRetention.reply>['agents'] = [];
  /** Agents' prompts, if they differ from the default. */
  prompts: Partial<Pick<AgentRuntime, 'Greeting' | 'SystemPrompt'>> = {};
  /** Requests for results of ended conversations, and the results of each. */
  readonly extractions: Extraction[] = [];
  /** Conversations that were ended from outside the speech service. */
  readonly endedSessions: string[] = [];
  /** The reported time of their end, if any. */
  readonly endedOn = new Map<string, string>();
  learn: (asked: Extraction) => Extracted = learnNothing;
  /** Hooks before an agent is returned, and before credits are held. */
  beforeAgent: () => Promise<void> | void = () => undefined;
  beforeMeter: () => Promise<void> | void = () => undefined;
  /** By default, a session closes when asked to end and ignores everything else. */
  hear: (line: ScriptedLine, item: { frame: Uint8Array } | { signal: Signal }) => void = endOnly;
  greet: (line: ScriptedLine) => void = () => undefined;

  get last(): ScriptedLine {
    const line = this.lines.at(-1);
    if (!line) throw new Error('no line was opened');
    return line;
  }

  reset(): void {
    this.lines = [];
    this.organizations = [];
    this.isOutOfCredits = false;
    this.setAsideFor = 0;
    this.beforeCharge = () => undefined;
    this.afterCharge = () => undefined;
    this.isSpeechAway = false;
    this.deletedAgents = new Set();
    this.contacts = [];
    this.contactFile = [];
    this.prompts = {};
    this.extractions.splice(0);
    this.learn = learnNothing;
    this.hear = endOnly;
    this.greet = () => undefined;
    this.beforeAgent = () => undefined;
    this.beforeMeter = () => undefined;
    this.spoken.splice(0);
  }

  /** Each of them as a controller. */
  controllers(): readonly (readonly [ServiceName, new () => object])[] {
    return [
      ['speech', speechOf(this)],
      ['gateway', gatewayOf(this)],
      ['agent-config', agentsOf(this)],
      ['team-sales', teamOf(this)],
      ['dashboards', dashboardsOf(this)],
      ['conversation', conversationOf(this)],
    ];
  }
}

function endOnly({ channel }: ScriptedLine, item: { frame: Uint8Array } | { signal: Signal }): void {
  if (!('signal' in item) || (item.signal.type !== 'session.end' && item.signal.type !== 'credits.exhausted')) return;
  const reason = item.signal.type === 'session.end' ? 'ENDED_BY_USER' : 'CREDITS_EXHAUSTED';
  channel.signal({ type: 'session.ended', reason });
  channel.close(reason);
}

function learnNothing(): Extracted {
  return { result: null, reason: 'The caller said nothing.', tokens: 0 };
}

function conversationOf(script: ScriptedServices) {
  @Controller()
  class ScriptedConversation {
    @Handles(endSession)
    end({ sessionUUID, endedOn }: z.output<typeof endSession.request>): z.input<typeof endSession.reply> {
      if (endedOn !== undefined) script.endedOn.set(sessionUUID, endedOn);
      script.endedSessions.push(sessionUUID);
      return { sessionUUID };
    }

    @Handles(extractCallResult)
    async extract(asked: Extraction): Promise<Extracted> {
      script.extractions.push(asked);
      return script.learn(asked);
    }
  }
  return ScriptedConversation;
}

function speechOf(script: ScriptedServices) {
  @Controller()
  class ScriptedSpeech {
    @Handles(openVoiceSession)
    async open(opening: Opening, call: Call): Promise<AcceptedChannel<z.input<(typeof openVoiceSession)['accepted']>, Signal>> {
      if (script.isSpeechAway) throw new Fault('SERVICE_UNAVAILABLE');
      const { sampleRate, encoding, sessionUUID = randomUUID() } = opening;
      const serve = async (channel: Channel<Signal>): Promise<void> => {
        const line: ScriptedLine = { opening, call, channel, heard: [], sounds: [], sessionUUID };
        script.lines.push(line);
        script.greet(line);
        for await (const item of channel.incoming) {
          if ('frame' in item) line.sounds.push(item.frame);
          else line.heard.push(item.signal);
          script.hear(line, item);
        }
      };
      return { accepted: { sessionUUID, sampleRate, encoding }, serve };
    }

    @Handles(synthesizeSpeech)
    async *synthesize({ text, sampleRate = 8000 }: z.output<typeof synthesizeSpeech.request>) {
      script.spoken.push(text);
      yield { type: 'format' as const, contentType: 'audio/pcm', sampleRate, characters: text.length, totalBytes: null };
      // Half a second of a loud tone, which cannot be taken for silence.
      const samples = Int16Array.from({ length: sampleRate / 2 }, (_, at) => Math.round(Math.sin(at / 3) * 8000));
      yield { type: 'audio' as const, base64: Buffer.from(samples.buffer).toString('base64') };
    }
  }
  return ScriptedSpeech;
}

function gatewayOf(script: ScriptedServices) {
  @Controller()
  class ScriptedGateway {
    @Handles(chargeOnce)
    async once({ ChargeID, usage }: z.output<typeof chargeOnce.request>, call: Call): Promise<{ isCharged: true }> {
      script.beforeCharge();
      if (!script.chargedOnce.has(ChargeID)) charge(script, call.principal?.orgId ?? 0, usage);
      script.chargedOnce.add(ChargeID);
      script.afterCharge();
      return { isCharged: true };
    }

    @Handles(openSessionMeter)
    async open(
      { usedBefore }: z.output<(typeof openSessionMeter)['opening']>,
      call: Call,
    ): Promise<AcceptedChannel<{ isHeld: true }, MeterSignal>> {
      await script.beforeMeter();
      if (script.isOutOfCredits) throw new Fault('CREDITS_EXHAUSTED');
      if (script.setAsideFor > 0) {
        script.setAsideFor -= 1;
        throw new Fault('CREDITS_EXHAUSTED', { retryAfterSeconds: 1 });
      }
      const orgId = call.principal?.orgId ?? 0;
      const serve = async (channel: Channel<MeterSignal>): Promise<void> => {
        script.meters.add(channel);
        const used = new Map<CreditKind, number>();
        for (const { kind, units } of usedBefore) used.set(kind, units);
        let isSaid = false;
        for await (const item of channel.incoming) {
          isSaid = 'signal' in item && item.signal.type === 'end';
          if (isSaid) break;
          const usage = 'signal' in item ? usageOf(item.signal) : [];
          charge(script, orgId, usage);
          for (const { kind, units } of usage) used.set(kind, (used.get(kind) ?? 0) + units);
        }
        script.meters.delete(channel);
        channel.signal({ type: 'settled' });
        const usage = [...used].map(([kind, units]) => ({ kind, units }));
        if (!isSaid) script.meterLost(orgId, { requestId: call.requestId, usage });
      };
      return { accepted: { isHeld: true }, serve };
    }
  }
  return ScriptedGateway;
}

function usageOf(signal: MeterSignal): { kind: CreditKind; units: number }[] {
  if (signal.type === 'turn') return [{ kind: 'TTT_API', units: signal.tokens }];
  return signal.type === 'usage' ? signal.usage : [];
}

function charge(script: ScriptedServices, orgId: number, usage: { kind: string; units: number }[]): void {
  const sums = script.charged.get(orgId) ?? {};
  for (const { kind, units } of usage) sums[kind] = (sums[kind] ?? 0) + units;
  script.charged.set(orgId, sums);
}

/** An agent key that contains the agent's id, so that tests need no table of agents. */
const agentKeyOf = (id: number): string => `5b0c7f0e-6d55-4a86-9f3c-${String(id).padStart(12, '0')}`;

function agentsOf(script: ScriptedServices) {
  const [example] = examplesOf(AgentRuntime);
  const runtime = AgentRuntime.parse(example);
  @Controller()
  class ScriptedAgents {
    @Handles(readAgentRuntime)
    async read({ AgentID, AgentKeyID }: z.output<typeof readAgentRuntime.request>, call: Call): Promise<AgentRuntime> {
      await script.beforeAgent();
      const id = AgentID ?? Number(AgentKeyID?.slice(-12));
      const allowed = call.principal?.agentIds;
      if (script.deletedAgents.has(id) || (allowed && !allowed.includes(id)))
        throw new Fault('NOT_FOUND', { message: 'There is no such agent.' });
      return { ...runtime, ...script.prompts, AgentID: id, AgentKeyID: agentKeyOf(id), AgentName: `Agent ${id}` };
    }

    @Handles(readRetention)
    retention(): z.input<typeof readRetention.reply> {
      return { agents: script.retention };
    }
  }
  return ScriptedAgents;
}

function teamOf(script: ScriptedServices) {
  @Controller()
  class ScriptedTeam {
    @Handles(listMyOrganizations)
    list(): z.input<typeof listMyOrganizations.reply> {
      return script.organizations;
    }

    @Handles(readContacts)
    async *read({ ContactIDs, ContactKeyIDs }: z.output<typeof readContacts.request>) {
      const all = script.contacts.map(knownContact);
      const wanted = all.filter(
        ({ ContactID, ContactKeyID }) =>
          (ContactIDs?.includes(ContactID) ?? true) && (ContactKeyIDs?.includes(ContactKeyID) ?? true),
      );
      for (let at = 0; at < wanted.length; at += 500) yield { contacts: wanted.slice(at, at + 500) };
    }

    @Handles(readContactFile)
    async *readFile() {
      yield* script.contactFile;
    }
  }
  return ScriptedTeam;
}

function knownContact(known: { ContactID: number } & Partial<KnownContact>): KnownContact {
  const { ContactID } = known;
  const number = `+9198${String(20_000_000 + ContactID)}`;
  const unsaid = { Email: '', City: '', State: '', Country: '', TimeZone: '' };
  const ContactKeyID = `7a9b1c3d-5e7f-4a1b-8c3d-${String(ContactID).padStart(12, '0')}`;
  return { ContactKeyID, CustomerName: `Contact ${ContactID}`, ContactNumber: number, ...unsaid, ...known };
}

function dashboardsOf(script: ScriptedServices) {
  @Controller()
  class ScriptedDashboards {
    @Consumes(callStateChanged)
    heard(change: z.output<typeof callStateChanged.payload>): void {
      script.changes.push(change);
    }

    @Consumes(campaignStatusChanged)
    heardOfCampaign(change: z.output<typeof campaignStatusChanged.payload>): void {
      script.campaignChanges.push(change);
    }
  }
  return ScriptedDashboards;
}
