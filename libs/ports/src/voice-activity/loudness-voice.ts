const quietestDb = -100;
// Below this, nobody speaks into a telephone.
const voiceDbMin = -50;
const riseDbPerSecond = 3;
// So much louder than the quiet before is as likely a voice as not, and each so much more makes it surer.
const evenDb = 9;
const slopeDb = 2.5;

/** Judges by loudness over the quiet that went before: better than nothing, and fooled by every noise that comes and goes. */
export class LoudnessVoice {
  private quietDb = voiceDbMin - evenDb;

  /** How likely this window holds a voice. Windows of one stream, in order. */
  judge(window: Int16Array, sampleRate: number): number {
    const db = loudnessDb(window);
    const seconds = window.length / sampleRate;
    this.quietDb = db < this.quietDb ? db : Math.min(db, this.quietDb + riseDbPerSecond * seconds);
    if (db < voiceDbMin) return 0;
    return 1 / (1 + Math.exp(-(db - this.quietDb - evenDb) / slopeDb));
  }
}

function loudnessDb(window: Int16Array): number {
  let sum = 0;
  for (const sample of window) sum += sample * sample;
  return Math.max(quietestDb, 10 * Math.log10(sum / Math.max(1, window.length) / 32_768 ** 2));
}
