import { eventually, freeSipPort, hasAsterisk, TestAsterisk } from '@parley/testing';
import { realClock } from '@parley/voice-session';
import { sip } from './index';
import { FakePbx, loopback, shareOf } from './phone.fake';
import { SipCredentials } from './sip-control';
import { unchecked } from '../carrier-http/stub-carrier-api';

const real = hasAsterisk() ? describe : describe.skip;
const ourHz = 1000;
// Asterisk identifies the caller's account by the name in From.
const asUs = { from: 'parley' };

const modules = [
  ...['res_pjproject', 'res_sorcery_config', 'res_sorcery_memory', 'res_sorcery_astdb', 'res_timing_timerfd', 'res_rtp_asterisk'],
  ...['res_pjsip', 'res_pjsip_session', 'res_pjsip_sdp_rtp', 'res_pjsip_registrar', 'res_pjsip_refer', 'res_pjsip_pubsub'],
  ...['res_pjsip_authenticator_digest', 'res_pjsip_outbound_authenticator_digest', 'res_pjsip_endpoint_identifier_user'],
  ...['res_pjsip_dtmf_info', 'res_pjsip_caller_id', 'chan_pjsip', 'codec_ulaw', 'pbx_config', 'res_clioriginate'],
  ...['app_echo', 'app_dial', 'app_senddtmf', 'app_read', 'bridge_simple', 'bridge_native_rtp', 'func_callerid', 'func_global'],
];

const dialplan = `
[from-agent]
exten => echo,1,Answer()
 same => n,Echo()
exten => 600,1,Answer()
 same => n,Echo()
exten => 601,1,Answer()
 same => n,Wait(0.3)
 same => n,SendDTMF(42#)
 same => n,Wait(5)
exten => 602,1,Busy()
exten => 603,1,Answer()
 same => n,Read(KEYS,,3,,1,5)
 same => n,Set(GLOBAL(KEYS)=\${KEYS})
 same => n,Hangup()
exten => 700,1,Dial(Local/colleague@from-agent,10)
exten => colleague,1,Answer()
 same => n,Set(GLOBAL(TAKEN)=yes)
 same => n,Wait(5)
exten => waiting,1,Answer()
 same => n,Wait(20)
exten => agent,1,Dial(PJSIP/agent@parley,10)
`;

const pjsip = (port: number): string => `
[udp]
type=transport
protocol=udp
bind=${loopback}:${port}
[tcp]
type=transport
protocol=tcp
bind=${loopback}:${port}
[parley]
type=aor
max_contacts=1
remove_existing=yes
[parley]
type=auth
auth_type=userpass
username=parley
password=correct horse
[parley]
type=endpoint
context=from-agent
disallow=all
allow=ulaw
auth=parley
aors=parley
dtmf_mode=rfc4733
direct_media=no
timers=yes
`;

