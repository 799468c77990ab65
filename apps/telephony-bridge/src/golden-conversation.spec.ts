/** @quiet Sound in real time, judged by when it is heard. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type CallRecord, listCalls, saveCarrierAccount, saveNumber, sendDtmf } from '@parley/contracts';
import { bytesOfMs, type MediaFormat, msOfBytes } from '@parley/ports';
import { carriers } from '@parley/providers/carrier-catalogue';
import { type CarrierPeer, carrierPeers, StubCarrierApi } from '@parley/providers/carrier-peers';
import { carrierPhones, connectMedia, type FakeCarrier, farEnd } from '@parley/providers/carrier-phones';
import { eventually, freeSipPort } from '@parley/testing';
import { realClock } from '@parley/voice-session';
import { BridgeHarness, freePort, type Member } from './testing/bridge-harness.suite';
import type { ScriptedLine } from './testing/scripted-services';
import { SipPhone } from './testing/sip-phone';

/** The caller's end of a call over any carrier. */
interface GoldenPhone extends Pick<
  FakeCarrier,
  'begin' | 'speak' | 'press' | 'hangUp' | 'heard' | 'keysHeard' | 'violations' | 'isToldOfEnd'
> {
  readonly callId: string;
}

interface Caller {
  readonly name: string;
  ring(member: Member): Promise<GoldenPhone>;
  /** Carriers whose calls continue after their media ends, until a command ends them. */
  isTold(phone: GoldenPhone): boolean;
}

const from = '+919820012345';
const to = '+912025510012';
const frameMs = 20;
/** The bytes the speech is made of: unlike any carrier's silence, and never long in a tone. */
const words = { caller: 0x21, greeting: 0x31, longAnswer: 0x41, goodbye: 0x51 };

/** What happens in the conversation, and what is recorded, over every carrier. */
const goldenTranscript = [
  'the agent is on the line',
  'agent hears 200 ms of the caller',
  'caller hears 200 ms of the greeting',
  'agent is told of the keys 5#',
  'caller hears the beginning of the long answer, and not its end',
  'agent presses 12',
  'caller hears 200 ms of the goodbye',
  'the carrier knows that the call is over',
  'COMPLETED, ANSWERED: The agent ended the call.',
  'used: 4 seconds heard, 30 characters said',
];

