/** The parts of a turn's delay, in the order in which they happen, in words for newcomers. */
export const latencyNames = {
  endOfTurnMs: 'Making sure you had finished',
  transcriptionMs: 'Turning sound into words',
  retrievalMs: 'Looking it up',
  firstTokenMs: 'First word of the answer',
  firstAudioMs: 'First sound of the answer',
  pacingMs: 'On its way to you',
};

/** The measured parts of a turn's delay, each with its share of the whole; empty if nothing was measured. */
export function latencyParts(latency) {
  if (!latency) return [];
  const happened = Object.entries(latencyNames).filter(([name]) => typeof latency[name] === 'number');
  const sum = happened.reduce((total, [name]) => total + latency[name], 0);
  return happened.map(([name, title]) => ({ name, title, ms: latency[name], share: sum > 0 ? latency[name] / sum : 0 }));
}

/** A duration for people to read: 84 ms, 1.3 s. */
export function readable(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
