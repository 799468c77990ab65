import { keyKinds } from '@parley/contracts';
import { canBeKey, newKeyText } from './stored-keys';

/** The nightly size is 1,000,000. */
const keysTried = 100_000;
const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

// Seeded, so that a failure can be reproduced.
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('the text of a key', () => {
  it.each(keyKinds)('is recognized for every kind: %s', (kind) => {
    expect(canBeKey(newKeyText(kind))).toBe(true);
  });

  it('is refused with one character wrong, two swapped, or one more or less', () => {
    const below = numbers(7);
    const accepted: string[] = [];
    for (let trial = 0; trial < keysTried; trial += 1) {
      const key = newKeyText('wsk');
      const near = nearMiss(key, below);
      if (near !== key && canBeKey(near)) accepted.push(near);
    }
    expect(accepted).toEqual([]);
  });

  it('is refused if it is random', () => {
    const below = numbers(11);
    const accepted: string[] = [];
    for (let trial = 0; trial < keysTried; trial += 1) {
      const random = `agt_${Array.from({ length: 38 }, () => letters.charAt(below(62))).join('')}`;
      if (canBeKey(random)) accepted.push(random);
    }
    expect(accepted).toEqual([]);
  });

  it('is refused in another format', () => {
    const texts = ['', 'wsk_', 'x'.repeat(10_000), '__proto__', 'wsk_\0', `ext_${'0'.repeat(38)}`, `${newKeyText('agt')}\n`];
    expect(texts.filter(canBeKey)).toEqual([]);
  });
});

function nearMiss(key: string, below: (limit: number) => number): string {
  const at = 4 + below(key.length - 5);
  const letter = letters.charAt(below(62));
  const [before, here, next, after] = [key.slice(0, at), key.charAt(at), key.charAt(at + 1), key.slice(at + 2)];
  return (
    [before + letter + next + after, before + next + here + after, before + next + after, before + here + letter + next + after][
      below(4)
    ] ?? key
  );
}
