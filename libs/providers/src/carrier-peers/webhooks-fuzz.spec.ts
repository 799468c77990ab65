import type { AnswerPlan, CarrierRequest } from '@parley/ports';
import { realClock } from '@parley/voice-session';
import fc from 'fast-check';
import { carriers } from '../carrier-catalogue';
import { type CarrierPeer, carrierPeers } from './index';
import { unchecked } from '../carrier-http/stub-carrier-api';

const numRuns = Number(process.env['CARRIER_FUZZ'] ?? 100);
const publicUrl = 'https://calls.example';
const address = `${publicUrl}/telephony/x/5b0c7f0e-6d55-4a86-9f3c-000000000012/answer`;

/** Field names and values of all carriers, so that random requests reach the code behind them. */
const names =
  'CallSid CallUUID RequestUUID uuid call_uuid call_sid channel callId reference From To from to CallFrom CallTo CallStatus Status status ' +
  'call_status dial_call_status DialCallStatus DialStatus direction Direction Event event EventType type AnsweredBy Machine ' +
  'MachineDetectionDuration RecordingUrl RecordUrl recording_url RecordingDuration CallDuration Duration duration seconds ' +
  'SequenceNumber order SipResponseCode sip_code cause dialled transfer state CustomField tag data event_type payload ' +
  'call_control_id client_state hangup_cause start_time end_time recording_urls sub_state detail StreamEvent __proto__ constructor';
const said =
  'ringing in-progress completed busy no-answer failed canceled inbound outbound incoming answering continuing state answered ended ' +
  'machine human fax machine_end_beep beep_start amd_machine_detected call.initiated call.hangup call.recording.saved StartApp 1 -1 1e999 NaN';
const name = fc.constantFrom(...names.split(' '));
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...said.split(' ')) },
  fc.string({ maxLength: 60, unit: 'binary' }),
  fc.constantFrom('', '\u0000', '"><Hangup/>', '9'.repeat(5000), '+919820012345'),
);
const leaf = fc.oneof({ weight: 3, arbitrary: value }, fc.jsonValue({ maxDepth: 2 }));
const object = fc.array(fc.tuple(name, leaf), { maxLength: 12 }).map((pairs) => Object.fromEntries(pairs));
const nested = fc.tuple(object, object).map(([outer, payload]) => ({ ...outer, data: { ...outer, payload } }));
const form = fc
  .array(fc.tuple(name, value), { maxLength: 12 })
  .map((pairs) => ['application/x-www-form-urlencoded', new URLSearchParams(pairs).toString()] as const);
const json = fc.oneof(object, nested, fc.jsonValue()).map((body) => ['application/json', JSON.stringify(body)] as const);
const noise = fc
  .tuple(
    fc.constantFrom('', 'text/plain', 'application/json', 'multipart/form-data'),
    fc.string({ maxLength: 300, unit: 'binary' }),
  )
  .map(([type, body]) => [type, body] as const);
const asked = fc.constantFrom(undefined, 'answer' as const, 'status' as const);

/** A request like the recorded one with another body, and sometimes modified headers. */
function requestsTo(peer: CarrierPeer): fc.Arbitrary<CarrierRequest> {
  const recorded = peer.incoming(address, { from: '+1', to: '+2' });
  const path = recorded.url.slice(publicUrl.length);
  const header = fc.oneof(
    fc.string({ maxLength: 200, unit: 'binary' }),
    fc.constantFrom('', 'Bearer a.b.c', 'Basic ====', 't=1,v1=0'),
  );
  const query = fc.oneof(
    fc.constant(path),
    form.map(([, text]) => `${path.split('?')[0]}?${text}`),
    fc.constant('%%%?&&=&%00'),
  );
  const bent = fc.option(fc.tuple(fc.constantFrom(...Object.keys(recorded.headers), 'authorization'), header), {
    nil: undefined,
  });
  return fc
    .tuple(fc.oneof(form, json, noise), query, bent, fc.constantFrom('GET', 'POST', 'TRACE'))
    .map(([[type, body], at, change, method]) => ({
      method,
      path: at,
      headers: { ...recorded.headers, 'content-type': type, ...(change && { [change[0]]: change[1] }) },
      body: Buffer.from(body),
    }));
}

const text = fc.oneof(fc.string({ maxLength: 40, unit: 'binary' }), fc.constantFrom('sip:a@b', '+1', '"/><x>', '\u0000'));
const plans: fc.Arbitrary<AnswerPlan> = fc.oneof(
  fc.record({
    kind: fc.constant('connect' as const),
    // Both addresses are ours, whoever calls.
    mediaUrl: fc.uuid().map((token) => `wss://calls.example/telephony/x/${token}`),
    statusUrl: fc.constant(address),
    parameters: fc.dictionary(text, text),
  }),
  fc.record({
    kind: fc.constant('transfer' as const),
    to: text.map(unchecked),
    from: text,
    ringSeconds: fc.nat(100),
    afterUrl: text,
  }),
  fc.record({ kind: fc.constant('refuse' as const), reason: fc.constantFrom('busy' as const, 'rejected' as const) }),
  fc.constant({ kind: 'hang-up' as const }),
);

describe.each(carrierPeers)('any request in the name of $name', (peer) => {
  const descriptor = carriers.find(({ id }) => id === peer.carrier);
  const open = () => {
    const credentials = descriptor?.credentials.parse(peer.credentials('http://127.0.0.1:9')) ?? {};
    const { webhooks } = descriptor?.open(credentials, { publicUrl, clock: realClock }) ?? {};
    if (!webhooks) throw new Error('a carrier without webhooks');
    return webhooks;
  };

  it('is verified and parsed without throwing, and yields only valid notices', () => {
    const webhooks = open();
    fc.assert(
      fc.property(requestsTo(peer), asked, (request, what) => {
        const now = new Date();
        for (const verdict of [webhooks.verify(request, now), webhooks.verifyUpgrade(request, now)])
          expect(typeof verdict.isGenuine).toBe('boolean');
        for (const notice of webhooks.read(request, what)) {
          expect(typeof notice.callId).toBe('string');
          for (const field of Object.values(notice))
            expect(typeof field === 'number' ? Number.isFinite(field) : ['string', 'boolean'].includes(typeof field)).toBe(true);
        }
      }),
      { numRuns },
    );
  });

  // Telnyx is commanded: its answers are requests of ours.
  if (peer.carrier === 'telnyx') return;
  it('is answered for any plan, in a document without injected content', async () => {
    const webhooks = open();
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { body, contentType } = await webhooks.answer(peer.callId, plan);
        if (contentType === 'application/json') JSON.parse(body);
        if (contentType === 'application/xml') expect(body.match(/<Response>/g)).toHaveLength(1);
        if (contentType === 'text/plain') expect(body).not.toMatch(/[\r\n\0]/);
      }),
      { numRuns },
    );
  });
});
