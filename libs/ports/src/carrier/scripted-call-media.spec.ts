import { describeCallMedia } from './carrier.suite';
import { ScriptedCallMedia } from './scripted-call-media.fake';

describeCallMedia('the scripted fake', ({ clock, hear }) => {
  const media = new ScriptedCallMedia(clock, hear);
  return {
    media,
    begin: () => media.begin(),
    speak: (bytes) => media.speak(bytes),
    press: (digit) => media.press(digit),
    hangUp: () => media.close('caller-hung-up', 'the caller hung up'),
    breakOff: () => media.close('lost', 'broken'),
    fallSilent: () => undefined,
    heard: () => media.heard(),
    keysHeard: () => media.keys,
    get isToldOfEnd() {
      return media.isEnded;
    },
    violations: [],
  };
});