real('an Asterisk as the trunk (needs Debian’s asterisk)', () => {
  let asterisk: TestAsterisk;
  let port = 0;
  const open: { close(): Promise<unknown> }[] = [];
  beforeAll(async () => {
    port = await freeSipPort();
    const rtp = `[general]\nrtpstart=${32_000 + (port % 500) * 4}\nrtpend=${32_060 + (port % 500) * 4}\n`;
    const files = { 'extensions.conf': dialplan, 'pjsip.conf': pjsip(port), 'rtp.conf': rtp };
    asterisk = await TestAsterisk.start({ modules, files });
  });
  afterAll(() => asterisk.stop());
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
  const pbx = async (account: Record<string, unknown> = {}): ReturnType<typeof FakePbx.open> => {
    const trunk = { trunk: `sip:${loopback}:${port}`, username: 'parley', password: 'correct horse' };
    const opened = await FakePbx.open({ ...trunk, ...account });
    open.push(opened.listening);
    return opened;
  };
  const registered = async (): ReturnType<typeof FakePbx.open> => {
    const opened = await pbx({ registers: true });
    await eventually('Asterisk knows where we are', async () =>
      (await asterisk.command('pjsip show contacts')).includes(`:${opened.listening.port}`),
    );
    return opened;
  };

  it.each(['udp', 'tcp'])('is called through it over %s with a password, and hears itself', async (transport) => {
    const ours = await pbx({ trunk: `sip:${loopback}:${port};transport=${transport}` });
    await ours.carrier.control.place(ours.order('600', asUs));
    const agent = await ours.first();
    agent.say(ourHz, 1500);
    agent.line.mark('said');
    await agent.until(() => agent.events.some(({ kind }) => kind === 'mark') && agent.heard.length > 12_000);
    expect(shareOf(agent.heard.slice(4000, 9600), ourHz)).toBeGreaterThan(0.9);
    agent.line.hangUp();
    expect(await agent.ended()).toMatchObject({ reason: 'hung-up' });
    await eventually('Asterisk holds no call', async () =>
      (await asterisk.command('core show channels')).includes('0 active channels'),
    );
  });

  it('sends keys that Asterisk reads, and reads those that Asterisk sends', async () => {
    const ours = await pbx();
    const sending = await ours.carrier.control.place(ours.order('603', asUs));
    const agent = await ours.first();
    await ours.carrier.control.sendDigits(sending.callId, 'w12#');
    expect(await agent.ended()).toMatchObject({ reason: 'caller-hung-up' });
    expect(await asterisk.command('dialplan show globals')).toContain('KEYS=12');
    const listening = await pbx();
    await listening.carrier.control.place(listening.order('601', asUs));
    const other = await listening.first();
    await other.until(() => other.digits === '42#');
  });

  it('reports busy with the status', async () => {
    const ours = await pbx();
    const { callId } = await ours.carrier.control.place(ours.order('602', asUs));
    await ours.until(() => ours.states.includes('busy'));
    expect(await ours.carrier.control.find({ callId })).toMatchObject({ state: 'busy', code: '486' });
  });

  it('reports a wrong password before the first call', async () => {
    const carrierOf = (password: string) => {
      const account = { trunk: `sip:${loopback}:${port}`, username: 'parley', password, registers: true };
      return sip.open(SipCredentials.parse(account), { publicUrl: '', clock: realClock });
    };
    await carrierOf('correct horse').test?.();
    await expect(carrierOf('wrong').test?.()).rejects.toMatchObject({ retryable: false });
  });

  it('stays registered after a test at any replica', async () => {
    const ours = await registered();
    const elsewhere = { trunk: `sip:${loopback}:${port}`, username: 'parley', password: 'correct horse', registers: true };
    await sip.open(SipCredentials.parse(elsewhere), { publicUrl: '', clock: realClock }).test?.();
    await ours.carrier.test?.();
    expect(await asterisk.command('pjsip show contacts')).toContain(`:${ours.listening.port}`);
  });

  it('registers, is called by a PBX customer, and transfers the call to a colleague', async () => {
    const ours = await registered();
    await asterisk.command('channel originate Local/agent@from-agent extension waiting@from-agent');
    const agent = await ours.first();
    expect(agent.call).toMatchObject({ direction: 'inbound', to: 'agent' });
    // A call not yet connected to another cannot be transferred: Asterisk refuses.
    await eventually('Asterisk has joined the two', async () =>
      /\s2\s+\w+\s+\w*bridge/.test(await asterisk.command('bridge show all')),
    );
    await ours.carrier.control.transfer({
      callId: agent.call.callId,
      to: unchecked('700'),
      from: 'agent',
      ringSeconds: 10,
      documentUrl: '',
      afterUrl: '',
    });
    await agent.ended();
    expect(ours.notices).toContainEqual({ kind: 'continuing', callId: agent.call.callId, transfer: 'answered' });
    expect(ours.states.at(-1)).toBe('completed');
    await eventually('the colleague has the call', async () =>
      (await asterisk.command('dialplan show globals')).includes('TAKEN=yes'),
    );
  });

  it('unregisters at its end', async () => {
    const ours = await registered();
    open.splice(0);
    await ours.listening.close();
    expect(await asterisk.command('pjsip show contacts')).not.toContain(`:${ours.listening.port}`);
  });
});
