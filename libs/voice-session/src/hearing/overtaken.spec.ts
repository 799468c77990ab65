import { joinSamples } from '@parley/audio';
import { hear, listen, loud, quiet } from './listening.suite';

const caller = (seconds: number): Int16Array => loud(seconds * 1000).map((sample) => sample / 2);

/** A voice this much softer than the caller's. Its short gaps remind the detector, which judges by loudness, of what silence is. */
function softer(decibels: number, seconds: number): Int16Array {
  const second = joinSamples([caller(0.9).map((sample) => sample * 10 ** (-decibels / 20)), quiet(100)]);
  return joinSamples(Array.from({ length: seconds }, () => second));
}

describe('a voice that goes on after the caller', () => {
  async function edgesOf(...sounds: Int16Array[]): Promise<string[]> {
    const { recognition, events } = await listen();
    for (const sound of sounds) hear(recognition, sound);
    recognition.close();
    return events.flatMap((event) =>
      'atMs' in event && event.kind !== 'partial' ? [`${event.kind} ${Math.round((event.atMs ?? 0) / 500) / 2}`] : [],
    );
  }

  it.each([15, 17, 18])('and is %i dB softer ends the turn where it took over, and is no turn itself', async (decibels) => {
    const edges = await edgesOf(caller(3), softer(decibels, 8), caller(2), softer(decibels, 8));
    expect(edges).toEqual(['speech-started 0', 'speech-stopped 3', 'speech-started 11', 'speech-stopped 13']);
  });

  it.each([3, 6, 9])('and is %i dB softer is the caller’s, who does not speak alike all the time', async (decibels) => {
    expect(await edgesOf(caller(3), softer(decibels, 5), quiet(1000))).toEqual(['speech-started 0', 'speech-stopped 8']);
  });

  it('is the caller’s after all once it has lasted for a quarter of a minute: they have moved away', async () => {
    const edges = await edgesOf(caller(3), softer(17, 30));
    expect(edges.slice(0, 2)).toEqual(['speech-started 0', 'speech-stopped 3']);
    expect(edges[2]).toMatch(/^speech-started (?:1\d|2[0-5])/u);
  });
});
