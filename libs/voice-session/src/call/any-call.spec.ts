import fc from 'fast-check';
import { ScriptedCall } from '../scripted/scripted-call';

const saying = fc.record({ do: fc.constant('say' as const), text: fc.constantFrom('tell me more', 'no wait', 'okay', '') });
const waiting = fc.record({ do: fc.constant('wait' as const), text: fc.constant(''), ms: fc.integer({ min: 40, max: 2500 }) });
const pressing = fc.constantFrom('interrupt' as const, 'hold' as const, 'resume' as const, 'key' as const);
const step = fc.oneof(
  { weight: 4, arbitrary: saying },
  { weight: 4, arbitrary: waiting },
  fc.record({ do: fc.constant('type' as const), text: fc.constant('and the price') }),
  fc.record({ do: pressing, text: fc.constant('') }),
);

const nature = fc.record({
  guesses: fc.boolean(),
  firstTokenMs: fc.integer({ min: 0, max: 900 }),
  wordMs: fc.integer({ min: 0, max: 80 }),
  firstSoundMs: fc.integer({ min: 0, max: 400 }),
  blockMs: fc.integer({ min: 0, max: 120 }),
  hasMarks: fc.boolean(),
  fillers: fc.constantFrom([], ['One moment.']),
});

type Nature = typeof nature extends fc.Arbitrary<infer One> ? One : never;
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

function callOf({ guesses, firstTokenMs, wordMs, firstSoundMs, blockMs, hasMarks, fillers }: Nature): ScriptedCall {
  return new ScriptedCall({
    settings: { greeting: 'Hello! How can I help?', hasMarks, fillers },
    answer: () => 'This is a rather long answer. It has sentences, and clauses as well. It ends here.',
    generator: { firstTokenMs, wordMs },
    synthesizer: { firstSoundMs, blockMs },
    recognition: { guesses },
    markMs: 40,
  });
}

async function live(scene: ScriptedCall, { do: what, text, ...rest }: Step): Promise<void> {
  if (what === 'say') await scene.says(text, 700);
  else if (what === 'wait') await scene.isSilent('ms' in rest ? rest.ms : 0);
  else if (what === 'type') scene.call.signal({ type: 'text', text });
  else if (what === 'key') scene.call.signal({ type: 'dtmf', digit: '5' });
  else if (what === 'interrupt') scene.call.signal({ type: 'interrupt' });
  else scene.call[what]();
}

describe('any sequence of events in a call', () => {
  it('plays nothing from before an interruption after it, and comes to rest', async () => {
    await fc.assert(
      fc.asyncProperty(nature, fc.array(step, { minLength: 2, maxLength: 10 }), async (its, steps) => {
        const scene = callOf(its);
        const cuts: { at: number; words: number }[] = [];
        const tell = scene.line.tell.bind(scene.line);
        scene.line.tell = (frame) => {
          if (frame.type === 'agent.interrupted')
            cuts.push({ at: scene.line.heard().length, words: scene.synthesizer.words.length });
          tell(frame);
        };
        for (const one of steps) await live(scene, one);
        scene.call.resume();
        await scene.isSilent(45_000);
        expect(scene.call.state.kind).toBe('listening');
        const heard = scene.line.heard();
        for (const { at, words } of cuts) {
          expect(heard.subarray(at).find((sample) => sample !== 0 && sample < 2000 + words)).toBeUndefined();
        }
      }),
      { numRuns: 12 },
    );
  }, 400_000);
});
