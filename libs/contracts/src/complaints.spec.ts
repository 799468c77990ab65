import { z } from 'zod';
import { complaintsAbout, ownWords } from './complaints';
import { ChatBody, TextQuestion } from './conversation/chat';
import * as everyMessage from './every-message';
import { afterSave } from './vocabulary';
import { getDashboardCount } from './dashboards/call-counts';
import { Fault } from './faults';
import { createKey } from './gateway/keys';
import { saveCatalog } from './knowledge-ingest/catalog';
import { ClientFrame } from './speech/voice-channels';
import { permissionAreas } from './principal';
import { saveInvite } from './team-sales/invites';
import { logSalesCall } from './team-sales/representatives';

function complaints(schema: z.ZodType, input: unknown) {
  const { error } = schema.safeParse(input, { error: ownWords });
  return complaintsAbout(schema, input, error?.issues ?? []).map(({ field, predicate }) => `${field} ${predicate}`);
}

describe('what is wrong with an input', () => {
  test('is said of a typed question on a socket as over HTTP, blanks alone included', () => {
    for (const typed of ['', '  ', '\n\t', 'x'.repeat(8001)]) {
      const [overHttp] = complaints(TextQuestion, { question: typed });
      expect(overHttp).toBe('question must be a string of 1 to 8000 characters');
      expect(complaints(ClientFrame, { type: 'text', text: typed })).toEqual([overHttp?.replace('question', 'text')]);
    }
    expect(ClientFrame.parse({ type: 'text', text: ' When? ' })).toEqual({ type: 'text', text: 'When?' });
  });

  test('is said in words of ours of every message, and of every save', () => {
    const raw = /invalid (input|option|string)|too (big|small)|received|unrecognized|\u0000/i;
    const contracts = Object.values(everyMessage).flatMap((each) => (isRequest(each) ? [each.request] : []));
    const wrong = ['', [], 5, null, ['x'], { x: 1 }, 'x'.repeat(10_000)];
    const said = contracts.flatMap((schema) => {
      const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
      const inputs = wrong.map((value) => Object.fromEntries(Object.keys(properties).map((name) => [name, value])));
      return [{}, 5, ...inputs].flatMap((input) => complaints(schema, input));
    });
    expect(contracts.length).toBeGreaterThan(100);
    expect(said.filter((each) => raw.test(each))).toEqual([]);
    const saved = z.object({ name: z.string(), kind: z.enum(['A', 'B']) });
    const refusal = (): object => afterSave(saved, undefined, { name: 7, kind: 'C' });
    expect(refusal).toThrow('name must be a string');
  });

  test('is that a missing date is required, as any other field', () => {
    const missing = ['startDate is required', 'endDate is required'];
    expect(complaints(getDashboardCount.request, {})).toEqual(missing);
    expect(complaints(logSalesCall.request, { ContactID: 7 })).toContain('startedAt is required');
    const wrong = complaints(getDashboardCount.request, { startDate: 'soon', endDate: '2026-03-31' });
    expect(wrong).toEqual(['startDate must be an ISO 8601 date, or a date-time with a time zone, such as Z or +05:30']);
  });

  test('lists what a switch of a catalogue may be', () => {
    const products = [{ product_name: 'Kettle', price: 1, currency: 'INR', availability: 'yes' }];
    const services = [{ service_name: 'Visit', service_price: 1, currency: 'INR', booking_required: 'no' }];
    expect(complaints(saveCatalog.request, { KBID: 4, products, services })).toEqual([
      'products.0.availability must be true or false or null',
      'services.0.booking_required must be true or false or null',
    ]);
  });

  test('names the zone that a date-time lacks', () => {
    const zone = 'a date-time with a time zone, such as Z or +05:30';
    const noZone = '2026-11-27T20:00:00';
    expect(complaints(getDashboardCount.request, { startDate: noZone, endDate: '2026-11-28' })).toEqual([
      `startDate must be an ISO 8601 date, or ${zone}`,
    ]);
    expect(complaints(createKey.request, { name: 'Shop', kind: 'ext', expiresAt: noZone })).toEqual([
      `expiresAt must be an ISO 8601 ${zone.slice(2)} or null`,
    ]);
  });

  test('names the fields that an object may have', () => {
    const invited = { action: 'UPDATE', userID: 3, permissions: { zzz: ['CanView'] } };
    expect(complaints(saveInvite.request, invited)).toEqual([
      `permissions must not have zzz, only ${permissionAreas.join(', ')}`,
    ]);
  });

  test('shows no pattern to who sent no text', () => {
    const [said] = complaints(
      z.object({
        modes: z
          .string()
          .max(50)
          .regex(/^[12](,[12])*$/),
      }),
      { modes: 12 },
    );
    expect(said).toBe('modes must be a string of at most 50 characters');
    const [mistyped] = complaints(
      z.object({
        modes: z
          .string()
          .max(50)
          .regex(/^[12](,[12])*$/),
      }),
      { modes: 'x' },
    );
    expect(mistyped).toBe('modes must be a string of at most 50 characters that matches ^[12](,[12])*$');
  });

  test('is said once of a field', () => {
    expect(complaints(ChatBody, { question: ' ' })).toEqual(['question must be a string of 1 to 8000 characters']);
    const said = complaints(saveInvite.request, { action: 'ADD', emails: 'x'.repeat(6000), roleTypeID: 3, userType: 'Web' });
    expect(said.filter((one) => one.startsWith('emails'))).toHaveLength(1);
  });
});

test('every detail of a fault is a sentence that names its field, however it was thrown', () => {
  const details = [
    { field: 'ContactNumber', message: 'is a number for emergencies' },
    { field: 'question', message: 'question is required' },
    { field: 'agentIds', message: 'There is no agent 101.' },
  ];
  expect(new Fault('VALIDATION_FAILED', { details }).details.map(({ message }) => message)).toEqual([
    'ContactNumber is a number for emergencies',
    'question is required',
    'There is no agent 101.',
  ]);
  // A message that crosses services is a fault twice.
  const again = new Fault('VALIDATION_FAILED', { details: new Fault('VALIDATION_FAILED', { details }).details });
  expect(again.details[0]?.message).toBe('ContactNumber is a number for emergencies');
  expect(again.message).toBe('ContactNumber is a number for emergencies');
});

function isRequest(contract: unknown): contract is { request: z.ZodType } {
  return typeof contract === 'object' && contract !== null && 'request' in contract && contract.request instanceof z.ZodType;
}
