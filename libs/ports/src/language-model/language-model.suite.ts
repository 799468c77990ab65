import { aModelRequest, type LanguageModel, type ModelEvent } from './language-model';

/** The behaviour of every language model. Its answer to `aModelRequest()` must have at least three pieces of text. */
export function describeLanguageModel(name: string, create: () => LanguageModel | Promise<LanguageModel>): void {
  describe(`${name} as a language model`, () => {
    const never = new AbortController().signal;

    it('answers in pieces and ends with one finish', async () => {
      const events = await eventsOf((await create()).stream(aModelRequest(), never));
      expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThanOrEqual(3);
      expect(events.findIndex(({ type }) => type === 'finish')).toBe(events.length - 1);
      expect(events.at(-1)).toMatchObject({ reason: 'stop' });
    });

    it('sends nothing to a caller that has already left', async () => {
      const gone = AbortSignal.abort(new Error('gone'));
      await expect(eventsOf((await create()).stream(aModelRequest(), gone))).rejects.toThrow('gone');
    });

    it('stops with the caller’s reason in the middle of an answer', async () => {
      const leaving = new AbortController();
      const heard: ModelEvent[] = [];
      const listening = (async () => {
        for await (const event of (await create()).stream(aModelRequest(), leaving.signal)) {
          heard.push(event);
          leaving.abort(new Error('left'));
        }
      })();
      await expect(listening).rejects.toThrow('left');
      expect(heard).toHaveLength(1);
    });

    it('can be left early and asked again, several at a time', async () => {
      const model = await create();
      for await (const event of model.stream(aModelRequest(), never)) if (event.type === 'text') break;
      const answers = await Promise.all([1, 2, 3].map(() => eventsOf(model.stream(aModelRequest(), never))));
      for (const events of answers) expect(events.at(-1)).toMatchObject({ type: 'finish' });
    });
  });
}

async function eventsOf(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
