import { Chance } from '../scripted/simulated-interruption';
import { echoesOf } from './changed-echo';

const rate = 8000;

/** Speech-coloured noise. */
function voice(samples: number, seed: number): Float32Array {
  const chance = new Chance(seed);
  let level = 0;
  return Float32Array.from({ length: samples }, () => {
    level += ((chance.next() - 0.5) * 20_000 - level) * 0.3;
    return level;
  });
}

describe('an echo on a way that is not known', () => {
  const played = voice(2944, 5);
  const rest = played.slice(700, 700 + 1024).map((sample) => 0.3 * sample);

  it('is found where it is, also turned around', () => {
    for (const turn of [1, -1]) {
      const { share, shift } = echoesOf(played, rate)(rest.map((sample) => turn * sample));
      expect(share).toBeGreaterThan(0.95);
      expect(shift).toBe(700);
    }
  });

  it('is found among reflections, and with a caller half as loud beside it', () => {
    const others = played.slice(690, 690 + 1024);
    const caller = voice(1024, 9);
    const { share, shift } = echoesOf(
      played,
      rate,
    )(rest.map((sample, at) => sample + 0.12 * (others[at] ?? 0) + 0.15 * (caller[at] ?? 0)));
    expect(share).toBeGreaterThan(0.4);
    expect(shift).toBe(700);
  });

  it('is none in another voice, in silence, or where nothing was played', () => {
    expect(echoesOf(played, rate)(voice(1024, 9)).share).toBeLessThan(0.1);
    expect(echoesOf(played, rate)(new Float32Array(1024)).share).toBe(0);
    expect(echoesOf(new Float32Array(2944), rate)(voice(1024, 9)).share).toBe(0);
  });

  it('is searched for in several sounds, one after the other', () => {
    const likeliestIn = echoesOf(played, rate);
    expect(likeliestIn(voice(1024, 9)).share).toBeLessThan(0.1);
    expect(likeliestIn(rest).shift).toBe(700);
    expect(likeliestIn(rest).shift).toBe(700);
  });
});
