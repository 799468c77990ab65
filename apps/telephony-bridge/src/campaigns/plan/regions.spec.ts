import { callerFor } from './regions';

const callers = ['+912025501234', '+12125550100', '+912025501235'];

describe('the number that a contact is called from', () => {
  it('is one of its own country, the same at first for the same contact, and another with each further attempt', () => {
    const from = (id: number, attempt: number) => callerFor(callers, { id, region: 'IN Asia/Kolkata', attempt });
    expect([from(2, 1), from(2, 1), from(2, 2), from(2, 3)]).toEqual([
      ...['+912025501234', '+912025501234'],
      ...['+912025501235', '+912025501234'],
    ]);
    expect(from(3, 1)).toBe('+912025501235');
    expect(callerFor(callers, { id: 3, region: 'US America/New_York', attempt: 2 })).toBe('+12125550100');
  });

  it('is any of them where none is of its country, by turns, and none where the carrier refuses all', () => {
    const from = (id: number) => callerFor(callers, { id, region: 'FR Europe/Paris', attempt: 1 });
    expect(new Set([0, 1, 2].map(from))).toEqual(new Set(callers));
    expect(callerFor([], { id: 1, region: 'FR Europe/Paris', attempt: 1 })).toBeUndefined();
  });
});
