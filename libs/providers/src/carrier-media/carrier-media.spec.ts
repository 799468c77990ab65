import { describeCallMedia } from '@parley/ports/suites';
import { FakeAudioSocket } from '../asterisk-audiosocket/audiosocket.fake';
import { FakeAsteriskWebSocket } from '../asterisk-websocket/asterisk-websocket.fake';
import { FakeAudioFork } from '../audio-fork/audio-fork.fake';
import { FakeExotel } from '../exotel/exotel.fake';
import { FakePlivo } from '../plivo/plivo.fake';
import { FakeTelnyx } from '../telnyx/telnyx.fake';
import { FakeTwilio } from '../twilio/twilio.fake';
import { FakeVonage } from '../vonage/vonage.fake';

const wide = { encoding: 'pcm16', sampleRate: 16_000 } as const;

describeCallMedia('Twilio', (surroundings) => new FakeTwilio(surroundings));
describeCallMedia('Plivo', (surroundings) => new FakePlivo(surroundings));
describeCallMedia('Plivo in 16 kHz', (surroundings) => new FakePlivo(surroundings, wide));
describeCallMedia('Exotel', (surroundings) => new FakeExotel(surroundings));
describeCallMedia('Exotel in 16 kHz', (surroundings) => new FakeExotel(surroundings, 16_000));
describeCallMedia('Vonage', (surroundings) => new FakeVonage(surroundings));
describeCallMedia('Vonage in 8 kHz', (surroundings) => new FakeVonage(surroundings, 8000));
describeCallMedia('Telnyx', (surroundings) => new FakeTelnyx(surroundings));
describeCallMedia('Telnyx in A-law', (surroundings) => new FakeTelnyx(surroundings, { encoding: 'alaw', sampleRate: 8000 }));
describeCallMedia('Asterisk AudioSocket', (surroundings) => new FakeAudioSocket(surroundings));
describeCallMedia('Asterisk AudioSocket in 16 kHz', (surroundings) => new FakeAudioSocket(surroundings, wide));
describeCallMedia('Asterisk chan_websocket', (surroundings) => new FakeAsteriskWebSocket(surroundings));
describeCallMedia('Asterisk chan_websocket in JSON', (surroundings) => new FakeAsteriskWebSocket(surroundings, 'json', wide));
describeCallMedia('an audio fork', (surroundings) => new FakeAudioFork(surroundings));
describeCallMedia('an audio fork in 16 kHz', (surroundings) => new FakeAudioFork(surroundings, 16_000));
