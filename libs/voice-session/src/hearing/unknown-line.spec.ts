import { joinSamples } from '@parley/audio';
import { Chance } from '../scripted/simulated-interruption';
import { kindsOf, listen, quiet, rate } from './listening.suite';

/** Vowels with the pitch, the formants and the rhythm of one speaker, four syllables a second. */
function voiceOf(speaker: number, ms: number): Int16Array {
  const chance = new Chance(speaker);
  const within = (least: number, most: number): number => least + chance.next() * (most - least);
  const usualHz = within(90, 240);
  const samples = new Int16Array((rate * ms) / 1000);
  const syllable = rate / 4;
  for (let from = 0; from < samples.length; from += syllable) {
    const [firstHz, lastHz] = [usualHz * within(0.85, 1.2), usualHz * within(0.8, 1.1)];
    const resonances = [resonance(within(280, 850), 90), resonance(within(900, 2300), 140)];
    let phase = 0;
    for (let i = 0; i < syllable; i++) {
      phase += (firstHz + ((lastHz - firstHz) * i) / syllable) / rate;
      const pulse = phase >= 1 ? 9000 : 0;
      phase %= 1;
      samples[from + i] = resonances.reduce((sound, through) => through(sound), pulse) * Math.sin((Math.PI * i) / syllable);
    }
  }
  return samples;
}

function resonance(hz: number, widthHz: number): (sample: number) => number {
  const radius = Math.exp((-Math.PI * widthHz) / rate);
  const turn = 2 * radius * Math.cos((2 * Math.PI * hz) / rate);
  const gain = 1 - turn + radius ** 2;
  let [last, beforeLast] = [0, 0];
  return (sample) => {
    const next = gain * sample + turn * last - radius ** 2 * beforeLast;
    [last, beforeLast] = [next, last];
    return next;
  };
}

const answerAtMs = 600;
const answerMs = 2000;

/** Everything that happens from when the agent begins its first answer, on a line that has heard nothing before. */
async function eventsOf(own: Int16Array, heard: Int16Array): Promise<string[]> {
  const { recognition, events } = await listen();
  const frame = rate / 50;
  for (let at = 0; at < heard.length; at += frame) {
    const ms = (at * 1000) / rate;
    const ownAt = at - (answerAtMs * rate) / 1000;
    if (ownAt >= 0 && ownAt < own.length) recognition.noticeOwnVoice(own.subarray(ownAt, ownAt + frame), ms);
    recognition.hear(heard.subarray(at, at + frame));
  }
  recognition.close();
  return kindsOf(events);
}

describe('a line on which the agent has not yet spoken', () => {
  const speakers = Array.from({ length: 40 }, (_, index) => index + 1);

  it('has callers heard who go on as the agent begins to answer, however alike the two voices are', async () => {
    const unheard: number[] = [];
    for (const speaker of speakers) {
      const own = voiceOf(speaker, answerMs);
      const caller = voiceOf(1000 + speaker, 2000);
      const beginsMs = answerAtMs + 20 + ((speaker * 20) % 240);
      if (!(await eventsOf(own, joinSamples([quiet(beginsMs), caller, quiet(400)]))).includes('speech-started'))
        unheard.push(speaker);
    }
    expect(unheard).toEqual([]);
  });

  it.each([-14, -20, -24])('has nobody heard in an echo of %i dB', async (db) => {
    const invented: number[] = [];
    for (const speaker of speakers.slice(0, 20)) {
      const own = voiceOf(speaker, answerMs).map((sample) => sample * 2);
      const delay = ((80 + (speaker % 3) * 70) * rate) / 1000;
      const strength = 10 ** (db / 20);
      const heard = quiet(answerAtMs + answerMs + 400);
      for (let i = 0; i < own.length; i++) {
        const at = (answerAtMs * rate) / 1000 + delay + i;
        heard[at] = (heard[at] ?? 0) + strength * (own[i] ?? 0);
        heard[at + 37] = (heard[at + 37] ?? 0) - 0.4 * strength * (own[i] ?? 0);
      }
      if ((await eventsOf(own, heard)).includes('speech-started')) invented.push(speaker);
    }
    expect(invented).toEqual([]);
  });
});
