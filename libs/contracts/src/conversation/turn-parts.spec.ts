import { LatencyParts } from './turn-parts';

test('times are answered in whole milliseconds, however finely they were measured', () => {
  const measured = {
    endOfTurnMs: 420.4999,
    transcriptionMs: 0.4,
    retrievalMs: 11.06,
    firstTokenMs: 240.501,
    firstAudioMs: null,
    pacingMs: 19.999,
    totalMs: 691.4659,
  };
  expect(LatencyParts.parse(measured)).toEqual({
    endOfTurnMs: 420,
    transcriptionMs: 0,
    retrievalMs: 11,
    firstTokenMs: 241,
    firstAudioMs: null,
    pacingMs: 20,
    totalMs: 691,
  });
});
