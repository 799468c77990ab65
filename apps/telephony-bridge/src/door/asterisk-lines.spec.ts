/** @waits sound takes as long as it lasts */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type CallRecord,
  endCall,
  getCall,
  listCalls,
  placeCall,
  saveCarrierAccount,
  saveNumber,
  transferCall,
} from '@parley/contracts';
import { asteriskAudioSocket } from '@parley/providers/asterisk-audiosocket';
import { asteriskWebSocket } from '@parley/providers/asterisk-websocket';
import { eventually, hasAsterisk, TestAsterisk } from '@parley/testing';
import { BridgeHarness, freePort, type Member } from '../testing/bridge-harness.suite';
import { heardBy, msOf, nextHz, ourHz, speaksInTones } from '../testing/tones';

const host = '127.0.0.1';
const secret = 'a-password-of-our-own';
const real = hasAsterisk() ? describe : describe.skip;
const page = (name: string) => readFileSync(path.resolve(__dirname, `../../../../docs/telephony/${name}.md`), 'utf8');
/** The first code block of a page that contains the line. */
const blockWith = (text: string, line: string) =>
  (text.match(/```[\s\S]*?```/g) ?? []).find((block) => block.includes(line))?.replace(/^```.*$/gm, '') ?? '';

const modules = [
  ...['res_sorcery_config', 'res_sorcery_memory', 'res_timing_timerfd', 'res_http_websocket', 'res_websocket_client', 'res_curl'],
  ...['res_stasis', 'res_stasis_answer', 'res_stasis_playback', 'res_stasis_recording', 'res_stasis_snoop', 'res_ari_model'],
  ...[
    'res_ari',
    'res_ari_channels',
    'res_ari_asterisk',
    'res_audiosocket',
    'app_audiosocket',
    'chan_websocket',
    'codec_ulaw',
    'codec_resample',
  ],
  ...['pbx_config', 'res_clioriginate', 'app_dial', 'app_stack', 'app_echo', 'app_senddtmf', 'bridge_simple', 'func_global'],
  ...['func_curl', 'func_cut', 'func_uri', 'func_callerid', 'func_channel', 'func_strings', 'func_timeout', 'func_logic'],
];

/** The person at the other end: presses keys, and reports what is heard. */
const people = `
[people]
exten => colleague,1,Answer()
 same => n,Set(GLOBAL(TAKEN)=yes)
 same => n,Wait(1)
exten => busy,1,Busy(1)
exten => echo,1,Answer()
 same => n,Wait(2)
 same => n,SendDTMF(42#)
 same => n,Echo()
`;
const numbers: Readonly<Record<string, string>> = { '919820012345': 'echo', '919820054321': 'colleague', '919820000486': 'busy' };
const dialling = Object.entries(numbers)
  .map(([number, person]) => `exten => ${number},1,Goto(people,${person},1)`)
  .join('\n');

const kinds = [
  ['AudioSocket', asteriskAudioSocket],
  ['its WebSocket channel', asteriskWebSocket],
] as const;

real.each(kinds)('an Asterisk by %s, set up as its page says (needs Debian’s asterisk)', (_name, descriptor) => {
  let harness: BridgeHarness;
  let asterisk: TestAsterisk;
  let member: Member;
  beforeAll(async () => {
    const [http, sockets] = [await freePort(), await freePort()];
    const environment = { AUDIOSOCKET_PORT: String(sockets), CARRIERS_IN_PRIVATE_NETWORKS: 'true' };
    harness = await BridgeHarness.open(environment, undefined, [descriptor]);
    member = harness.member();
    const ari = { ariUrl: `http://${host}:${http}/ari`, ariUser: 'parley', ariPassword: 'p' };
    const account = await member.ask(saveCarrierAccount, {
      carrier: descriptor.id,
      AccountName: 'PBX',
      credentials: { ...ari, dialString: 'Local/{digits}@parley-dial/n', webhookSecret: secret },
    });
    const { CarrierAccountKeyID } = account;
    await member.ask(saveNumber, { CarrierAccountKeyID, number: '+912025501234', AgentID: 12, isDefault: 1 });
    const address = `${harness.url}/telephony/${descriptor.id}/${CarrierAccountKeyID}`;
    asterisk = await TestAsterisk.start({
      modules,
      files: {
        'http.conf': `[general]\nenabled=yes\nbindaddr=${host}\nbindport=${http}\n`,
        'ari.conf': '[general]\nenabled=yes\n[parley]\ntype=user\nread_only=no\npassword=p\n',
        'extensions.conf': `${dialplan(address, sockets)}\n[trunk]\n${dialling}\n${people}`,
        'websocket_client.conf': blockWith(page('asterisk-websocket'), '[parley]')
          .replace('wss://voice.example', harness.url.replace('http', 'ws'))
          .replace('tls_enabled = yes', 'tls_enabled = no'),
      },
    });
  });
  beforeEach(() => {
    harness.scripted.hear = (line, item) => {
      if (!('signal' in item)) return;
      const { type } = item.signal;
      if (item.signal.type === 'transfer.ask') line.channel.signal({ type: 'line.transfer', to: item.signal.to });
      if (type !== 'transfer.done' && type !== 'session.end') return;
      const reason = type === 'transfer.done' ? 'TRANSFERRED' : 'ENDED_BY_USER';
      line.channel.signal({ type: 'session.ended', reason });
      line.channel.close(reason);
    };
  });
  afterEach(() => harness.scripted.reset());
  afterAll(async () => {
    await asterisk?.stop();
    await harness.close();
  });

  /** The documented dialplan with its placeholders filled in. */
  const dialplan = (address: string, sockets: number): string => {
    const isByWebSocket = descriptor.id === 'asterisk-websocket';
    const connected = blockWith(page('asterisk-websocket'), 'Dial(WebSocket').trimEnd();
    const plan = blockWith(page('asterisk-audiosocket'), '[from-trunk]')
      .replaceAll('CURL(WEBHOOK', `CURL(${address}/answer`)
      .replaceAll('CURL(STATUS', `CURL(${address}/status`)
      .replaceAll('parley-bridge:9092', `${host}:${sockets}`)
      .replaceAll('<your password>', secret)
      .replaceAll('PJSIP/${EXTEN}@trunk', 'Local/${EXTEN}@trunk/n')
      .replaceAll('PJSIP/${CUT(REPLY, ,2)}@trunk', 'Local/${FILTER(0-9,${CUT(REPLY, ,2)})}@trunk/n');
    if (!isByWebSocket) return plan;
    return plan.replace(/^ same => n,AudioSocket\((.*),.*\)$/gm, (_line, token: string) =>
      connected.replace('${CUT(REPLY, ,2)}', token).replace(/^\n/, ''),
    );
  };
  const only = async (): Promise<CallRecord> => {
    const [row] = (await member.ask(listCalls, { pageSize: 1, sortColumn: 'CallID', sortOrder: 'DESC' })).rows;
    if (!row) throw new Error('no call');
    return row;
  };
  const online = () => eventually('the agent is on the line', () => harness.scripted.lines.length === 1, 30_000);
  const over = async (CallKeyID: string): Promise<CallRecord> => {
    await eventually('the call is over', async () => (await member.ask(getCall, { CallKeyID })).endedAt !== null, 30_000);
    return member.ask(getCall, { CallKeyID });
  };
  const keys = () => harness.scripted.last.heard.flatMap((signal) => (signal.type === 'dtmf' ? [signal.digit] : [])).join('');

  it('connects caller and agent: both are heard, keys arrive, and speech interrupts the agent', async () => {
    const greetingMs = 20_000;
    speaksInTones(harness.scripted, { greetingMs, isInterruptible: true, by: ourHz });
    await asterisk.command('channel originate Local/912025501234@from-trunk/n extension echo@people');
    await online();
    const { last: line } = harness.scripted;
    await eventually('the keys arrive', () => keys() === '42#');
    await eventually('what the agent said came back', () => msOf(heardBy(line), ourHz) > 300);
    // What it says next would come after all of the greeting, were that not cut off.
    await eventually('the agent is cut off and says something else', () => msOf(heardBy(line), nextHz) > 300);
    expect(msOf(heardBy(line), ourHz)).toBeLessThan(greetingMs - 2_000);
    const { CallKeyID, ...call } = await only();
    expect(call).toMatchObject({ direction: 'INBOUND', to: '912025501234', state: 'IN_PROGRESS' });
    await member.ask(endCall, { CallKeyID });
    await eventually('Asterisk holds no call', async () =>
      (await asterisk.command('core show channels')).includes('0 active channels'),
    );
    expect(await over(CallKeyID)).toMatchObject({ state: 'COMPLETED', cause: 'The call was ended on request.' });
  });

  it('places a call, and transfers it to a colleague', async () => {
    speaksInTones(harness.scripted, { greetingMs: 8_000 });
    const { CallKeyID } = await member.ask(placeCall, { AgentID: 12, to: '+919820012345' });
    await online();
    await eventually('what the agent said came back', () => msOf(heardBy(harness.scripted.last), ourHz) > 300);
    await member.ask(transferCall, { CallKeyID, to: '+919820054321' });
    expect(await over(CallKeyID)).toMatchObject({ state: 'COMPLETED', outcome: 'TRANSFERRED', transferredTo: '+919820054321' });
    expect(await asterisk.command('dialplan show globals')).toContain('TAKEN=yes');
  });

  it('reports that the line is busy', async () => {
    const { CallKeyID } = await member.ask(placeCall, { AgentID: 12, to: '+919820000486' });
    expect(await over(CallKeyID)).toMatchObject({ state: 'MISSED', outcome: 'BUSY', causeCode: '17' });
  });
});
