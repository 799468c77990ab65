import { longestTurnMs, loopBudgetMs } from '@parley/testing';
import { regionsOf } from './campaign-contacts';
import { typedIn } from './contact-intake';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `+9198200${String(n).padStart(5, '0')}`);

describe('contacts of a campaign keep nobody waiting', () => {
  it('typed in, as many as a request may bring', async () => {
    const rows = numbers(5_000).map((ContactNumber) => ({ ContactNumber, CustomerName: 'Ravi', variables: {} }));
    const spent = await longestTurnMs(() => typedIn(rows, { callerNumber: '+912025501234' }));
    expect(spent).toBeLessThan(loopBudgetMs);
  });

  it('told by their regions, as many as one statement adds', async () => {
    const contacts = numbers(2_000).map((number) => ({ number }));
    const spent = await longestTurnMs(() => regionsOf(contacts, 'Asia/Kolkata'));
    expect(spent).toBeLessThan(loopBudgetMs);
  });
});
