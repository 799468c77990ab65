import { refersBack, inContext } from './topics';

describe('a question that goes on with the one before', () => {
  it.each(['and is it available?', 'how long is its warranty?', 'what about the blue one?', 'और रविवार को?', 'आणि लाल?', 'why?'])(
    'is seen in: %s',
    (question) => expect(refersBack(question)).toBe(true),
  );

  it.each([
    'How much is the steel kettle?',
    'Are you open on Sunday?',
    'And which documents do I need for a home loan?',
    'दुकान कहाँ है?',
  ])('is not seen in: %s', (question) => expect(refersBack(question)).toBe(false));

  it('asks of the thing before, or the same of the thing now', () => {
    const before = ['How much is the steel kettle?'];
    expect(inContext('and is it available?', before)).toBe('and is it available? steel kettle');
    expect(inContext('what about the copper one?', before)).toBe('what about the copper one? how much is the');
  });

  it('goes back over questions that went on themselves, and no further than the last that did not', () => {
    const before = ['Where are you?', 'How much is the steel kettle?', 'what about the copper one?'];
    expect(inContext('how long is its warranty?', before)).toBe('how long is its warranty? copper');
    expect(inContext('Do you ship abroad?', before)).toBe('Do you ship abroad?');
  });
});
