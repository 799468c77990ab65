import { LoudnessVoiceActivity } from './voice-activity';
import { describeVoiceActivity } from './voice-activity.suite';

describeVoiceActivity(
  'Loudness',
  () => new LoudnessVoiceActivity(),
  (sampleRate) => syllables(sampleRate),
);

/** Bursts of sound as long as syllables. */
function syllables(sampleRate: number): Int16Array {
  return Int16Array.from({ length: sampleRate }, (_, i) => {
    const isOn = (i / sampleRate) % 0.25 < 0.2;
    return isOn ? 8000 * Math.sin((2 * Math.PI * 220 * i) / sampleRate) : 0;
  });
}
