/** @quiet Judged by CPU time. */
import { asksNeverToBeCalled } from './never-again';

describe('understands a request never to call again', () => {
  it.each([
    'Do not call me again.',
    'Don’t call me again!',
    'please dont call me',
    'Stop calling me.',
    'Stop calling.',
    'Stop calling me right now!',
    'Never call this number again',
    'Please do not ever call me again, thank you',
    'I am not interested, please don’t call again.',
    'I don’t want any more calls from you',
    'I do not want to be called',
    'No more calls please',
    'Stop these calls',
    'Take me off your list',
    'Remove my number from your calling list',
    'Please remove my number.',
    'Put me on your do not call list.',
    'Could you please stop calling me?',
    'From now on do not call me',
    'After today don’t call me',
    'Do not contact me any more',
    'Please don’t disturb me again',
    'मुझे दोबारा कॉल मत करना',
    'मुझे फोन मत कीजिए',
    'कृपया मुझे फिर से फ़ोन मत करें',
    'आज के बाद मुझे कॉल मत करना',
    'अब कॉल मत करना',
    'कॉल करना बंद करो',
    'मुझे आपके कॉल नहीं चाहिए',
    'मेरा नंबर अपनी लिस्ट से हटा दो',
    'इस नंबर को कॉल मत करना',
    'mujhe dobara call mat karna',
    'phone mat kijiye please',
    'Aage se call mat karo',
    'aaj ke baad mujhe call mat karna',
    'call karna band karo yaar',
    'mera number list se hata do',
    'mujhe call nahi chahiye',
    'मला पुन्हा फोन करू नका',
    'मला कॉल करू नका',
    'यापुढे फोन करू नका',
    'फोन करणे बंद करा',
    'मला तुमचे कॉल नकोत',
    'माझा नंबर यादीतून काढून टाका',
    'mala punha phone karu naka',
    'maza number kadhun taka',
  ])('%s', (text) => {
    expect(asksNeverToBeCalled(text)).toBe(true);
  });
});

describe('finds no request never to call again in', () => {
  it.each([
    '',
    'Call me again tomorrow.',
    'Don’t call me now, I am driving.',
    'Do not call me before five.',
    'Please don’t call me today, call on Monday.',
    'Don’t call me at work.',
    'Do not call me while I am in a meeting',
    'Don’t call me later, tell me now',
    'Why did you not call me again?',
    'Why don’t you call me again?',
    'You never called me back.',
    'Nobody calls me any more.',
    'I told them do not call me again.',
    'My husband said stop calling me.',
    'Do not call the police.',
    'Don’t call my wife again.',
    'Don’t call him again.',
    'Do not hesitate to call me.',
    'Never forget to call me.',
    'Don’t call me sir, I am a woman.',
    'Stop calling it a service.',
    'I will never stop ordering from you',
    'What does it cost to call your number?',
    'Is there a do not call list?',
    'Do you remove numbers from the bill?',
    'I don’t want the blue one any more',
    'What if I do not want to be called?',
    'Does your delivery boy call me?',
    'मुझे शाम को कॉल करना',
    'अभी कॉल मत करो, शाम को करना',
    'आज फोन मत करना, कल करना',
    'पाँच बजे से पहले कॉल मत करना',
    'आपने कॉल क्यों नहीं किया',
    'फोन मत रखना',
    'फोन मत काटो',
    'मेरी पत्नी को कॉल मत करना',
    'पुलिस को फोन मत करो',
    'उसने कहा कॉल मत करना',
    'abhi call mat karo',
    'subah call mat karna',
    'usko call mat karna',
    'phone mat rakhna',
    'call karna mat bhulna',
    'आता फोन करू नका',
    'आज फोन करू नका, उद्या करा',
    'पाच वाजेपर्यंत फोन करू नका',
    'त्याला फोन करू नका',
    'फोन ठेवू नका',
    'तो म्हणाला फोन करू नका',
    'aata phone karu naka',
  ])('%s', (text) => {
    expect(asksNeverToBeCalled(text)).toBe(false);
  });

  it('a long text, with little CPU', () => {
    const before = process.cpuUsage();
    asksNeverToBeCalled('stop the your all please to '.repeat(2_000));
    asksNeverToBeCalled('कॉल मुझे दोबारा '.repeat(2_000));
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_000);
  });
});