describe('one conversation', () => {
  const api = new StubCarrierApi();
  const lateness = monitorEventLoopDelay({ resolution: 10 });
  let harness: BridgeHarness;
  let [audioSocketPort, sipPort] = [0, 0];

  beforeAll(async () => {
    lateness.enable();
    await api.start();
    for (const { commands } of carrierPeers) for (const command of commands) api.on(command, {});
    [audioSocketPort, sipPort] = [await freePort(), await freeSipPort()];
    const ports = { AUDIOSOCKET_PORT: String(audioSocketPort), SIP_PORTS: String(sipPort) };
    harness = await BridgeHarness.open({ CARRIERS_IN_PRIVATE_NETWORKS: 'true', ...ports }, undefined, carriers);
  });
  afterAll(async () => {
    await harness.close();
    await api.stop();
    lateness.disable();
  });

  async function account(member: Member, { carrier, credentials }: { carrier: string; credentials: Record<string, string> }) {
    const saved = await member.ask(saveCarrierAccount, { carrier, AccountName: carrier, credentials });
    await member.ask(saveNumber, { CarrierAccountKeyID: saved.CarrierAccountKeyID, number: to, AgentID: 12, isDefault: 1 });
    return saved;
  }

  /** Fetches the platform's document and connects media to its address, as the carrier does. */
  async function ring(peer: CarrierPeer, member: Member): Promise<GoldenPhone> {
    const { webhookURL } = await account(member, { carrier: peer.carrier, credentials: peer.credentials(api.url) });
    const { method, url, headers, body } = peer.incoming(webhookURL, { from, to });
    const reply = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${peer.name} was answered ${reply.status}: ${text}`);
    const place = peer.placeOf({ text, api, audioSocket: { host: '127.0.0.1', port: audioSocketPort } });
    const base = harness.url.replace('http', 'ws');
    const wire = await connectMedia(place.kind === 'tcp' ? place : { ...place, url: new URL(place.url, base).href });
    const latestMs = () => lateness.max / 1e6;
    const surroundings = { clock: realClock, hear: () => undefined, open: farEnd(wire), latestMs };
    const phone = carrierPhones[peer.carrier]?.(surroundings, text.split(' ').at(-1) ?? '');
    if (!phone) throw new Error(`nobody has a phone of ${peer.name}`);
    return Object.assign(phone, { callId: peer.callId });
  }

  const byHttp = carrierPeers.map((peer): Caller => {
    const command = peer.commands.at(-1);
    const isTold = (phone: GoldenPhone) =>
      phone.isToldOfEnd && (!peer.endsByCommand || api.asked.some(({ method, path }) => `${method} ${path}` === command));
    return { name: peer.name, ring: (member) => ring(peer, member), isTold };
  });
  const bySip: Caller = {
    name: 'SIP',
    ring: async (member) => {
      const port = String(sipPort);
      const credentials = { port, trusted: '127.0.0.1', mediaPortFrom: '44000', mediaPortTo: '45999' };
      await account(member, { carrier: 'sip', credentials });
      return SipPhone.call(to, sipPort);
    },
    isTold: (phone) => phone.isToldOfEnd,
  };

  async function converse(caller: Caller): Promise<string[]> {
    const member = harness.member();
    const phone = await caller.ring(member);
    phone.begin();
    const ofMember = ({ call }: ScriptedLine) => call.principal?.orgId === member.principal.orgId;
    await eventually('the agent is on the line', () => harness.scripted.lines.some(ofMember));
    const [line] = harness.scripted.lines.filter(ofMember);
    if (!line) throw new Error('no line');
    // Measured before this process can have stalled: whole seconds that a phone could not send are not charged over SIP.
    line.channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 4 }] });
    const transcript = ['the agent is on the line', ...(await talk(phone, line, await only(member), member))];

    line.channel.signal({ type: 'usage', usage: [{ kind: 'TTS_API', units: 30 }] });
    const { say, heardMs } = speech(phone, line);
    say(words.goodbye, 200);
    line.channel.signal({ type: 'session.ended', reason: 'ENDED_BY_AGENT' });
    line.channel.close('ENDED_BY_AGENT');
    await eventually('the carrier knows', () => caller.isTold(phone));
    transcript.push(`caller hears ${heardMs(words.goodbye)} ms of the goodbye`, 'the carrier knows that the call is over');
    phone.hangUp();
    await eventually('its credits are known', async () => (await only(member)).credits.TTS_API > 0);
    const { state, outcome, cause, credits, carrierCallID } = await only(member);
    expect(carrierCallID).toContain(phone.callId);
    expect(phone.violations).toEqual([]);
    return [
      ...transcript,
      `${state}, ${outcome}: ${cause}`,
      `used: ${credits.STT_API} seconds heard, ${credits.TTS_API} characters said`,
    ];
  }

  async function only(member: Member): Promise<CallRecord> {
    const [row] = (await member.ask(listCalls, {})).rows;
    if (!row) throw new Error('there is no call');
    return row;
  }

  it('is the same over every carrier, within its rules', async () => {
    const callers = [...byHttp, bySip];
    const held = await Promise.all(callers.map((caller) => converse(caller).catch((error: unknown) => String(error))));
    const told = callers.map(({ name }, at) => [name, held[at]]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(callers.map(({ name }) => [name, goldenTranscript])));
  });
});

/** The transcript in the line's format, and how much the caller heard without a break. */
function speech(phone: GoldenPhone, { opening: { encoding, sampleRate }, channel }: ScriptedLine) {
  const format: MediaFormat = { encoding, sampleRate };
  const frame = (word: number) => new Uint8Array(bytesOfMs(format, frameMs)).fill(word);
  const say = (word: number, ms: number) => {
    for (let at = 0; at < ms; at += frameMs) channel.send(frame(word));
  };
  return { format, frame, say, heardMs: (word: number) => msOfBytes(format, longestRunOf(word, phone.heard())) };
}

/** Both hear each other, keys travel both ways, and an interruption stops the agent. */
async function talk(phone: GoldenPhone, line: ScriptedLine, { CallKeyID }: CallRecord, member: Member): Promise<string[]> {
  const { format, frame, say, heardMs } = speech(phone, line);
  const begun = { type: 'agent.audio.start', turnUUID: line.sessionUUID, sampleRate: format.sampleRate } as const;
  for (let at = 0; at < 200; at += frameMs) phone.speak(frame(words.caller));
  const callerMs = () => msOfBytes(format, Buffer.concat(line.sounds).filter((byte) => byte === words.caller).length);
  await eventually('the agent hears the caller', () => callerMs() >= 200);
  line.channel.signal(begun);
  say(words.greeting, 200);
  await eventually('the caller hears the greeting', () => heardMs(words.greeting) >= 200);
  for (const digit of '5#') phone.press(digit);
  const keys = () => line.heard.map((signal) => (signal.type === 'dtmf' ? signal.digit : '')).join('');
  await eventually('the agent is told of the keys', () => keys().length === 2);

  line.channel.signal(begun);
  say(words.longAnswer, 10_000);
  await eventually('the caller hears some of the long answer', () => heardMs(words.longAnswer) >= 300);
  line.channel.signal({ type: 'agent.interrupted', heardText: 'We', playedMs: 300 });
  await member.ask(sendDtmf, { CallKeyID, digits: '12' });
  await eventually('the keys are heard', () => phone.keysHeard().length === 2);
  const answerMs = heardMs(words.longAnswer);
  // The history never claims more than the caller heard.
  const playedMs = line.heard.map((signal) => (signal.type === 'playback' ? signal.playedMs : 0));
  expect(Math.max(...playedMs)).toBeLessThanOrEqual(Math.max(answerMs, 200));
  return [
    `agent hears ${callerMs()} ms of the caller`,
    `caller hears ${heardMs(words.greeting)} ms of the greeting`,
    `agent is told of the keys ${keys()}`,
    `caller hears ${answerMs < 5_000 ? 'the beginning of the long answer, and not its end' : `${answerMs} ms of the long answer`}`,
    `agent presses ${phone.keysHeard()}`,
  ];
}

/** The longest run of one byte; tones and silence have no long ones. */
function longestRunOf(word: number, heard: Uint8Array): number {
  let [longest, run] = [0, 0];
  for (let at = 0; at < heard.length; at++) {
    run = heard[at] === word ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
