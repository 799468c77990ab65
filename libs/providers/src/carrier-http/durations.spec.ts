import { durationOf } from './index';

it.each([
  ['61', 61],
  ['60.6', 61],
  [0, 0],
  [86_400, 86_400],
])('a call that lasted %p seconds lasted %i', (said, durationSeconds) => {
  expect(durationOf(said)).toEqual({ durationSeconds });
});

it.each(['', 'long', '-1', '9'.repeat(400), 1e12, null, undefined])('nothing lasted %p seconds', (said) => {
  expect(durationOf(said)).toEqual({});
});
