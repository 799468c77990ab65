/** @quiet Judged by CPU time. */
import { addCampaignContacts, mapContacts } from '@parley/contracts';
import { loopBudgetMs, warmTurnMs } from '@parley/testing';
import type { z } from 'zod';
import { readInput } from './gateway-call';

const key = '850dbcff-0091-4065-99a8-c48462867101';
const many = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);

describe('the time to read an input', () => {
  it.each<[string, z.ZodType, object]>([
    ['of items that are null', mapContacts.request, { SalesUserKeyID: key, ContactID: many(10_000, null) }],
    ['of ids that are null', addCampaignContacts.request, { CampaignKeyID: key, ContactIDs: many(20_000, null) }],
    ['of items that are none', mapContacts.request, { SalesUserKeyID: key, ContactID: many(10_000, [[]]) }],
    [
      'of rows whose fields are null',
      addCampaignContacts.request,
      { CampaignKeyID: key, Contacts: many(5_000, { ContactNumber: '+919820012345', CustomerName: null, TimeZone: null }) },
    ],
  ])('is short: %s', async (_what, schema, input) => {
    const read = (): void => {
      try {
        readInput(schema, input);
      } catch {
        // Refused is read as well.
      }
    };
    // A list of ten thousand nulls took a second of everybody's time.
    expect(await warmTurnMs(read)).toBeLessThan(loopBudgetMs);
  });
});
