import { z } from 'zod';
import { Fault } from '../faults';
import { afterSave } from './index';

const Record = z.object({ name: z.string(), city: z.string().default(''), agentID: z.int().nullable().default(null) });
const before = { name: 'Asha', city: 'Pune', agentID: 12, id: 4 };

describe('a record after a save', () => {
  it('keeps what is absent', () => {
    expect(afterSave(Record, before, { city: 'Nashik' })).toEqual({ name: 'Asha', city: 'Nashik', agentID: 12 });
  });

  it('clears what is null', () => {
    expect(afterSave(Record, before, { city: null, agentID: null })).toEqual({ name: 'Asha', city: '', agentID: null });
  });

  it('starts with the defaults', () => {
    expect(afterSave(Record, null, { name: 'Asha', city: undefined })).toEqual({ name: 'Asha', city: '', agentID: null });
  });

  it.each([
    ['a new one', null, {}],
    ['a known one', before, { name: null }],
  ])('must keep what is required: %s', (_what, known, sent) => {
    expect(() => afterSave(Record, known, sent)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_FAILED', details: [{ field: 'name', message: expect.any(String) }] }),
    );
    expect(() => afterSave(Record, known, sent)).toThrow(Fault);
  });
});
